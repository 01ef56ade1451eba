"""Events of a client for a screen, a bot's output or a test: plain values."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from player.client.loadouts import NO_CREATORS, Creators
from player.client.rule_sets import NO_RULE_SETS, OfferedRules, RuleSets
from protocol.codes import Code
from protocol.games import Action, Hand
from protocol.games.registry import Games
from protocol.match.log import Entry
from protocol.match.setup import Person
from protocol.match.state import Match
from protocol.match.terms import Terms
from protocol.messages.table_search import TablePage
from protocol.view.phrase import Phrase

# the only choice of a seat without the tile that another seat asks for; screens do not show it
DENIAL: Action = ("deny",)


@dataclass(frozen=True)
class Welcomed:
    """The table has greeted us."""

    table_name: str
    table_key: bytes


@dataclass(frozen=True)
class Listed:
    """The tables that are open: id, `Terms`, who waits, whether a match is running."""

    rows: tuple[tuple[Any, ...], ...]
    games: Games  # the games that are known here
    rule_sets: RuleSets = NO_RULE_SETS  # the rule sets that are known here
    page: TablePage | None = None  # the page with these tables; None: these are all tables


@dataclass(frozen=True)
class Offered:
    """The terms of a seat that is about to be taken, or of an invitation. `table_id` is None
    without a table. `creators`: knowledge of the person about creators whom the terms name.
    """

    table_id: str | None
    terms: Terms
    rules: OfferedRules | None = None  # the signed rule set, if it is stored here
    creators: Creators = field(default_factory=lambda: NO_CREATORS)


@dataclass(frozen=True)
class Waiting:
    """A seat is reserved at a table. `people`: all who wait there."""

    table_id: str
    seats: int
    people: tuple[Person, ...]


@dataclass(frozen=True)
class Started:
    """A match begins for us; `seat` is None for a spectator."""

    match: Match
    seat: int | None


@dataclass(frozen=True)
class Happened:
    """An entry has been checked and stands; `before` and `match` are the states around it.

    `drawn`: the pieces of the own hand that became known since an action asked for them.
    """

    before: Match
    entry: Entry
    match: Match
    drawn: Hand = ()


@dataclass(frozen=True)
class Recalled:
    """An entry that an earlier run of this program has reported. It comes before `Started`; its other
    fields are those of `Happened`.
    """

    seat: int | None
    before: Match
    entry: Entry
    match: Match
    drawn: Hand = ()


@dataclass(frozen=True)
class Roster:
    """All seats have shown their keys. `protocol.identity.roster_words` makes the four words of
    `digest`.
    """

    match: Match
    digest: bytes


@dataclass(frozen=True)
class YourTurn:
    """The person is to make one of these choices, with `ClientBase.choose`."""

    match: Match
    choices: tuple[Action, ...]


@dataclass(frozen=True)
class Said:
    """A remark of a seat, in printable characters."""

    seat: int
    remark: str


@dataclass(frozen=True)
class Presence:
    """Seats whose players have lost the connection or are back since the last event, as the table
    states it. The statement is not signed.
    """

    match: Match
    gone: tuple[int, ...]
    back: tuple[int, ...]


@dataclass(frozen=True)
class Trips:
    """The table has stated the round-trip times of the seats (`MatchReplica.trips`)."""

    match: Match


@dataclass(frozen=True)
class Waited:
    """The table has stated for how long it has waited for seats. It does so before it sends the
    entries that this player lacks.

    `by_seat`: number of the entry since which the seat has its duty, and seconds.
    """

    by_seat: Mapping[int, tuple[int, float]]


@dataclass(frozen=True)
class Unheard:
    """A remark in the name of this seat is not from it, or has come before: it is dropped. The event
    comes once for each seat.
    """

    seat: int


@dataclass(frozen=True)
class Declined:
    """The table refused an entry of ours."""

    code: Code


@dataclass(frozen=True)
class Notice:
    """Something a person should know, as a sentence."""

    phrase: Phrase


@dataclass(frozen=True)
class Announced:
    """A line of the table's host to everybody."""

    said: str


Event = (
    Welcomed
    | Listed
    | Offered
    | Waiting
    | Started
    | Happened
    | Recalled
    | Roster
    | YourTurn
    | Said
    | Presence
    | Trips
    | Waited
    | Unheard
    | Declined
    | Notice
    | Announced
)

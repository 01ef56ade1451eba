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

# the only choice of who does not have the tile that is asked for: a person is not asked
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
    games: Games  # that are known here
    rule_sets: RuleSets = NO_RULE_SETS  # that are known here
    # the page that these tables are; None: they are all tables
    page: TablePage | None = None


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
    """A seat is reserved, and the event lists the people who are there."""

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
    """An entry that an earlier run of this program has told of, before `Started`; the rest as in
    `Happened`.
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
    """A person is to choose one of these, with `Client.choose`."""

    match: Match
    choices: tuple[Action, ...]


@dataclass(frozen=True)
class Said:
    """Table talk, fit to be shown."""

    seat: int
    remark: str


@dataclass(frozen=True)
class Presence:
    """The table says whose connections are gone since it said so last, and whose are back. Nobody
    signs that.
    """

    match: Match
    gone: tuple[int, ...]
    back: tuple[int, ...]


@dataclass(frozen=True)
class Trips:
    """The table has said how far away it is from the seats (`MatchReplica.trips`)."""

    match: Match


@dataclass(frozen=True)
class Waited:
    """The table's statement how long it has waited for seats, sent before the entries that this
    player lacks.

    `by_seat`: number of the entry since which the seat's duty stands, and seconds.
    """

    by_seat: Mapping[int, tuple[int, float]]


@dataclass(frozen=True)
class Unheard:
    """Talk that is said to be of this seat is not, or was heard before: it is dropped. Told once
    for each seat.
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

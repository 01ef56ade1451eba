"""Player of a scenario, from its seed and without sockets. Only this module knows how to drive
tables, seats and logs.

The deal does not depend on the log's bytes: every party's random source is `Dice`, also the
table's, and does not restart with the log. The seats' joint chance decides only the first button or
the first seat. For this, matches are tried until the result is the scenario's.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import count
from random import Random
from typing import Any

from player.client.seat import Seat
from protocol.dealing import Post
from protocol.dealing.none import NONE
from protocol.games import Hand
from protocol.identity.keys import Identity
from protocol.match.clock import LAPSE, Allowance
from protocol.match.fold import apply, begin
from protocol.match.log import NO_HASH, Entry, EntryContent, Log, Record, make_entry
from protocol.match.log_reader import LogReader
from protocol.match.setup import KIND, NO_TABLE, Setup
from protocol.match.state import Match, MatchStage
from table.match.live_match import LiveMatch
from tests.golden.dice import dice
from tests.golden.scenarios import PLAYERS, Scenario
from tests.support.at_once import at_once
from tests.support.offline import make_setup

TRIES = 1000  # matches of one salt, until the button is right


@dataclass(frozen=True)
class Moment:
    """An entry and its result. `hands` are the known hands of present seats, by seat."""

    before: Match
    entry: Entry | None  # None: an entry that is a fault
    after: Match
    hands: dict[int, Hand]
    faults: tuple[Any, ...]  # all faults so far
    closed: Any = None  # result of the deal that this entry closed


class Kept:
    """Log of two seats without a table, with the interface of `LiveMatch`."""

    def __init__(self, people: list[Identity], setup: Setup) -> None:
        first = make_entry(people[0], NO_HASH, EntryContent(0, 0, (0, NO_HASH), KIND, setup.body()))
        self.people, self.log = people, Log(first)
        self.match = begin(setup, self.log.match_id, 0)
        self.records = [Record(first, self.log.head(people[0]))]

    def offer(self, raw: bytes, seat: int) -> None:
        """Append a seat's entry."""
        entry = self.log.check(raw)
        self.match = apply(self.match, entry)
        self.log.append(entry)
        self.records.append(Record(raw, self.log.head(self.people[seat])))


@dataclass
class Playthrough:
    """A match with its seats, and one reader that checks everything."""

    scenario: Scenario
    live: Any  # a LiveMatch, or an object with its methods
    seats: dict[int, Seat]  # seats that have not left
    reader: LogReader
    dice: list[Random]  # random sources of the bots, by seat
    moves: int = 0
    asleep: set[int] = field(default_factory=set)
    done: set[str] = field(default_factory=set)  # labels of past moments

    def until_started(self) -> list[Moment]:
        """Run up to the first state of the game."""
        moments: list[Moment] = []
        while self.reader.match.game is None and not self.reader.over:
            moments += self.round()
        return moments

    def round(self) -> Iterator[Moment]:
        """Let every seat post once. If no seat posts, let the time of sleeping seats run out."""
        number = self.reader.log.next_number
        for seat in list(self.seats):
            self.happen()
            yield from self.read()
            if seat in self.seats:
                self.step(self.seats[seat])
            yield from self.read()
        if self.reader.log.next_number == number and not self.reader.over:
            for seat in sorted(self.asleep):
                if self.reader.match.next_clock_entry(seat):
                    self.lapse(seat)
            yield from self.read()

    def step(self, seat: Seat) -> None:
        """Let a seat post its duty, or choose."""
        match = self.reader.match
        alone = not match.setup.has_table and match.next_author != seat.number
        if self.reader.over or alone or seat.number in self.asleep:
            return
        post = seat.respond(match)
        if post is None and seat.choices(match):
            bot = PLAYERS[self.scenario.bot_of(seat.number)]
            post = seat.move(match, bot(seat.view(match), self.dice[seat.number]))
        if post is not None:
            self.live.offer(seat.entry(self.reader.log, post), seat.number)

    def happen(self) -> None:
        """Do what the scenario wants at this moment."""
        label = self.label()
        if label in self.done or label not in self.scenario.happens:
            return
        self.done.add(label)
        what, who = self.scenario.happens[label]
        if what == "leaves":
            leaver = self.seats.pop(who)
            self.live.offer(leaver.entry(self.reader.log, Post("leave", [])), who)
        elif what in ("sit_out", "sit_in"):
            self.live.offer(self.seats[who].entry(self.reader.log, Post(what, [])), who)
        elif what == "lapses":
            self.lapse(self.reader.match.duties()[0].author)
        else:
            self.asleep.add(who)

    def label(self) -> str:
        """Return the name of this moment for scenarios. "move 3" is before the move, "during 3"
        while its piece is being shown; "deal 1".
        """
        match = self.reader.match
        if match.stage is MatchStage.PLAYING:
            return f"move {self.moves + 1}"
        if match.stage is MatchStage.DEALING and match.pending_action is None:
            return f"deal {match.deal_number + 1}"
        return f"during {self.moves}"

    def lapse(self, seat: int) -> None:
        """Let the time of a seat run out, as far as the table is permitted to."""
        kind = ""
        while kind != LAPSE:
            kind, after = self.live.match.next_clock_entry(seat)
            self.live.post_clock(Post(kind, [seat, after]))

    def read(self) -> Iterator[Moment]:
        """Yield all new entries of the log, each with its result."""
        for record in self.live.records[self.reader.log.next_number :]:
            before = self.reader.match
            entry = self.reader.feed(record.entry, record.head)
            after = self.reader.match
            self.moves += entry is not None and entry.kind == "move"
            if not self.reader.over:
                for seat in self.seats.values():
                    seat.respond(after)  # the seat learns its pieces in this call
            hands = {
                number: seat.hand for number, seat in self.seats.items() if number in after.present
            }
            yield Moment(
                before, entry, after, hands, self.reader.faults, _closed(before, entry, after)
            )


def _closed(before: Match, entry: Entry | None, after: Match) -> Any:
    """Return the result of the deal if this entry closed it. The fold does not keep the result, so
    the step is repeated.
    """
    if (
        entry is None
        or after.deal_number == before.deal_number
        or entry.kind not in before.setup.dealing.entry_shapes
    ):
        return None
    return before.setup.dealing.apply(
        before.deal, entry.author, entry.kind, entry.body, before.next_number
    ).result


def opened(scenario: Scenario, salt: int) -> Playthrough:
    """Make a match at its beginning."""
    rng = dice(scenario.seed, salt, "table")
    table = Identity(rng.randbytes(32))
    people = [Identity(rng.randbytes(32)) for _ in range(scenario.seats)]
    options, more = dict(scenario.options), dict(scenario.dealing_options)
    short = Allowance(extensions=1)
    setup = make_setup(table, people, rng, scenario.game, options, more, scenario.dealing, short)
    live: Any
    if scenario.table:
        live = at_once(scenario.cheating_table or LiveMatch)(table, setup, rng.randbytes(32))
        live._rng = rng
    else:
        setup = replace(setup, table=NO_TABLE, terms=setup.terms._replace(clock=()))
        live = Kept(people, setup)
    types = scenario.cheats
    seats = {
        number: types.get(number, Seat)(person, number, dice(scenario.seed, salt, f"seat {number}"))
        for number, person in enumerate(people)
    }
    bots: list[Random] = [
        Random(f"{scenario.seed} bot {number}") for number in range(scenario.seats)
    ]
    first = live.records[0]
    return Playthrough(scenario, live, seats, LogReader(first.entry, first.head), bots)


def started(scenario: Scenario, salt: int = 0) -> tuple[Playthrough, list[Moment]]:
    """Make a match up to the first state of its game. Another salt gives other keys."""
    for attempt in count(salt * TRIES):
        match = opened(scenario, attempt)
        moments = match.until_started()
        if _first(match.reader.match, scenario.button) == scenario.button:
            break
    return match, moments


def _first(match: Match, otherwise: int) -> int:
    """Return the seat with the button, or the first seat in a game without a deal."""
    first: int = getattr(
        match.game, "to_act" if match.setup.dealing is NONE else "button", otherwise
    )
    return first


def play(scenario: Scenario, salt: int = 0) -> Iterator[Moment]:
    """Play a whole match. The same must happen with another salt."""
    match, moments = started(scenario, salt)
    yield from moments
    yield from rest_of(match)


def rest_of(match: Playthrough) -> Iterator[Moment]:
    """Play the rest of a match that has started."""
    while not match.reader.over:
        number = match.reader.log.next_number
        yield from match.round()
        if match.reader.log.next_number == number:
            return

"""A whole match of `DeterministicSeat`s around one table. Records all data from which a seat can be
rebuilt.
"""

from collections.abc import Callable
from random import Random
from typing import Any, NamedTuple

from bots.dominoes import greedy_bot
from player.client.deterministic_seat import DeterministicSeat
from player.client.seat import Seat
from protocol.dealing import Post
from protocol.identity.keys import Identity
from protocol.match.log_reader import LogReader
from protocol.match.state import Match
from tests.support.at_once import StoredAtOnce
from tests.support.offline import make_setup


class Moment(NamedTuple):
    """A seat's view of the log after an entry."""

    newest_head: tuple[int, bytes]
    match: Match
    over: bool


class Notes:
    """Replacement for a `LogReader` that gives the recorded moments one after the other."""

    def __init__(self, moment: Moment) -> None:
        self.show(moment)

    def show(self, moment: Moment) -> None:
        self.log, self.match, self.over = moment, moment.match, moment.over


class SteadyMatch:
    """A match that `play` plays to its end. It calls `at_every_step` after each entry."""

    def __init__(
        self, seats: int, seed: int, types: dict[int, type[Seat]] | None = None, **options: Any
    ) -> None:
        self.rng = Random(seed)
        table = Identity(self.rng.randbytes(32))
        self.people = [Identity(self.rng.randbytes(32)) for _ in range(seats)]
        self.seeds = [self.rng.randbytes(32) for _ in range(seats)]
        self.types = [(types or {}).get(number, Seat) for number in range(seats)]
        self.live = StoredAtOnce(
            table, make_setup(table, self.people, self.rng, **options), self.rng.randbytes(32)
        )
        first = self.live.records[0]
        self.reader = LogReader(first.entry, first.head)
        self.seats = [self.fresh(number, self.reader) for number in range(seats)]
        self.moments = [self.moment]
        self.leavers: set[int] = set()  # seats that leave at their next turn
        self.kinds: set[str] = set()

    @property
    def moment(self) -> Moment:
        """Return the current moment."""
        return Moment(self.reader.log.newest_head, self.reader.match, self.reader.over)

    def fresh(self, number: int, reader: Any) -> DeterministicSeat:
        """Make a seat that has seen the first entry."""
        return DeterministicSeat(
            self.types[number], self.people[number], number, self.seeds[number], reader
        )

    def rebuilt(self, number: int, moments: list[Moment]) -> DeterministicSeat:
        """Rebuild a seat from its seed and the log only."""
        notes = Notes(moments[0])
        seat = self.fresh(number, notes)
        for moment in moments[1:]:
            notes.show(moment)
            seat.follow()
        return seat

    def play(self, at_every_step: Callable[[], None]) -> None:
        at_every_step()
        while not self.reader.over and any(self.step(seat, at_every_step) for seat in self.seats):
            """Somebody posted."""

    def step(self, steady: DeterministicSeat, at_every_step: Callable[[], None]) -> bool:
        """Let one seat post its duty."""
        number = steady.seat.number
        if self.reader.over or number in self.reader.match.gone:
            return False
        post = Post("leave", []) if number in self.leavers else steady.due or self.move(steady)
        if post is None:
            return False
        self.live.offer(steady.seat.entry(self.reader.log, post), number)
        for record in self.live.records[self.reader.log.next_number :]:
            entry = self.reader.feed(record.entry, record.head)
            assert entry is not None
            assert entry.author != number or steady.would_post(entry)
            self.kinds.add(entry.kind)
            self.moments.append(self.moment)
            for seat in self.seats:
                seat.follow()
            at_every_step()
        return True

    def move(self, steady: DeterministicSeat) -> Post | None:
        match, seat = self.reader.match, steady.seat
        return steady.move(greedy_bot(seat.view(match), self.rng)) if seat.choices(match) else None

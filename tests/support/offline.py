"""A whole table in one process without sockets: one match, its seats, and a reader that checks
everything.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

from bots.registry import BOTS, Bot
from player.client.seat import Seat
from protocol.dealing import Post
from protocol.errors import Refused
from protocol.games.registry import BUILT_IN, Games
from protocol.identity.keys import Identity
from protocol.match.clock import Allowance
from protocol.match.log_file import MAGIC, encode_record
from protocol.match.log_reader import LogReader
from protocol.match.setup import Person, Setup, TableIdentity
from protocol.match.terms import make_terms
from protocol.options import Selection
from table.match.live_match import LiveMatch
from tests.support.at_once import at_once

USUAL = Allowance()
SHORT = {"target": 1, "hands": 1}
NAMES = ("Ann", "Bob", "Cleo", "Dan", "Eve", "Fay", "Gus", "Hal", "Ivy", "Jo")


@dataclass
class Offline:
    """A match that `play` runs to its end."""

    live: LiveMatch
    seats: list[Seat]
    readers: list[LogReader]
    rng: Random
    refused: list[Refused] = field(default_factory=list)
    bots: tuple[str | Bot, ...] = ("greedy", "random")
    accept: Callable[[LiveMatch, bytes, int], object] = lambda live, raw, seat: live.offer(
        raw, seat
    )

    def play(self, steps: int = 100_000) -> None:
        """Let everybody post until the match is over or nobody has anything to post."""
        for _ in range(steps):
            if self.live.match.over or not sum(self.step(seat) for seat in self.seats):
                return

    def step(self, seat: Seat) -> bool:
        """Let one seat post its duty according to its own reader. Return False if it has none."""
        reader = self.readers[seat.number]
        self.catch_up(reader)
        if reader.over:
            return False
        post = seat.respond(reader.match)
        if post is None and seat.choices(reader.match):
            named = self.bots[seat.number % len(self.bots)]
            bot = BOTS[named] if isinstance(named, str) else named
            post = seat.move(reader.match, bot(seat.view(reader.match), self.rng))
        if post is None:
            return False
        try:
            self.accept(self.live, seat.entry(reader.log, post), seat.number)
        except Refused as refusal:
            self.refused.append(refusal)
            return False
        return True

    def lapse(self, seat: int) -> list[str]:
        """Let the time of a seat run out at a table that waits no longer than it must. Return the
        kinds of the posted entries.
        """
        kinds: list[str] = []
        while "lapse" not in kinds:
            due = self.live.match.next_clock_entry(seat)
            assert due is not None
            self.live.post_clock(Post(due.kind, [seat, due.after]))
            kinds.append(due.kind)
        return kinds

    def wait_out(self, seat: int) -> None:
        """Let the time of a seat run out, turn after turn, until the seat counts as having left."""
        while seat in self.live.match.present and not self.live.match.over:
            self.lapse(seat)
            self.play()

    def catch_up(self, reader: LogReader) -> None:
        """Read the new entries of the table."""
        for record in self.live.records[reader.log.next_number :]:
            reader.feed(record.entry, record.head)

    def file(self) -> bytes:
        """Return the bytes of the log file."""
        return MAGIC + b"".join(
            encode_record(record.entry, record.head) for record in self.live.records
        )


def make_setup(
    table: Identity,
    people: list[Identity],
    rng: Random,
    game: str = "block-dominoes",
    options: dict[str, int | str] | None = None,
    dealing_options: dict[str, int | str] | None = None,
    dealing: str = "layered",
    allowance: Allowance = USUAL,
    games: Games = BUILT_IN,
) -> Setup:
    """Make a setup for these identities. By default the match is short, usually one hand."""
    usual = {
        option.name: SHORT[option.name]
        for option in games.specs[game].options
        if option.name in SHORT
    }
    options = usual | (options or {})
    terms = make_terms(
        Selection(game, tuple(options.items())),
        Selection(dealing.partition("-")[0], tuple((dealing_options or {}).items())),
        allowance.options(),
        len(people),
        games,
    )
    # an earlier edition of a dealing, which begins nothing new, if the name has a number
    terms = terms._replace(dealing=terms.dealing._replace(name=dealing))
    seated = tuple(Person(name, person.public) for name, person in zip(NAMES, people, strict=False))
    return Setup(
        TableIdentity(table.public, "Test table", "main"),
        rng.randbytes(32),
        1_700_000_000,
        terms,
        seated,
        games,
    )


def make_offline(
    seats: int = 4,
    seed: int = 1,
    game: str = "block-dominoes",
    options: dict[str, int | str] | None = None,
    dealing_options: dict[str, int | str] | None = None,
    seat_types: dict[int, type[Seat]] | None = None,
    table_type: type[LiveMatch] = LiveMatch,
    dealing: str = "layered",
    allowance: Allowance = USUAL,
    games: Games = BUILT_IN,
) -> Offline:
    """Make a new table with honest seats, or seats of the given types."""
    rng = Random(seed)
    table = Identity(rng.randbytes(32))
    people = [Identity(rng.randbytes(32)) for _ in range(seats)]
    setup = make_setup(
        table, people, rng, game, options, dealing_options, dealing, allowance, games
    )
    live = at_once(table_type)(table, setup, rng.randbytes(32))
    types = seat_types or {}
    players = [types.get(number, Seat)(person, number, rng) for number, person in enumerate(people)]
    first = live.records[0]
    readers = [LogReader(first.entry, first.head, games) for _ in people]
    return Offline(live, players, readers, rng)

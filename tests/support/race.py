"""Seats that act at the same time, in virtual time. Each has its own latency to the table, speed
and clock.

The log is real. A table may favour a seat: it delays entries from the others, or entries to them.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from heapq import heappop, heappush
from random import Random

from protocol.errors import Refused
from protocol.match.log import Record
from protocol.match.state import MatchStage
from tests.support.offline import Offline

Sent = int | None


@dataclass(frozen=True)
class Way:
    """Latency of one seat in seconds, its speed, and the error of its clock."""

    up: float = 0.02  # latency to the table
    down: float = 0.02
    think: float = 0.5  # mean time to think; log-normal, as in the simulation's A7
    jitter: float = 0.2  # jitter of a latency
    offset: float = 0.0  # offset of its clock
    drift: float = 0.0  # drift of its clock as a share of the time


@dataclass(frozen=True)
class Favours:
    """Delays in seconds that a table adds; all are 0 for an honest table."""

    take: Callable[[int], float] = lambda seat: 0.0  # delay of entries from a seat
    # delay of an author's entries to a seat
    send: Callable[[int, int], float] = lambda seat, author: 0.0


@dataclass
class Race:
    """A match of a game of independent acts, from the first act to its end."""

    match: Offline
    ways: list[Way]
    favours: Favours = field(default_factory=Favours)
    # number of offered acts from which a seat chooses; a small number makes more acts late
    near: int = 3
    seed: int = 1

    def __post_init__(self) -> None:
        seats = len(self.ways)
        self.rng = Random(self.seed)
        self.now, self.refused = 0.0, list[Refused]()
        # as in the file of times
        self.times: list[list[tuple[int, int, Sent]]] = [[] for _ in range(seats)]
        self._due: list[tuple[float, int, Callable[[], None]]] = []
        self._sent: list[Sent] = [None] * seats  # entry in transit, by seat
        # arrival time of each seat's newest entry, because entries arrive in order
        self._last = [0.0] * seats
        self._known = len(self.match.live.records)

    def run(self) -> "Race":
        """Run until no seat can act any more, then post everything that ends the match."""
        for reader in self.match.readers:
            self.match.catch_up(reader)
        for seat in range(len(self.ways)):
            self._think(seat)
        while self._due:
            self.now, _, act = heappop(self._due)
            act()
        self.match.play()
        return self

    def text(self, seat: int) -> str:
        """Return the text of a seat's file of times."""
        lines = (
            "".join(f" {value}" for value in line if value is not None)[1:]
            for line in self.times[seat]
        )
        return "\n".join(["run", *lines, ""])

    def _later(self, seconds: float, act: Callable[[], None]) -> None:
        heappush(self._due, (self.now + seconds, self.rng.getrandbits(40), act))

    def _think(self, seat: int) -> None:
        way = self.ways[seat]
        self._later(way.think * self.rng.lognormvariate(-0.11, 0.47), lambda: self._post(seat))

    def _post(self, seat: int) -> None:
        reader, player = self.match.readers[seat], self.match.seats[seat]
        choices = player.choices(reader.match)
        if not choices or self._sent[seat] is not None:
            return
        raw = player.entry(
            reader.log, player.move(reader.match, self.rng.choice(choices[: self.near]))
        )
        self._sent[seat] = self._clock(seat)
        wait = self._way(seat, self.ways[seat].up) + self.favours.take(seat)
        self._later(wait, lambda: self._offer(seat, raw))

    def _offer(self, seat: int, raw: bytes) -> None:
        try:
            self.match.live.offer(raw, seat)
        except Refused as refused:
            self.refused.append(refused)
            self._sent[seat] = None
            self._think(seat)
        for number in range(self._known, len(self.match.live.records)):
            for other in range(len(self.ways)):
                self._send(other, number, self.match.live.records[number], seat)
        self._known = len(self.match.live.records)

    def _send(self, seat: int, number: int, record: Record, author: int) -> None:
        wait = self._way(seat, self.ways[seat].down) + self.favours.send(seat, author)
        arrives = max(self.now + wait, self._last[seat] + 1e-6)
        self._last[seat] = arrives
        self._later(arrives - self.now, lambda: self._read(seat, number, record, author))

    def _read(self, seat: int, number: int, record: Record, author: int) -> None:
        reader = self.match.readers[seat]
        reader.feed(record.entry, record.head)
        own = author == seat
        sent = self._sent[seat] if own else None
        self.times[seat].append(
            (number, self._clock(seat), None if sent is None else self._clock(seat) - sent)
        )
        if own:
            self._sent[seat] = None
            if reader.match.stage is MatchStage.PLAYING:
                self._think(seat)

    def _way(self, seat: int, mean: float) -> float:
        return mean * (1 + self.ways[seat].jitter * self.rng.random())

    def _clock(self, seat: int) -> int:
        way = self.ways[seat]
        return round(1000 * (1_000_000 + way.offset + self.now * (1 + way.drift)))

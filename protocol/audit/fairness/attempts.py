"""How seats fared that act independently: how often each tried, how often it came too late, and how
old its news was.

A table decides which of two entries that are on their way comes first, and when it hands on what.
Whom it puts behind others is late more often, and what it posts is older: more entries stand
between the newest that it had seen and its own. Chance, a slower hand and a longer way do the same,
so this names nobody.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import NamedTuple

from protocol.audit.fairness.permutation import Sample, average_ranks, p_value
from protocol.games import IndependentGame
from protocol.limits import FAIRNESS_SAMPLE
from protocol.match.log import Entry
from protocol.match.state import Match


class Attempt(NamedTuple):
    """An action of a seat that acts independently, as it stands in the log."""

    seat: int
    kind: str  # the action's name
    age: int  # entries between the newest that its author had seen, and it
    late: bool


@dataclass(frozen=True)
class SeatAttempts:
    """What the log says of one seat."""

    attempts: int = 0
    late: int = 0
    age: float = 0.0  # the mean; 0 without attempts


@dataclass(frozen=True)
class FairnessReport:
    """All seats side by side; the p-values are None where nothing can be told apart."""

    seats: tuple[SeatAttempts, ...]
    late_p: float | None  # of the shares that came too late
    age_p: float | None  # of the ages


def classify_attempt(before: Match, entry: Entry, after: Match) -> Attempt | None:
    """What an entry that stands is here; None: it is no action of a seat that acts independently,
    or no race.

    Where seats act independently and once each, as with decks that all lay down, nobody is faster
    than anybody.
    """
    late = after.late_counts != before.late_counts
    if entry.kind != "move" or (before.active_simultaneous is None and not late):
        return None
    # last: to look takes as long as all the rest
    if not isinstance(before.setup.game, IndependentGame):
        return None
    return Attempt(
        entry.author, str(entry.body[0][0]), before.next_number - 1 - entry.seen_number, late
    )


class AttemptSample:
    """Those of one log, as it is read: all are counted, and of very many some are drawn for the
    test.
    """

    def __init__(self) -> None:
        # attempts, late, entries: by seat
        self._counts: dict[int, list[int]] = defaultdict(lambda: [0, 0, 0])
        self._drawn: list[Attempt] = []
        self._rng = Random(b"attempts")  # noqa: S311 - the same log gives the same sample

    def add(self, attempt: Attempt) -> None:
        """The next one (J. S. Vitter, "Random sampling with a reservoir", 1985: algorithm R)."""
        counts = self._counts[attempt.seat]
        counts[0] += 1
        counts[1] += attempt.late
        counts[2] += attempt.age
        number = sum(count for count, _, _ in self._counts.values())
        place = len(self._drawn) if number <= FAIRNESS_SAMPLE else int(self._rng.random() * number)
        if place == len(self._drawn) < FAIRNESS_SAMPLE:
            self._drawn.append(attempt)
        elif place < FAIRNESS_SAMPLE:
            self._drawn[place] = attempt

    def report(self, seats: int, seed: bytes) -> FairnessReport | None:
        """How so many seats fared; None if none ever acted so. `seed`: of the test, such as the
        match's id.
        """
        if not self._counts:
            return None
        late = [float(attempt.late) for attempt in self._drawn]
        ages = average_ranks([attempt.age for attempt in self._drawn])
        shares = tuple(_seat_attempts(*self._counts.get(seat, (0, 0, 0))) for seat in range(seats))
        return FairnessReport(shares, self._p_value(late, seed), self._p_value(ages, seed))

    def _p_value(self, values: Sequence[float], seed: bytes) -> float | None:
        drawn = zip(self._drawn, values, strict=True)
        return p_value(
            [Sample(attempt.seat, attempt.kind, value) for attempt, value in drawn], seed
        )


def _seat_attempts(attempts: int, late: int, entries: int) -> SeatAttempts:
    return SeatAttempts(attempts, late, entries / attempts if attempts else 0.0)

"""Fairness of simultaneous play: how often each seat acted, how often it was late, and how old its
news was.

A table decides which of two simultaneous entries comes first, and when it passes entries on. A seat
that the table puts behind others is late more often. Its entries are also older: more entries lie
between the newest entry it had seen and its own. Chance, a slow hand and a long network path have
the same effect, so these numbers name nobody.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import NamedTuple

from protocol.audit.fairness.permutation_test import Sample, average_ranks, p_value
from protocol.limits import FAIRNESS_SAMPLE
from protocol.match.log import Entry
from protocol.match.state import Match


class Attempt(NamedTuple):
    """An action of a seat in simultaneous play."""

    seat: int
    kind: str  # name of the action
    age: int  # entries between the newest entry its author had seen and this one
    late: bool


@dataclass(frozen=True)
class SeatAttempts:
    """Statistics of one seat."""

    attempts: int = 0
    late: int = 0
    age: float = 0.0  # mean age; 0 without attempts


@dataclass(frozen=True)
class FairnessReport:
    """Statistics of all seats. A p-value is None where seats cannot be compared."""

    seats: tuple[SeatAttempts, ...]
    late_p: float | None  # p-value for the shares of late actions
    age_p: float | None  # p-value for the ages


def classify_attempt(before: Match, entry: Entry, after: Match) -> Attempt | None:
    """Return a standing entry as an attempt; None if it is no action of simultaneous play, or no
    race.

    Games where each seat acts once, such as the commitment to own decks, are no race: no seat can
    overtake another.
    """
    late = after.late_counts != before.late_counts
    if entry.kind != "move" or (before.active_simultaneous is None and not late):
        return None
    # last, because this check takes as long as all the others together
    if not before.setup.game.real_time:
        return None
    return Attempt(
        entry.author, str(entry.body[0][0]), before.next_number - 1 - entry.seen_number, late
    )


class AttemptSample:
    """Attempts of one log: all are counted, and a random sample of them is tested."""

    def __init__(self) -> None:
        # by seat: attempts, late attempts, sum of ages
        self._counts: dict[int, list[int]] = defaultdict(lambda: [0, 0, 0])
        self._drawn: list[Attempt] = []
        self._rng = Random(b"attempts")  # noqa: S311 - the same log gives the same sample

    def add(self, attempt: Attempt) -> None:
        """Add the next attempt (J. S. Vitter, "Random sampling with a reservoir", 1985: algorithm
        R).
        """
        counts = self._counts[attempt.seat]
        counts[0] += 1
        counts[1] += attempt.late
        counts[2] += attempt.age
        number = sum(count for count, _, _ in self._counts.values())
        if number <= FAIRNESS_SAMPLE:
            place = len(self._drawn)
        else:
            place = int(self._rng.random() * number)
        if place == len(self._drawn) < FAIRNESS_SAMPLE:
            self._drawn.append(attempt)
        elif place < FAIRNESS_SAMPLE:
            self._drawn[place] = attempt

    def report(self, seats: int, seed: bytes) -> FairnessReport | None:
        """Return the statistics of `seats` seats; None without attempts.

        `seed` makes the tests reproducible, for example the match id.
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

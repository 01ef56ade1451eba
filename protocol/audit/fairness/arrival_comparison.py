"""Comparison of two seats' arrival times: who waits longer for an own entry, and who gets news
later.

The clocks of the two seats are independent, so their times are never subtracted directly. The delay
of an own entry comes from one clock. The difference between two arrivals of one entry includes the
unknown difference of the clocks, which is the same for all entries. Therefore only differences
between entries are used: entries of others against the seat's own entries, within short stretches
without clock drift.

The comparison cannot tell whether an entry was slow on its way to the table or on its way back. Nor
can it tell a seat that the table delays in everything from a seat that is farther away. Times carry
no signature.
"""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import NamedTuple

from protocol.audit.fairness.arrival_times import ArrivalTimes
from protocol.audit.fairness.permutation_test import Sample, average_ranks, p_value
from protocol.errors import FairdealError
from protocol.limits import (
    FAIRNESS_DOUBT,
    FAIRNESS_LATER_MS,
    FAIRNESS_LEAST,
    FAIRNESS_SAMPLE,
    FAIRNESS_STRETCH,
)
from protocol.match.log import decode_entry
from protocol.match.log_file import read_records

TimesPair = tuple[ArrivalTimes, ArrivalTimes]


class EntryDelay(NamedTuple):
    """Time from sending an own entry to its arrival in the log, for one seat."""

    entries: int
    usual: float  # median, in milliseconds


class DeliveryLag(NamedTuple):
    """Delay of others' entries compared with a seat's own entries, relative to the arrivals at the
    other seat.
    """

    entries: int
    later: float  # difference of medians in milliseconds; negative: earlier
    # share of others' entries that came later than the median of its own; one half without a
    # difference
    share: float
    p: float | None

    @property
    def is_significant(self) -> bool:
        """Neither chance nor a busy moment of the program explains the delay."""
        return self.p is not None and self.p < FAIRNESS_DOUBT and self.later >= FAIRNESS_LATER_MS


@dataclass(frozen=True)
class ArrivalComparison:
    """Result for two seats. Pairs are in the order of the files; None where too few times were
    recorded.
    """

    seats: tuple[int, int]
    shared: int  # entries whose arrival both seats recorded
    trips: tuple[EntryDelay | None, EntryDelay | None]
    trips_p: float | None
    # Too few entries are by other seats. Each seat is then compared by the entries of the other,
    # and both results are the same number.
    two_seats_only: bool
    news: tuple[DeliveryLag | None, DeliveryLag | None]

    @property
    def slower_seat(self) -> int | None:
        """The seat, 0 or 1, whose own entries take longer than chance and a busy moment explain;
        None: neither.
        """
        one, other = self.trips
        if one is None or other is None or self.trips_p is None or self.trips_p >= FAIRNESS_DOUBT:
            return None
        if abs(one.usual - other.usual) < FAIRNESS_LATER_MS:
            return None
        return int(other.usual > one.usual)


def entry_authors(log: bytes) -> list[int]:
    """Return the author of each entry of an audited log, as far as the log can be read."""
    found: list[int] = []
    with suppress(FairdealError):
        found.extend(decode_entry(raw).author for raw, _ in read_records(log))
    return found


def seat_of_times(times: ArrivalTimes, authors: Sequence[int]) -> int | None:
    """Return the seat that recorded these times: the author of the entries that were waited for.

    None if there are no such entries, or if they have several authors, so that the times belong to
    another log.
    """
    seats = {
        authors[number]
        for number, arrival in times.items()
        if arrival.waited is not None and number < len(authors)
    }
    return seats.pop() if len(seats) == 1 else None


def compare_arrivals(
    authors: Sequence[int], seats: tuple[int, int], both: TimesPair, seed: bytes
) -> ArrivalComparison:
    """Compare the times `both` of two `seats`. `authors` are the authors of all entries, `seed`
    seeds the tests.
    """
    waited = [
        [arrival.waited for arrival in times.values() if arrival.waited is not None]
        for times in both
    ]
    differing = {
        number: late for number, late in _arrival_differences(both).items() if number < len(authors)
    }
    one, other = seats
    later = {
        who: [late for number, late in differing.items() if authors[number] == who] for who in seats
    }
    others = [late for number, late in differing.items() if authors[number] not in seats]
    few = len(others) < FAIRNESS_LEAST
    first = _delivery_lag(later[one], later[other] if few else others, -1, seed)
    second = _delivery_lag(later[other], later[one] if few else others, 1, seed)
    trips = (_entry_delay(waited[0]), _entry_delay(waited[1]))
    return ArrivalComparison(
        seats, len(differing), trips, _p_value(waited, seed), few, (first, second)
    )


def _arrival_differences(both: TimesPair) -> dict[int, float]:
    """By entry: arrival at the second seat minus arrival at the first, minus the median of the
    stretch.
    """
    one, other = both
    numbers = sorted(one.keys() & other.keys())
    found: dict[int, float] = {}
    for stretch in _common_runs(numbers, both):
        late = {number: other[number].at - one[number].at for number in stretch}
        middle = median(late.values())
        found |= {number: value - middle for number, value in late.items()}
    return found


def _common_runs(numbers: Sequence[int], both: TimesPair) -> Iterable[list[int]]:
    """Yield stretches of at most FAIRNESS_STRETCH entries during which neither program was
    restarted.
    """
    stretch = list(numbers[:1])
    for before, number in pairwise(numbers):
        if len(stretch) == FAIRNESS_STRETCH or any(
            times[before].run != times[number].run for times in both
        ):
            yield stretch
            stretch = []
        stretch.append(number)
    if stretch:
        yield stretch


def _entry_delay(waited: Sequence[int]) -> EntryDelay | None:
    if len(waited) >= FAIRNESS_LEAST:
        return EntryDelay(len(waited), median(waited))
    return None


def _delivery_lag(
    own: Sequence[float], news: Sequence[float], sign: int, seed: bytes
) -> DeliveryLag | None:
    if min(len(own), len(news)) < FAIRNESS_LEAST:
        return None
    usual = median(own)
    beyond = [sign * (late - usual) for late in news]
    share = sum((late > 0) + (late == 0) / 2 for late in beyond) / len(news)
    return DeliveryLag(len(news), median(beyond), share, _p_value((own, news), seed))


def _p_value(groups: Sequence[Sequence[float]], seed: bytes) -> float | None:
    if min(map(len, groups)) < FAIRNESS_LEAST:
        return None
    drawn = [group[:: -(-len(group) * len(groups) // FAIRNESS_SAMPLE) or 1] for group in groups]
    ranked = iter(average_ranks([value for group in drawn for value in group]))
    return p_value(
        [Sample(number, "", next(ranked)) for number, group in enumerate(drawn) for _ in group],
        seed,
    )

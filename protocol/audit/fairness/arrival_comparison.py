"""Two seats' times of one match side by side: who waits longer for an own entry, and who is sent
news later.

The two clocks have nothing in common, so nothing here is one clock's time less the other's. How
long an own entry takes to come back is told by one clock. When an entry came to both, the
difference of the two times has that of the clocks in it; but that is the same for all entries, so
only differences between entries are used: what others posted against what a seat posted itself,
within short stretches, in which clocks do not drift apart.

What it cannot tell: whether an entry was long under way or its news; nor a seat that is told all
later, its own entries too, from one that is farther away. Times are nobody's signature.
"""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import NamedTuple

from protocol.audit.fairness.arrival_times import ArrivalTimes
from protocol.audit.fairness.permutation import Sample, average_ranks, p_value
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
    """How long one seat's own entries took until it saw them in the log."""

    entries: int
    usual: float  # milliseconds, the median


class DeliveryLag(NamedTuple):
    """How much later than its own entries a seat was sent what others posted, by the other's
    arrivals.
    """

    entries: int
    later: float  # milliseconds, the difference of medians; negative: earlier
    # of others' entries that came later than its own usually do; one half where all is alike
    share: float
    p: float | None

    @property
    def is_significant(self) -> bool:
        """Whether neither chance nor a moment in which its program was busy explains it."""
        return self.p is not None and self.p < FAIRNESS_DOUBT and self.later >= FAIRNESS_LATER_MS


@dataclass(frozen=True)
class ArrivalComparison:
    """What two seats' times say. Pairs are in the order of the files; None where too little was
    noted.
    """

    seats: tuple[int, int]
    shared: int  # entries that both saw come
    trips: tuple[EntryDelay | None, EntryDelay | None]
    trips_p: float | None
    # too little is by others: each is compared by what the other posted, and the two are one number
    two_seats_only: bool
    news: tuple[DeliveryLag | None, DeliveryLag | None]

    @property
    def slower_seat(self) -> int | None:
        """Whose own entries take longer, 0 or 1, by more than chance and a busy moment explain;
        None: nobody's.
        """
        one, other = self.trips
        if one is None or other is None or self.trips_p is None or self.trips_p >= FAIRNESS_DOUBT:
            return None
        return (
            None
            if abs(one.usual - other.usual) < FAIRNESS_LATER_MS
            else int(other.usual > one.usual)
        )


def entry_authors(log: bytes) -> list[int]:
    """Who posted each entry of a log that has been audited, as far as it can be read."""
    found: list[int] = []
    with suppress(FairdealError):
        found.extend(decode_entry(raw).author for raw, _ in read_records(log))
    return found


def seat_of_times(times: ArrivalTimes, authors: Sequence[int]) -> int | None:
    """Whose times these are: of who waited for entries of its own; None: of nobody, or not of this
    log.
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
    """Compare; `authors`: of each entry, `seats`: whose times they are, `seed`: of the tests."""
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
    """By entry: how much later the second saw it than the first, less the median of its stretch."""
    one, other = both
    numbers = sorted(one.keys() & other.keys())
    found: dict[int, float] = {}
    for stretch in _common_runs(numbers, both):
        late = {number: other[number].at - one[number].at for number in stretch}
        middle = median(late.values())
        found |= {number: value - middle for number, value in late.items()}
    return found


def _common_runs(numbers: Sequence[int], both: TimesPair) -> Iterable[list[int]]:
    """So many entries in a row that neither program was started again between."""
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
    return EntryDelay(len(waited), median(waited)) if len(waited) >= FAIRNESS_LEAST else None


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

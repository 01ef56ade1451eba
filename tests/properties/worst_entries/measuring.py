"""Measurement of processor time, and the result of a search."""

from collections.abc import Callable
from functools import partial
from statistics import median
from time import process_time
from typing import NamedTuple

from protocol.match.log_reader import LogReader
from tests.support.guest_games.offline_match import GUESTS, guest_match

REPEATS = 3  # measurements of one piece of work, of which the shortest counts


class Worst(NamedTuple):
    """The worst found of one kind, beside an ordinary one, in milliseconds of the processor."""

    kind: str
    ordinary: float
    worst: float
    what: str

    @property
    def ratio(self) -> float:
        return self.worst / self.ordinary


def milliseconds(work: Callable[[], object], repeats: int = REPEATS) -> float:
    """Processor time of a piece of work: the shortest of several measurements."""
    found = []
    for _ in range(repeats):
        began = process_time()
        work()
        found.append(process_time() - began)
    return min(found) * 1000


def entry_milliseconds() -> float:
    """Processor time that every entry costs whoever reads it, whatever its rules do with it."""
    match = guest_match("nim for all", 2, dealing="none")
    match.play()
    first, *others = match.live.records
    reader = LogReader(first.entry, first.head, GUESTS)
    return median(
        milliseconds(partial(reader.feed, record.entry, record.head), repeats=1)
        for record in others
    )

"""Work on records grows as the records do, and no shape of them is much harder than honest ones.

Lines of Python are counted, not seconds. `scripts/ledger_growth` measures seconds.
"""

import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import Any

import pytest

from tests.properties.ledger.growth import HONEST, SHAPES, WORST
from tests.properties.ledger.growth_work import WORKS

FEW = 100
MANY = 4 * FEW
# a trade between others is compared with the next 65: with fewer records there are not so many
FEWEST = {"put-between": 300}
GROWTH = 12 / 10  # of the work for each record, from few to many
HARDER = 3  # times the work on honest records, at most


def lines(work: Callable[[], None]) -> int:
    """Count the lines that are run."""
    count = 0

    def local(frame: FrameType, event: str, argument: object) -> Any:
        nonlocal count
        count += 1
        return local

    before = sys.gettrace()
    sys.settrace(lambda frame, event, argument: local)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


@cache
def lines_for_each(name: str, shape: str, many: int) -> float:
    """Return the lines for each record."""
    records = SHAPES[shape](many)
    with TemporaryDirectory() as folder:
        return lines(WORKS[name](records, Path(folder))) / len(records)


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", WORKS)
def test_work_grows_no_faster_than_records(name, shape):
    fewest = FEWEST.get(shape, FEW)
    few, many = (lines_for_each(name, shape, number) for number in (fewest, 4 * fewest))
    assert many <= few * GROWTH


@pytest.mark.slow
@pytest.mark.parametrize("shape", WORST)
@pytest.mark.parametrize("name", [name for name in WORKS if name != "search"])
def test_worst_records_are_no_harder_than_honest_ones(name, shape):
    (honest,) = HONEST
    assert lines_for_each(name, shape, MANY) <= HARDER * lines_for_each(name, honest, MANY)

"""Work on records grows as the records do, and no shape of them is much harder than honest ones.

Lines of Python are counted, not seconds. `scripts/ledger_growth` measures seconds.
"""

import sys
from collections.abc import Callable
from contextlib import closing
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import Any

import pytest

from player.cards.collection import Collection
from player.cards.storage.ledger_store import LedgerStore
from protocol.ledger.merge.merge_session import MergeSession
from protocol.ledger.record_contents import Instance
from protocol.ledger.record_set import RecordSet
from tests.properties.ledger.growth import HONEST, SHAPES, WORST, chain, swaps
from tests.properties.ledger.growth_work import WORKS
from tests.support.ledger import ANN

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


def test_merge_about_a_card_costs_the_same_in_any_ledger():
    counts = []
    for many in (FEW, 10 * FEW):
        records = chain(20, signed=False)
        known = RecordSet([*records, *swaps(many, signed=False)])
        card = next(one.id for one in records if isinstance(one.content, Instance))
        counts.append(lines(lambda: MergeSession(known, b"s" * 32, True, [card])))  # noqa: B023
    assert counts[1] <= 1.01 * counts[0]


def test_import_costs_the_same_beside_any_ledger(tmp_path):
    counts = []
    for many in (FEW, 10 * FEW):
        with closing(LedgerStore(tmp_path / str(many), ANN.public, None)) as store:
            mine = Collection(store, ANN.public)
            mine.add(swaps(many, signed=False))
            mine.view.update()
            raws = [record.raw for record in chain(40)]
            # the last trade without one before it: it may prove a cheat
            counts.append(lines(lambda: mine.take([*raws[:10], raws[-1]])))  # noqa: B023
    assert counts[1] <= 1.01 * counts[0]

"""An incrementally updated view always equals the view from scratch, in any order of records."""

from random import Random

import pytest

from protocol.ledger.incremental_view import IncrementalLedgerView
from protocol.ledger.view import evaluate
from tests.properties.ledger.growth import SHAPES
from tests.properties.ledger.laws import check
from tests.properties.ledger.soup import Soup
from tests.support.ledger import summary


@pytest.mark.parametrize("seed", range(12))
def test_incremental_view_equals_view_from_scratch(seed):
    rng = Random(seed)
    records = Soup(rng, rng.choice([10, 30, 60])).records
    rng.shuffle(records)
    grown, here = IncrementalLedgerView(), []
    for number, record in enumerate([*records, *rng.sample(records, len(records) // 2)]):
        grown.add(record)
        here.append(record)
        if number % 7 == 0:
            assert summary(grown) == summary(evaluate(here))
    assert summary(grown) == summary(evaluate(here))
    check(grown)


@pytest.mark.parametrize("seed", range(6))
def test_view_updated_in_steps_equals_view_from_scratch(seed):
    rng = Random(seed)
    records = Soup(rng, 60).records
    rng.shuffle(records)
    grown, here = IncrementalLedgerView(), []
    for record in records:
        grown.add(record)
        here.append(record)
        grown.update(rng.randrange(1, 9))
        if rng.random() < 0.1:
            assert summary(grown) == summary(evaluate(here))
            assert grown.ready
    before = grown.steps
    while not grown.update(3):
        assert grown.steps == before + 3
        before = grown.steps
    assert summary(grown) == summary(evaluate(here))


@pytest.mark.parametrize("shape", SHAPES)
def test_view_of_hard_records_equals_view_from_scratch(shape):
    records = SHAPES[shape](60, False)
    Random(1).shuffle(records)
    assert summary(IncrementalLedgerView(records)) == summary(evaluate(records))

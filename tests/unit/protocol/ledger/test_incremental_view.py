"""An incrementally updated view always equals the view from scratch, in any order of records."""

from random import Random

import pytest

from protocol.ledger.incremental_view import IncrementalLedgerView
from protocol.ledger.view import evaluate
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

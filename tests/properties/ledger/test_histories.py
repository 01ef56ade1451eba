"""A sample of scripts/ledger_histories: whatever cheats do, the laws of chapter 24 hold."""

from collections import Counter

import pytest

from tests.properties.ledger.histories import History, check_history


@pytest.mark.slow
def test_random_histories_hold_every_law():
    happened = Counter[str]()
    for seed in range(40):
        happened += check_history(History(seed))
    assert set(happened) > {
        "trades",
        "void",
        "settled",
        "alarms",
        "spent twice",
        "spent over",
        "denied",
    }

"""Bots' hands in our rules and in pokerkit: each difference has a ruling. `scripts/poker_hands` plays
10,000 of them.
"""

import pytest

from tests.support.second_opinion import RULINGS, compare_hands

pytestmark = pytest.mark.match

HANDS = 400


@pytest.fixture(scope="module")
def tally():
    return compare_hands(HANDS, 0)


def test_differences_from_pokerkit_have_rulings(tally) -> None:
    assert tally.unruled == []
    assert tally.whole > 0.9 * tally.hands and tally.decisions > 4 * HANDS


def test_difference_outside_its_ruling_is_noticed(monkeypatch, tally) -> None:
    """Rulings that never hold: each difference is then one without a ruling."""
    for name, ruling in RULINGS.items():
        monkeypatch.setitem(RULINGS, name, ruling._replace(holds=lambda begun, hand: False))
    again = compare_hands(HANDS, 0)
    assert len(again.unruled) == sum(tally.ruled.values()) > 10

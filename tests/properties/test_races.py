"""Races of two seats for one place at the same moment: a sample of the 10,000 that `scripts/races`
runs.
"""

import pytest

from tests.properties.races import races


@pytest.mark.slow
def test_race_has_one_winner_and_names_nobody():
    won = races(60, seed=1)
    assert won.total() == 60 and min(won.values()) > 10

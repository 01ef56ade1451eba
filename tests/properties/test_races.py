"""Two seats lay on one place at the same moment: a share of what `scripts/races` does 10,000
times.
"""

import pytest

from tests.properties.races import races


@pytest.mark.slow
def test_one_wins_the_other_is_late_and_nobody_is_named():
    won = races(60, seed=1)
    assert won.total() == 60 and min(won.values()) > 10

"""A table that delays one seat less than it claims is noticed: this seat stops more rounds.
`scripts/level_shares`.
"""

import pytest

from table.match.latency_equalizer import LatencyEqualizer
from tests.properties.level_shares import LEVEL, Favouring, made_of, p_value, stops

ROUNDS = 2000


@pytest.mark.slow
def test_level_seats_stop_equally_many_rounds():
    latencies = made_of(LatencyEqualizer(LEVEL))
    assert latencies == pytest.approx([LEVEL / 2] * 4)
    assert p_value(stops(latencies, ROUNDS)) > 0.01


@pytest.mark.parametrize("level", [LatencyEqualizer(0.0), Favouring(LEVEL)])
@pytest.mark.slow
def test_seat_delayed_less_stops_more_rounds(level):
    found = stops(made_of(level), ROUNDS)
    assert max(found) == found[3] and p_value(found) < 0.001


def test_p_value_matches_published_tables():
    """Critical values of chi-square with three degrees of freedom: 7.815 at 0.05, 16.266 at
    0.001.
    """
    for value, p in ((7.815, 0.05), (16.266, 0.001)):
        away = (value * 100 / 4) ** 0.5
        assert p_value([100 + away, 100 - away, 100 + away, 100 - away]) == pytest.approx(
            p, rel=0.001
        )

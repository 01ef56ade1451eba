"""Short version of `scripts/kill_player`: killed players come back, and nobody else notices."""

import pytest

from tests.system.kill_player import run

pytestmark = pytest.mark.process


@pytest.mark.parametrize("dealing", ["layered", "verified"])
async def test_killed_players_come_back(tmp_path, dealing):
    figures = await run(tmp_path, kills=3, seed=4, dealings=(dealing,))
    assert figures["kills"] == 3

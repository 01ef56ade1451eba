"""A leaver, a lapse, a restart on the way through a duel: a share of `scripts/script_games --hazards`."""

import pytest

from tests.script_games.hazards import HOWS, SHORT, befall, played
from tests.support.memo import shared_checks

pytestmark = pytest.mark.match
STEP = 3  # entries from one that is tried to the next


@pytest.mark.parametrize("how", HOWS)
def test_nobody_honest_is_named_and_nothing_hidden_is_shown(how):
    with shared_checks():
        whole = played(SHORT, 5)
        length = len(whole.dues)
        happened = [befall(whole, number, number // STEP % 2, how) for number in range(1, length, STEP)]
    assert whole.live.match.game.error is None and not whole.live.match.faults
    assert sum(happened) >= 5, happened

"""A leaver, a lapse or a restart in the middle of a match: a sample of `scripts/script_games
--hazards`.
"""

import pytest

from tests.properties.script_games.hazards import HOWS, Ground, befall, played
from tests.support.memo import memoised_fold

pytestmark = pytest.mark.match
STEPS = {  # entries between two attempts
    Ground("element-duel", short=True): 3,
    Ground("element-duel", "seeded"): 16,
    Ground("element-duel", "residue", short=True): 12,
    Ground("mau-mau-shared", seats=3, short=True): 7,
    Ground("mau-mau-shared", seats=4, short=True): 9,
}


@pytest.mark.parametrize(("ground", "step"), STEPS.items(), ids=map(str, STEPS))
def test_hazards_name_nobody_honest_and_show_nothing_hidden(ground, step):
    with memoised_fold():
        whole = played(ground, 5)
        numbers = range(step, len(whole.dues), step)
        happened = [
            befall(whole, number, index % ground.seats, how)
            for index, number in enumerate(numbers)
            for how in HOWS
        ]
    assert whole.live.match.game.error is None and not whole.live.match.faults
    assert sum(happened) >= 5, happened


def test_hazards_notice_shown_cards_of_a_seat():
    with memoised_fold():
        match = played(Ground("element-duel", short=True), 5).from_entry(20)
        before = match.seen_of(0)
        match.play()
    assert before <= match.seen_of(0) and match.new_of(0, before), "its deck is opened in the end"

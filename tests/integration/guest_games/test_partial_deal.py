"""Game in which only some seats are dealt to. If one of the two leaves, the deal is dropped with
its open requests.
"""

import pytest

from protocol.codes import Code
from protocol.dealing import TABLE, Fault
from protocol.match.state import MatchStage
from tests.support.guest_games.offline_match import GUESTS, agreed, leave, until_playing
from tests.support.offline import Offline, make_offline

pytestmark = pytest.mark.match
THREE = [
    "dealt",
    "draw 0",
    "draw 1",
    "settle",
    "dealt",
    "draw 1",
    "draw 2",
    "settle",
    "dealt",
    "draw 0",
    "draw 2",
]


def duels(seed: int = 1) -> Offline:
    shared: dict[str, int | str] = {"leavers": "threshold"}
    match = make_offline(3, seed, "duels", {}, shared, dealing="verified", games=GUESTS)
    match.bots = ("random",)
    return match


def until_asked(match: Offline, seat: int) -> None:
    """Run until this seat has drawn, and waits for its piece."""
    while match.live.match.pending_action is None or match.live.match.pending_action.seat != seat:
        assert any(match.step(player) for player in match.seats)
    assert match.live.match.stage is MatchStage.DEALING


def test_duel_deals_to_two_seats_at_a_time():
    match = duels()
    match.play()
    end = agreed(match)
    assert end.over and not end.faults and sum(end.scores) == 3
    assert list(end.game.told) == [*THREE, "settle"]


@pytest.mark.parametrize(("drawer", "goes"), [(0, 1), (1, 0)])
def test_pending_action_of_dropped_deal_is_not_done_later(drawer, goes):
    match = duels()
    until_asked(match, drawer)
    leave(match, goes)
    state = match.live.match
    assert (
        state.pending_action,
        state.deal_requested,
        state.action_entries,
        state.deal_number,
    ) == (None, True, (), 1)
    assert state.closed_deal is not None and state.closed_deal.context.present == (0, 1)
    assert state.deal is not None and state.deal.context.present == tuple(sorted({drawer, 2}))
    match.play()
    end = agreed(match)
    assert end.over and end.faults == (Fault(goes, end.faults[0].entry, Code.LEFT),)
    rest = list(end.game.told)[list(end.game.told).index(f"forfeit {goes}") :]
    assert rest[:5] == [
        f"forfeit {goes}",
        "dealt",
        *(f"draw {seat}" for seat in sorted({drawer, 2})),
        "settle",
    ]


def test_seat_without_cards_leaves_and_deal_goes_on():
    match = duels()
    until_asked(match, 0)
    leave(match, 2)
    state = match.live.match
    assert state.pending_action is not None and state.deal_number == 0 and state.closed_deal is None
    match.play()
    end = agreed(match)
    assert end.over and list(end.game.told)[:4] == ["dealt", "forfeit 2", "draw 0", "draw 1"]
    assert all(fault.seat != TABLE for fault in end.faults)


def test_leaver_on_turn_starts_next_duel():
    match = duels()
    until_playing(match)
    leave(match, 0)
    match.play()
    assert list(agreed(match).game.told)[:3] == ["dealt", "forfeit 0", "dealt"]


def test_dropped_deal_not_restarted_asks_nothing():
    match = duels()
    while match.live.match.stage is not MatchStage.DEALING:
        assert any(match.step(player) for player in match.seats)
    leave(match, 2)
    leave(match, 1)
    state = match.live.match
    assert (
        state.stage is MatchStage.RECEIPTS
        and not state.deal_requested
        and state.deal is None
        and state.closed_deal is not None
    )
    match.play()
    assert agreed(match).winner == 0

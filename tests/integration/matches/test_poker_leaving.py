"""Seat that leaves a game of poker: operations that the rules ask for afterwards are begun, and do
not count as done.
"""

import pytest

from protocol.codes import Code
from protocol.dealing import Post
from protocol.games.operations import EVERYBODY, Look
from protocol.games.poker.phases import PokerPhase
from protocol.match.state import MatchStage
from tests.support.offline import Offline, make_offline
from tests.support.views import legal_in

pytestmark = pytest.mark.match

SHARED = {"leavers": "threshold"}


def passive(view, rng):
    """Bot: call, exchange as much as possible, and show."""
    legal = legal_in(view)
    return next(
        (action for action in reversed(legal) if action[0] in ("call", "exchange", "show")),
        legal[0],
    )


def leave(offline: Offline, seat: int) -> None:
    """Let the seat leave, and end its program."""
    reader = offline.readers[seat]
    offline.catch_up(reader)
    player = next(player for player in offline.seats if player.number == seat)
    offline.live.offer(player.entry(reader.log, Post("leave", [])), seat)
    offline.seats.remove(player)


def until(offline: Offline, moment) -> None:
    while not moment(offline.live.match):
        assert any(offline.step(seat) for seat in list(offline.seats))


def test_board_follows_fold_of_leaver_on_turn():
    """The leaver's fold ends the betting. The flop is asked for when the leaver's key is available,
    and does not count as shown before.
    """
    offline = make_offline(3, 1, "texas-holdem", dealing="verified", dealing_options=SHARED)
    offline.bots = (passive,)
    game = offline.live.match.setup.game

    def ends_the_betting(match) -> bool:
        acting = match.stage is MatchStage.PLAYING
        return acting and game.wants(game.forfeit(match.game, match.game.to_act)) == (
            Look(3, EVERYBODY),
        )

    until(offline, ends_the_betting)
    leave(offline, offline.live.match.game.to_act)
    offline.play()
    match = offline.live.match
    assert match.over and not offline.refused
    assert [fault.code for fault in match.faults] == [Code.LEFT]
    assert match.receipts == match.present


def test_stock_reshuffles_when_leaver_took_last_cards():
    offline = make_offline(6, 1, "five-card-draw", dealing="verified", dealing_options=SHARED)
    offline.bots = (passive,)
    game = offline.live.match.setup.game

    def takes_the_last(match) -> bool:
        if match.pending_action is None or match.stage is not MatchStage.DEALING:
            return False
        seat, action, *_ = match.pending_action
        return game.apply(match.game, seat, action).phase is PokerPhase.RESHUFFLE

    until(offline, takes_the_last)
    leave(offline, offline.live.match.pending_action.seat)
    offline.play()
    match = offline.live.match
    assert match.over and not offline.refused
    assert [fault.code for fault in match.faults] == [Code.LEFT]

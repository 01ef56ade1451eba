"""Deal whose cards cannot be opened because too many seats have left: the hand ends without the
cards, and nobody saves a bet by leaving.
"""

from dataclasses import replace
from random import Random

import pytest

from protocol.audit.transcript import transcript_lines
from protocol.audit.verdict import audit
from protocol.codes import Code
from protocol.dealing import Post
from protocol.games.poker.phases import PokerPhase
from protocol.match.state import MatchStage
from tests.support.offline import Offline, make_offline
from tests.support.poker import poker, start

SHARED = {"leavers": "threshold"}


def leave(match: Offline, seat: int) -> None:
    """Let a seat leave for good with an entry."""
    match.catch_up(match.readers[seat])
    own = next(player for player in match.seats if player.number == seat)
    match.live.offer(own.entry(match.readers[seat].log, Post("leave", [])), seat)
    match.seats.remove(own)


def call(match: Offline) -> None:
    """Add an entry. The seat to bet calls."""
    for player in match.seats:
        reader = match.readers[player.number]
        match.catch_up(reader)
        post = player.respond(reader.match)
        if post is None and ("call",) in player.choices(reader.match):
            post = player.move(reader.match, ("call",))
        if post is not None:
            match.live.offer(player.entry(reader.log, post), player.number)
            return
    assert any(match.step(player) for player in match.seats)


def betting(game: str, seats: int = 4, seed: int = 5, hands: int = 2) -> Offline:
    """Make a match in which all bets are equal, and the first round of betting has not ended."""
    match = make_offline(
        seats, seed, game, {"hands": hands, "ante": 10}, SHARED, dealing="verified"
    )
    match.bots = ("greedy",)
    while not (
        match.live.match.game
        and match.live.match.game.phase is PokerPhase.PLAY
        and match.live.match.deal.ready
    ):
        assert any(match.step(player) for player in match.seats)
    return match


@pytest.mark.match
@pytest.mark.parametrize("game", ["texas-holdem", "five-card-draw"])
def test_leaving_allies_forfeit_their_bets(game: str) -> None:
    """With four seats and the usual quorum, too few seats are left to open the rest. An old error
    voided the match.
    """
    match = betting(game)
    before = match.live.match.scores
    leave(match, 1)
    leave(match, 2)
    while not match.live.match.abandoned_deals:
        call(match)
    after = match.live.match
    assert not after.over and sum(after.scores) == 800
    assert all(after.scores[seat] <= before[seat] for seat in (1, 2)), (
        "who left has what lay before it, and no more"
    )
    result = after.game.result
    assert sum(result.gains) == 0 and all(result.gains[seat] > 0 for seat in (0, 3))
    match.play()
    end = match.live.match
    assert end.over and end.receipts == {0, 3} and end.winner in (0, 3) and sum(end.scores) == 800
    assert {(fault.seat, fault.code) for fault in audit(match.file()).faults} == {
        (1, Code.LEFT),
        (2, Code.LEFT),
    }
    assert any("this hand ends here" in line for line in transcript_lines(match.file()))


@pytest.mark.match
def test_hand_with_all_cards_available_is_played_out() -> None:
    """On the river no further card has to be opened, so a beaten player gains nothing if friends
    leave.
    """
    match = betting("texas-holdem", hands=1)
    while len(match.live.match.game.board) < 5:
        call(match)
    leave(match, 1)
    leave(match, 2)
    match.play()
    end = match.live.match
    assert (
        end.over and not end.abandoned_deals and sum(end.scores) == 800 and end.receipts == {0, 3}
    )


@pytest.mark.match
@pytest.mark.parametrize("game", ["block-dominoes", "draw-dominoes"])
def test_dominoes_hand_is_void_and_others_continue(game: str) -> None:
    match = make_offline(4, 5, game, {"target": 30, "hand": 5}, SHARED, dealing="verified")
    while match.live.match.stage is not MatchStage.PLAYING:
        assert any(match.step(player) for player in match.seats)
    leave(match, 1)
    leave(match, 2)
    while not match.live.match.abandoned_deals:
        assert any(match.step(player) for player in match.seats)
    assert match.live.match.scores == (0, 0, 0, 0) and match.live.match.game.result is None
    match.play()
    assert match.live.match.receipts == {0, 3} and match.live.match.winner in (0, 3)


@pytest.mark.match
@pytest.mark.parametrize("seed", range(12))
def test_leaver_at_any_moment_keeps_chips_and_gains_nothing(seed: int) -> None:
    rng = Random(seed)
    game = rng.choice(("texas-holdem", "five-card-draw"))
    match = make_offline(5, seed, game, {"hands": 3, "stack": 60}, SHARED, dealing="verified")
    match.bots = ("sensible", "random", "greedy")
    leavers = rng.sample(range(5), 3)
    for leaver in leavers:
        entries = rng.randrange(4, 25)
        while entries > 0 or match.live.match.stage not in (MatchStage.DEALING, MatchStage.PLAYING):
            assert any(match.step(player) for player in match.seats)
            entries -= 1
        before = match.live.match.scores[leaver]
        leave(match, leaver)
        assert match.live.match.scores[leaver] <= before
    match.play()
    end = match.live.match
    assert end.over and sum(end.scores) == 300 and end.gone >= set(leavers) and not match.refused


@pytest.mark.parametrize("leaver", [1, 2, 3])
def test_pots_are_split_among_possible_winners(leaver: int) -> None:
    """A short stack has no part in the side pot, and a leaver has no part in any pot."""
    game = poker("texas-holdem", 4, stack=100)
    state = replace(start(game), stacks=(20, 100, 100, 100))
    state = game.after_deal(state, ())
    while state.to_act is not None:
        bold = state.to_act != 0 and max(state.running.bets) < 100
        state = game.apply(state, state.to_act, ("raise", 100) if bold else ("call",))
    assert state.pot == 320 and state.to_act is None, "all are all in, and the board is to come"
    state = game.abandon(game.forfeit(state, leaver))
    main, side = state.result.pots
    assert sorted(chips for _, chips in main) == [26, 27, 27] and {seat for seat, _ in main} == {
        0,
        1,
        2,
        3,
    } - {leaver}
    assert dict(side) == dict.fromkeys({1, 2, 3} - {leaver}, 120)
    assert sum(state.chips) == 320 and state.chips[leaver] == 0


def test_uncalled_bet_is_not_lost() -> None:
    game = poker("five-card-draw", 3, stack=100, ante=5)
    state = game.after_deal(start(game), ())
    for action in (("raise", 50), ("call",), ("fold",)):
        state = game.apply(state, state.to_act, action)
    folded = next(seat for seat in range(3) if seat not in state.live)
    over = game.abandon(state)
    assert over.chips[folded] == 95 and sorted(over.chips) == [95, 102, 103]

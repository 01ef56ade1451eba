"""Every match ends: after its last hand by the game's standing rule, or by rules that go on for
ever without a winner.
"""

from dataclasses import replace

import pytest

from protocol.codes import Code
from protocol.dealing import Post
from protocol.errors import Refused
from protocol.games import Act
from protocol.games.dominoes.rules import Dominoes
from protocol.games.dominoes.state import DominoesPhase, DominoesState
from protocol.games.ligretto.rules import Ligretto
from protocol.games.ligretto.scoring import score_round
from protocol.games.ligretto.state import LigrettoPhase, SeatCards
from protocol.games.registry import create_game
from protocol.games.scripted.engine.state import ScriptPhase
from protocol.limits import (
    LIGRETTO_REDEALS,
    LIGRETTO_TIE_ROUNDS,
    MAX_DOMINO_HANDS,
    MAX_HAND_ACTIONS,
    MAX_LIGRETTO_ACTIONS,
    MAX_MATCH_DEALS,
    MAX_SCRIPT_ACTIONS,
)
from protocol.match.state import MatchStage
from protocol.options import BadOptions
from tests.support.offline import make_offline
from tests.support.outcomes import open_match
from tests.unit.protocol.games.test_script_costs import begun, lay, mini


@pytest.mark.match
@pytest.mark.parametrize("dealing", ["verified", "layered", "commutative"])
def test_dominoes_end_after_the_last_hand_that_was_agreed(dealing):
    options = {"target": 10_000, "length": 3}
    offline = make_offline(2, 1, "block-dominoes", options, dealing=dealing)
    offline.play()
    match = offline.live.match
    assert match.over and not match.faults and (match.deal_number, match.game.hand) == (3, 3)
    assert match.winner == max((0, 1), key=lambda seat: match.scores[seat])
    assert all(reader.match == match for reader in offline.readers if not offline.catch_up(reader))
    kept = open_match(offline.live)
    assert type(offline.live).claimed(offline.live._identity, kept).match == match


def dominoes(**options: int | str) -> Dominoes:
    game = create_game("block-dominoes", options.pop("seats", 2), options)
    assert isinstance(game, Dominoes)
    return game


def ended(scores: tuple[int, ...], out: frozenset[int] = frozenset()) -> DominoesState:
    nothing = (0,) * len(scores)
    return DominoesState(DominoesPhase.OVER, 1, scores, nothing, 0, out=out)


@pytest.mark.parametrize(
    ("scores", "out", "winner"),
    [((5, 7, 3), (), 1), ((7, 7, 3), (), None), ((7, 7, 3), (0,), 1), ((0, 0, 0), (0, 1, 2), None)],
)
def test_most_points_win_dominoes_at_the_end(scores, out, winner):
    assert dominoes(seats=3).winner(ended(scores, frozenset(out))) == winner


def test_partners_with_most_points_win_together():
    game = dominoes(seats=4, partners="yes")
    assert game.winner(ended((3, 8, 3, 8))) == 1 and game.winner(ended((3, 3, 3, 3))) is None


def test_void_last_hand_of_dominoes_puts_its_liar_out():
    """Else whoever leads could win by a lie in the last hand."""
    game = dominoes(target=10_000, length=1)
    state = game.after_deal(game.start())
    state = replace(state, leader=0, phase=DominoesPhase.LEAD, to_act=0, scores=(9, 2))
    state = game.apply(state, 0, ("play", 0, 0))
    dealt = tuple(range(seat * 7 + 1, seat * 7 + 8) for seat in range(2))
    over, wrong = game.settle(replace(state, to_act=None), tuple(map(tuple, dealt)), ((), ()))
    assert [each.seat for each in wrong] == [0] and over.phase is DominoesPhase.OVER
    assert game.winner(over) == 1


def test_abandoned_last_hand_of_dominoes_is_the_last():
    game = dominoes(length=2)
    first = game.after_deal(game.start())
    assert game.abandon(first).phase is DominoesPhase.DEAL
    assert game.abandon(game.after_deal(game.abandon(first))).phase is DominoesPhase.OVER


@pytest.mark.parametrize("length", [0, MAX_DOMINO_HANDS + 1])
def test_length_beyond_its_bound_is_refused(length):
    with pytest.raises(BadOptions):
        dominoes(length=length)


def ligretto(**options: int | str) -> Ligretto:
    game = create_game("ligretto", 2, options)
    assert isinstance(game, Ligretto)
    return game


def test_ligretto_ends_without_winner_when_ties_do_not_end():
    game = ligretto(rounds=1)
    state = replace(game.start(), phase=LigrettoPhase.SCORE, seats=(SeatCards(), SeatCards()))
    last = 1 + LIGRETTO_TIE_ROUNDS
    for number in (1, last - 1):
        tied = score_round(replace(state, round=number), 99, 1)
        assert tied.phase is LigrettoPhase.DEAL
    over = score_round(replace(state, round=last), 99, 1)
    assert over.phase is LigrettoPhase.OVER and game.winner(over) is None


def test_ligretto_deals_anew_only_so_often():
    game = ligretto(redeal="yes", row=5)
    high = tuple(40 * seat + 9 + colour * 10 for seat in (0, 1) for colour in (0, 1, 2, 3))
    state = game.start()
    for _ in range(LIGRETTO_REDEALS):
        state = game.after_deal(state, high)
        assert state.phase is LigrettoPhase.AGAIN
        state, _ = game.settle(state)
    assert game.after_deal(state, high).phase is LigrettoPhase.PLAY


def test_round_of_ligretto_is_scored_after_its_last_action():
    game = ligretto()
    state = replace(game.start(), phase=LigrettoPhase.PLAY, actions=MAX_LIGRETTO_ACTIONS - 2)
    state = game.apply(state, 0, ("rest",))
    assert state.phase is LigrettoPhase.PLAY
    state = game.apply(state, 0, ("rest",))
    assert state.phase is LigrettoPhase.SCORE and state.ended == MAX_LIGRETTO_ACTIONS - 1


def test_rule_file_that_does_not_end_is_wrong():
    found = begun(mini("[]"))
    seat = found.game.wants(found.state).seats[0]
    found.state = replace(found.state, acted=MAX_SCRIPT_ACTIONS - 1)
    found.post(seat, lay(found, seat))
    want = found.onward()
    assert isinstance(want, Act) and found.state.error is None
    found.post(want.seats[0], found.choices(want.seats[0])[0])
    assert found.state.error.key == "script.long" and found.state.winners == ()
    assert found.onward() is None and found.state.phase is ScriptPhase.OVER
    assert not found.misplays


@pytest.mark.parametrize(
    "change",
    [
        {"action_entries": tuple(range(MAX_HAND_ACTIONS))},
        {"deal_number": MAX_MATCH_DEALS},
    ],
)
def test_rules_that_go_on_for_ever_end_without_winner(change):
    offline = make_offline(2, 1, "connect-four", dealing="none")
    offline.play(3)
    live = offline.live
    assert live.match.stage is MatchStage.PLAYING and not live.match.is_too_long
    live.match = replace(live.match, **change)
    seat = next(duty.author for duty in live.match.duties())
    action = offline.seats[seat].choices(live.match)[0]
    post = offline.seats[seat].move(live.match, action)
    live.offer(offline.seats[seat].entry(live.log, post), seat)
    assert live.match.over and live.match.winner is None and not live.match.faults
    with pytest.raises(Refused) as refused:
        live.offer(offline.seats[0].entry(live.log, Post("leave", [])), 0)
    assert refused.value.code is Code.MATCH_OVER

"""A seat leaves dominoes for good: the others play on, and the leaver cannot win."""

from dataclasses import replace

import pytest

from protocol.codes import Code
from protocol.errors import Refused
from protocol.games import Act, Misplay, Over, Settle
from protocol.games.dominoes import Dominoes
from protocol.games.dominoes.state import DominoesPhase, DominoesState
from protocol.games.operations import Lay, Look, Pile
from tests.support.dominoes import dominoes
from tests.unit.protocol.games.dominoes.moves import hand, led, move, refused, run

THREE = dominoes(3, "block", hand=2)
FOUR = dominoes(4, "block", hand=2)
NONE = ((), (), ())
# seats 0 and 1 tie once the 6-6 has blocked the hand
TIED = (hand("6-6", "5-0"), hand("1-0", "4-0"), hand("5-1", "0-0"))


def refused_to_leave(game: Dominoes, state: DominoesState, seat: int) -> Code:
    with pytest.raises(Refused) as caught:
        game.forfeit(state, seat)
    return caught.value.code


# --- leaving, and the last remaining seat ---


def test_leaving_twice_is_refused() -> None:
    state = THREE.forfeit(THREE.start(), 1)
    assert (state.out, state.present) == (frozenset({1}), (0, 2))
    assert refused_to_leave(THREE, state, 1) is Code.NOT_NOW
    assert refused_to_leave(THREE, state, 3) is Code.NOT_NOW


def test_leaving_after_the_match_is_refused() -> None:
    state = replace(THREE.start(), phase=DominoesPhase.OVER, scores=(0, 100, 0))
    assert refused_to_leave(THREE, state, 0) is Code.NOT_NOW
    assert THREE.winner(state) == 1


@pytest.mark.parametrize(
    "phase", [phase for phase in DominoesPhase if phase is not DominoesPhase.OVER]
)
def test_last_remaining_seat_wins_despite_scores(phase: DominoesPhase) -> None:
    to_act = None if phase in (DominoesPhase.DEAL, DominoesPhase.SETTLE) else 0
    state = replace(led(THREE), phase=phase, to_act=to_act, scores=(90, 0, 40))
    state = THREE.forfeit(state, 0)
    assert (state.phase is DominoesPhase.OVER, THREE.winner(state)) == (False, None)
    state = THREE.forfeit(state, 2)
    assert (THREE.wants(state), THREE.winner(state), THREE.scores(state)) == (
        Over(),
        1,
        (90, 0, 40),
    )
    assert THREE.legal(state, 1, hand("6-6")) == ()


# --- dealing and the lead ---


def test_hands_are_dealt_only_to_remaining_seats() -> None:
    game = dominoes(4, "draw")
    state = game.forfeit(game.start(), 1)
    assert game.wants(state) == Lay((Pile(28, 5),))
    state = game.after_deal(state)
    assert (state.hidden, state.stock, state.out) == ((5, 0, 5, 5), 13, frozenset({1}))


def test_calling_begins_with_first_remaining_seat() -> None:
    state = THREE.after_deal(THREE.forfeit(THREE.start(), 0))
    assert (state.phase, THREE.wants(state)) == (DominoesPhase.CALL, Act((1,)))
    state = run(THREE, state, "deny", "deny")
    assert (state.denials, state.to_act) == (1, 1)


@pytest.mark.parametrize(
    ("denials", "leaver", "called", "to_act"),
    [
        (0, 0, 0, 1),  # the caller's turn continues
        (1, 0, 0, 1),  # a seat that has denied may leave
        (1, 2, 0, 1),  # a seat that is still to be asked may leave
        # it was the last to be asked: all others have denied, and the next tile is called
        (2, 2, 1, 0),
    ],
)
def test_calling_continues_without_the_leaver(
    denials: int, leaver: int, called: int, to_act: int
) -> None:
    state = run(THREE, THREE.after_deal(THREE.start()), *["deny"] * denials)
    state = THREE.forfeit(state, leaver)
    assert (state.phase, state.denials, state.to_act) == (DominoesPhase.CALL, called, to_act)


def test_called_tile_may_belong_to_leaver() -> None:
    game = dominoes(4, "block")  # no stock: without a leaver one common denial proves a lie
    doubles = hand("6-6", "5-5", "4-4", "3-3", "2-2", "1-1", "0-0")
    rest = [piece for piece in range(28) if piece not in doubles]
    dealt = (doubles, *(tuple(rest[first : first + 7]) for first in (0, 7, 14)))
    state = game.forfeit(game.after_deal(game.start()), 0)
    while state.phase is DominoesPhase.CALL:
        assert state.to_act is not None
        action = game.legal(state, state.to_act, dealt[state.to_act])[0]
        state = game.apply(state, state.to_act, action)
    assert (state.phase, state.denials, state.line) == (DominoesPhase.PLAY, 7, ((6, 5),))


def test_excess_denials_with_leaver_still_show_hands() -> None:
    game = dominoes(4, "block")
    state = game.forfeit(game.after_deal(game.start()), 2)
    state = run(game, state, *["deny"] * (3 * 8 - 1))
    assert (state.phase, state.denials) == (DominoesPhase.CALL, 7)
    state = run(game, state, "deny")
    assert (game.wants(state), state.denials) == (Settle(), 8)


def test_next_seat_leads_for_a_leaver() -> None:
    state = THREE.forfeit(led(THREE, 1), 1)
    assert (state.phase, THREE.wants(state)) == (DominoesPhase.LEAD, Act((2,)))
    state = run(THREE, state, "5-3<")
    assert (state.leader, state.to_act) == (2, 0)


def test_next_seat_leads_for_winner_gone_between_hands() -> None:
    state = run(THREE, led(THREE, 1), "6-4<", "pass", "pass", "6-2<")
    state, _ = THREE.settle(
        state, (hand("5-0", "3-0"), hand("6-4", "6-2"), hand("5-1", "3-1")), NONE
    )
    assert state.result is not None and state.result.winner == 1
    state = THREE.after_deal(THREE.forfeit(state, 1))
    assert (state.phase, state.to_act, state.hidden, state.stock) == (
        DominoesPhase.LEAD,
        2,
        (2, 0, 2),
        24,
    )


def test_next_remaining_seat_leads_after_tie() -> None:
    state = run(THREE, led(THREE), "6-6<", "pass", "pass", "pass")
    state, _ = THREE.settle(state, TIED, NONE)
    assert THREE.after_deal(THREE.forfeit(state, 1)).to_act == 2
    assert THREE.after_deal(THREE.forfeit(state, 0)).to_act == 1


# --- turns, and the end of a hand ---


def test_turns_skip_the_leaver() -> None:
    state = run(FOUR, led(FOUR), "5-3<")
    assert FOUR.forfeit(state, 1).to_act == 2  # it was the leaver's turn
    state = FOUR.forfeit(state, 2)
    assert (state.phase, state.to_act, state.hidden) == (DominoesPhase.PLAY, 1, (1, 2, 2, 2))
    assert refused(FOUR, state, 2, "pass") is Code.NOT_YOUR_TURN
    assert FOUR.legal(state, 2, hand("5-0")) == ()
    assert run(FOUR, state, "5-0<").to_act == 3


def test_seat_may_leave_while_another_piece_is_pending() -> None:
    game = dominoes(3, "draw", hand=2)
    state = run(game, led(game), "3-3<")
    assert game.check(state, 1, ("draw",)) == (Look(1, 1),)
    state = game.apply(game.forfeit(state, 0), 1, ("draw",))
    assert (state.to_act, state.stock, state.hidden) == (1, 21, (1, 3, 2))
    game.check(state, 1, move("5-3<"))
    state = game.apply(state, 1, move("5-3<"))
    assert (state.phase, state.to_act) == (DominoesPhase.PLAY, 2)


def test_drawn_tiles_of_leaver_stay_out_of_play() -> None:
    game = dominoes(3, "draw", hand=2)
    state = game.forfeit(run(game, led(game), "3-3<", "draw", "draw"), 1)
    assert (state.to_act, state.stock, state.hidden) == (2, 20, (1, 4, 2))
    state = run(game, state, "5-3<", "5-1<")
    dealt = (hand("3-3", "5-1"), hand("6-4", "6-2"), hand("5-3", "0-0"))
    state, misplays = game.settle(state, dealt, ((), hand("4-4", "1-0"), ()))
    assert misplays == ()
    assert state.result is not None
    assert (state.result.pips, state.scores) == ((0, 27, 0), (27, 0, 0))


def test_hand_is_blocked_when_remaining_seats_passed() -> None:
    state = FOUR.forfeit(run(FOUR, led(FOUR), "6-6<"), 2)
    state = run(FOUR, state, "pass", "pass")
    assert (state.phase, state.to_act, state.passes) == (DominoesPhase.PLAY, 0, 2)
    assert run(FOUR, state, "pass").phase is DominoesPhase.SETTLE


def test_pass_of_leaver_does_not_count() -> None:
    state = run(FOUR, led(FOUR), "6-6<", "pass", "pass")
    state = FOUR.forfeit(state, 1)
    assert (state.passes, state.to_act) == (1, 3)
    state = run(FOUR, state, "pass")  # three passes and three seats, but seat 0 has not been asked
    assert (state.phase, state.to_act) == (DominoesPhase.PLAY, 0)
    assert run(FOUR, state, "pass").phase is DominoesPhase.SETTLE


def test_hand_is_blocked_when_last_possible_player_leaves() -> None:
    state = run(THREE, led(THREE), "6-6<", "pass", "pass")
    state = THREE.forfeit(state, 0)
    assert (THREE.wants(state), state.to_act) == (Settle(), None)


def test_leaver_empty_hand_neither_goes_out_nor_unblocks() -> None:
    start = THREE.after_deal(replace(THREE.forfeit(led(THREE), 0), phase=DominoesPhase.DEAL))
    assert (start.to_act, start.hidden) == (1, (0, 2, 2))
    dealt = ((), hand("6-4", "6-1"), hand("4-1", "3-3"))
    state, misplays = THREE.settle(run(THREE, start, "6-4<", "4-1>", "6-1<"), dealt, NONE)
    assert (state.scores, misplays) == ((0, 6, 0), ())
    state = run(THREE, start, "6-4<", "pass", "pass")
    dealt = ((), hand("6-4", "3-1"), hand("5-0", "3-3"))
    state, misplays = THREE.settle(state, dealt, NONE)
    assert state.result is not None and state.result.blocked
    assert (state.result.pips, state.scores, misplays) == ((0, 4, 11), (0, 7, 0), ())


# --- scores ---


def test_going_out_scores_pips_of_leaver() -> None:
    state = THREE.forfeit(run(THREE, led(THREE), "6-4<", "4-1>"), 1)
    state = run(THREE, state, "pass", "6-2<")
    dealt = (hand("6-4", "6-2"), hand("4-1", "5-5"), hand("3-0", "3-3"))
    state, misplays = THREE.settle(state, dealt, NONE)
    assert misplays == ()
    assert state.result is not None
    assert (state.result.winner, state.result.points, state.result.pips) == (0, 19, (0, 10, 9))


def test_leaver_does_not_win_blocked_hand_with_fewest_pips() -> None:
    state = THREE.forfeit(run(THREE, led(THREE), "6-6<", "pass"), 0)
    state = run(THREE, state, "pass")
    dealt = (hand("6-6", "1-0"), hand("2-0", "5-0"), hand("3-0", "5-1"))
    state, misplays = THREE.settle(state, dealt, NONE)
    assert misplays == ()
    assert state.result is not None and state.result.blocked
    assert (state.result.winner, state.scores) == (1, (0, 1 + 9 - 7, 0))


def test_leaver_makes_no_tie() -> None:
    blocked = run(THREE, led(THREE), "6-6<", "pass", "pass", "pass")
    tied, _ = THREE.settle(blocked, TIED, NONE)
    assert (tied.scores, tied.result and tied.result.winner) == ((0, 0, 0), None)
    state, _ = THREE.settle(THREE.forfeit(blocked, 0), TIED, NONE)
    assert state.scores == (0, 5 + 6 - 5, 0)


def test_going_out_then_leaving_before_showing_wins_nothing() -> None:
    state = run(THREE, led(THREE), "6-4<", "4-1>", "pass", "6-2<")
    assert state.phase is DominoesPhase.SETTLE
    state = THREE.forfeit(state, 0)
    assert THREE.wants(state) == Settle()
    dealt = (hand("6-4", "6-2"), hand("4-1", "5-5"), hand("3-0", "3-3"))
    state, _ = THREE.settle(state, dealt, NONE)
    assert state.result is not None
    assert (state.result.winner, state.scores) == (2, (0, 0, 1))  # fewest pips of the others


# --- misplays ---


def test_earlier_misplay_of_leaver_is_named() -> None:
    state = THREE.forfeit(run(THREE, led(THREE), "6-4<", "pass"), 1)
    state = run(THREE, state, "pass", "6-2<")
    dealt = (hand("6-4", "6-2"), hand("4-1", "5-5"), hand("3-0", "3-3"))
    state, misplays = THREE.settle(state, dealt, NONE)
    assert misplays == (Misplay(1, 1, Code.FALSE_PASS),)
    assert state.result is not None and state.result.void
    assert state.scores == (0, 0, 0)


def test_false_denials_and_draws_of_leavers_are_named() -> None:
    game = dominoes(4, "draw", hand=2)
    state = game.forfeit(run(game, game.after_deal(game.start()), "deny"), 0)
    state = run(game, state, "deny", "deny", "deny", "deny", "5-5<", "draw")
    state = run(game, game.forfeit(state, 3), "5-3<", "5-1>")
    assert state.phase is DominoesPhase.SETTLE
    dealt = (hand("6-6", "4-0"), hand("5-3", "3-2"), hand("5-5", "5-1"), hand("5-4", "4-4"))
    _, misplays = game.settle(state, dealt, ((), (), (), hand("1-0")))
    assert misplays == (Misplay(0, 0, Code.FALSE_DENIAL), Misplay(3, 6, Code.FALSE_DRAW))

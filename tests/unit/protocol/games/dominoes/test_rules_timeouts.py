"""A lapsed turn in dominoes is skipped, says nothing of the hand, and helps nobody."""

from protocol.codes import Code
from protocol.games import Act, Misplay, Settle
from protocol.games.dominoes import Dominoes, view
from protocol.games.dominoes.state import DominoesPhase, DominoesState
from tests.support.dominoes import dominoes
from tests.support.views import saying
from tests.unit.protocol.games.dominoes.moves import hand, led, move, refused, run

BLOCK = dominoes(2, "block", hand=2)
DRAW = dominoes(2, "draw", hand=2)
SAY = saying()
THREE = dominoes(3, "block", hand=2)


def lapse(game: Dominoes, state: DominoesState) -> DominoesState:
    """Let the time of the seat in turn run out."""
    assert state.to_act is not None
    action = game.timeout(state, state.to_act)
    assert action is not None
    return game.apply(state, state.to_act, action)


def test_seat_cannot_declare_its_own_lapse() -> None:
    state = led(BLOCK)
    assert refused(BLOCK, state, 0, "timeout") is Code.ILLEGAL_MOVE
    assert ("timeout",) not in BLOCK.legal(state, 0, hand("6-4"))


def test_lapse_moves_turn_and_changes_nothing_else() -> None:
    for game in (BLOCK, DRAW):
        state = run(game, led(game), "6-4<")
        after = lapse(game, state)
        assert game.wants(after) == Act((0,))
        assert (after.line, after.hidden, after.stock, after.phase) == (
            state.line,
            state.hidden,
            state.stock,
            state.phase,
        )


def test_lapsed_seat_with_legal_play_is_not_named() -> None:
    state = run(BLOCK, led(BLOCK), "6-4<")
    state = run(BLOCK, lapse(BLOCK, state), "pass", "pass")
    assert BLOCK.wants(state) == Settle()
    dealt = hand("6-4", "5-5"), hand("4-3", "0-0")
    # Seat 1 had the 4-3 in action 1, where its time ran out, and in 3, where it passed.
    assert BLOCK.settle(state, dealt, ((), ()))[1] == (Misplay(1, 3, Code.FALSE_PASS),)


def test_lapse_does_not_count_towards_a_block() -> None:
    state = run(THREE, led(THREE), "6-4<", "pass", "pass")
    state = lapse(THREE, state)
    assert THREE.wants(state) == Act((1,))
    assert THREE.wants(run(THREE, state, "pass", "pass")) == Act((0,))
    assert THREE.wants(run(THREE, state, "pass", "pass", "pass")) == Settle()


def test_lapsed_leader_does_not_lead() -> None:
    state = lapse(THREE, led(THREE, leader=1))
    assert (state.phase, state.to_act) == (DominoesPhase.LEAD, 2)
    assert run(THREE, state, "5-3<").leader == 2


def test_called_tile_may_belong_to_silent_seat() -> None:
    """No seat has lied when a called tile is in the hand of a skipped seat."""
    game = dominoes(2, "block", hand=14)  # no stock: one seat has each called tile
    state = game.after_deal(game.start())
    after = run(game, state, "deny", "deny")
    assert game.wants(after) == Settle()  # so one of two denials was false
    state = run(game, lapse(game, state), "deny")
    assert (state.phase, state.denials, state.to_act) == (DominoesPhase.CALL, 1, 0)
    assert run(game, state, "5-5<").line == ((5, 5),)


def test_hand_ends_when_every_tile_was_called_in_vain() -> None:
    state = BLOCK.after_deal(BLOCK.start())
    turns = 0
    while state.phase is DominoesPhase.CALL:
        state, turns = lapse(BLOCK, state), turns + 1
    assert (BLOCK.wants(state), turns) == (Settle(), 2 * len(BLOCK.tiles))
    state, misplays = BLOCK.settle(state, (hand("6-4", "5-5"), hand("4-3", "0-0")), ((), ()))
    assert misplays == () and state.result is not None and state.result.unled
    assert state.scores == (0, 0) and SAY(view.result(BLOCK, state)[0]).startswith(
        "Everybody ran out of time"
    )


def test_hand_that_nobody_led_is_followed_by_calling() -> None:
    state = BLOCK.after_deal(BLOCK.start())
    while state.phase is DominoesPhase.CALL:
        state = lapse(BLOCK, state)
    state, _ = BLOCK.settle(state, (hand("6-4", "5-5"), hand("4-3", "0-0")), ((), ()))
    state = BLOCK.after_deal(state)
    assert (state.hand, state.phase, state.to_act) == (2, DominoesPhase.CALL, 0)


def test_turn_after_a_lapse_is_ordinary() -> None:
    state = lapse(BLOCK, lapse(BLOCK, run(BLOCK, led(BLOCK), "6-4<")))
    assert state.to_act == 1
    assert move("4-3>") in BLOCK.legal(state, 1, hand("4-3"))

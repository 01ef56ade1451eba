"""A turn lapses: it is skipped, says nothing of the hand, and helps nobody."""

from protocol.codes import Code
from protocol.games import Act, Misplay, Settle
from protocol.games.dominoes import Dominoes
from protocol.games.dominoes.state import DominoesPhase, DominoesState
from tests.support.dominoes import dominoes
from tests.unit.protocol.games.dominoes.moves import hand, led, move, refused, run

BLOCK = dominoes(2, "block", hand=2)
DRAW = dominoes(2, "draw", hand=2)
THREE = dominoes(3, "block", hand=2)


def lapse(game: Dominoes, state: DominoesState) -> DominoesState:
    """The time of whoever is to act is over."""
    assert state.to_act is not None
    action = game.timeout(state, state.to_act)
    assert action is not None
    return game.apply(state, state.to_act, action)


def test_no_seat_can_say_it_itself() -> None:
    state = led(BLOCK)
    assert refused(BLOCK, state, 0, "timeout") is Code.ILLEGAL_MOVE
    assert ("timeout",) not in BLOCK.legal(state, 0, hand("6-4"))


def test_the_next_seat_acts_and_nothing_else_changes() -> None:
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


def test_who_could_have_played_is_not_named_for_it() -> None:
    state = run(BLOCK, led(BLOCK), "6-4<")
    state = run(BLOCK, lapse(BLOCK, state), "pass", "pass")
    assert BLOCK.wants(state) == Settle()
    dealt = hand("6-4", "5-5"), hand("4-3", "0-0")
    # Seat 1 held the 4-3 in action 1, where its time was over, and in 3, where it passed.
    assert BLOCK.settle(state, dealt, ((), ()))[1] == (Misplay(1, 3, Code.FALSE_PASS),)


def test_silence_does_not_help_to_block_a_hand() -> None:
    state = run(THREE, led(THREE), "6-4<", "pass", "pass")
    state = lapse(THREE, state)
    assert THREE.wants(state) == Act((1,))
    assert THREE.wants(run(THREE, state, "pass", "pass")) == Act((0,))
    assert THREE.wants(run(THREE, state, "pass", "pass", "pass")) == Settle()


def test_who_was_to_lead_does_not() -> None:
    state = lapse(THREE, led(THREE, leader=1))
    assert (state.phase, state.to_act) == (DominoesPhase.LEAD, 2)
    assert run(THREE, state, "5-3<").leader == 2


def test_a_called_tile_may_be_who_did_not_answer() -> None:
    """Nobody has lied when a tile that was called lies in the hand of a seat that was skipped."""
    game = dominoes(2, "block", hand=14)  # no stock: whatever is called, somebody has
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
    assert misplays == () and state.result is not None and state.result.winner == 1


def test_an_end_of_silence_is_an_ordinary_turn() -> None:
    state = lapse(BLOCK, lapse(BLOCK, run(BLOCK, led(BLOCK), "6-4<")))
    assert state.to_act == 1
    assert move("4-3>") in BLOCK.legal(state, 1, hand("4-3"))

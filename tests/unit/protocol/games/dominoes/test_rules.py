"""Each rule of block and draw dominoes separately."""

from dataclasses import replace
from typing import Any

import pytest

from protocol.codes import Code
from protocol.errors import Refused
from protocol.games import Act, Game, Misplay, Over, Settle
from protocol.games.dominoes.state import DominoesPhase
from protocol.games.dominoes.view import unfit
from protocol.games.operations import Lay, Look, Pile, Reveal
from protocol.games.registry import UnknownRules, create_game
from protocol.i18n import english
from protocol.view.text import phrase_renderer
from tests.support.dominoes import dominoes
from tests.unit.protocol.games.dominoes.moves import hand, led, move, numbers, refused, run, tile

BLOCK = dominoes(2, "block", hand=2)
DRAW = dominoes(2, "draw", hand=2)


# --- options ---


@pytest.mark.parametrize(
    ("name", "seats", "each"),
    [
        ("block-dominoes", 2, 7),
        ("block-dominoes", 4, 7),
        ("draw-dominoes", 2, 7),
        ("draw-dominoes", 3, 5),
        ("draw-dominoes", 4, 5),
    ],
)
def test_default_hand_sizes_depend_on_seats(name: str, seats: int, each: int) -> None:
    game: Game = create_game(name, seats, {})
    assert (game.name, game.seats, len(game.pieces)) == (name, seats, 28)
    assert game.wants(game.start()) == Lay((Pile(len(game.pieces), each),))


def test_dominoes_options_are_accepted() -> None:
    game = create_game("draw-dominoes", 4, {"target": 10_000, "hand": 13, "highest": 9})
    assert (game.scoring.target, game.hand, len(game.pieces)) == (10_000, 13, 55)


@pytest.mark.parametrize(
    ("name", "seats", "options"),
    [
        ("block-dominoes", 1, {}),
        ("block-dominoes", 5, {}),
        ("block-dominoes", True, {}),
        ("block-dominoes", 2, {"target": 0}),
        ("block-dominoes", 2, {"target": 10_001}),
        ("block-dominoes", 2, {"target": "100"}),
        ("block-dominoes", 2, {"target": True}),
        ("block-dominoes", 2, {"hand": 0}),
        ("block-dominoes", 2, {"hand": 15}),
        ("block-dominoes", 4, {"hand": 8}),
        ("block-dominoes", 2, {"highest": 7}),
        ("block-dominoes", 2, {"highest": True}),
        ("block-dominoes", 2, {"spinner": 1}),
        ("block-dominoes", 2, {"seats": 2}),
    ],
)
def test_bad_dominoes_options_are_refused(name: str, seats: int, options: Any) -> None:
    with pytest.raises(Refused) as caught:
        create_game(name, seats, options)
    assert caught.value.code is Code.BAD_OPTIONS


@pytest.mark.parametrize("name", ["dominoes", "-dominoes", "block", "muggins-dominoes"])
def test_unknown_option_names_are_refused(name: str) -> None:
    with pytest.raises(UnknownRules) as caught:
        create_game(name, 2, {})
    assert caught.value.code is Code.UNKNOWN_RULES


# --- actions from the wire ---


@pytest.mark.parametrize("raw", [["play", 27, 1], ["play", 0, 0], ["draw"], ["pass"], ["deny"]])
def test_dominoes_action_is_parsed(raw: list[Any]) -> None:
    assert BLOCK.parse(raw) == tuple(raw)


@pytest.mark.parametrize(
    "raw",
    [
        None,
        [],
        "pass",
        ("pass",),
        ["Pass"],
        [b"pass"],
        ["pass", 0],
        ["play"],
        ["play", 3],
        ["play", 28, 0],
        ["play", -1, 0],
        ["play", 3, 4],
        ["play", True, 0],
        ["play", 3, False],
        ["play", 3.0, 0],
        ["play", "6-4", 0],
        ["play", 3, 0, 0],
        ["fold"],
        [["pass"]],
        {"pass": 1},
    ],
)
def test_invalid_dominoes_action_is_refused(raw: object) -> None:
    with pytest.raises(Refused) as caught:
        BLOCK.parse(raw)
    assert caught.value.code is Code.BAD_ACTION


SAY = phrase_renderer(english, ())


# --- who leads ---


def test_first_hand_is_led_by_the_highest_double() -> None:
    state = BLOCK.after_deal(BLOCK.start())
    assert (state.phase, BLOCK.wants(state)) == (DominoesPhase.CALL, Act((0,)))
    assert BLOCK.legal(state, 0, hand("6-6", "6-5")) == (move("6-6<"),)
    assert BLOCK.legal(state, 0, hand("5-5", "6-5")) == (("deny",),)
    assert BLOCK.legal(state, 1, hand("6-6")) == ()
    told = unfit(BLOCK, state, 0, ())
    assert told is not None and SAY(told) == "6-6 begins the hand."
    state = run(BLOCK, state, "deny", "deny")
    assert (state.denials, state.to_act) == (1, 0)
    assert refused(BLOCK, state, 0, "6-6<") is Code.ILLEGAL_MOVE
    assert refused(BLOCK, state, 0, "pass") is Code.ILLEGAL_MOVE
    assert refused(DRAW, state, 0, "draw") is Code.ILLEGAL_MOVE
    state = run(BLOCK, state, "deny", "5-5<")
    assert (state.phase, state.leader, state.to_act, numbers(state)) == (
        DominoesPhase.PLAY,
        1,
        0,
        [5, 5],
    )
    assert state.hidden == (2, 1)


def test_without_doubles_the_heaviest_tile_leads() -> None:
    state = run(BLOCK, BLOCK.after_deal(BLOCK.start()), *["deny"] * 14)
    assert BLOCK.legal(state, 0, hand("6-5", "4-3")) == (move("6-5<"),)
    assert BLOCK.legal(state, 0, hand("6-4", "4-3")) == (("deny",),)


def test_excess_denials_show_the_hands() -> None:
    game = dominoes(4, "block")  # 28 tiles in hands, none in the stock: one seat has the 6-6
    state = run(game, game.after_deal(game.start()), "deny", "deny", "deny", "deny")
    assert (state.phase, game.wants(state)) == (DominoesPhase.SETTLE, Settle())
    hands = tuple(tuple(range(7 * seat, 7 * seat + 7)) for seat in range(4))
    state, misplays = game.settle(state, hands, ((),) * 4)
    assert misplays == (Misplay(3, 3, Code.FALSE_DENIAL),)
    assert state.result is not None and state.result.void
    assert game.after_deal(state).phase is DominoesPhase.CALL  # nobody has led yet


def test_winner_leads_the_next_hand_with_any_tile() -> None:
    state = run(BLOCK, led(BLOCK, 1), "6-4<", "4-1>", "6-1<")
    state, _ = BLOCK.settle(state, (hand("4-1", "3-3"), hand("6-4", "6-1")), ((), ()))
    assert (state.phase, state.scores) == (DominoesPhase.DEAL, (0, 6))
    state = BLOCK.after_deal(state)
    assert (state.phase, state.to_act, state.leader, state.hand) == (DominoesPhase.LEAD, 1, 1, 3)
    assert (state.line, state.events, state.hidden, state.stock) == ((), (), (2, 2), 24)
    assert BLOCK.legal(state, 1, hand("2-0", "0-0")) == (move("0-0<"), move("2-0<"))
    assert refused(BLOCK, state, 1, "2-0>") is Code.ILLEGAL_MOVE
    assert refused(BLOCK, state, 1, "pass") is Code.ILLEGAL_MOVE
    assert refused(BLOCK, state, 1, "deny") is Code.ILLEGAL_MOVE
    assert refused(DRAW, state, 1, "draw") is Code.ILLEGAL_MOVE


def test_seat_after_last_leader_leads_after_tie() -> None:
    state = run(BLOCK, led(BLOCK, 1), "6-6<", "pass", "pass")
    state, misplays = BLOCK.settle(state, (hand("4-1", "0-0"), hand("6-6", "5-0")), ((), ()))
    assert not misplays
    assert state.result is not None and state.result.winner is None
    assert state.scores == (0, 0)
    assert BLOCK.after_deal(state).to_act == 0


# --- play ---


def test_play_in_seat_order_at_either_end() -> None:
    game = dominoes(3, "block")
    state = run(game, led(game, 2), "5-3<")
    assert state.to_act == 0
    assert refused(game, state, 2, "pass") is Code.NOT_YOUR_TURN
    assert refused(game, state, 3, "pass") is Code.NOT_YOUR_TURN
    assert refused(game, state, 0, "6-4<") is Code.ILLEGAL_MOVE
    assert refused(game, state, 0, "5-0>") is Code.ILLEGAL_MOVE
    assert refused(game, state, 0, "5-3>") is Code.TILE_PLAYED
    assert refused(game, state, 0, "deny") is Code.ILLEGAL_MOVE
    assert game.check(state, 0, move("5-0<")) == (Reveal(tile("5-0")),)
    assert run(game, state, "5-0<", "3-3>").line == ((0, 5), (5, 3), (3, 3))


def test_tile_fitting_both_ends_may_choose() -> None:
    state = run(BLOCK, led(BLOCK), "4-3<", "5-4<")
    assert numbers(state) == [5, 3]
    assert BLOCK.legal(state, 0, hand("5-3", "6-4")) == (move("5-3<"), move("5-3>"))
    assert numbers(run(BLOCK, state, "5-3<")) == [3, 3]
    assert numbers(run(BLOCK, state, "5-3>")) == [5, 5]


def test_equal_ends_have_one_encoding() -> None:
    state = run(BLOCK, led(BLOCK), "3-3<")
    assert BLOCK.legal(state, 1, hand("5-3")) == (move("5-3<"),)
    assert refused(BLOCK, state, 1, "5-3>") is Code.ILLEGAL_MOVE


def test_block_passes_and_never_draws() -> None:
    state = run(BLOCK, led(BLOCK), "3-3<")
    assert BLOCK.legal(state, 1, hand("5-4", "6-6")) == (("pass",),)
    assert BLOCK.check(state, 1, ("pass",)) == ()
    assert refused(BLOCK, state, 1, "draw") is Code.ILLEGAL_MOVE
    assert run(BLOCK, state, "pass", "6-3<").passes == 0


def test_draw_draws_until_playable_and_passes_on_empty_stock() -> None:
    state = replace(run(DRAW, led(DRAW), "3-3<"), stock=2)
    assert DRAW.legal(state, 1, hand("5-4", "6-6")) == (("draw",),)
    assert DRAW.check(state, 1, ("draw",)) == (Look(1, 1),)
    assert refused(DRAW, state, 1, "pass") is Code.ILLEGAL_MOVE
    state = run(DRAW, state, "draw")
    assert (state.to_act, state.stock, state.hidden) == (1, 1, (1, 3))
    state = run(DRAW, state, "draw")
    assert refused(DRAW, state, 1, "draw") is Code.ILLEGAL_MOVE
    assert DRAW.legal(state, 1, hand("5-4", "6-6")) == (("pass",),)
    state = run(DRAW, state, "pass")
    assert (state.to_act, state.passes, state.hidden) == (0, 1, (1, 4))


# --- the end of a hand ---


def test_going_out_scores_the_others_pips() -> None:
    game = dominoes(3, "block", hand=2)
    state = run(game, led(game), "6-4<", "4-1>", "pass", "6-2<")
    assert (state.phase, game.wants(state), state.hidden) == (
        DominoesPhase.SETTLE,
        Settle(),
        (0, 1, 2),
    )
    assert game.legal(state, 0, ()) == ()
    assert refused(game, state, 1, "pass") is Code.NOT_YOUR_TURN
    dealt = (hand("6-4", "6-2"), hand("4-1", "5-5"), hand("3-0", "3-3"))
    state, misplays = game.settle(state, dealt, ((), (), ()))
    assert misplays == ()
    assert state.result is not None
    assert (state.result.winner, state.result.points, state.result.pips) == (0, 19, (0, 10, 9))
    assert not state.result.blocked
    assert (state.phase, game.scores(state), game.winner(state)) == (
        DominoesPhase.DEAL,
        (19, 0, 0),
        None,
    )


def test_blocked_hand_scores_the_others_pips_less_its_own() -> None:
    game = dominoes(3, "block", hand=2)
    state = run(game, led(game), "6-6<", "pass", "pass", "pass")
    assert state.phase is DominoesPhase.SETTLE
    dealt = (hand("6-6", "2-0"), hand("1-0", "5-0"), hand("3-0", "4-0"))
    state, misplays = game.settle(state, dealt, ((), (), ()))
    assert not misplays
    assert state.result is not None and state.result.blocked
    assert (state.scores, state.result.pips) == ((6 + 7 - 2, 0, 0), (2, 6, 7))


def test_match_ends_at_the_target() -> None:
    game = dominoes(2, "block", target=6, hand=2)
    state = run(game, led(game, 1), "6-4<", "4-1>", "6-1<")
    state, _ = game.settle(state, (hand("4-1", "3-3"), hand("6-4", "6-1")), ((), ()))
    assert (state.phase, game.wants(state)) == (DominoesPhase.OVER, Over())
    assert (game.scores(state), game.winner(state)) == ((0, 6), 1)
    assert refused(game, state, 0, "pass") is Code.NOT_YOUR_TURN
    assert game.legal(state, 0, hand("3-3")) == ()


def test_action_before_the_deal_is_refused() -> None:
    assert refused(BLOCK, BLOCK.start(), 0, "pass") is Code.NOT_YOUR_TURN
    assert BLOCK.winner(BLOCK.start()) is None


# --- misplays ---


def test_false_pass_is_named_and_voids_the_hand() -> None:
    state = run(BLOCK, led(BLOCK), "6-4<", "pass", "6-1<")
    state, misplays = BLOCK.settle(state, (hand("6-4", "6-1"), hand("4-0", "5-5")), ((), ()))
    assert misplays == (Misplay(1, 1, Code.FALSE_PASS),)
    assert state.scores == (0, 0)
    assert state.result is not None and state.result.void


def test_pass_is_judged_by_hand_and_board_then() -> None:
    state = replace(run(DRAW, led(DRAW), "6-6<"), stock=0)
    state = run(DRAW, state, "pass", "6-1<")  # 3-1 fits only now
    _, misplays = DRAW.settle(state, (hand("6-6", "6-1"), hand("3-1", "5-5")), ((), ()))
    assert not misplays


def test_draw_is_judged_by_the_hand_before_it() -> None:
    state = run(DRAW, led(DRAW), "6-6<", "draw", "draw", "6-0<", "0-0<")
    dealt = (hand("6-6", "0-0"), hand("3-1", "5-5"))
    _, misplays = DRAW.settle(state, dealt, ((), hand("4-4", "6-0")))
    assert misplays == ()
    # it had the 6-0 at the second draw
    _, misplays = DRAW.settle(state, dealt, ((), hand("6-0", "4-4")))
    assert misplays == (Misplay(1, 2, Code.FALSE_DRAW),)


def test_tile_not_held_is_named_and_harms_nobody_else() -> None:
    game = dominoes(3, "block", hand=2)
    # Seat 1 plays the 6-5 of seat 2, which can then only pass: that pass is honest.
    state = run(game, led(game), "6-6<", "6-5<", "pass", "6-1>")
    dealt = (hand("6-6", "6-1"), hand("4-0", "4-4"), hand("6-5", "3-3"))
    _, misplays = game.settle(state, dealt, ((), (), ()))
    assert misplays == (Misplay(1, 1, Code.NOT_HELD),)

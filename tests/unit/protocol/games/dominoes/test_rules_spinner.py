"""Spinner and reserve of the stock: each published rule separately."""

import pytest

from bots.registry import BOTS
from protocol.codes import Code
from protocol.games import Misplay, Settle
from protocol.games.dominoes import text, view
from protocol.games.registry import BUILT_IN, create_game
from protocol.options import BadOptions
from tests.support.dominoes import dominoes
from tests.support.views import position, saying
from tests.unit.protocol.games.dominoes.moves import hand, led, move, numbers, refused, run

FIVES = dominoes(2, "block", scoring="fives")
PIPS = dominoes(2, "block", spinner="yes")
SAY = saying()
CROSS = ("1-1<", "6-1<", "4-1>")


def test_all_fives_match_published_example() -> None:
    """Source: pagat.com, All Fives, example of nine moves, of which the text names the doubles 1-1
    and 4-4 and all scores. Other tiles are such that they make these scores.
    """
    state = led(FIVES)
    course = ("4-1<", "1-1>", "4-4<", "4-3<", "2-1>", "5-1^", "5-5^", "5-0^", "6-1_")
    for played in course:
        state = run(FIVES, state, played)
    assert [event.points for event in state.events] == [5, 0, 10, 5, 5, 10, 15, 5, 0]
    assert numbers(state) == [3, 2, 0, 6]


@pytest.mark.parametrize(
    ("options", "spins"),
    [
        ({"scoring": "fives"}, True),
        ({"scoring": "fives", "spinner": "no"}, False),
        ({}, False),
        ({"spinner": "yes"}, True),
    ],
)
def test_all_fives_have_a_spinner_by_default(options: dict[str, str], spins: bool) -> None:
    """Source: pagat.com: All Fives has a spinner, Muggins, Block and Draw have none."""
    assert dominoes(2, "draw", **options).empty.spins is spins


def test_short_sides_are_refused_while_closed() -> None:
    state = run(FIVES, led(FIVES), *CROSS[:2])
    assert refused(FIVES, state, 0, "5-1^") is Code.ILLEGAL_MOVE
    state = run(FIVES, state, CROSS[2])
    assert refused(FIVES, state, 1, "5-1_") is Code.ILLEGAL_MOVE  # as good as the upper side
    assert refused(FIVES, state, 1, "6-5^") is Code.ILLEGAL_MOVE
    assert FIVES.legal(state, 1, hand("5-1", "3-2")) == (move("5-1^"),)


def test_line_without_spinner_has_two_ends_only() -> None:
    game = dominoes(2, "block")
    state = run(game, led(game), *CROSS)
    assert refused(game, state, 1, "5-1^") is Code.ILLEGAL_MOVE
    assert game.legal(state, 1, hand("5-1")) == (("pass",),)


def test_pass_is_false_if_only_a_short_side_fits() -> None:
    game = dominoes(2, "block", hand=3, spinner="yes")
    state = run(game, led(game), *CROSS, "pass", "pass")
    assert game.wants(state) == Settle()
    dealt = hand("1-1", "4-1", "3-3"), hand("6-1", "5-1", "2-2")
    assert game.settle(state, dealt, ((), ()))[1] == (Misplay(1, 3, Code.FALSE_PASS),)


def test_hand_is_blocked_when_nobody_fits_at_four_sides() -> None:
    game = dominoes(2, "block", hand=3, spinner="yes")
    state = run(game, led(game), *CROSS, "pass", "pass")
    dealt = hand("1-1", "4-1", "3-3"), hand("6-1", "5-2", "2-2")
    state, lies = game.settle(state, dealt, ((), ()))
    assert lies == () and state.result is not None
    assert (state.result.blocked, state.scores) == (True, (5, 0))


def test_hand_of_a_new_deal_has_no_spinner() -> None:
    state = FIVES.after_deal(FIVES.abandon(run(FIVES, led(FIVES), *CROSS)))
    assert state.layout == FIVES.empty


# --- screen and bots ---


def test_cross_is_drawn_line_by_line() -> None:
    state = run(PIPS, led(PIPS), *CROSS)
    board = view.board(PIPS, state)
    assert text.line_text(board, SAY).splitlines() == [
        "6 ◂ [6|1][1╬1][1|4] ▸ 4",
        "  ▴ [1╬1] ▴ 1",
        "  ▾ [1╬1] ▾ 1",
    ]
    state = run(PIPS, state, "5-1^", "5-5^", "2-1_")
    after = view.board(PIPS, state)
    assert text.changed_board_text(board, after, SAY, 80) == [
        "6 ◂ [6|1][1╬1][1|4] ▸ 4",
        "  ▴ [1╬1][1|5][5‖5] ▴ 5",
        "  ▾ [1╬1][1|2] ▾ 2",
    ]
    assert (after.newest, after.leader, after.ends) == (5, 1, (6, 4, 5, 2))
    assert text.changed_board_text(after, after, SAY, 80) == []


@pytest.mark.parametrize("width", [14, 20, 40])
def test_rows_of_a_cross_fit_the_width(width: int) -> None:
    state = run(PIPS, led(PIPS), *CROSS, "5-1^", "5-5^", "2-1_", "5-3^", "3-2^")
    rows = text.line_text(view.board(PIPS, state), SAY, width).splitlines()
    assert all(len(row) <= width for row in rows)


def test_plays_at_the_spinner_have_texts() -> None:
    state = run(PIPS, led(PIPS), *CROSS, "5-1^")
    shown = position(PIPS, state, 0, hand("5-3", "2-1"))
    assert text.menu_text(shown, SAY)[1:] == ["  1  2-1 at the bottom", "  2  5-3 at the top"]
    assert text.parse_choice(shown, SAY, "5-3 top") == move("5-3^")
    assert text.parse_choice(shown, SAY, "2-1") == move("2-1_")
    assert SAY(view.narrate(PIPS, state, 0, move("5-3^"))) == "Ann plays 5-3 at the top."
    assert SAY(view.narrate(PIPS, state, 1, move("2-1_"))) == "Bob plays 2-1 at the bottom."


def test_bot_sees_sides_that_its_play_opens() -> None:
    """The 5-1 at the spinner leaves both other tiles playable; at the left end only the 3-1."""
    state = run(PIPS, led(PIPS), "4-1<", "1-1>", "5-4<")
    shown = position(PIPS, state, 1, hand("5-1", "3-1", "5-0"))
    assert BOTS["greedy"](shown, None) == move("5-1>")


# --- reserve ---


@pytest.mark.parametrize("reserve", [0, 1, 2])
def test_reserve_of_the_stock_is_never_drawn(reserve: int) -> None:
    """Source: R. F. Foster, Complete Hoyle, "Muggins": "the last two in the stock must never be
    drawn"; pagat.com, All Fives: some play so with one or two, and who cannot play passes.
    """
    game = dominoes(2, "draw", hand=12, reserve=reserve)
    state = run(game, led(game), "6-6<")
    for drawn in range(4 - reserve):
        assert state.stock == 4 - drawn
        assert refused(game, state, 1, "pass") is Code.ILLEGAL_MOVE
        assert game.legal(state, 1, hand("5-4")) == (("draw",),)
        state = run(game, state, "draw")
    assert state.stock == reserve
    assert refused(game, state, 1, "draw") is Code.ILLEGAL_MOVE
    assert game.legal(state, 1, hand("5-4")) == (("pass",),)
    assert game.wants(run(game, state, "pass", "pass")) == Settle()


def test_stock_is_drawn_empty_by_default() -> None:
    """Source: pagat.com, All Fives: a player draws until a tile fits or the boneyard is empty."""
    assert dominoes(2, "draw").reserve == 0


def test_denials_count_the_reserve_as_stock() -> None:
    """A tile that all deny may be one of the two that nobody draws."""
    game = dominoes(2, "draw", hand=13, reserve=2)
    state = run(game, game.after_deal(game.start()), "deny", "deny", "deny", "deny")
    assert game.wants(state) != Settle()
    assert game.wants(run(game, state, "deny", "deny")) == Settle()


def test_block_game_has_no_reserve() -> None:
    with pytest.raises(BadOptions):
        create_game("block-dominoes", 2, {"reserve": 2})
    with pytest.raises(BadOptions):
        dominoes(2, "draw", reserve=3)


def test_reserve_is_on_the_screen() -> None:
    game = dominoes(2, "draw", reserve=2)
    shown = position(game, led(game))
    assert text.score_text(shown, shown.board, SAY)[-1] == (
        "Played to 100, 14 tiles in the stock; the last 2 of them cannot be drawn."
    )
    assert (shown.board.stock, shown.board.reserve) == (14, 2)


def test_help_names_both_options() -> None:
    said = [option.help_text() for option in BUILT_IN.specs["draw-dominoes"].options]
    assert any(text.startswith("spinner=X: ") and "yes with fives" in text for text in said)
    assert any(text.startswith("reserve=N: ") and "0 to 2" in text for text in said)

"""What people read and type at poker."""

import pytest

from protocol.errors import LocalError
from protocol.games.dominoes import text as dominoes
from protocol.games.poker import text
from protocol.games.poker.rules import DRAW, HOLDEM
from protocol.games.poker.state import Result
from protocol.games.registry import BUILT_IN
from protocol.games.texts import GameText
from tests.support.poker import cards, poker, start, table

NAMES = ("Ann", "Bob", "Cleo")
CALL, FOLD, MUCK = ("call",), ("fold",), ("muck",)


def at(name: str, *before):
    """A table for three after these actions, with a seat to act; seat 0 has the button: the order is 1, 2, 0."""
    game = poker(name, 3)
    match = next(made for seed in range(99) if (made := table(game, seed)).state.button == 0)
    match.play(*before)
    return match


def typed(match, line: str):
    state = match.state
    return text.typed(match.game, state, match.game.legal(state, state.to_act, match.hands[state.to_act]), line)


def test_cards() -> None:
    assert text.hand_text(poker(HOLDEM, 2), cards("As Td 2c Kh")) == "A♠ 10♦ 2♣ K♥"
    assert text.hand_text(poker(HOLDEM, 2), ()) == "(no cards)"


def test_each_game_has_its_text() -> None:
    assert all(BUILT_IN.rows[name].words is text for name in (HOLDEM, DRAW))
    for each in (dominoes, text):
        assert set(vars(each)) >= {name for name in vars(GameText) if not name.startswith("_")}


def test_actions_in_words() -> None:
    match = at(HOLDEM)

    def said(action) -> str:
        return text.action_text(match.game, match.state, "Ann", action)

    assert [said(CALL), said(FOLD), said(("raise", 8))] == ["Ann calls 2", "Ann folds", "Ann raises to 8"]
    assert said(("raise", 200)) == "Ann raises to 200, all in"
    match.play(CALL, CALL, CALL)
    assert [said(CALL), said(("raise", 8))] == ["Ann checks", "Ann bets 8"]
    match.play(("raise", 198))
    assert said(CALL) == "Ann calls 198, all in"


def test_the_draw_and_the_showdown_in_words() -> None:
    match = at(DRAW, CALL, CALL, CALL)

    def said(action) -> str:
        return text.action_text(match.game, match.state, "Ann", action)

    assert [said(("exchange",)), said(("exchange", 3)), said(("exchange", 0, 1))] == [
        "Ann stands pat", "Ann exchanges 1 card", "Ann exchanges 2 cards"
    ]  # fmt: skip
    assert said(("show", *cards("As Ah Kd Kc 2s"))) == "Ann shows A♠ A♥ K♦ K♣ 2♠ (two pair)"
    assert said(MUCK) == "Ann mucks"


def test_what_a_person_sees_at_holdem() -> None:
    match = at(HOLDEM, ("raise", 6), FOLD, CALL)
    match.board = match.state.board
    board = text.hand_text(match.game, match.state.board)
    assert match.state.to_act == 2
    lines = text.table_text(match.game, match.state, cards("As Kd"), NAMES, 80)
    assert lines[:2] == ["Hand 1 of 20, blinds 1 and 2. The pot is 13.", f"Board: {board}"]
    assert lines[3:6] == ["  ● Ann     194", "    Bob     199  folded", "→   Cleo    194"]
    assert lines[-1].startswith("Your hand: A♠ K♦  (")


def test_what_a_person_sees_at_draw() -> None:
    match = at(DRAW, ("raise", 199), CALL, FOLD)
    lines = text.table_text(match.game, match.state, cards("As Ah Kd Kc 2s"), NAMES, 80)
    assert lines[0] == "Hand 1 of 20, ante 1, bets from 2. The pot is 401."
    assert not any(line.startswith("Board") for line in lines)
    assert "all in" in lines[3] and "folded" in lines[2]
    assert lines[-1] == "Your hand: 1 A♠  2 A♥  3 K♦  4 K♣  5 2♠  (two pair)"
    over = match.game._next_hand(match.state.__class__(match.state.stakes, match.state.phase, (0, 0, 600), 0))
    assert "out of chips" in "\n".join(text.table_text(match.game, over, (), NAMES, 80))
    left = match.game.forfeit(match.state, 0)
    assert "left" in text.table_text(match.game, left, (), NAMES, 80)[2]


@pytest.mark.parametrize(
    ("before", "menu"),
    [
        ([], "fold, call 2, raise 4 to 200, all-in"),
        ([CALL, CALL], "check, raise 4 to 200, all-in"),
        ([CALL, CALL, CALL], "check, bet 2 to 198, all-in"),
        ([("raise", 200)], "fold, call 199"),
        ([("raise", 200), CALL, CALL], "show, muck"),
    ],
)
def test_what_can_be_typed(before: list, menu: str) -> None:
    match = at(HOLDEM, *before)
    seat = match.state.to_act
    choices = match.game.legal(match.state, seat, match.hands[seat])
    assert text.menu_text(match.game, match.state, choices) == [f"Your turn: {menu}"]


def test_what_can_be_typed_at_the_draw() -> None:
    match = at(DRAW, CALL, CALL, CALL)
    menu = text.menu_text(match.game, match.state, match.game.legal(match.state, 1, match.hands[1]))
    assert menu == ["Your turn: exchange PLACES (as: exchange 1 3), stand"]
    assert "exchange" in text.help_text(match.game) and "exchange" not in text.help_text(poker(HOLDEM, 2))


@pytest.mark.parametrize(
    ("line", "action"),
    [
        ("fold", FOLD), ("call", CALL), ("call 2", CALL), ("  CALL ", CALL), ("raise 8", ("raise", 8)),
        ("bet 8", ("raise", 8)), ("all-in", ("raise", 200)), ("allin", ("raise", 200)),
    ],
)  # fmt: skip
def test_a_bet_is_typed(line: str, action) -> None:
    assert typed(at(HOLDEM), line) == action


@pytest.mark.parametrize(
    "line",
    ["check", "call 3", "raise", "raise 3", "raise 201", "raise 8 9", "raise -8", "raise ٨", "fold 1", "show", "muck",
     "stand", "exchange 1", "raise 99999999999999999999", "call x"],
)  # fmt: skip
def test_what_cannot_be_done_now_is_answered_with_what_can(line: str) -> None:
    with pytest.raises(LocalError) as answer:
        typed(at(HOLDEM), line)
    assert str(answer.value) == "You can do this now: fold, call 2, raise 4 to 200, all-in."


def test_all_in_is_a_call_when_nobody_can_be_raised() -> None:
    assert typed(at(HOLDEM, ("raise", 200)), "all-in") == CALL
    assert typed(at(HOLDEM, CALL, CALL), "check") == CALL


@pytest.mark.parametrize(
    ("line", "action"),
    [
        ("exchange 1 3", ("exchange", 0, 2)), ("draw 5 1", ("exchange", 0, 4)), ("stand", ("exchange",)),
    ],
)  # fmt: skip
def test_an_exchange_is_typed(line: str, action) -> None:
    assert typed(at(DRAW, CALL, CALL, CALL), line) == action


@pytest.mark.parametrize("line", ["exchange", "exchange 0", "exchange 6", "exchange 1 1", "draw x", "check", "all-in"])
def test_an_exchange_that_cannot_be(line: str) -> None:
    with pytest.raises(LocalError, match="You can do this now"):
        typed(at(DRAW, CALL, CALL, CALL), line)


def test_a_showdown_is_typed() -> None:
    match = at(HOLDEM, ("raise", 200), CALL, CALL)
    assert typed(match, "show") == ("show", *match.hands[match.state.to_act])
    assert typed(match, "muck") == MUCK


def test_what_is_no_choice() -> None:
    match = at(HOLDEM)
    assert [typed(match, line) for line in ("", "hello", "1", "help fold")] == [None] * 4
    with pytest.raises(LocalError, match="not your turn"):
        text.typed(match.game, match.state, (), "fold")


def test_news() -> None:
    match = at(HOLDEM)
    assert text.news_text(match.game, None, match.state, NAMES) == []
    before = start(match.game)
    assert text.news_text(match.game, before, match.state, NAMES) == ["Hand 1: Ann has the button, blinds 1 and 2."]
    old = match.state
    match.play(CALL, CALL, CALL)
    board = text.hand_text(match.game, match.state.board)
    assert text.news_text(match.game, old, match.state, NAMES) == [f"Flop: {board}. The pot is 6."]
    assert text.laid_text(match.game, match.state, match.state, NAMES, 80) == []
    draw = at(DRAW)
    assert text.news_text(draw.game, before, draw.state, NAMES) == ["Hand 1: Ann has the button, ante 1."]


def test_results() -> None:
    game, board = poker(HOLDEM, 3), cards("2c 7d 9h Jc 3s")
    shown = ((0, cards("As Ah")), (1, cards("Kc Kd")))
    assert text.result_text(game, Result((20, -20, 0), shown, board), NAMES) == "Ann wins 20 with one pair."
    assert text.result_text(game, Result((-1, 3, -2), (), ()), NAMES) == "Bob wins 3."
    assert text.result_text(game, Result((0, 0, 0), shown, board), NAMES).startswith("The pot is split")
    two = text.result_text(game, Result((10, 30, -40), shown, board), NAMES).splitlines()
    assert two == ["Ann wins 10 with one pair.", "Bob wins 30 with one pair."]

"""What people read."""

from dataclasses import replace

import pytest

from protocol.games import Action
from protocol.games.dominoes import text
from protocol.games.dominoes.state import Result, State
from protocol.games.dominoes.tiles import Tile, index
from tests.support.dominoes import dominoes

GAME = dominoes(2, "draw")
EMPTY = GAME.dealt(GAME.start())


def with_line(*tiles: Tile) -> State:
    return replace(EMPTY, line=tiles)


def test_line() -> None:
    assert text.line_text(EMPTY) == "(no tile on the table yet)"
    assert text.line_text(with_line((6, 6))) == "6 ◂ [6‖6] ▸ 6"
    assert text.line_text(with_line((1, 6), (6, 6), (6, 4))) == "1 ◂ [1|6][6‖6][6|4] ▸ 4"


@pytest.mark.parametrize("width", [12, 20, 33, 80])
def test_long_lines_break_between_tiles(width: int) -> None:
    rows = text.line_text(with_line(*[(1, 2), (2, 1)] * 14), width).split("\n")
    assert all(len(row) <= width for row in rows)
    assert "".join(rows) == text.line_text(with_line(*[(1, 2), (2, 1)] * 14), 1000)


def test_hand() -> None:
    assert text.hand_text(GAME, (index(6, 4), index(0, 0), index(6, 6))) == "[6‖6] [6|4] [0‖0]"
    assert text.hand_text(GAME, (3, 4, 5), width=11) == "[2‖2] [2|1]\n[2|0]"
    assert text.hand_text(GAME, ()) == "(no tiles)"


@pytest.mark.parametrize(
    ("line", "action", "said", "choice"),
    [
        ((), ("deny",), "Ann does not have 6-6", "say that you do not have 6-6"),
        ((), ("play", index(6, 6), 0), "Ann leads 6-6", "6-6"),
        (((6, 4),), ("play", index(6, 1), 0), "Ann plays 6-1 on the left", "6-1 on the left"),
        (((6, 4),), ("play", index(4, 1), 1), "Ann plays 4-1 on the right", "4-1 on the right"),
        (((6, 6),), ("play", index(6, 1), 0), "Ann plays 6-1 on the left", "6-1"),
        (((6, 6),), ("draw",), "Ann draws a tile", "draw a tile"),
        (((6, 6),), ("pass",), "Ann passes", "pass"),
    ],
)
def test_actions(line: tuple[Tile, ...], action: Action, said: str, choice: str) -> None:
    assert text.action_text(GAME, with_line(*line), "Ann", action) == said
    assert text.choice_text(GAME, with_line(*line), action) == choice


def test_results() -> None:
    names = ("Ann", "Bob")
    assert text.result_text(GAME, Result(1, 12, (12, 0), False), names) == (
        "The hand is over. Bob wins it and scores 12."
    )
    assert "Nobody scores" in text.result_text(GAME, Result(None, 0, (5, 5), True), names)
    assert "void" in text.result_text(GAME, Result(None, 0, (5, 5), True, void=True), names)


def test_score_table() -> None:
    assert text.score_text(GAME, replace(EMPTY, scores=(7, 35)), ("Ann", "Bartholomew")) == (
        "  hand 1       tiles  score\n"
        "→ Ann              7      7\n"
        "  Bartholomew      7     35\n"
        "Played to 100, 14 tiles in the stock."
    )


def test_score_table_marks_seats_that_have_left() -> None:
    game = dominoes(3, "block")
    state = game.forfeit(game.dealt(game.start()), 0)
    assert text.score_text(game, state, ("Ann", "Bob", "Cyd")) == (
        "  hand 1  tiles  score\n  Ann      left      0\n→ Bob         7      0\n  Cyd         7      0\nPlayed to 100."
    )

"""Texts of dominoes for people."""

import re
from dataclasses import replace

import pytest

from protocol.errors import LocalError
from protocol.games import Action
from protocol.games.dominoes import Dominoes, text, view
from protocol.games.dominoes.state import DominoesPhase, DominoesResult, DominoesState
from protocol.games.dominoes.tiles import Tile, index
from protocol.i18n import load_translator
from protocol.view.text import display_width, phrase_renderer
from tests.support.dominoes import dominoes
from tests.support.errors import raises_text
from tests.support.views import position, saying
from tests.unit.protocol.games.dominoes.moves import led, run

GAME = dominoes(2, "draw")
EMPTY = GAME.after_deal(GAME.start())
SAY = saying()


def with_line(*tiles: Tile) -> DominoesState:
    return replace(EMPTY, layout=GAME.empty._replace(line=tiles))


def line_text(state: DominoesState, width: int = 80) -> str:
    return text.line_text(view.board(GAME, state), SAY, width)


def hand_text(*hand: int, width: int = 80) -> str:
    return text.hand_text([view.piece(GAME, piece) for piece in hand], SAY, width)


def score_text(game: Dominoes, state: DominoesState, names: tuple[str, ...]) -> str:
    shown = position(game, state, names=names)
    return "\n".join(text.score_text(shown, shown.board, SAY))


def test_line_of_tiles_is_drawn() -> None:
    assert line_text(EMPTY) == "(no tile on the table yet)"
    assert line_text(with_line((6, 6))) == "6 ◂ [6‖6] ▸ 6"
    assert line_text(with_line((1, 6), (6, 6), (6, 4))) == "1 ◂ [1|6][6‖6][6|4] ▸ 4"


@pytest.mark.parametrize("width", [12, 20, 33, 80])
def test_long_lines_break_between_tiles(width: int) -> None:
    rows = line_text(with_line(*[(1, 2), (2, 1)] * 14), width).split("\n")
    assert all(len(row) <= width for row in rows)
    assert "".join(rows) == line_text(with_line(*[(1, 2), (2, 1)] * 14), 1000)


def test_hand_of_tiles_is_drawn() -> None:
    assert hand_text(index(6, 4), index(0, 0), index(6, 6)) == "[6‖6] [6|4] [0‖0]"
    assert hand_text(3, 4, 5, width=11) == "[2‖2] [2|1]\n[2|0]"
    assert hand_text() == "(no tiles)"


@pytest.mark.parametrize(
    ("line", "action", "said", "choice"),
    [
        ((), ("deny",), "Ann does not have 6-6, which would lead", "say that you do not have 6-6"),
        ((), ("play", index(6, 6), 0), "Ann leads 6-6", "6-6"),
        (((6, 4),), ("play", index(6, 1), 0), "Ann plays 6-1 on the left", "6-1 on the left"),
        (((6, 4),), ("play", index(4, 1), 1), "Ann plays 4-1 on the right", "4-1 on the right"),
        (((6, 6),), ("play", index(6, 1), 0), "Ann plays 6-1 on the left", "6-1"),
        (((6, 6),), ("draw",), "Ann draws a tile", "draw a tile"),
        (((6, 6),), ("pass",), "Ann passes", "pass"),
    ],
)
def test_dominoes_actions_have_texts(
    line: tuple[Tile, ...], action: Action, said: str, choice: str
) -> None:
    assert SAY(view.narrate(GAME, with_line(*line), 0, action)) == f"{said}."
    assert SAY(view.offer(GAME, with_line(*line), 0, action).label) == choice


@pytest.mark.parametrize(
    ("line", "chosen"),
    [
        ("1", ("play", index(6, 1), 0)),
        ("6-1", ("play", index(6, 1), 0)),
        ("1-6", ("play", index(6, 1), 0)),
        ("[6|1]", ("play", index(6, 1), 0)),
        ("6-4 on the left", ("play", index(6, 4), 0)),
        ("6-4  Left", ("play", index(6, 4), 0)),
        ("[6|4] right", ("play", index(6, 4), 1)),
        ("7", "Choose a number from 1 to 3."),
        ("6-4", "Which one do you mean: 6-4 on the left, 6-4 on the right?"),
        ("left", None),
        ("6-5", None),
        ("6-1 up", None),
        ("help", None),
    ],
)
def test_choice_is_typed_as_printed(line: str, chosen: Action | str | None) -> None:
    hand, state = (
        (index(6, 1), index(6, 4)),
        replace(with_line((6, 5), (5, 4)), phase=DominoesPhase.PLAY),
    )
    shown = position(GAME, state, state.to_act, hand)
    assert text.menu_text(shown, SAY)[1:] == [
        "  1  6-1 on the left",
        "  2  6-4 on the left",
        "  3  6-4 on the right",
    ]
    if isinstance(chosen, str):
        with raises_text(LocalError, match=re.escape(chosen)):
            text.parse_choice(shown, SAY, line)
    else:
        assert text.parse_choice(shown, SAY, line) == chosen


@pytest.mark.parametrize(
    ("line", "end"),
    [("6-4 links", 0), ("6-4 rechts anlegen", 1), ("[6|4] Rechts", 1), ("6-4 left", 0), ("3", 1)],
)
def test_choice_is_typed_in_german_or_english(line: str, end: int) -> None:
    state = replace(with_line((6, 5), (5, 4)), phase=DominoesPhase.PLAY)
    shown = position(GAME, state, state.to_act, (index(6, 1), index(6, 4)))
    assert text.parse_choice(
        shown, phrase_renderer(load_translator("de"), ("Ann", "Bob")), line
    ) == (
        "play",
        index(6, 4),
        end,
    )


def test_dominoes_results_have_texts() -> None:
    def said(result: DominoesResult) -> str:
        (told,) = view.result(GAME, replace(EMPTY, result=result))
        return SAY(told)

    assert (
        said(DominoesResult(1, 12, (12, 0), False))
        == "The hand is over. Bob wins it and scores 12."
    )
    assert (
        said(DominoesResult(1, 12, (12, 0), True))
        == "Nobody can play. Bob wins the hand and scores 12."
    )
    assert "nobody scores" in said(DominoesResult(None, 0, (5, 5), True))
    assert "void" in said(DominoesResult(None, 0, (5, 5), True, void=True))
    over = replace(EMPTY, result=DominoesResult(1, 12, (12, 0), False))
    left = DominoesResult(1, 10, (10, 0), False, left=((index(3, 2), index(4, 1)), ()))
    (_, counted) = view.result(GAME, replace(EMPTY, result=left))
    assert SAY(counted) == "Left in hand: Ann 4-1 3-2 (10 pips), Bob nothing."
    assert view.result(GAME, EMPTY) == view.result(GAME, over, over) == ()


@pytest.mark.parametrize("phase", DominoesPhase)
def test_tiles_left_are_open_between_hands_only(phase: DominoesPhase) -> None:
    left = DominoesResult(1, 10, (10, 0), False, left=((index(3, 2), index(4, 1)), ()))
    shown = [
        [tile.faces for tile in seat.shown]
        for seat in view.standings(GAME, replace(EMPTY, result=left, phase=phase))
    ]
    between = phase in (DominoesPhase.DEAL, DominoesPhase.OVER)
    assert shown == ([[(4, 1), (3, 2)], []] if between else [[], []])


def test_wide_names_shift_no_column() -> None:
    head, emoji, plain, *_ = score_text(GAME, EMPTY, ("🙂日本", "Bartholomew")).splitlines()
    assert display_width(emoji) == display_width(plain) == display_width(head)


def test_score_table_is_aligned() -> None:
    assert score_text(GAME, replace(EMPTY, scores=(7, 35)), ("Ann", "Bartholomew")) == (
        "  hand 1       tiles  score\n"
        "→ Ann              7      7\n"
        "  Bartholomew      7     35\n"
        "Played to 100, 14 tiles in the stock."
    )


def test_score_table_marks_leavers() -> None:
    game = dominoes(3, "block")
    state = game.forfeit(game.after_deal(game.start()), 0)
    assert score_text(game, state, ("Ann", "Bob", "Cyd")) == (
        "  hand 1  tiles  score\n  Ann      left      0\n→ Bob         7      0\n  Cyd        "
        " 7      0\nPlayed to 100."
    )


def test_line_names_leading_and_newest_tile() -> None:
    state = led(GAME)
    seen = []
    for move_now in ("6-4<", "6-5<", "4-3>", "5-5<"):
        state = run(GAME, state, move_now)
        board = view.board(GAME, state)
        seen.append((board.tiles[board.leader], board.tiles[board.newest]))
    assert [leader for leader, _ in seen] == [(6, 4)] * 4
    assert [newest for _, newest in seen] == [(6, 4), (5, 6), (4, 3), (5, 5)]
    assert (view.board(GAME, EMPTY).leader, view.board(GAME, EMPTY).newest) == (0, None)

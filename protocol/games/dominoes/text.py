"""Dominoes on a terminal: layout of a view, and typed choices. A
`protocol.games.game_text.GameText`.
"""

import re
from collections.abc import Iterable, Sequence

from protocol.games import Action, numbered_choices
from protocol.games.numbered_choices import help_text, menu_text
from protocol.view.board import DominoLine, PieceView, SeatStatus
from protocol.view.phrase import Faces, Phrase, SeatRef, phrase
from protocol.view.text import Say, display_width, isolate_name, pad_to_width
from protocol.view.view import View

__all__ = [
    "changed_board_text",
    "hand_text",
    "help_text",
    "menu_text",
    "parse_choice",
    "picture_text",
    "table_text",
]
LEFT, RIGHT, UP, DOWN = "◂▸▴▾"
# A tile by its name, as drawn, or with its numbers exchanged.
TILE_PATTERN = re.compile(r"\[?(\d+)\s*[-|‖╬:]\s*(\d+)\]?")


def tile_text(faces: Faces, *, spinner: bool = False) -> str:
    """Draw a tile in the direction in which it lies: `[6|4]`; a double is `[6‖6]`, and `[6╬6]` as
    the spinner.
    """
    left, right = faces
    return f"[{left}{'╬' if spinner else '‖' if left == right else '|'}{right}]"


def line_text(board: DominoLine, say: Say, width: int = 80) -> str:
    """Draw the line with its open ends marked, and below it the open arms of the spinner, each from
    the spinner outwards. Rows are at most `width` characters wide and break between tiles.
    """
    if board.ends is None:
        return say(phrase("dominoes.line.empty"))
    left, right = board.ends[:2]
    tiles = [
        tile_text(tile, spinner=place == board.spinner) for place, tile in enumerate(board.tiles)
    ]
    rows = [_wrap_items([f"{left} {LEFT} {tiles[0]}", *tiles[1:]], "", f" {RIGHT} {right}", width)]
    if board.arms is not None and board.spinner is not None:
        for arm, mark, end in zip(board.arms, (UP, DOWN), board.ends[2:], strict=True):
            laid = [f"  {mark} {tiles[board.spinner]}", *map(tile_text, arm)]
            rows.append(_wrap_items(laid, "", f" {mark} {end}", width))
    return "\n".join(rows)


def hand_text(hand: Sequence[PieceView], say: Say, width: int = 80) -> str:
    """Draw the tiles of a hand, highest first."""
    tiles = [
        tile_text(piece.faces or ())
        for piece in sorted(hand, key=lambda piece: piece.index, reverse=True)
    ]
    return _wrap_items(tiles, " ", "", width) or say(phrase("dominoes.hand.empty"))


def table_text(view: View, say: Say, width: int) -> list[str]:
    """Draw the information that a seat needs before it chooses: scores, line and hand."""
    assert isinstance(view.board, DominoLine)
    own = (
        ["", f"{say(phrase('seat.hand'))} {hand_text(view.hand, say, width - 12)}"]
        if view.you is not None
        else []
    )
    return [*score_text(view, view.board, say), "", line_text(view.board, say, width), *own]


def parse_choice(view: View, say: Say, line: str) -> Action | None:
    """Read a choice by its number or its words. A tile may be typed as it is drawn.

    Raises: LocalError.
    """
    called = TILE_PATTERN.sub(
        lambda tile: "-".join(sorted(tile.groups(), key=int, reverse=True)), line
    )
    return numbered_choices.parse_choice(view, say, called)


def changed_board_text(before: DominoLine, after: DominoLine, say: Say, width: int) -> list[str]:
    """Draw the tiles on the table if they have changed."""
    same = (after.tiles, after.arms) == (before.tiles, before.arms)
    return [] if same else line_text(after, say, width).splitlines()


def picture_text(board: DominoLine, say: Say, width: int) -> list[str]:
    """Draw the line."""
    return line_text(board, say, width).splitlines()


def score_text(view: View, board: DominoLine, say: Say) -> list[str]:
    """Draw the score table, one row per seat. It marks the seat to act and the seats that have
    left.
    """
    head = phrase("dominoes.head.hand", number=board.hand)
    rows = [("", *map(say, (head, phrase("dominoes.head.tiles"), phrase("dominoes.head.score"))))]
    for seat in view.seats:
        game = seat.game
        tiles = say(phrase("seat.left")) if game.status is SeatStatus.LEFT else str(game.held)
        rows.append(("→" if game.to_act else "", isolate_name(seat.name), tiles, str(game.score)))
    wide = max(display_width(row[1]) for row in rows)
    lines = [
        f"{mark:1} {pad_to_width(name, wide)}  {tiles:>5}  {score:>5}"
        for mark, name, tiles, score in rows
    ]
    target = phrase("dominoes.target", target=board.target)
    if board.stock is not None:
        key = "dominoes.target.reserve" if board.reserve else "dominoes.target.stock"
        target = phrase(key, target=board.target, stock=board.stock, reserve=board.reserve)
    return [*lines, *map(say, _team_phrases(board)), say(target), *map(say, _count_phrases(board))]


def _team_phrases(board: DominoLine) -> list[Phrase]:
    """Say which seats are partners, if there are partners."""
    if not board.teams:
        return []
    one, other = (SeatRef(*team) for team in board.teams)
    return [phrase("dominoes.teams", one=one, other=other)]


def _count_phrases(board: DominoLine) -> list[Phrase]:
    """Say the sum of the open ends, if open ends score."""
    return (
        []
        if board.count is None or not board.tiles
        else [phrase("dominoes.count", points=board.count)]
    )


def _wrap_items(items: Iterable[str], gap: str, last: str, width: int) -> str:
    """Arrange items in rows of at most `width` characters, and append `last` to the last item. A
    wider item gets a row of its own.
    """
    rows: list[str] = []
    whole = list(items)
    if whole:
        whole[-1] += last
    for item in whole:
        if rows and len(rows[-1]) + len(gap) + len(item) <= width:
            rows[-1] += gap + item
        else:
            rows.append(item)
    return "\n".join(rows)

"""Dominoes on a terminal: how a view is laid out in lines, and what is typed. A
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
    "table_text",
]
LEFT, RIGHT = "◂", "▸"
# as it is called, as it lies, or either way round
TILE = re.compile(r"\[?(\d+)\s*[-|‖:]\s*(\d+)\]?")


def tile_text(faces: Faces) -> str:
    """A tile as it lies: `[6|4]`; a double `[6‖6]`."""
    left, right = faces
    return f"[{left}{'‖' if left == right else '|'}{right}]"


def line_text(board: DominoLine, say: Say, width: int = 80) -> str:
    """The line with its open ends marked, broken between tiles so that no row is wider than
    `width`.
    """
    if board.ends is None:
        return say(phrase("dominoes.line.empty"))
    left, right = board.ends
    tiles = [tile_text(tile) for tile in board.tiles]
    return _wrap_items([f"{left} {LEFT} {tiles[0]}", *tiles[1:]], "", f" {RIGHT} {right}", width)


def hand_text(hand: Sequence[PieceView], say: Say, width: int = 80) -> str:
    """The tiles of a hand, highest first."""
    tiles = [
        tile_text(piece.faces or ())
        for piece in sorted(hand, key=lambda piece: piece.index, reverse=True)
    ]
    return _wrap_items(tiles, " ", "", width) or say(phrase("dominoes.hand.empty"))


def table_text(view: View, say: Say, width: int) -> list[str]:
    """What a seat sees before it chooses: the scores, the line, its hand."""
    assert isinstance(view.board, DominoLine)
    own = (
        ["", f"{say(phrase('seat.hand'))} {hand_text(view.hand, say, width - 12)}"]
        if view.you is not None
        else []
    )
    return [*score_text(view, view.board, say), "", line_text(view.board, say, width), *own]


def parse_choice(view: View, say: Say, line: str) -> Action | None:
    """The choice with the number, or the words, that were typed; a tile may be typed as it is
    drawn.

    Raises: LocalError.
    """
    called = TILE.sub(lambda tile: "-".join(sorted(tile.groups(), key=int, reverse=True)), line)
    return numbered_choices.parse_choice(view, say, called)


def changed_board_text(before: DominoLine, after: DominoLine, say: Say, width: int) -> list[str]:
    """The line, if it is another than before."""
    return [] if after.tiles == before.tiles else line_text(after, say, width).splitlines()


def score_text(view: View, board: DominoLine, say: Say) -> list[str]:
    """The score table, a row for each seat; the row of the seat to act is marked, and seats that
    have left.
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
        target = phrase("dominoes.target.stock", target=board.target, stock=board.stock)
    return [*lines, *map(say, _teams(board)), say(target), *map(say, _count(board))]


def _teams(board: DominoLine) -> list[Phrase]:
    """Who plays against whom, where partners do."""
    if not board.teams:
        return []
    one, other = (SeatRef(*team) for team in board.teams)
    return [phrase("dominoes.teams", one=one, other=other)]


def _count(board: DominoLine) -> list[Phrase]:
    """What the open ends make, where that counts."""
    return (
        []
        if board.count is None or not board.tiles
        else [phrase("dominoes.count", points=board.count)]
    )


def _wrap_items(items: Iterable[str], gap: str, last: str, width: int) -> str:
    """Items in rows of at most `width` characters (a wider item has its own row), then `last`."""
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

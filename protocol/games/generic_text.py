"""A game without a text of its own on a terminal. A `protocol.games.texts.GameText`."""

from collections.abc import Sequence

from protocol.games.numbered import help_text, menu_text, typed
from protocol.view.board import Board, PieceView
from protocol.view.phrase import phrase
from protocol.view.view import View
from protocol.view.words import Say, cells, faces_text, padded

__all__ = ["hand_text", "help_text", "laid_text", "menu_text", "table_text", "typed"]


def hand_text(hand: Sequence[PieceView], say: Say, width: int = 80) -> str:
    """Pieces by their names, in their order."""
    return ", ".join(faces_text(piece.faces or ("?",)) for piece in hand)


def table_text(view: View, say: Say, width: int) -> list[str]:
    """Everybody's points, and the own hand."""
    wide, marks = max(cells(seat.name) for seat in view.seats), {True: "→", False: " "}
    rows = [f"{marks[seat.game.to_act]} {padded(seat.name, wide)}  {seat.game.score:>5}" for seat in view.seats]
    own = ["", f"{say(phrase('seat.hand'))} {hand_text(view.hand, say, width)}"] if view.you is not None else []
    return [*rows, *own]


def laid_text(before: Board, after: Board, say: Say, width: int) -> list[str]:
    """Nothing."""
    return []

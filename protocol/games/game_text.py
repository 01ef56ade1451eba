"""Interface of a game on a terminal: a set of functions for each game. The spec of the game names
the module.
"""

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

from protocol.games import Action
from protocol.view.board import PieceView
from protocol.view.text import Say
from protocol.view.view import View


@runtime_checkable
class PictureText(Protocol):
    """Text of a game that can draw a board alone, in addition to `GameText`. Rule sheets show
    examples by it; without it, only their captions.
    """

    def picture_text(self, board: Any, say: Say, width: int) -> list[str]:
        """Draw a board without seats and hands."""


class GameText(Protocol):
    """Game as plain text. `say` turns phrases into text of the shown language, with the names of
    the players. Boards are types of the game.
    """

    def hand_text(self, hand: Sequence[PieceView], say: Say, width: int = 80) -> str:
        """Draw pieces in the order that people prefer."""

    def table_text(self, view: View, say: Say, width: int) -> list[str]:
        """Draw the information that a seat needs before it chooses. If `view.you` is None, the
        reader is a spectator without a hand.
        """

    def changed_board_text(self, before: Any, after: Any, say: Say, width: int) -> list[str]:
        """Draw the open pieces, for the reader of a log. Nothing if they have not changed, or if
        the news of the game already tell the change.
        """

    def menu_text(self, view: View, say: Say) -> list[str]:
        """List the seat's choices, and how to type them."""

    def help_text(self, view: View, say: Say) -> str:
        """Explain in general how to type a choice, as part of a sentence."""

    def parse_choice(self, view: View, say: Say, line: str) -> Action | None:
        """Read a typed line as an action; None if the line is not about a choice.

        Raises: LocalError, with an explanation, if the action is not possible now. Outside of a
        seat's turn nothing is on offer.
        """

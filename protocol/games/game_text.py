"""How every game is drawn on a terminal: one set of functions for each game, named in its row."""

from collections.abc import Sequence
from typing import Any, Protocol

from protocol.games import Action
from protocol.view.board import PieceView
from protocol.view.text import Say
from protocol.view.view import View


class GameText(Protocol):
    """A game in plain text. `say` has the words and everybody's names; boards are the game's
    own.
    """

    def hand_text(self, hand: Sequence[PieceView], say: Say, width: int = 80) -> str:
        """Some pieces, in the order that people like."""

    def table_text(self, view: View, say: Say, width: int) -> list[str]:
        """What a seat sees before it chooses; `view.you` None: a spectator, who has no hand."""

    def changed_board_text(self, before: Any, after: Any, say: Say, width: int) -> list[str]:
        """What lies open for all to see, if that has changed and no news say so; for whoever reads
        a log.
        """

    def menu_text(self, view: View, say: Say) -> list[str]:
        """What a seat may do, and how that is typed."""

    def help_text(self, view: View, say: Say) -> str:
        """How a choice is typed, in general; a part of a sentence."""

    def parse_choice(self, view: View, say: Say, line: str) -> Action | None:
        """The choice that a line says; None if it does not speak of one.

        Raises: LocalError, in words, for one that cannot be made now (nothing is on offer if it is
        not one's turn).
        """

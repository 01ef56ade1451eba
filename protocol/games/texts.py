"""What every game can say about itself to people: one set of functions for each game, named in its row."""

from collections.abc import Sequence
from typing import Any, Protocol

from protocol.games import Action, Hand


class GameText(Protocol):
    """A game in plain text. `game` and `state` are the game's own; `names` are by seat."""

    def hand_text(self, game: Any, hand: Hand, width: int = 80) -> str:
        """Some pieces, in the order that people like."""

    def table_text(self, game: Any, state: Any, hand: Hand, names: Sequence[str], width: int) -> list[str]:
        """What a seat with this hand sees before it chooses."""

    def action_text(self, game: Any, state: Any, who: str, action: Action) -> str:
        """An action in words, without a full stop; `state` is the one before it."""

    def laid_text(self, game: Any, before: Any, after: Any, names: Sequence[str], width: int) -> list[str]:
        """What lies open for all to see, if that has changed; for whoever reads a log."""

    def news_text(self, game: Any, before: Any, after: Any, names: Sequence[str]) -> list[str]:
        """What has happened that no action says; for whoever looks on."""

    def result_text(self, game: Any, result: Any, names: Sequence[str]) -> str:
        """How a hand ended, in one line or more; `result` is the state's."""

    def menu_text(self, game: Any, state: Any, choices: Sequence[Action]) -> list[str]:
        """What a seat may do, and how that is typed."""

    def help_text(self, game: Any) -> str:
        """How a choice is typed, in general; a part of a sentence."""

    def typed(self, game: Any, state: Any, choices: Sequence[Action], line: str) -> Action | None:
        """The choice that a line says; None if it does not speak of one.

        Raises: LocalError, in words, for one that cannot be made now (`choices` are none if it is not one's turn).
        """

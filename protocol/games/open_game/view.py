"""What all games with nothing hidden show alike: no pieces and no hands, and who begins."""

from typing import Any

from protocol.games.generic_view import made, piece, standings
from protocol.games.open_game import OpenGame, Position
from protocol.view.phrase import Phrase, Who, phrase

__all__ = ["made", "news", "piece", "standings"]


def news(game: OpenGame[Any], before: Position | None, after: Position) -> tuple[Phrase, ...]:
    """Who begins."""
    return (phrase("open.begins", who=Who(after.to_act)),) if before is None else ()


def is_new(state: Position, before: Position | None) -> bool:
    """Whether there is a result that was not there before."""
    return state.result is not None and (before is None or before.result is None)

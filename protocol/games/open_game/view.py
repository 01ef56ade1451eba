"""What all games with nothing hidden show alike: no pieces and no hands, and who begins."""

from typing import Any

from protocol.games.generic_view import hand_name, piece, standings
from protocol.games.open_game import OpenGame, OpenPosition
from protocol.view.phrase import Phrase, SeatRef, phrase

__all__ = ["hand_name", "news", "piece", "standings"]


def news(
    game: OpenGame[Any], before: OpenPosition | None, after: OpenPosition
) -> tuple[Phrase, ...]:
    """Who begins."""
    return (phrase("open.begins", who=SeatRef(after.to_act)),) if before is None else ()


def has_new_result(state: OpenPosition, before: OpenPosition | None) -> bool:
    """Whether there is a result that was not there before."""
    return state.result is not None and (before is None or before.result is None)

"""View functions that all open games share: no pieces, no hands, and which seat begins."""

from protocol.games import AnyGame
from protocol.games.generic_view import hand_name, piece, standings
from protocol.games.open_game import OpenPosition
from protocol.view.board import Offer
from protocol.view.phrase import Phrase, SeatRef, phrase

__all__ = ["hand_name", "news", "no_reason", "piece", "standings"]


def news(game: AnyGame, before: OpenPosition | None, after: OpenPosition) -> tuple[Phrase, ...]:
    """Say which seat begins."""
    return (phrase("open.begins", who=SeatRef(after.to_act)),) if before is None else ()


def has_new_result(state: OpenPosition, before: OpenPosition | None) -> bool:
    """Check whether the game has ended in `state`, but had not ended in `before`."""
    return state.result is not None and (before is None or before.result is None)


def no_reason(game: AnyGame, state: OpenPosition, seat: int, offers: tuple[Offer, ...]) -> None:
    """Return nothing: the board shows which moves are impossible."""
    return

"""View of grab: a key for each thing, and a board with the remaining things."""

from protocol.games.generic_view import hand_name, narrate, news, piece, result, standings
from protocol.view.board import Offer, PieceView, Region, RegionBoard, RegionKind
from protocol.view.phrase import phrase

__all__ = ["board", "hand_name", "narrate", "news", "offers", "piece", "result", "standings"]


def board(game, state):
    left = tuple(
        PieceView(thing, (f"thing {thing + 1}",))
        for thing, taken in enumerate(state.taken)
        if taken is None
    )
    return RegionBoard(1, (Region(phrase("Left"), RegionKind.ROW, left),))


def offers(game, state, seat, hand):
    """Offer each thing under its number, and under `0` the first remaining thing."""
    return tuple(
        Offer(id, "take", action, phrase(f"take thing {action[1] + 1}"), key=f"{action[1] + 1}0")
        for id, action in enumerate(game.legal(state, seat, hand))
    )

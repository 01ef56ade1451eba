"""View of suits with a board; everything else is the generic view."""

from protocol.games import Act
from protocol.games.generic_view import hand_name, narrate, news, piece, result, standings
from protocol.view.board import Offer, PieceView, Region, RegionBoard, RegionKind
from protocol.view.phrase import phrase

__all__ = ["board", "hand_name", "narrate", "news", "offers", "piece", "result", "standings"]


def board(game, state):
    """Build the board: both piles, laid cards, the first seat to act, and a sentence."""
    stocks, want = state.stocks or (8, 8), game.wants(state)
    tops = [(piece(game, up),) for up in state.turned_up] or [(), ()]
    piles = tuple(
        Region(phrase(f"Pile {name}"), RegionKind.PILE, top, stock)
        for name, top, stock in zip("AB", tops, stocks, strict=True)
    )
    laid = Region(phrase("Laid"), RegionKind.ROW, tuple(piece(game, card) for card in state.laid))
    first = want.seats[0] if isinstance(want, Act) else None
    hand = Region(phrase("Hand"), RegionKind.HAND, (PieceView(0, None),), 1, first)
    turn = Region(phrase("Turn"), RegionKind.COUNTER, count=state.turn)
    return RegionBoard(
        1, (*piles, laid, hand, turn, Region(phrase("Now"), RegionKind.TEXT, text=phrase("go on")))
    )


def offers(game, state, seat, hand):
    """Name a draw from a pile by the pile's top card."""
    return tuple(
        Offer(
            id, verb, (verb, what), phrase(verb), state.turned_up[what] if verb == "draw" else what
        )
        for id, (verb, what) in enumerate(game.legal(state, seat, hand))
    )

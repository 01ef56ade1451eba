"""View for games without their own: scores, the names of the pieces in hand, and a list of legal
actions.

A game with a partial view of its own writes these functions and imports the rest from here
(docs/write-a-game.md).
"""

from typing import Any

from protocol.games import Act, Action, Game, Hand, Piece
from protocol.view.board import Offer, PieceView, RegionBoard, SeatSummary
from protocol.view.phrase import Phrase, SeatRef, phrase


def piece(game: Game, piece: Piece) -> PieceView:
    return PieceView(piece, (game.pieces[piece],))


def board(game: Game, state: Any) -> RegionBoard:
    """Return an empty board: this module does not know the state of the game."""
    return RegionBoard(0)


def standings(game: Game, state: Any) -> tuple[SeatSummary, ...]:
    """Return the score of each seat, and mark the seats to act."""
    want = game.wants(state)
    seats = want.seats if isinstance(want, Act) else ()
    return tuple(
        SeatSummary(score, 0, seat in seats) for seat, score in enumerate(game.scores(state))
    )


def offers(game: Game, state: Any, seat: int, hand: Hand) -> tuple[Offer, ...]:
    """Make one offer for each legal action."""
    legal = game.legal(state, seat, hand)
    return tuple(Offer(id, action[0], action, _label(action)) for id, action in enumerate(legal))


def _label(action: Action) -> Phrase:
    return phrase("generic.offer", action=" ".join(map(str, action)))


def hand_name(game: Game, state: Any, hand: Hand) -> None:
    return


def narrate(game: Game, state: Any, seat: int, action: Action) -> Phrase:
    """Describe an action by its name and its numbers, as the log has them."""
    return phrase("generic.did", who=SeatRef(seat), action=" ".join(map(str, action)))


def news(game: Game, before: Any, after: Any) -> tuple[Phrase, ...]:
    return ()


def result(game: Game, state: Any, before: Any = None) -> tuple[Phrase, ...]:
    """Return nothing: the scores tell the result."""
    return ()

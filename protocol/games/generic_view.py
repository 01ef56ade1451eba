"""View for games without their own: scores, the names of the pieces in hand, and a list of legal
actions.

A game with a partial view of its own writes these functions and imports the rest from here
(docs/write-a-game.md).
"""

from typing import TypeVar

from protocol.games import Act, Action, AnyGame, Game, Hand, Piece
from protocol.view.board import Offer, PieceView, RegionBoard, SeatSummary
from protocol.view.phrase import Phrase, SeatRef, phrase

S = TypeVar("S")


def piece(game: AnyGame, piece: Piece) -> PieceView:
    return PieceView(piece, (game.pieces[piece],))


def board(game: AnyGame, state: object) -> RegionBoard:
    """Return an empty board: this module does not know the state of the game."""
    return RegionBoard(0)


def standings(game: Game[S], state: S) -> tuple[SeatSummary, ...]:
    """Return the score of each seat, and mark the seats to act."""
    want = game.wants(state)
    seats = want.seats if isinstance(want, Act) else ()
    return tuple(
        SeatSummary(score, 0, seat in seats) for seat, score in enumerate(game.scores(state))
    )


def offers(game: Game[S], state: S, seat: int, hand: Hand) -> tuple[Offer, ...]:
    """Make one offer for each legal action."""
    legal = game.legal(state, seat, hand)
    return tuple(Offer(id, action[0], action, _label(action)) for id, action in enumerate(legal))


def _label(action: Action) -> Phrase:
    return phrase("generic.offer", action=" ".join(map(str, action)))


def hand_name(game: AnyGame, state: object, hand: Hand) -> None:
    return


def narrate(game: AnyGame, state: object, seat: int, action: Action) -> Phrase:
    """Describe an action by its name and its numbers, as the log has them."""
    return phrase("generic.did", who=SeatRef(seat), action=" ".join(map(str, action)))


def news(game: AnyGame, before: object, after: object) -> tuple[Phrase, ...]:
    return ()


def result(game: AnyGame, state: object, before: object = None) -> tuple[Phrase, ...]:
    """Return nothing: the scores tell the result."""
    return ()

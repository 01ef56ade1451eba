"""A game without a view of its own: its scores, the own pieces by their names, a list of what may
be done.

A game that has only something to add writes that, and takes the rest from here
(docs/write-a-game.md).
"""

from typing import Any

from protocol.games import Act, Action, Game, Hand, Piece
from protocol.view.board import Offer, PieceView, RegionBoard, SeatSummary
from protocol.view.phrase import Phrase, SeatRef, phrase


def piece(game: Game, piece: Piece) -> PieceView:
    """A piece by its name."""
    return PieceView(piece, (game.pieces[piece],))


def board(game: Game, state: Any) -> RegionBoard:
    """Nothing is known of what lies open."""
    return RegionBoard(0)


def standings(game: Game, state: Any) -> tuple[SeatSummary, ...]:
    """Scores, and who is to act."""
    want = game.wants(state)
    seats = want.seats if isinstance(want, Act) else ()
    return tuple(
        SeatSummary(score, 0, seat in seats) for seat, score in enumerate(game.scores(state))
    )


def offers(game: Game, state: Any, seat: int, hand: Hand) -> tuple[Offer, ...]:
    """An offer for each legal action."""
    legal = game.legal(state, seat, hand)
    return tuple(Offer(id, action[0], action, _label(action)) for id, action in enumerate(legal))


def _label(action: Action) -> Phrase:
    return phrase("generic.offer", action=" ".join(map(str, action)))


def hand_name(game: Game, state: Any, hand: Hand) -> None:
    """Nothing is known of it."""
    return


def narrate(game: Game, state: Any, seat: int, action: Action) -> Phrase:
    """The action as it is written."""
    return phrase("generic.did", who=SeatRef(seat), action=" ".join(map(str, action)))


def news(game: Game, before: Any, after: Any) -> tuple[Phrase, ...]:
    """None."""
    return ()


def result(game: Game, state: Any, before: Any = None) -> tuple[Phrase, ...]:
    """The scores say it."""
    return ()

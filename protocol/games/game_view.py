"""Interface of a game as plain data: a set of functions for each game. The spec of the game names
the module.
"""

from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from protocol.games import Action, Hand, Piece
from protocol.view.phrase import Phrase

# These imports are slow, and some programs need the view of a game without its board.
if TYPE_CHECKING:
    from protocol.view.board import Board, Offer, PieceView, SeatSummary


@runtime_checkable
class PrivateGameView(Protocol):
    """Game as data, in addition to `GameView`, in which a seat knows more of the table than the
    others do.
    """

    def private_board(
        self, game: Any, state: Any, seat: int, held: Hand
    ) -> "tuple[Board, tuple[PieceView, ...]]":
        """Return the table as this seat sees it, and the seat's hand."""


class GameView(Protocol):
    """Game as data. `game` and `state` are the game's own types. No hidden information enters
    except a hand that is passed in.

    A view whose offers take an amount may have one more function, `move(game, state, seat,
    action)`. It returns an action as a phrase of one or two words, for a line of play.
    """

    def piece(self, game: Any, piece: Piece) -> "PieceView":
        """Return a piece whose face is visible."""

    def board(self, game: Any, state: Any) -> "Board":
        """Return everything that lies open on the table."""

    def standings(self, game: Any, state: Any) -> "tuple[SeatSummary, ...]":
        """Return score, status and the like of each seat."""

    def offers(self, game: Any, state: Any, seat: int, hand: Hand) -> "tuple[Offer, ...]":
        """Return the offers to a seat with this hand. Each legal action belongs to exactly one
        offer.
        """

    def hand_name(self, game: Any, state: Any, hand: Hand) -> Phrase | None:
        """Name the combination that a hand forms, such as a pair; None if hands of this game form
        none.
        """

    def narrate(self, game: Any, state: Any, seat: int, action: Action) -> Phrase:
        """Describe an action in a sentence. `state` is the state before the action."""

    def news(self, game: Any, before: Any, after: Any) -> tuple[Phrase, ...]:
        """Describe changes that no action tells. `before` is None at the start of the game."""

    def result(self, game: Any, state: Any, before: Any = None) -> tuple[Phrase, ...]:
        """Describe how the last hand ended. Nothing before the end of the first hand, or if this
        hand had already ended in `before`.
        """

"""Interface of a game as plain data: a set of functions for each game. The spec of the game names
the module.
"""

from typing import TYPE_CHECKING, Any, Protocol, TypeVar, runtime_checkable

from protocol.games import Action, Hand, Piece
from protocol.view.phrase import Phrase

# These imports are slow, and some programs need the view of a game without its board.
if TYPE_CHECKING:
    from protocol.view.board import Board, Offer, PieceView, SeatSummary


G = TypeVar("G", contravariant=True)
S = TypeVar("S", contravariant=True)


@runtime_checkable
class PrivateGameView(Protocol[G, S]):
    """Game as data, in addition to `GameView`, in which a seat knows more of the table than the
    others do.
    """

    def private_board(
        self, game: G, state: S, seat: int, held: Hand
    ) -> "tuple[Board, tuple[PieceView, ...]]":
        """Return the table as this seat sees it, and the seat's hand."""


@runtime_checkable
class GuidedView(Protocol[G, S]):
    """Game as data, in addition to `GameView`, that guides a person: what to do, why a piece cannot
    be played, why the game is over.
    """

    def prompt(self, game: G, state: S, seat: int, offers: "tuple[Offer, ...]") -> Phrase | None:
        """Say to a seat with these offers, of which there is at least one, what it can do. None:
        that it is its turn is enough.
        """

    def unfit(self, game: G, state: S, seat: int, offers: "tuple[Offer, ...]") -> Phrase | None:
        """Say why a piece without an offer cannot be played now; None if the game has no reason."""

    def ending(self, game: G, state: S) -> Phrase | None:
        """Say why the game is over, which it is. None: the game itself has no reason, such as
        after a seat left.
        """


class GameView(Protocol[G, S]):
    """Game of type `G` with states of type `S`, as data. No hidden information enters
    except a hand that is passed in.

    A view whose offers take an amount may have one more function, `move(game, state, seat,
    action)`. It returns an action as a phrase of one or two words, for a line of play.
    """

    def piece(self, game: G, piece: Piece) -> "PieceView":
        """Return a piece whose face is visible."""

    def board(self, game: G, state: S) -> "Board":
        """Return everything that lies open on the table."""

    def standings(self, game: G, state: S) -> "tuple[SeatSummary, ...]":
        """Return score, status and the like of each seat."""

    def offers(self, game: G, state: S, seat: int, hand: Hand) -> "tuple[Offer, ...]":
        """Return the offers to a seat with this hand. Each legal action belongs to exactly one
        offer.
        """

    def hand_name(self, game: G, state: S, hand: Hand) -> Phrase | None:
        """Name the combination that a hand forms, such as a pair; None if hands of this game form
        none.
        """

    def narrate(self, game: G, state: S, seat: int, action: Action) -> Phrase:
        """Describe an action in a sentence. `state` is the state before the action."""

    def news(self, game: G, before: S | None, after: S) -> tuple[Phrase, ...]:
        """Describe changes that no action tells. `before` is None at the start of the game."""

    def result(self, game: G, state: S, before: S | None = None) -> tuple[Phrase, ...]:
        """Describe how the last hand ended. Nothing before the end of the first hand, or if this
        hand had already ended in `before`.
        """


AnyGameView = GameView[Any, Any]  # of a game that a log or a person has named

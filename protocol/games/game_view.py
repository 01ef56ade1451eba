"""What every game can show of itself as plain data: one set of functions for each game, named in
its row.
"""

from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from protocol.games import Action, Hand, Piece
from protocol.view.phrase import Phrase

# it takes a while to load, and not everybody who has a game as data asks for what lies on the table
if TYPE_CHECKING:
    from protocol.view.board import Board, Offer, PieceView, SeatSummary


@runtime_checkable
class PrivateGameView(Protocol):
    """A game as data (`GameView` too) in which a seat knows more of what lies on the table than
    everybody does.
    """

    def private_board(
        self, game: Any, state: Any, seat: int, held: Hand
    ) -> "tuple[Board, tuple[PieceView, ...]]":
        """What lies on the table for this seat, and its hand."""


class GameView(Protocol):
    """A game as data. `game` and `state` are the game's own; nothing hidden is known but a hand
    that is passed in.

    One whose offers take an amount may have one function more, `move(game, state, seat, action)`:
    an action as a phrase of a word or two, as a line of play has it.
    """

    def piece(self, game: Any, piece: Piece) -> "PieceView":
        """A piece that is seen."""

    def board(self, game: Any, state: Any) -> "Board":
        """What lies open."""

    def standings(self, game: Any, state: Any) -> "tuple[SeatSummary, ...]":
        """How each seat stands."""

    def offers(self, game: Any, state: Any, seat: int, hand: Hand) -> "tuple[Offer, ...]":
        """All that a seat with this hand may do now: each of its legal actions is chosen from
        exactly one offer.
        """

    def hand_name(self, game: Any, state: Any, hand: Hand) -> Phrase | None:
        """What a hand comes to, if that is something."""

    def narrate(self, game: Any, state: Any, seat: int, action: Action) -> Phrase:
        """An action in a sentence; `state` is the one before it."""

    def news(self, game: Any, before: Any, after: Any) -> tuple[Phrase, ...]:
        """What has happened that no action says; `before` is None when the game begins."""

    def result(self, game: Any, state: Any, before: Any = None) -> tuple[Phrase, ...]:
        """How the last hand ended; nothing before one has, or if it had in the state `before`
        already.
        """

"""What every game can show of itself as plain data: one set of functions for each game, in its `view` module."""

from typing import Any, Protocol

from protocol.games import Action, Game, Hand, Piece
from protocol.games import generic_view as generic
from protocol.games.dominoes import view as dominoes
from protocol.view.board import Board, Offer, PieceView, Standing
from protocol.view.phrase import Phrase

POKER = ("texas-holdem", "five-card-draw")


class GameView(Protocol):
    """A game as data. `game` and `state` are the game's own; nothing hidden is known but a hand that is passed in."""

    def piece(self, game: Any, piece: Piece) -> PieceView:
        """A piece that is seen."""

    def board(self, game: Any, state: Any) -> Board:
        """What lies open."""

    def standings(self, game: Any, state: Any) -> tuple[Standing, ...]:
        """How each seat stands."""

    def offers(self, game: Any, state: Any, seat: int, hand: Hand) -> tuple[Offer, ...]:
        """All that a seat with this hand may do now: each of its legal actions is chosen from exactly one offer."""

    def made(self, game: Any, state: Any, hand: Hand) -> Phrase | None:
        """What a hand comes to, if that is something."""

    def deed(self, game: Any, state: Any, seat: int, action: Action) -> Phrase:
        """An action in a sentence; `state` is the one before it."""

    def news(self, game: Any, before: Any, after: Any) -> tuple[Phrase, ...]:
        """What has happened that no action says; `before` is None when the game begins."""

    def result(self, game: Any, state: Any, before: Any = None) -> tuple[Phrase, ...]:
        """How the last hand ended; nothing before one has, or if it had in the state `before` already."""


def view_of_game(game: Game) -> GameView:
    """The functions for a game."""
    if game.name in POKER:
        from protocol.games.poker import view as poker

        return poker
    return dominoes if game.name.endswith("-dominoes") else generic

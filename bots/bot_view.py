"""What a bot is given where nothing is hidden: beside the view, the rules and the position, which
everybody knows.

A `View` is made for screens: it says what may be done, and not what comes of it. Who looks ahead
needs the rules for that. Where a game has pieces a bot gets the view alone, so that it cannot know
more than a person in its seat.
"""

from dataclasses import dataclass, field, fields
from typing import Any

from protocol.games import Game, Hand
from protocol.games.decks.deck_hand import DeckHand
from protocol.view.view import View


@dataclass(frozen=True)
class Position:
    """A game without pieces, and where it stands."""

    game: Game
    state: Any


@dataclass(frozen=True)
class OpenView(View):
    """A view with the position behind it."""

    position: Position = field(kw_only=True)


@dataclass(frozen=True)
class HeldView(View):
    """A view with what everybody knows behind it, and what this seat alone knows: of games that
    pass on a `DeckHand`.
    """

    position: Position = field(kw_only=True)
    held: DeckHand = field(kw_only=True)


def bot_view(view: View, game: Game, state: Any, hand: Hand = ()) -> View:
    """What a bot may know: the view; the position if the game hides nothing, or what it holds says
    what it knows.
    """
    if state is None or (game.pieces and not isinstance(hand, DeckHand)):
        return view
    shown = {part.name: getattr(view, part.name) for part in fields(View)}
    if isinstance(hand, DeckHand):
        return HeldView(**shown, position=Position(game, state), held=hand)
    return OpenView(**shown, position=Position(game, state))

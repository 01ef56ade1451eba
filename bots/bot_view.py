"""Input of bots that look ahead: the view together with the rules and the position.

A `View` is made for screens. It says which actions are possible, but not what they lead to; a bot
that looks ahead needs the rules for this. In games with pieces a bot gets the view alone, so that
it cannot know more than a person in its seat.
"""

from dataclasses import dataclass, field, fields

from protocol.games import AnyGame, Hand
from protocol.games.decks.deck_hand import DeckHand
from protocol.view.view import View


@dataclass(frozen=True)
class Position:
    """Game without hidden pieces, and its current state."""

    game: AnyGame
    state: object


@dataclass(frozen=True)
class OpenView(View):
    """View together with the position, for open games."""

    position: Position = field(kw_only=True)


@dataclass(frozen=True)
class HeldView(View):
    """View together with the public state and the seat's `DeckHand`, for games that pass a
    `DeckHand`.
    """

    position: Position = field(kw_only=True)
    held: DeckHand = field(kw_only=True)


def bot_view(view: View, game: AnyGame, state: object, hand: Hand = ()) -> View:
    """Return the input of a bot: the view alone, or with the position if the game hides nothing, or
    with position and hand if the hand is a `DeckHand`.
    """
    if state is None or (game.pieces and not isinstance(hand, DeckHand)):
        return view
    shown = {part.name: getattr(view, part.name) for part in fields(View)}
    if isinstance(hand, DeckHand):
        return HeldView(**shown, position=Position(game, state), held=hand)
    return OpenView(**shown, position=Position(game, state))

"""The matches game as data. A `protocol.games.game_view.GameView`."""

from protocol.games import Action, Hand
from protocol.games.matchsticks.rules import (Matches, State)
from protocol.games.open_game.heaps import last_taken, take_offer
from protocol.games.open_game.view import is_new, made, news, piece, standings
from protocol.limits import MAX_MATCHES_TAKEN
from protocol.view.board import Heaps, Offer
from protocol.view.phrase import Phrase, Who, phrase

__all__ = ["board", "deed", "made", "move", "news", "offers", "piece", "result", "standings"]


def board(game: Matches, state: State) -> Heaps:
    """One row."""
    return Heaps((state.left,), (game.matches,), MAX_MATCHES_TAKEN, game.misere)


def offers(game: Matches, state: State, seat: int, hand: Hand) -> tuple[Offer, ...]:
    """To take one, two or three."""
    moves = game.legal(state, seat, hand)
    return (
        (take_offer(0, len(moves), ("take",), phrase("heaps.offer", most=len(moves)), 0),)
        if moves
        else ()
    )


def deed(game: Matches, state: State, seat: int, action: Action) -> Phrase:
    """An action in a sentence."""
    return phrase("heaps.took", who=Who(seat), taken=action[1], left=state.left - action[1])


def move(game: Matches, state: State, seat: int, action: Action) -> Phrase:
    """An action in a word or two."""
    return phrase("heaps.move", taken=action[1])


def result(game: Matches, state: State, before: State | None = None) -> tuple[Phrase, ...]:
    """Who has taken the last one, unless that was in the state `before`."""
    if not is_new(state, before) or state.left:
        return ()
    assert state.result is not None
    return last_taken(state.result, game.misere)

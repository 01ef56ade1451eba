"""Game of matches as data. A `protocol.games.game_view.GameView`."""

from protocol.games import Action, Hand
from protocol.games.matchsticks.rules import Matchsticks, MatchsticksState
from protocol.games.open_game.heaps import result_phrases, take_offer
from protocol.games.open_game.view import (
    hand_name,
    has_new_result,
    news,
    no_reason,
    piece,
    standings,
)
from protocol.limits import MAX_MATCHES_TAKEN
from protocol.view.board import HeapRows, Offer
from protocol.view.phrase import Phrase, SeatRef, phrase

__all__ = [
    "board",
    "ending",
    "hand_name",
    "move",
    "narrate",
    "news",
    "offers",
    "piece",
    "prompt",
    "result",
    "standings",
    "unfit",
]

unfit = no_reason


def board(game: Matchsticks, state: MatchsticksState) -> HeapRows:
    """Return the heap as a single row."""
    return HeapRows((state.left,), (game.matches,), MAX_MATCHES_TAKEN, game.misere)


def offers(game: Matchsticks, state: MatchsticksState, seat: int, hand: Hand) -> tuple[Offer, ...]:
    """Make one offer: to take one, two or three matches."""
    moves = game.legal(state, seat, hand)
    return (
        (take_offer(0, len(moves), ("take",), phrase("heaps.offer", most=len(moves)), 0),)
        if moves
        else ()
    )


def narrate(game: Matchsticks, state: MatchsticksState, seat: int, action: Action) -> Phrase:
    return phrase("heaps.took", who=SeatRef(seat), taken=action[1], left=state.left - action[1])


def move(game: Matchsticks, state: MatchsticksState, seat: int, action: Action) -> Phrase:
    """Describe an action in one or two words."""
    return phrase("heaps.move", taken=action[1])


def result(
    game: Matchsticks, state: MatchsticksState, before: MatchsticksState | None = None
) -> tuple[Phrase, ...]:
    """Name the seat that took the last match. Nothing if the game had already ended in `before`."""
    if not has_new_result(state, before) or state.left:
        return ()
    assert state.result is not None
    return result_phrases(state.result, game.misere)


def prompt(
    game: Matchsticks, state: MatchsticksState, seat: int, offers: tuple[Offer, ...]
) -> Phrase:
    """Say how many things can be taken."""
    return phrase("heaps.prompt", count=len(game.moves(state)))


def ending(game: Matchsticks, state: MatchsticksState) -> Phrase | None:
    """Name the seat that took the last object; None if a seat left."""
    return next(iter(result(game, state)), None)

"""Nim as data. A `protocol.games.game_view.GameView`."""

from protocol.games import Action, Hand
from protocol.games.nim.rules import Nim, NimState
from protocol.games.open_game.heaps import result_phrases, take_offer
from protocol.games.open_game.view import (
    hand_name,
    has_new_result,
    news,
    no_reason,
    piece,
    standings,
)
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


def board(game: Nim, state: NimState) -> HeapRows:
    return HeapRows(state.rows, game.rows, max(game.rows), game.misere)


def offers(game: Nim, state: NimState, seat: int, hand: Hand) -> tuple[Offer, ...]:
    """Make an offer for each row that is not empty."""
    if not game.legal(state, seat, hand):
        return ()
    left = [(row, count) for row, count in enumerate(state.rows) if count]
    return tuple(
        take_offer(
            row, count, ("take", row), phrase("heaps.offer.row", row=row + 1, most=count), id
        )
        for id, (row, count) in enumerate(left)
    )


def narrate(game: Nim, state: NimState, seat: int, action: Action) -> Phrase:
    _, row, count = action
    return phrase(
        "heaps.took.row", who=SeatRef(seat), taken=count, row=row + 1, left=state.rows[row] - count
    )


def move(game: Nim, state: NimState, seat: int, action: Action) -> Phrase:
    """Describe an action in one or two words."""
    _, row, count = action
    return phrase("heaps.move.row", taken=count, row=row + 1)


def result(game: Nim, state: NimState, before: NimState | None = None) -> tuple[Phrase, ...]:
    """Name the seat that took the last object. Nothing if the game had already ended in
    `before`.
    """
    if not has_new_result(state, before) or any(state.rows):
        return ()
    assert state.result is not None
    return result_phrases(state.result, game.misere)


def prompt(game: Nim, state: NimState, seat: int, offers: tuple[Offer, ...]) -> Phrase:
    """Say how many things can be taken."""
    return phrase("heaps.prompt.rows")


def ending(game: Nim, state: NimState) -> Phrase | None:
    """Name the seat that took the last object; None if a seat left."""
    return next(iter(result(game, state)), None)

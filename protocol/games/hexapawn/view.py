"""Hexapawn as data. A `protocol.games.game_view.GameView`."""

from protocol.games import Action, Hand
from protocol.games.hexapawn.rules import Hexapawn, HexapawnState
from protocol.games.open_game.grid import cell_name
from protocol.games.open_game.view import (
    hand_name,
    has_new_result,
    news,
    no_reason,
    piece,
    standings,
)
from protocol.view.board import GridBoard, GridPieces, Offer
from protocol.view.phrase import Phrase, SeatRef, phrase

__all__ = [
    "board",
    "ending",
    "hand_name",
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


def board(game: Hexapawn, state: HexapawnState) -> GridBoard:
    """Return the board: for each cell, the seat whose pawn stands on it."""
    return GridBoard(
        game.width,
        game.height,
        GridPieces.PAWNS,
        tuple(_pawn_owner(state, bit) for bit in game.bits),
    )


def _pawn_owner(state: HexapawnState, bit: int) -> int | None:
    return next((seat for seat in (0, 1) if state.pawns[seat] & bit), None)


def offers(game: Hexapawn, state: HexapawnState, seat: int, hand: Hand) -> tuple[Offer, ...]:
    """Make an offer for each move, with the cells that it leads from and to."""
    moves = enumerate(game.legal(state, seat, hand))
    return tuple(
        Offer(id, "move", move, _label(game, move), piece=move[1], place=move[2])
        for id, move in moves
    )


def _label(game: Hexapawn, move: Action) -> Phrase:
    here, there = _cell_names(game, move)
    return phrase(
        "hexapawn.offer.takes" if _is_capture(game, move) else "hexapawn.offer",
        here=here,
        there=there,
    )


def _cell_names(game: Hexapawn, move: Action) -> tuple[str, str]:
    return cell_name(move[1], game.width), cell_name(move[2], game.width)


def _is_capture(game: Hexapawn, move: Action) -> bool:
    """Check whether a move is a capture: only captures change the column."""
    return bool((move[2] - move[1]) % game.width)


def narrate(game: Hexapawn, state: HexapawnState, seat: int, action: Action) -> Phrase:
    here, there = _cell_names(game, action)
    key = "hexapawn.took" if _is_capture(game, action) else "hexapawn.moved"
    return phrase(key, who=SeatRef(seat), here=here, there=there)


def result(
    game: Hexapawn, state: HexapawnState, before: HexapawnState | None = None
) -> tuple[Phrase, ...]:
    """Say which seat has reached the last row, or cannot move. Nothing if the game had already
    ended in `before`, or ended because a seat left.
    """
    if not has_new_result(state, before) or state.result is None:
        return ()
    winner = state.result
    if state.pawns[winner] & game.home[1 - winner]:
        return (phrase("hexapawn.across", who=SeatRef(winner)),)
    if not game.moves(state):
        return (phrase("hexapawn.stuck", who=SeatRef(1 - winner)),)
    return ()


def prompt(game: Hexapawn, state: HexapawnState, seat: int, offers: tuple[Offer, ...]) -> Phrase:
    """Say what a move is."""
    return phrase("hexapawn.prompt")


def ending(game: Hexapawn, state: HexapawnState) -> Phrase | None:
    """Describe the end as `result` does; None if a seat left."""
    return next(iter(result(game, state)), None)

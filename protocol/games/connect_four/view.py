"""Connect Four as data. A `protocol.games.game_view.GameView`."""

from protocol.games import Action, Hand
from protocol.games.connect_four.rules import ConnectFour, ConnectFourState
from protocol.games.open_game import DRAW
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


def board(game: ConnectFour, state: ConnectFourState) -> GridBoard:
    """Return the board: for each cell, the seat whose stone lies in it, and the cells of lines of
    four.
    """
    cells = [
        1 << column * game.line + row for row in range(game.height) for column in range(game.width)
    ]
    stones = state.stones(0), state.stones(1)
    owners = tuple(next((seat for seat in (0, 1) if stones[seat] & cell), None) for cell in cells)
    won = game.line_cells(stones[0]) | game.line_cells(stones[1])
    return GridBoard(
        game.width,
        game.height,
        GridPieces.STONES,
        owners,
        tuple(at for at, cell in enumerate(cells) if won & cell),
    )


def offers(game: ConnectFour, state: ConnectFourState, seat: int, hand: Hand) -> tuple[Offer, ...]:
    """Make an offer for each column that is not full, and for each own stone that can be taken
    out.
    """
    return tuple(_offer(id, move) for id, move in enumerate(game.legal(state, seat, hand)))


def _offer(id: int, move: Action) -> Offer:
    verb, column = move
    if verb == "pop":
        # the cell that the stone leaves has the number of its column
        return Offer(id, verb, move, phrase("connect_four.offer.pop", column=column + 1), column)
    return Offer(id, verb, move, phrase("connect_four.offer", column=column + 1), place=column)


def narrate(game: ConnectFour, state: ConnectFourState, seat: int, action: Action) -> Phrase:
    said = "connect_four.popped" if action[0] == "pop" else "connect_four.dropped"
    return phrase(said, who=SeatRef(seat), column=action[1] + 1)


def result(
    game: ConnectFour, state: ConnectFourState, before: ConnectFourState | None = None
) -> tuple[Phrase, ...]:
    """Name the seat that has four in a line, or say why the game is drawn. Nothing if the game had
    already ended in `before`, or ended because a seat left.
    """
    if not has_new_result(state, before) or state.result is None:
        return ()
    if state.result == DRAW:
        if state.moves:
            return (phrase("connect_four.long", count=state.moves),)
        return (phrase("connect_four.full"),)
    if not game.line_starts(state.stones(state.result)):
        return ()
    both = game.line_starts(state.stones(1 - state.result))
    return (
        phrase("connect_four.both" if both else "connect_four.line", who=SeatRef(state.result)),
    )


def prompt(
    game: ConnectFour, state: ConnectFourState, seat: int, offers: tuple[Offer, ...]
) -> Phrase:
    """Say what a move is."""
    pops = any(offer.kind == "pop" for offer in offers)
    return phrase("connect_four.prompt.pop" if pops else "connect_four.prompt")


def ending(game: ConnectFour, state: ConnectFourState) -> Phrase | None:
    """Describe the end as `result` does; None if a seat left."""
    return next(iter(result(game, state)), None)

"""Dominoes bot `greedy`."""

from random import Random

from bots.random_bot import random_bot
from protocol.games import Action
from protocol.games.dominoes.tiles import Tile
from protocol.view.board import DominoLine, Offer, PieceView
from protocol.view.view import View


def greedy_bot(view: View, rng: Random) -> Action:
    """Choose the tile that scores most at once, then the heaviest tile, then a double, then the
    tile that leaves most tiles playable. Without a tile to play, choose as `random`.
    """
    if not isinstance(view.board, DominoLine) or view.offers[0].kind != "play":
        return random_bot(view, rng)
    board, hand = view.board, {piece.index: _tile(piece) for piece in view.hand}
    return max(view.offers, key=lambda play: _rate_play(board, hand, play)).action


def _rate_play(board: DominoLine, hand: dict[int, Tile], play: Offer) -> tuple[int, int, bool, int]:
    """Rate a play by points at once, pips, double, and number of tiles in hand that fit afterwards.
    A greater rating is better.
    """
    _, piece, end = play.action
    high, low = hand[piece]
    ends = _ends_after(board, hand[piece], end)
    follow = sum(not ends.isdisjoint(other) for index, other in hand.items() if index != piece)
    return (play.points, high + low, high == low, follow)


def _ends_after(board: DominoLine, tile: Tile, end: int) -> set[int]:
    """Open numbers after a play."""
    if board.ends is None:
        return set(tile)
    ends = list(board.ends)
    ends[end] = sum(tile) - ends[end]
    last = len(board.tiles) - 1
    if last > 0 and board.spinner == (0, last)[end % 2] and board.arms is None:
        ends.append(board.tiles[board.spinner][0])  # the play opens the short sides of the spinner
    return set(ends)


def _tile(piece: PieceView) -> Tile:
    high, low = piece.faces or ()
    assert isinstance(high, int) and isinstance(low, int)
    return high, low

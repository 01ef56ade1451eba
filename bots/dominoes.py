"""Dominoes bot `greedy`."""

from random import Random

from bots.random_bot import random_bot
from protocol.games import Action
from protocol.games.dominoes.tiles import Tile, lay, open_ends
from protocol.view.board import DominoLine, Offer, PieceView
from protocol.view.view import View


def greedy_bot(view: View, rng: Random) -> Action:
    """Choose the tile that scores most at once, then the heaviest tile, then a double, then the
    tile that leaves most tiles playable. Without a tile to play, choose as `random`.
    """
    if not isinstance(view.board, DominoLine) or view.offers[0].kind != "play":
        return random_bot(view, rng)
    line, hand = view.board.tiles, {piece.index: _tile(piece) for piece in view.hand}
    return max(view.offers, key=lambda play: _rate_play(line, hand, play)).action


def _rate_play(
    line: tuple[Tile, ...], hand: dict[int, Tile], play: Offer
) -> tuple[int, int, bool, int]:
    """Rate a play by points at once, pips, double, and number of tiles in hand that fit afterwards.
    A greater rating is better.
    """
    _, piece, end = play.action
    high, low = tile = hand[piece]
    line = lay(line, tile, end)
    ends = (line[0][0], line[-1][1])
    follow = sum(bool(open_ends(other, ends)) for index, other in hand.items() if index != piece)
    return (play.points, high + low, high == low, follow)


def _tile(piece: PieceView) -> Tile:
    high, low = piece.faces or ()
    assert isinstance(high, int) and isinstance(low, int)
    return high, low

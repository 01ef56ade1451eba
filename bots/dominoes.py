"""How the bot `greedy` plays dominoes."""

from random import Random

from bots.random_bot import random_bot
from protocol.games import Action
from protocol.games.dominoes.tiles import Tile, lay, open_ends
from protocol.view.board import DominoLine, Offer, PieceView
from protocol.view.view import View


def greedy_bot(view: View, rng: Random) -> Action:
    """What scores at once, then the heaviest tile, doubles first, then what leaves most to play;
    else as random.
    """
    if not isinstance(view.board, DominoLine) or view.offers[0].kind != "play":
        return random_bot(view, rng)
    line, hand = view.board.tiles, {piece.index: _tile(piece) for piece in view.hand}
    return max(view.offers, key=lambda play: _worth(line, hand, play)).action


def _worth(
    line: tuple[Tile, ...], hand: dict[int, Tile], play: Offer
) -> tuple[int, int, bool, int]:
    """Points at once, pips, double, and how many tiles of the hand fit afterwards; the greater the
    better.
    """
    _, piece, end = play.action
    high, low = tile = hand[piece]
    line = lay(line, tile, end)
    ends = (line[0][0], line[-1][1])
    follow = sum(bool(open_ends(other, ends)) for index, other in hand.items() if index != piece)
    return (play.points, high + low, high == low, follow)


def _tile(piece: PieceView) -> Tile:
    high, low = piece.faces or ()
    return int(high), int(low)

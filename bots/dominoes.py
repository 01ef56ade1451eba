"""How the bot `greedy` plays dominoes."""

from random import Random

from bots.any_game import random_bot
from protocol.games import Action, Hand
from protocol.games.dominoes import Dominoes
from protocol.games.dominoes.state import State
from protocol.games.dominoes.tiles import open_ends


def greedy_bot(game: Dominoes, state: State, seat: int, hand: Hand, legal: tuple[Action, ...], rng: Random) -> Action:
    """The heaviest tile, doubles first, then what leaves most to play; else as random."""
    if legal[0][0] != "play":
        return random_bot(game, state, seat, hand, legal, rng)
    return max(legal, key=lambda play: _worth(game, state, seat, hand, play))


def _worth(game: Dominoes, state: State, seat: int, hand: Hand, play: Action) -> tuple[int, bool, int]:
    """Pips, double, and how many tiles of the hand fit afterwards; the greater the better."""
    high, low = game.tiles[play[1]]
    ends = game.apply(state, seat, play).ends
    follow = sum(bool(open_ends(game.tiles[piece], ends)) for piece in hand if piece != play[1])
    return (high + low, high == low, follow)

"""Bots: seats that play by themselves. A bot sees what its seat sees and picks one of its legal actions."""

from collections.abc import Callable
from random import Random
from typing import Any

from protocol.games import Action, Game, Hand
from protocol.games.dominoes import Dominoes
from protocol.games.dominoes.state import State
from protocol.games.dominoes.tiles import open_ends
from protocol.games.texts import POKER

Bot = Callable[[Game, Any, int, Hand, tuple[Action, ...], Random], Action]


def random_bot(game: Game, state: Any, seat: int, hand: Hand, legal: tuple[Action, ...], rng: Random) -> Action:
    """any kind of action that is legal, then any of that kind, all equally likely; plays every game"""
    kinds = sorted({action[0] for action in legal})
    kind = rng.choice(kinds) if len(kinds) > 1 else kinds[0]
    return rng.choice([action for action in legal if action[0] == kind])


def greedy_bot(game: Game, state: Any, seat: int, hand: Hand, legal: tuple[Action, ...], rng: Random) -> Action:
    """dominoes: the heaviest tile, doubles first, then what leaves most to play; else as random"""
    if not isinstance(game, Dominoes) or legal[0][0] != "play":
        return random_bot(game, state, seat, hand, legal, rng)
    return max(legal, key=lambda play: _worth(game, state, seat, hand, play))


def _worth(game: Dominoes, state: State, seat: int, hand: Hand, play: Action) -> tuple[int, bool, int]:
    """Pips, double, and how many tiles of the hand fit afterwards; the greater the better."""
    high, low = game.tiles[play[1]]
    ends = game.apply(state, seat, play).ends
    follow = sum(bool(open_ends(game.tiles[piece], ends)) for piece in hand if piece != play[1])
    return (high + low, high == low, follow)


def sensible_bot(game: Game, state: Any, seat: int, hand: Hand, legal: tuple[Action, ...], rng: Random) -> Action:
    """poker: by the strength of its hand and the price of a call, a rare bluff; else as greedy"""
    if game.name not in POKER:
        return greedy_bot(game, state, seat, hand, legal, rng)
    from bots.poker import sensible_action

    return sensible_action(state, seat, hand, legal, rng)


BOTS: dict[str, Bot] = {"random": random_bot, "greedy": greedy_bot, "sensible": sensible_bot}


def bots_help() -> str:
    """A line for each bot, for `--help`."""
    return "\n".join(f"{name}: {bot.__doc__}" for name, bot in BOTS.items())

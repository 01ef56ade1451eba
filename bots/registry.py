"""Bots: seats that play by themselves. A bot is given its seat's view, and nothing else, and picks from its offers.

Which bots a game has stands in its row. A bot that a game has not got plays it as `random` does.
"""

from collections.abc import Callable
from random import Random

from bots.any_game import ABOUT, random_bot
from protocol.games import Action
from protocol.games.registry import BUILT_IN, Games
from protocol.games.row import load
from protocol.view.view import View

Bot = Callable[[View, Random], Action]  # something is on offer; the action is one of an offer's


def bots_of(games: Games) -> dict[str, Bot]:
    """All bots of these games, by name."""
    names = dict.fromkeys(bot.name for row in games.rows.values() for bot in row.bots)
    return {"random": random_bot} | {name: _named(name, games) for name in names}


def _named(name: str, games: Games) -> Bot:
    def play(view: View, rng: Random) -> Action:
        row = games.rows.get(view.game)
        where = next((bot.where for bot in row.bots if bot.name == name), None) if row else None
        bot: Bot = load(where) if where else random_bot
        return bot(view, rng)

    return play


def bots_help(games: Games = BUILT_IN) -> str:
    """A line for each bot, for `--help`."""
    lines = [f"random: {ABOUT}"]
    for name in list(bots_of(games))[1:]:
        played: dict[str, list[str]] = {}
        for row in games.rows.values():
            for bot in row.bots:
                if bot.name == name:
                    played.setdefault(bot.about, []).append(row.name)
        lines.append(f"{name}: " + "; ".join(f"{', '.join(rows)}: {about}" for about, rows in played.items()))
    return "\n".join(lines)


BOTS = bots_of(BUILT_IN)

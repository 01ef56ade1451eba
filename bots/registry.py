"""Registry of bots. A bot gets the view of its seat and picks one of the offers.

A bot gets nothing else, except the position in games that hide nothing (`bots.bot_view`). The spec
of a game lists the game's own bots. In a game that does not list it, a bot plays as `random`.
"""

from collections.abc import Callable
from random import Random
from typing import TYPE_CHECKING

from bots.hint import Hint
from bots.random_bot import ABOUT, random_bot
from bots.think_limits import ABOUT as LOOKAHEAD_BOTS
from bots.think_limits import SearchStrength
from protocol.games.registry import BUILT_IN, Games
from protocol.games.spec import GameSpec, Information, load_object
from protocol.i18n.help_parser import help_renderer
from protocol.view.phrase import phrase

if TYPE_CHECKING:
    from protocol.games import Action
    from protocol.view.view import View

# Named by its path: `search` is a package above this one, and importing it is slow.
LOOKAHEAD_BOT = "search.bots:thinking_bot"
HINT = "search.hints:hint"
# The view has at least one offer; the action is one of an offer's actions.
Bot = Callable[["View", Random], "Action"]


def available_bots(games: Games, strength: SearchStrength | None = None) -> dict[str, Bot]:
    """Return all bots of these games, by name. Bots that look ahead do so with `strength`."""
    names = dict.fromkeys(bot.name for spec in games.specs.values() for bot in spec.bots)
    thinking = {
        name: _load_lookahead_bot(name, games, strength or SearchStrength())
        for name in LOOKAHEAD_BOTS
    }
    return {"random": random_bot} | thinking | {name: _load_bot(name, games) for name in names}


def best_bot(spec: GameSpec) -> str:
    """Name of the best bot for a game."""
    if spec.bots:
        return spec.bots[-1].name
    return "search" if _can_think(spec) else "random"


def _can_think(spec: GameSpec) -> bool:
    """Check that a game is for two and hides nothing: bots can look ahead."""
    return spec.information is Information.PERFECT and spec.seats[0] <= 2 <= spec.seats[1]


def hint(view: "View", spec: GameSpec, strength: SearchStrength, *, why: bool) -> Hint:
    """Say the best move of the seat to move, by `search.hints.hint`. Raises: LocalError."""
    found: Hint = load_object(HINT)(view, spec, strength, why=why)
    return found


def _load_lookahead_bot(name: str, games: Games, strength: SearchStrength) -> Bot:
    def play(view: "View", rng: Random) -> "Action":
        spec = games.specs.get(view.game)
        bot: Bot = load_object(LOOKAHEAD_BOT)(name, strength, spec.load_solver() if spec else None)
        return bot(view, rng)

    return play


def _load_bot(name: str, games: Games) -> Bot:
    def play(view: "View", rng: Random) -> "Action":
        spec = games.specs.get(view.game)
        if spec:
            where = next((bot.module for bot in spec.bots if bot.name == name), None)
        else:
            where = None
        bot: Bot = load_object(where) if where else random_bot
        return bot(view, rng)

    return play


def bots_help(games: Games = BUILT_IN) -> str:
    """Return a line for each bot, for `--help`."""
    say = help_renderer()
    lines = []
    for name in available_bots(games):
        played: dict[str, list[str]] = {}
        for spec in games.specs.values():
            if name in (known := {bot.name: bot.about for bot in spec.bots}):
                played.setdefault(known[name], []).append(spec.name)
        general = {"random": ABOUT} | LOOKAHEAD_BOTS
        if name in general:
            about = [say(phrase(general[name]))]
        else:
            about = []
        about += [f"{', '.join(names)}: {say(phrase(key))}" for key, names in played.items()]
        lines.append(f"{name}: {'; '.join(about)}")
    return "\n".join(lines)


def game_bots(spec: GameSpec) -> dict[str, str]:
    """Return the bots that know a game, each with a line about how it plays."""
    thinking = LOOKAHEAD_BOTS if _can_think(spec) else {}
    return {"random": ABOUT} | thinking | {bot.name: bot.about for bot in spec.bots}


BOTS = available_bots(BUILT_IN)

"""Games of other distributions: entry points of the group `fairdeal.games`. Each is a `GameSpec` or
a tuple of them.

A plug-in is loaded only if the person names it, because its code runs in the same process as the
person's keys.
"""

import argparse
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from protocol.errors import LocalError
from protocol.games.registry import BUILT_IN, Games
from protocol.games.spec import GameSpec, load_object
from protocol.i18n.argument_errors import WrongArgument
from protocol.i18n.help_parser import HelpText
from protocol.options import or_phrase
from protocol.view.phrase import phrase
from protocol.view.text import sanitize

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "fairdeal.games"
FLAG = "--game-plugin"
VARIABLE = "FAIRDEAL_GAMES"


class PluginCommandLine(NamedTuple):
    """Command line without the plug-in flags, the names of the plug-ins, and all games including
    theirs.
    """

    arguments: list[str]
    plugins: tuple[str, ...]
    games: Games


def load_plugins(
    words: Sequence[str], environ: Mapping[str, str] = os.environ
) -> PluginCommandLine:
    """Load the plug-ins named on this command line and in the environment.

    Raises: LocalError if a plug-in is missing, does not work, or uses the name of another game.
    """
    reader = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    reader.add_argument(FLAG, action="append", default=[], dest="names")
    found, rest = reader.parse_known_args(words)
    named = [*environ.get(VARIABLE, "").split(","), *found.names]
    names = tuple(dict.fromkeys(name.strip() for name in named if name.strip()))
    games = BUILT_IN
    for name in names:
        games = games.with_specs(*_load_specs(_find_plugin(name)))
    return PluginCommandLine(rest, names, games)


def add_plugin_flag(made: "argparse._ActionsContainer") -> None:
    """Add the plug-in flag so that `--help` shows it. `load_plugins` has already removed the flag
    from the command line.
    """
    made.add_argument(
        FLAG,
        metavar="NAME",
        action="append",
        type=_reject_short_flag,
        help=HelpText(phrase("help.flag.game_plugin", variable=VARIABLE)),
    )


def _reject_short_flag(name: str) -> NoReturn:
    raise WrongArgument("usage.in_full", flag=FLAG, name=name)


def _find_plugin(name: str) -> "EntryPoint":
    # this import is slow, and few command lines name a plug-in
    from importlib.metadata import entry_points

    points = entry_points(group=GROUP)
    found = [point for point in points if point.name == name]
    if len(found) == 1:
        return found[0]
    if found:
        raise LocalError("wrong.plugin_twice", count=len(found), name=name)
    names = sorted({sanitize(point.name) for point in points})
    if not names:
        raise LocalError("wrong.plugin_none", name=name)
    raise LocalError("wrong.plugin_unknown", name=name, names=or_phrase(names))


def _load_specs(point: "EntryPoint") -> tuple[GameSpec, ...]:
    """Load the specs of a plug-in. Check that all modules that they name can be imported, and that
    each game can be created. Raises: LocalError.
    """
    try:
        given = point.load()
        if isinstance(given, GameSpec):
            specs = (given,)
        else:
            specs = tuple(given)
        if not specs or not all(isinstance(spec, GameSpec) for spec in specs):
            raise TypeError("it gives no GameSpec")
        _check_specs(spec for spec in specs if spec.version is not None)
    except Exception as error:
        raise LocalError(
            "wrong.plugin_broken", name=point.name, why=f"{type(error).__name__}: {error}"
        ) from None
    return specs


def _check_specs(specs: Iterable[GameSpec]) -> None:
    for spec in specs:
        modules = (spec.view, spec.text, spec.sheet, spec.private_half, spec.solver)
        for where in (*modules, *(bot.module for bot in spec.bots)):
            if where:
                load_object(where)
        spec.create(spec.default_seats, {})

"""Games of other distributions: entry points of the group `fairdeal.games`, each a `GameSpec` or a
tuple of them.

None is loaded unless the person names it: it is code, and it runs beside the person's keys.
"""

import argparse
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from protocol.errors import LocalError
from protocol.games.registry import BUILT_IN, Games
from protocol.games.spec import GameSpec, load_object
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
    """What was typed, without the plug-ins; their names; and all games that there are with them."""

    arguments: list[str]
    plugins: tuple[str, ...]
    games: Games


def load_plugins(
    words: Sequence[str], environ: Mapping[str, str] = os.environ
) -> PluginCommandLine:
    """Load what is named on this command line and in the environment.

    Raises: LocalError for a plug-in that is not there, does not work, or calls a game as another
    one is called.
    """
    reader = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    reader.add_argument(FLAG, action="append", default=[], dest="names")
    found, rest = reader.parse_known_args(words)
    named = [*environ.get(VARIABLE, "").split(","), *found.names]
    names = tuple(dict.fromkeys(name.strip() for name in named if name.strip()))
    games = BUILT_IN
    for name in names:
        games = games.with_specs(*_rows(_installed(name)))
    return PluginCommandLine(rest, names, games)


def add_plugin_flag(made: "argparse._ActionsContainer") -> None:
    """The flag, for `--help`: what it names was taken out before these words are read
    (`load_plugins`).
    """
    made.add_argument(
        FLAG,
        metavar="NAME",
        action="append",
        type=_shortened,
        help=HelpText(phrase("help.flag.game_plugin", variable=VARIABLE)),
    )


def _shortened(name: str) -> NoReturn:
    raise argparse.ArgumentTypeError(f"write {FLAG} {name} in full")


def _installed(name: str) -> "EntryPoint":
    from importlib.metadata import entry_points  # takes a while to import, and few name a plug-in

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


def _rows(point: "EntryPoint") -> tuple[GameSpec, ...]:
    """Its games, and all that their rows name has been found. Raises: LocalError."""
    try:
        given = point.load()
        rows = (given,) if isinstance(given, GameSpec) else tuple(given)
        if not rows or not all(isinstance(row, GameSpec) for row in rows):
            raise TypeError("it gives no rows")
        _try(row for row in rows if row.version is not None)
    except Exception as error:
        raise LocalError(
            "wrong.plugin_broken", name=point.name, why=f"{type(error).__name__}: {error}"
        ) from None
    return rows


def _try(rows: Iterable[GameSpec]) -> None:
    for row in rows:
        for where in (row.rules, row.view, row.text, row.solver, *(bot.module for bot in row.bots)):
            if where:
                load_object(where)

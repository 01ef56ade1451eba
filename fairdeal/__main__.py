"""The command `fairdeal`. Each of its commands is another program, started here with the remaining
arguments.
"""

import os
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from commandline.console_text import console_text, print_error
from protocol.errors import LocalError
from protocol.i18n.language_choice import take_language_flag
from protocol.i18n.program_output import run_program
from protocol.view.phrase import phrase

if TYPE_CHECKING:
    from protocol.games.registry import Games

USAGE = 2
STOPPED = 1  # exit code


def _play(words: list[str]) -> int:
    from fairdeal.play_command import main

    return main(words)


def _host(words: list[str]) -> int:
    from fairdeal.host_command import main

    return main(words)


def _table(words: list[str]) -> int:
    from table.control.command import main

    return main(words)


def _signer(words: list[str]) -> int:
    from table.ops.signer_program import main

    return main(words)


def _relay(words: list[str]) -> int:
    from relay.command import main

    return main(words)


def _directory(words: list[str]) -> int:
    from directory.command import main

    return main(words)


def _tables(words: list[str]) -> int:
    from player.cli.tables_command import main

    return main(words)


def _cluster(words: list[str]) -> int:
    from fairdeal.cluster.command import main

    return main(words)


def _standby(words: list[str]) -> int:
    from table.standby.command import main

    return main(words)


def _join(words: list[str]) -> int:
    """Join a table, or another player without a table. The scheme of the link decides."""
    from protocol.identity.keys import DIRECT_SCHEME

    direct = any(word.lower().startswith(DIRECT_SCHEME) for word in words)
    return _player(["join", *words] if direct else words)


def _player(words: list[str]) -> int:
    from player.cli.join_command import main

    return main(words)


def _protocol(words: list[str]) -> int:
    from protocol.__main__ import main

    try:
        words, games = _take_plugins(words)
    except LocalError as error:
        return _usage_error(error)
    return main(words, games, _page_of)


def _rules(words: list[str]) -> int:
    from player.cli.rules_arguments import RULE_SETS
    from protocol.__main__ import main

    try:
        words, games = _take_plugins(words)
    except LocalError as error:
        return _usage_error(error)
    return main(words, games, _page_of, RULE_SETS)


def _solve(words: list[str]) -> int:
    from search.__main__ import main

    try:
        words, games = _take_plugins(words)
    except LocalError as error:
        return _usage_error(error)
    return main(words, games, _progress())


def _verify(words: list[str]) -> int:
    from verification.__main__ import main

    try:
        words, _ = _take_plugins(words)
    except LocalError as error:
        return _usage_error(error)
    return main(words)


def _take_plugins(words: list[str]) -> "tuple[list[str], Games]":
    """Remove `--game-plugin` from the words, and load its games. Raises: LocalError."""
    from commandline.game_plugins import load_plugins

    rest, _, games = load_plugins(words)
    return rest, games


def _usage_error(error: LocalError) -> int:
    print_error(error)
    return USAGE


def _page_of(log: bytes, name: str, languages: Sequence[str], games: "Games") -> str:
    from player.ui.web.replay.single import single_page

    return single_page(log, name, languages, games)


def _progress() -> Callable[[int], None]:
    """Return a function that reports a search's progress after one second, then after two, four and
    eight.
    """
    began = time.monotonic()
    next_at = 1.0

    def report(nodes: int) -> None:
        nonlocal next_at
        if (seconds := time.monotonic() - began) >= next_at:
            progress = phrase("solve.progress", nodes=f"{nodes:,}", seconds=round(seconds))
            print(console_text(progress), file=sys.stderr, flush=True)
            next_at *= 2

    return report


def _app(words: list[str]) -> int:
    from commandline.game_plugins import load_plugins
    from commandline.optional_packages import require_web
    from player.cli.app_arguments import parser

    try:
        words, plugins, games = load_plugins(words)
        options = parser(games).parse_args(words)
        with require_web():
            from player.cli.app_command import run_command
        from fairdeal.app_tables import AppTables
        from fairdeal.play import play_words

        return run_command(
            options,
            lambda words, screens: play_words(words, games, plugins, screens),
            AppTables(games, plugins, options.data),
        )
    except LocalError as error:
        return _usage_error(error)


def _replay(words: list[str]) -> int:
    from commandline.game_plugins import load_plugins
    from commandline.optional_packages import require_web
    from fairdeal.replay_arguments import make_parser

    try:
        words, _, games = load_plugins(words)
        options = make_parser().parse_args(words)
        with require_web():
            from player.ui.web.replay.command import run_command
    except LocalError as error:
        return _usage_error(error)
    return run_command(options, games)


def _profile(words: list[str]) -> int:
    from player.cli.profile_command import main

    return main(words)


def _cards(words: list[str]) -> int:
    from player.cli.cards.arguments import parser

    options = parser().parse_args(words or ["binder"])
    from player.cli.cards.commands import run_command

    return run_command(options)


def _creator(words: list[str]) -> int:
    from player.cli.cards.creator_arguments import parser

    options = parser().parse_args(words)
    from player.cli.cards.creator_commands import run_command

    return run_command(options)


def _simulate(words: list[str]) -> int:
    from simulation.command import main

    return main(words)


def _lan(words: list[str]) -> int:
    from fairdeal.lan import main

    return main(words)


def _web(words: list[str]) -> int:
    from fairdeal.web_command import main

    return main(words)


def _conformance(words: list[str]) -> int:
    from conformance.__main__ import main

    return main(words, "fairdeal conformance")


class Command(NamedTuple):
    """A command: `run` takes the arguments, after the command's own name if `named`."""

    run: Callable[[list[str]], int]
    named: bool = False


COMMANDS = {
    "app": Command(_app),
    "play": Command(_play),
    "host": Command(_host),
    "table": Command(_table),
    "signer": Command(_signer),
    "relay": Command(_relay),
    "directory": Command(_directory),
    "cluster": Command(_cluster),
    "standby": Command(_standby),
    "web": Command(_web),
    "join": Command(_join),
    "tables": Command(_tables),
    "lobby": Command(_player, named=True),
    "invite": Command(_player, named=True),
    "lan": Command(_lan),
    "mail": Command(_player, named=True),
    "audit": Command(_protocol, named=True),
    "replay": Command(_replay),
    "show": Command(_protocol, named=True),
    "compare": Command(_protocol, named=True),
    "clock": Command(_protocol, named=True),
    "solve": Command(_solve, named=True),
    "verify": Command(_verify, named=True),
    "rules": Command(_rules, named=True),
    "simulate": Command(_simulate),
    "cards": Command(_cards),
    "creator": Command(_creator),
    "contacts": Command(_player, named=True),
    "identity": Command(_player, named=True),
    "profile": Command(_profile),
    "conformance": Command(_conformance),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command, and return its exit code; 2 if no command has this name."""
    return run_program(partial(_main, arguments))


def _main(arguments: Sequence[str] | None) -> int:
    given = take_language_flag(sys.argv[1:] if arguments is None else arguments, os.environ)
    if not given:
        from fairdeal.overview import is_desktop, overview

        print(overview(is_desktop(os.environ, sys.platform, sys.stdin.isatty())))
        return 0
    name, *words = given
    if name in COMMANDS:
        command = COMMANDS[name]
        try:
            return command.run([name, *words] if command.named else words)
        except KeyboardInterrupt:
            # Ctrl-C while the command is loaded; later the command handles it
            return STOPPED
        # also while the command is loaded: libsodium needs room in the temp directory
        except LocalError as error:
            print_error(error)
            return STOPPED
    if name in ("-h", "--help", "help"):
        from fairdeal.overview import overview

        print(overview())
        return 0
    if name in ("-V", "--version"):
        print(_version())
        return 0
    return _usage_error(_no_command(name))


def _no_command(name: str) -> LocalError:
    from protocol.i18n.near_names import near_names
    from protocol.options import or_phrase

    if near := near_names(name, tuple(COMMANDS)):
        return LocalError("usage.no_command.near", name=name, near=or_phrase(near))
    return LocalError("usage.no_command", name=name, names=", ".join(COMMANDS))


def _version() -> str:
    from importlib.metadata import version

    from protocol.wire import VERSION

    return f"fairdeal {version('fairdeal')}, protocol {VERSION}, Python {sys.version.split()[0]}"


if __name__ == "__main__":
    sys.exit(main())

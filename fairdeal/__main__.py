"""`fairdeal`: one door to all that people do. Each command is another program, started here with
its words.
"""

import os
import sys
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from protocol.errors import LocalError
from protocol.i18n.language_choice import environment_translator, take_language_flag
from protocol.view.phrase import phrase
from protocol.view.terminal_output import install_output_fallback
from protocol.view.text import phrase_renderer

if TYPE_CHECKING:
    from protocol.games.registry import Games

USAGE = 2
STOPPED = 1  # exit code


def _play(words: list[str]) -> int:
    from fairdeal.play_command import main

    return main(words)


def _host(words: list[str]) -> int:
    from table.__main__ import main

    return main(words)


def _signer(words: list[str]) -> int:
    from table.hosting.signer import main

    return main(words)


def _cluster(words: list[str]) -> int:
    from fairdeal.cluster.command import main

    return main(words)


def _standby(words: list[str]) -> int:
    from table.standby.command import main

    return main(words)


def _join(words: list[str]) -> int:
    """The link says whether there is a table."""
    from protocol.identity.keys import DIRECT_SCHEME

    direct = any(word.lower().startswith(DIRECT_SCHEME) for word in words)
    return _player(["join", *words] if direct else words)


def _player(words: list[str]) -> int:
    from player.cli import main

    return main(words)


def _protocol(words: list[str]) -> int:
    from commandline.game_plugins import load_plugins
    from protocol.__main__ import main

    try:
        words, _, games = load_plugins(words)
    except LocalError as error:
        print(f"fairdeal: {error.translated(environment_translator(os.environ))}", file=sys.stderr)
        return USAGE
    return main(words, games, _page_of, _progress())


def _page_of(log: bytes, name: str, languages: Sequence[str], games: "Games") -> str:
    from player.page.replay.single import single_page

    return single_page(log, name, languages, games)


def _progress() -> Callable[[int], None]:
    """Says after a second what a search has looked at, then after two, four, eight."""
    begun, next_at = time.monotonic(), 1.0

    def tell(nodes: int) -> None:
        nonlocal next_at
        if (seconds := time.monotonic() - begun) >= next_at:
            told = phrase("solve.progress", nodes=f"{nodes:,}", seconds=round(seconds))
            print(
                phrase_renderer(environment_translator(os.environ), ())(told),
                file=sys.stderr,
                flush=True,
            )
            next_at *= 2

    return tell


def _replay(words: list[str]) -> int:
    from commandline.optional_packages import require_web

    try:
        with require_web():
            from player.page.replay.command import main
    except LocalError as error:
        print(f"fairdeal: {error.translated(environment_translator(os.environ))}", file=sys.stderr)
        return USAGE
    return main(words)


def _cards(words: list[str]) -> int:
    from player.cards.terminal.commands import main

    return main(words)


def _creator(words: list[str]) -> int:
    from player.cards.creator.commands import main

    return main(words)


def _simulate(words: list[str]) -> int:
    from simulation.command import main

    return main(words)


def _lan(words: list[str]) -> int:
    from fairdeal.lan import main

    return main(words)


def _conformance(words: list[str]) -> int:
    from conformance.__main__ import main

    return main(words, "fairdeal conformance")


class Command(NamedTuple):
    """A command: what it is for, and what runs it with the words behind it (`named`: its own name
    before them).
    """

    about: str
    run: Callable[[list[str]], int]
    named: bool = False


COMMANDS = {
    "play": Command(
        "play a game here and now, against bots; without a GAME: which games there are", _play
    ),
    "host": Command("host a table for others", _host),
    "signer": Command(
        "keep a table's key away from its hosts, and never sign two heads for one number", _signer
    ),
    "cluster": Command(
        "a table on several machines: look at its hosts, drain one, see a demonstration", _cluster
    ),
    "standby": Command(
        "be a table's second machine, which goes on when the first one is gone", _standby
    ),
    "join": Command(
        "join the table, or the player, that a link leads to; without a link: go on where you were",
        _join,
    ),
    "lobby": Command(
        "meet people at a table: see who is there, talk, ask them to play or to trade",
        _player,
        named=True,
    ),
    "invite": Command("wait for one other player, without a table", _player, named=True),
    "lan": Command("list who waits for others on the local network", _lan),
    "mail": Command("play with one other person by e-mail", _player, named=True),
    "audit": Command("say whether anybody cheated in a match, and who", _protocol, named=True),
    "replay": Command("look at a match again, on a page: step by step, from every seat", _replay),
    "show": Command("print a match move by move, or make a page of it", _protocol, named=True),
    "compare": Command("hold two copies of one match against each other", _protocol, named=True),
    "clock": Command("say whether the table waited as long as it claims", _protocol, named=True),
    "solve": Command(
        "say who wins a game with nothing hidden, and by which move", _protocol, named=True
    ),
    "verify": Command("search a protocol for an attack, and play it", _protocol, named=True),
    "rules": Command(
        "check the rules of a card game that you write, and explain them", _protocol, named=True
    ),
    "simulate": Command(
        "play thousands of rounds by a model of a table, or serve that to others", _simulate
    ),
    "cards": Command("own cards without a server: see, check and trade them", _cards),
    "creator": Command("make cards, print runs of them, and sell sealed packs", _creator),
    "contacts": Command("list the people you have played with", _player, named=True),
    "identity": Command("show your own fingerprint", _player, named=True),
    "conformance": Command("check another implementation against the specification", _conformance),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; its exit code, and 2 if there is none of this name."""
    install_output_fallback()
    name, *words = take_language_flag(
        sys.argv[1:] if arguments is None else arguments, os.environ
    ) or ["--help"]
    if name in COMMANDS:
        command = COMMANDS[name]
        try:
            return command.run([name, *words] if command.named else words)
        except KeyboardInterrupt:
            # while it was still being loaded; later each command says what that comes to
            return STOPPED
        except LocalError as error:  # likewise: libsodium needs room in the temp directory
            print(
                f"fairdeal: {error.translated(environment_translator(os.environ))}", file=sys.stderr
            )
            return STOPPED
    if name in ("-h", "--help", "help"):
        from fairdeal.overview import overview

        print(overview())
        return 0
    if name in ("-V", "--version"):
        print(_version())
        return 0
    print(
        f"fairdeal: there is no command {name!r}. There are: {', '.join(COMMANDS)}. See "
        "fairdeal --help",
        file=sys.stderr,
    )
    return USAGE


def _version() -> str:
    from importlib.metadata import version

    from protocol.wire import VERSION

    return f"fairdeal {version('fairdeal')}, protocol {VERSION}, Python {sys.version.split()[0]}"


if __name__ == "__main__":
    sys.exit(main())

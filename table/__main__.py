"""`fairdeal host`: host a table."""

import argparse
import os
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

from commandline.exit_codes import ExitCode, exit_code, report_error
from commandline.game_plugins import FLAG, add_plugin_flag, load_plugins
from commandline.log_output import LogSettings, add_log_flags, log_settings, open_log
from commandline.option_file import (
    FileFlags,
    Settings,
    add_file_flags,
    changed_keys,
    check_ignored,
    merge,
    parse_given,
    read_option_file,
    said_of_file,
    settings_text,
    take_file_flags,
)
from commandline.optional_packages import require_lan
from commandline.rule_file import add_rule_file_flag
from commandline.terms_flags import add_terms_flags, parse_terms, terms_help
from commandline.user_folders import user_data
from net.addresses import is_loopback, parse_address
from protocol.errors import LocalError
from protocol.games.registry import BUILT_IN, Games
from protocol.i18n.argument_errors import WrongArgument
from protocol.i18n.help_parser import HelpParser, HelpText, help_renderer
from protocol.i18n.language_choice import FLAG as LANGUAGE_FLAG
from protocol.i18n.language_choice import (
    VARIABLES,
    add_language_flag,
    environment_translator,
    take_language_flag,
)
from protocol.i18n.program_output import run_program
from protocol.identity.address import USUAL_PORT
from protocol.identity.keys import FINGERPRINT_LETTERS
from protocol.identity.names import name_problem, tidy_name
from protocol.limits import MAX_WORKERS
from protocol.messages.lobby import make_remark
from protocol.view.phrase import Phrase, phrase
from protocol.view.terminal_output import install_output_fallback
from protocol.view.text import translate_phrase
from table.cluster.arguments import add_cluster, membership_of
from table.config import Config, Creation, Watching, parse_bounds
from table.net.listeners.arguments import (
    add_listener_options,
    parse_origin,
    parse_relays,
    ways_of,
)
from table.net.listeners.trusted_proxies import parse_networks
from table.standby.arguments import add_standby, standby_of

# keys that are read before the parser is made; their types only reject what reaches the parser
EARLY_KEYS = frozenset({"lang", "game-plugin"})
LISTEN = f"127.0.0.1:{USUAL_PORT}"  # this machine alone
EXAMPLES = (
    ("fairdeal host", "help.host.example.local"),
    ("fairdeal host --listen 0.0.0.0:7500 --seats 4", "help.host.example.network"),
    ("fairdeal host --listen 127.0.0.1:0 --once", "help.host.example.once"),
    (
        "fairdeal host --ws --ws-link wss://example.org/table --proxy 127.0.0.1",
        "help.host.example.web",
    ),
    (
        "fairdeal host --cluster nats://a,b,c --host-name one --key table.signer --listen 10.0.0.1:7500",
        "help.host.example.cluster",
    ),
)


def make_parser(
    games: Games = BUILT_IN,
    add_seat: Callable[[argparse.ArgumentParser], None] | None = None,
    examples: Sequence[tuple[str, str]] = (),
) -> argparse.ArgumentParser:
    """Return the parser of a table. `add_seat` adds the options of a host who plays as well;
    `examples` are shown before the table's own.
    """
    parser = HelpParser(
        "fairdeal host",
        description="help.host.about",
        examples=(*examples, *EXAMPLES),
        hint=lambda word: phrase("usage.game_flag", game=word) if word in games.specs else None,
        ending=lambda: "\n".join(
            [
                terms_help(games, has_table=True),
                "",
                help_renderer()(phrase("help.host.codes")),
                "",
                help_renderer()(phrase("help.host.next")),
            ]
        ),
    )
    if add_seat is not None:
        add_seat(parser)
    _add_game(parser)
    _add_address(parser.add_argument_group("help.group.address"))
    _add_guests(parser.add_argument_group("help.group.guests"))
    _add_data(parser.add_argument_group("help.group.data"))
    doors = parser.add_argument_group("help.group.doors")
    add_listener_options(doors, page=add_seat is None)
    add_cluster(parser.add_argument_group("help.group.cluster"))
    add_standby(parser.add_argument_group("help.group.standby"))
    _add_witness(parser.add_argument_group("help.group.witness"))
    _add_reports(parser.add_argument_group("help.group.reports"))
    add_file_flags(parser.add_argument_group("help.group.config"))
    add_language_flag(parser)
    return parser


def _add_game(parser: argparse.ArgumentParser) -> None:
    game = parser.add_argument_group("help.group.game")
    add_terms_flags(game, has_table=True, clock=parser.add_argument_group("help.group.time"))
    add_rule_file_flag(game)
    add_plugin_flag(parser)


def _add_address(made: "argparse._ActionsContainer") -> None:
    made.add_argument(
        "--listen",
        metavar="HOST:PORT",
        default=LISTEN,
        help=HelpText(phrase("help.host.listen", usual=LISTEN)),
    )
    made.add_argument(
        "--name", default="Table", help=HelpText(phrase("help.host.name", usual="Table"))
    )
    made.add_argument("--greeting", metavar="LINE", help="help.host.greeting")
    made.add_argument("--lan", action="store_true", help="help.host.lan")


def _add_guests(made: "argparse._ActionsContainer") -> None:
    made.add_argument("--invite", action="store_true", help="help.host.invite")
    made.add_argument(
        "--allow-create",
        choices=[str(each) for each in Creation],
        default=str(Creation.GAMES),
        help=HelpText(phrase("help.host.allow_create", usual=str(Creation.GAMES))),
    )
    made.add_argument(
        "--allow-watch",
        choices=[str(each) for each in Watching],
        default=str(Watching.EVERYBODY),
        help=HelpText(phrase("help.host.allow_watch", usual=str(Watching.EVERYBODY))),
    )
    made.add_argument(
        "--bound", action="append", default=[], metavar="NAME=VALUE", help="help.host.bound"
    )


def _add_data(made: "argparse._ActionsContainer") -> None:
    data = user_data() / "table"
    made.add_argument(
        "--data",
        type=Path,
        default=data,
        metavar="DIR",
        help=HelpText(phrase("help.host.data", usual=str(data))),
    )
    made.add_argument("--key", type=Path, metavar="FILE", help="help.host.key")
    made.add_argument("--signer", type=Path, metavar="SOCKET", help="help.host.signer")
    made.add_argument(
        "--workers",
        type=_workers,
        metavar="N",
        default=None,
        help=HelpText(phrase("help.host.workers")),
    )


def _add_witness(made: "argparse._ActionsContainer") -> None:
    made.add_argument("--witness", action="store_true", help="help.host.witness")
    made.add_argument(
        "--witness-for",
        metavar="FINGERPRINT",
        type=_fingerprint,
        action="append",
        default=[],
        help="help.host.witness_for",
    )


def _add_reports(made: "argparse._ActionsContainer") -> None:
    made.add_argument("--once", action="store_true", help="help.host.once")
    made.add_argument("--metrics", type=_port, metavar="PORT", help="help.host.metrics")
    made.add_argument("--telemetry", action="store_true", help="help.host.telemetry")
    add_log_flags(made)


def make_config(
    options: argparse.Namespace, games: Games = BUILT_IN, plugins: Sequence[str] = ()
) -> Config:
    """The configuration that a command line asks for. Raises: LocalError."""
    host, port = parse_address(options.listen)
    name = _table_name(options.name)
    if options.signer is not None:
        _check_beside_signer(options)
    if options.relay and options.cluster is not None:
        raise LocalError("wrong.relay.cluster")
    if options.directory:
        _check_may_be_listed(options, host)
    terms = parse_terms(options, games, has_table=True)
    bounds = parse_bounds(options.bound)
    return Config(
        options.data,
        host,
        port,
        name,
        terms,
        bounds,
        key=options.key,
        signer=options.signer,
        invite=options.invite,
        witness=options.witness or bool(options.witness_for),
        witness_for=tuple(options.witness_for),
        games=games,
        greeting="" if options.greeting is None else make_remark(options.greeting),
        creation=Creation(options.allow_create),
        watching=Watching(options.allow_watch),
        texts=frozenset() if options.rules is None else frozenset({options.rules.digest}),
        rule_text="" if options.rules is None else options.rules.text,
        ways=ways_of(options, host),
        cluster=membership_of(options),
        standby=standby_of(options),
        alone=options.alone,
        anyway=options.anyway,
        workers=_count_cores() if options.workers is None else options.workers,
        plugins=tuple(plugins),
    )


def _check_may_be_listed(options: argparse.Namespace, host: str) -> None:
    """Raises: LocalError for a table that a directory cannot list, or should not."""
    if options.invite:  # its link has a secret, which a list must not have
        raise LocalError("wrong.together", one="directory", other="invite")
    if options.cluster is not None:
        raise LocalError("wrong.together", one="directory", other="cluster")
    if is_loopback(host) and not options.relay:
        raise LocalError("wrong.directory.loopback")


def _table_name(text: str) -> str:
    """Raises: LocalError."""
    name = tidy_name(text)
    if (why := name_problem(name)) is not None:
        raise LocalError("wrong.table.name", why=why)
    return name


# checks of single values, by key: an error names the key of the file
CHECKS: dict[str, Callable[[Any], object]] = {
    "bound": parse_bounds,
    "greeting": make_remark,
    "listen": parse_address,
    "name": _table_name,
    "proxy": parse_networks,
    "relay": parse_relays,
    "standby": parse_address,
    "ws-origin": lambda texts: list(map(parse_origin, texts)),
}


def _check_beside_signer(options: argparse.Namespace) -> None:
    """Raises: LocalError if another option asks for a key at hand."""
    if options.key is not None:
        raise LocalError("wrong.together", one="signer", other="key")
    # the line to a standby proves the key in a way that no signer signs
    if options.standby or options.alone:
        raise LocalError(
            "wrong.choose.signer_standby", other="standby" if options.standby else "alone"
        )
    if options.witness or options.witness_for:
        raise LocalError("wrong.choose.signer_witness")


def _can_be_found(config: Config) -> None:
    """Raises: LocalError if it cannot be announced, or should not be."""
    if config.invite:  # its link has a secret, which an announcement must not have
        raise LocalError("wrong.together", one="lan", other="invite")
    with require_lan():
        import net.lan.mdns  # noqa: F401  # whether it can be


@dataclass(frozen=True)
class HostCommand:
    """Command line of a host together with its configuration file. `words` are those of the command
    line without language, plug-ins and file.
    """

    parser: argparse.ArgumentParser
    words: list[str]
    file: FileFlags
    given: dict[str, Any]  # values of the command line
    settings: Settings
    games: Games
    plugins: tuple[str, ...]

    @property
    def options(self) -> argparse.Namespace:
        """The options in force."""
        return self.settings.options

    @property
    def log(self) -> LogSettings:
        """The settings of the log."""
        return log_settings(self.options)

    def error(self, error: LocalError) -> LocalError:
        """Return an error about the options as one that names their file, if there is one."""
        return LocalError(said_of_file(self.file.path, error.phrase))

    def config(self) -> Config:
        """Return the configuration. Raises: LocalError."""
        try:
            return make_config(self.options, self.games, self.plugins)
        except LocalError as error:
            raise self.error(error) from None

    def read_again(self) -> Self:
        """Return the same command line with the file as it is now. Raises: LocalError."""
        if self.file.path is None:
            raise LocalError("wrong.config.none")
        values = read_option_file(self.file)
        settings = merge(
            self.parser, self.given, values, self.file.path, untyped=EARLY_KEYS, checks=CHECKS
        )
        return replace(self, settings=settings)

    def changed_keys(self, new: Self) -> list[str]:
        """Return the keys whose values are others in `new`."""
        return changed_keys(self.parser, self.options, new.options)


def read_command(
    arguments: Sequence[str],
    add_seat: Callable[[argparse.ArgumentParser], None] | None = None,
    examples: Sequence[tuple[str, str]] = (),
) -> HostCommand:
    """Read a command line and its file; `add_seat` and `examples` as for `make_parser`. The language
    is in `os.environ` then.

    Raises: LocalError. Exits as argparse does if the command line is wrong.
    """
    words = take_language_flag(arguments, os.environ)
    language = {"lang": os.environ[VARIABLES[0]]} if len(words) < len(arguments) else {}
    file, words = take_file_flags(words)
    values = read_option_file(file)
    if not language and isinstance(chosen := values.get("lang"), str):
        take_language_flag([LANGUAGE_FLAG, chosen], os.environ)
    own_words, plugins, games = load_plugins(words)
    named = {"game_plugin": list(plugins)} if len(own_words) < len(words) else {}
    if not named and isinstance(chosen := values.get("game-plugin"), list):
        flags = [word for name in chosen for word in (FLAG, str(name))]
        own_words, plugins, games = load_plugins([*words, *flags])
    parser = make_parser(games, add_seat, examples)
    check_ignored(parser, file)
    given = parse_given(parser, own_words) | language | named
    settings = merge(parser, given, values, file.path, untyped=EARLY_KEYS, checks=CHECKS)
    return HostCommand(parser, own_words, file, given, settings, games, plugins)


def run(command: HostCommand) -> int:
    """Run a table, and return its exit code (`ExitCode`)."""
    options = command.options
    try:
        config = command.config()
        if options.lan:
            _can_be_found(config)
    except LocalError as error:
        if command.file.path is None and exit_code(error) in (ExitCode.FAILED, ExitCode.USAGE):
            command.parser.error(_say(error.phrase))
        return report_error(error)
    if options.show_config:
        print(settings_text(command.parser, command.settings), end="")
        return ExitCode.DONE
    try:
        output = open_log(sys.stderr, command.log)
        # with the table it takes a while to load, and not every command line comes to one
        import asyncio

        from table.ops.program import serve
        from table.ops.reload import Reload

        reload = None if command.file.path is None else Reload(command, output)
        asyncio.run(
            serve(
                config,
                options.once,
                options.metrics,
                options.lan,
                options.telemetry,
                reload,
                output.readable,
            )
        )
    except LocalError as error:
        return report_error(error)
    return ExitCode.DONE


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line and run a table; return its exit code (`ExitCode`)."""
    install_output_fallback()
    try:
        command = read_command(sys.argv[1:] if arguments is None else arguments)
    except LocalError as error:
        return report_error(error)
    return run(command)


def _say(said: Phrase) -> str:
    return translate_phrase(said, environment_translator(os.environ))


def _fingerprint(text: str) -> str:
    if not re.fullmatch(f"[a-z2-7]{{{FINGERPRINT_LETTERS}}}", text.lower()):
        raise WrongArgument("usage.fingerprint", letters=FINGERPRINT_LETTERS)
    return text.lower()


def _workers(text: str) -> int:
    if not re.fullmatch("[0-9]{1,3}", text) or int(text) > MAX_WORKERS:
        raise WrongArgument("usage.workers", word=text, most=MAX_WORKERS)
    return int(text)


def _count_cores() -> int:
    """The cores that this process may use, as far as workers can use them."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return min(cores or 1, MAX_WORKERS)


def _port(text: str) -> int:
    if not re.fullmatch("[0-9]{1,5}", text) or int(text) > 65_535:
        raise WrongArgument("usage.port", word=text)
    return int(text)


if __name__ == "__main__":
    sys.exit(run_program(main))

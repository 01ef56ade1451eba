"""`fairdeal host`: host a table."""

import argparse
import logging
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path

import platformdirs

from commandline.game_plugins import add_plugin_flag, load_plugins
from commandline.help_parser import HelpParser
from commandline.optional_packages import require_lan
from commandline.rule_file import add_rule_file_flag
from commandline.terms_flags import add_terms_flags, examples, parse_terms, terms_help
from net.addresses import parse_address
from protocol.errors import LocalError, RemoteError
from protocol.games.registry import BUILT_IN, DEFAULT_GAME, Games
from protocol.i18n.language_choice import (
    add_language_flag,
    environment_translator,
    take_language_flag,
)
from protocol.identity.keys import FINGERPRINT_LETTERS
from protocol.identity.names import check_name
from protocol.view.terminal_output import install_output_fallback
from table.cluster.arguments import add_cluster, membership_of
from table.config import Config, Creation, parse_bounds
from table.doors.arguments import add_doors, ways_of
from table.standby.arguments import add_standby, standby_of

DESCRIPTION = """\
Host a table where people who need not trust each other, or you, play games with hidden pieces.

The first line printed is the join link. Give it to the players: they join with
  fairdeal join LINK
The match begins when all seats are taken. When it is over, its log is in DIR/logs, and anyone can check it with
  fairdeal audit FILE
Ctrl-C stops the table. Started again with the same DIR it goes on with all matches; players come back by themselves.
"""
EPILOG = """\
{terms}

examples:
  fairdeal host                                     {usual}, two seats, this machine only
  fairdeal host --listen 0.0.0.0:7500 --seats 4     four seats, for the local network
  fairdeal host --listen 127.0.0.1:0 --once         any free port; ends after one match
  fairdeal host --ws --ws-link wss://example.org/table --proxy 127.0.0.1
                                                    through a web server on this machine, too (docs/host.md)
  fairdeal host --cluster nats://a,b,c --host-name one --key table.key --listen 10.0.0.1:7500
                                                    one of several hosts of a table (docs/cluster.md)
{examples}
"""


def make_parser(games: Games = BUILT_IN) -> argparse.ArgumentParser:
    """The command line."""
    parser = HelpParser(
        "fairdeal host",
        description=DESCRIPTION,
        ending=lambda: EPILOG.format(
            terms=terms_help(games, has_table=True),
            usual=DEFAULT_GAME,
            examples=examples("fairdeal host --game", games),
        ),
    )
    data = platformdirs.user_data_path("fairdeal") / "table"
    add = parser.add_argument
    add(
        "--listen",
        metavar="HOST:PORT",
        default="127.0.0.1:7500",
        help="where to listen (default: %(default)s)",
    )
    add("--name", default="Table", help="what players see this table called (default: %(default)s)")
    add_terms_flags(parser, has_table=True)
    add_rule_file_flag(parser)
    add_plugin_flag(parser)
    add_language_flag(parser)
    add(
        "--data",
        type=Path,
        default=data,
        metavar="DIR",
        help="keeps key, journal and logs (default: %(default)s)",
    )
    add(
        "--key",
        type=Path,
        metavar="FILE",
        help="the table's key is in this file, not in DIR: 32 bytes, made by you or mounted as a "
        "secret",
    )
    add(
        "--signer",
        type=Path,
        metavar="SOCKET",
        help="the key is not here: `fairdeal signer` has it and listens at this socket, and never "
        "signs two heads for "
        "one number, whatever this host asks (docs/host.md)",
    )
    add(
        "--metrics",
        type=_port,
        metavar="PORT",
        help="serve figures for Prometheus on this port, to this machine alone",
    )
    add(
        "--telemetry",
        action="store_true",
        help="send how long the disk takes to OTEL_EXPORTER_OTLP_ENDPOINT (needs "
        "fairdeal[telemetry])",
    )
    add(
        "--bound",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="another limit on what peers may ask of this table, as per_address=200 or "
        "frames=2000/1000",
    )
    add(
        "--invite",
        action="store_true",
        help="let in only who has the whole link: a secret is at its end, kept in DIR/invite.key",
    )
    add(
        "--allow-create",
        choices=[str(each) for each in Creation],
        default=str(Creation.GAMES),
        help="which tables others may open here: none; of games whose rules you have, which are "
        "those that come along, "
        "your plug-ins' and your --rules; or any, also by rules and protocols of their own, "
        "which your machine then "
        "runs (default: %(default)s)",
    )
    add_doors(parser)
    add_cluster(parser)
    add(
        "--witness",
        action="store_true",
        help="be a witness of trades in cards, for creators that name this table's key; kept in DIR",
    )
    add(
        "--witness-for",
        metavar="FINGERPRINT",
        type=_fingerprint,
        action="append",
        default=[],
        help="be one for this creator's cards only; may be given several times",
    )
    add(
        "--lan",
        action="store_true",
        help="let it be found by `fairdeal lan`: tells everybody on the local network its address, "
        "port, fingerprint, "
        "game and seats (needs fairdeal[lan])",
    )
    add_standby(parser)
    add("--once", action="store_true", help="end when the first match is over")
    add(
        "--log-level",
        choices=("debug", "info", "warning", "error"),
        default="info",
        help="what to report on stderr (default: %(default)s)",
    )
    return parser


def make_config(options: argparse.Namespace, games: Games = BUILT_IN) -> Config:
    """The configuration that a command line asks for. Raises: LocalError."""
    host, port = parse_address(options.listen)
    try:
        check_name(options.name)
    except RemoteError as error:
        raise LocalError("wrong.table.name", why=error.phrase) from None
    if options.signer is not None:
        _check_beside_signer(options)
    terms = parse_terms(options, games, has_table=True)
    bounds = parse_bounds(options.bound)
    return Config(
        options.data,
        host,
        port,
        options.name,
        terms,
        bounds,
        key=options.key,
        signer=options.signer,
        invite=options.invite,
        witness=options.witness or bool(options.witness_for),
        witness_for=tuple(options.witness_for),
        games=games,
        creation=Creation(options.allow_create),
        texts=frozenset() if options.rules is None else frozenset({options.rules.digest}),
        ways=ways_of(options, host),
        cluster=membership_of(options),
        standby=standby_of(options),
        alone=options.alone,
        anyway=options.anyway,
    )


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


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit code: 0 fine, 1 cannot run, 2 the command line is wrong."""
    install_output_fallback()
    try:
        words, _, games = load_plugins(
            take_language_flag(sys.argv[1:] if arguments is None else arguments, os.environ)
        )
    except LocalError as error:
        print(error.translated(environment_translator(os.environ)), file=sys.stderr)
        return 2
    parser = make_parser(games)
    try:
        options = parser.parse_args(words)
        logging.basicConfig(
            level=options.log_level.upper(), format="%(asctime)s %(levelname)s %(message)s"
        )
        # with the table it takes a while to load, and not every command line comes to one
        import asyncio

        from table.hosting.program import serve
    except LocalError as error:
        print(error.translated(environment_translator(os.environ)), file=sys.stderr)
        return 1
    try:
        config = make_config(options, games)
    except LocalError as error:
        parser.error(error.translated(environment_translator(os.environ)))
    try:
        if options.lan:
            _can_be_found(config)
        asyncio.run(serve(config, options.once, options.metrics, options.lan, options.telemetry))
    except LocalError as error:
        print(error.translated(environment_translator(os.environ)), file=sys.stderr)
        return 1
    return 0


def _fingerprint(text: str) -> str:
    if not re.fullmatch(f"[a-z2-7]{{{FINGERPRINT_LETTERS}}}", text.lower()):
        raise argparse.ArgumentTypeError(
            f"a fingerprint has {FINGERPRINT_LETTERS} letters a-z and digits 2-7"
        )
    return text.lower()


def _port(text: str) -> int:
    if not re.fullmatch("[0-9]{1,5}", text) or int(text) > 65_535:
        raise argparse.ArgumentTypeError("give a port, 0 to 65535; 0 takes any free one")
    return int(text)


if __name__ == "__main__":
    sys.exit(main())

"""`fairdeal directory`: keeps a signed list of the tables that report to it."""

import argparse
import asyncio
import logging
import os
import sys
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

from commandline.log_output import add_log_flags
from commandline.service import prepare_loop, run_service, serve_until
from directory.server import DirectoryConfig, DirectoryServer
from net.addresses import parse_address
from protocol.errors import LocalError
from protocol.i18n.help_parser import HelpParser, HelpText
from protocol.i18n.language_choice import add_language_flag, environment_translator
from protocol.identity.address import Address, parse_address_text
from protocol.limits import MAX_DIRECTORY_RELAYS
from protocol.view.phrase import phrase
from protocol.view.text import phrase_renderer
from table.net.listeners.arguments import parse_relays
from table.storage.disk.keys import load_identity

log = logging.getLogger(__name__)

PORT = 7595
LISTEN = f"0.0.0.0:{PORT}"
FILE = "tables.list"
DATA = Path("directory-data")
EXAMPLES = (
    ("fairdeal directory --file /var/www/tables.list", "help.directory.example.public"),
    (
        f"fairdeal host --directory fairdeal-directory://directory.example.org:{PORT}/FINGERPRINT",
        "help.directory.example.host",
    ),
    (f"fairdeal tables https://example.org/{FILE}#FINGERPRINT", "help.directory.example.tables"),
)


def make_parser() -> argparse.ArgumentParser:
    """Return the parser."""
    parser = HelpParser(
        "fairdeal directory",
        about="help.command.directory",
        description="help.directory.more",
        examples=EXAMPLES,
        epilog="help.directory.next",
    )
    add = parser.add_argument
    add(
        "--listen",
        metavar="HOST:PORT",
        default=LISTEN,
        help=HelpText(phrase("help.directory.listen", usual=LISTEN)),
    )
    add("--address", metavar="HOST:PORT", help="help.directory.address")
    add(
        "--data",
        type=Path,
        metavar="DIR",
        default=DATA,
        help=HelpText(phrase("help.directory.data", usual=str(DATA))),
    )
    add(
        "--file",
        type=Path,
        metavar="FILE",
        help=HelpText(phrase("help.directory.file", usual=FILE)),
    )
    add("--relay", metavar="URL", action="append", default=[], help="help.directory.relay")
    add_log_flags(parser)
    add_language_flag(parser)
    return parser


def config_of(options: argparse.Namespace) -> DirectoryConfig:
    """Return the configuration by the command line. Raises: LocalError."""
    host, port = parse_address(options.listen)
    return DirectoryConfig(
        host,
        port,
        load_identity(options.data),
        options.file or options.data / FILE,
        address=_address(options.address),
        relays=parse_relays(options.relay, MAX_DIRECTORY_RELAYS),
    )


def _address(text: str | None) -> Address | None:
    if text is None:
        return None
    address = parse_address_text(text.strip().lower())
    if address is None or address.web_scheme:
        raise LocalError("wrong.directory.address")
    return address


def run(options: argparse.Namespace, readable: bool) -> None:
    """Keep the list until a signal. `readable`: a person reads standard error. Raises:
    LocalError.
    """
    asyncio.run(_serve(config_of(options), readable))


async def _serve(config: DirectoryConfig, readable: bool) -> None:
    stop = prepare_loop()
    async with DirectoryServer(config) as directory:
        link = directory.link
        print(link, flush=True)
        if readable:
            say = phrase_renderer(environment_translator(os.environ), ())
            told = phrase(
                "directory.open",
                link=str(link),
                file=str(config.file),
                fingerprint=link.fingerprint,
            )
            print(say(told), file=sys.stderr, flush=True)
        log.info("fairdeal %s lists tables in %s; link %s", version("fairdeal"), config.file, link)
        await serve_until(stop)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command, and return its exit code (`ExitCode`)."""
    return run_service(make_parser, run, arguments)

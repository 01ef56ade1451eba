"""`fairdeal relay`: passes sealed bytes between tables at home and their guests."""

import argparse
import asyncio
import logging
import os
import sys
from collections.abc import Sequence
from importlib.metadata import version

from commandline.log_output import add_log_flags
from commandline.optional_packages import require_websocket
from commandline.service import prepare_loop, run_service, serve_until
from net.addresses import parse_address
from protocol.i18n.help_parser import HelpParser, HelpText
from protocol.i18n.language_choice import add_language_flag, environment_translator
from protocol.view.phrase import phrase
from protocol.view.text import phrase_renderer
from table.config import PAGE_PORT
from table.net.listeners.arguments import parse_origin, parse_own_address, parse_relays
from table.net.listeners.trusted_proxies import parse_networks

log = logging.getLogger(__name__)

LISTEN = "127.0.0.1:7590"
EXAMPLES = (
    ("fairdeal relay --url wss://relay.example.org --proxy 127.0.0.1", "help.relay.example.public"),
    ("fairdeal host --relay wss://relay.example.org", "help.relay.example.host"),
)


def make_parser() -> argparse.ArgumentParser:
    """Return the parser."""
    parser = HelpParser(
        "fairdeal relay",
        about="help.command.relay",
        description="help.relay.more",
        examples=EXAMPLES,
        epilog="help.relay.next",
    )
    add = parser.add_argument
    add(
        "--listen",
        metavar="HOST:PORT",
        default=LISTEN,
        help=HelpText(phrase("help.relay.listen", usual=LISTEN)),
    )
    add("--url", metavar="URL", action="append", default=[], help="help.relay.url")
    add("--ws-origin", metavar="ORIGIN", action="append", default=[], help="help.relay.ws_origin")
    add(
        "--web",
        nargs="?",
        metavar="[HOST:]PORT",
        const=str(PAGE_PORT),
        help=HelpText(phrase("help.relay.web", port=PAGE_PORT)),
    )
    add("--proxy", metavar="ADDRESS[/PREFIX]", action="append", default=[], help="help.relay.proxy")
    add_log_flags(parser)
    add_language_flag(parser)
    return parser


def run(options: argparse.Namespace, readable: bool) -> None:
    """Pass on until a signal. `readable`: a person reads standard error. Raises: LocalError."""
    asyncio.run(_serve(options, readable))


async def _serve(options: argparse.Namespace, readable: bool) -> None:
    with require_websocket():
        from relay.server import RelayConfig, RelayServer
    host, port = parse_address(options.listen)
    config = RelayConfig(
        host,
        port,
        urls=parse_relays(options.url),
        origins=tuple(map(parse_origin, options.ws_origin)),
        proxies=parse_networks(options.proxy),
        web=None if options.web is None else parse_own_address(options.web, host),
    )
    stop = prepare_loop()
    async with RelayServer(config) as relay:
        for url in relay.urls:
            print(url, flush=True)
        if readable:
            say = phrase_renderer(environment_translator(os.environ), ())
            first, page = str(relay.urls[0]), relay.page
            told = "relay.host.page" if page else "relay.host"
            print(say(phrase(told, url=first, page=page)), file=sys.stderr, flush=True)
        log.info("fairdeal %s relays at %s", version("fairdeal"), ", ".join(map(str, relay.urls)))
        await serve_until(stop)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command, and return its exit code (`ExitCode`)."""
    return run_service(make_parser, run, arguments)

"""`fairdeal relay`: passes sealed bytes between tables at home and their guests."""

import argparse
import asyncio
import logging
import os
import signal
import sys
from collections.abc import Sequence

from commandline.optional_packages import require_websocket
from net.addresses import parse_address
from protocol.errors import LocalError
from protocol.i18n.help_parser import HelpParser, HelpText
from protocol.i18n.language_choice import (
    add_language_flag,
    environment_translator,
    take_language_flag,
)
from protocol.view.phrase import phrase
from protocol.view.terminal_output import install_output_fallback
from protocol.view.text import phrase_renderer, translate_phrase
from table.config import PAGE_PORT
from table.net.listeners.arguments import parse_origin, parse_own_address, parse_relays
from table.net.listeners.trusted_proxies import parse_networks

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
    add(
        "--log-level",
        choices=("debug", "info", "warning", "error"),
        default="info",
        help=HelpText(phrase("help.relay.log_level", usual="info")),
    )
    add_language_flag(parser)
    return parser


async def serve(options: argparse.Namespace) -> None:
    """Pass on until a signal. Raises: LocalError."""
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
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    say = phrase_renderer(environment_translator(os.environ), ())
    async with RelayServer(config) as relay:
        for url in relay.urls:
            print(url, flush=True)
        first, page = str(relay.urls[0]), relay.page
        told = "relay.host.page" if page else "relay.host"
        print(say(phrase(told, url=first, page=page)), file=sys.stderr, flush=True)
        await stop.wait()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command, and return its exit code: 0 fine, 1 cannot run, 2 the command line is
    wrong.
    """
    install_output_fallback()
    say = environment_translator(os.environ)
    try:
        words = take_language_flag(sys.argv[1:] if arguments is None else arguments, os.environ)
    except LocalError as error:
        print(translate_phrase(error.phrase, say), file=sys.stderr)
        return 2
    options = make_parser().parse_args(words)
    logging.basicConfig(
        level=options.log_level.upper(), format="%(asctime)s %(levelname)s %(message)s"
    )
    try:
        asyncio.run(serve(options))
    except LocalError as error:
        print(f"fairdeal: {translate_phrase(error.phrase, say)}", file=sys.stderr)
        return 1
    return 0

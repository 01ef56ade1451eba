"""`fairdeal signer`: a table's key in a process of its own."""

import argparse
import asyncio
import logging
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

import platformdirs

from protocol.errors import LocalError
from protocol.i18n.help_parser import HelpParser, HelpText
from protocol.i18n.language_choice import (
    add_language_flag,
    environment_translator,
    take_language_flag,
)
from protocol.identity.keys import fingerprint
from protocol.view.phrase import phrase
from protocol.view.terminal_output import install_output_fallback
from protocol.view.text import translate_phrase
from table.ops.sd_notify import READY, STOPPING, tell
from table.signer.service import SignerService
from table.signer.sign_state import SignState
from table.signer.unix_socket import bound
from table.storage.disk.keys import load_identity

log = logging.getLogger("signer")

EXAMPLES = (
    ("fairdeal signer --listen /run/fairdeal/signer.sock", "help.signer.example.start"),
    ("fairdeal host --signer /run/fairdeal/signer.sock", "help.signer.example.host"),
)


def make_parser() -> argparse.ArgumentParser:
    """Return the parser."""
    parser = HelpParser(
        "fairdeal signer",
        about="help.command.signer",
        description="help.signer.more",
        examples=EXAMPLES,
        epilog="help.signer.next",
    )
    data = platformdirs.user_data_path("fairdeal") / "signer"
    add = parser.add_argument
    add("--listen", type=Path, metavar="SOCKET", help="help.signer.listen")
    add(
        "--data",
        type=Path,
        default=data,
        metavar="DIR",
        help=HelpText(phrase("help.signer.data", usual=str(data))),
    )
    add("--key", type=Path, metavar="FILE", help="help.signer.key")
    add("--adopt", action="store_true", help="help.signer.adopt")
    add(
        "--log-level",
        choices=("debug", "info", "warning", "error"),
        default="info",
        help=HelpText(phrase("help.host.log_level", usual="info")),
    )
    add_language_flag(parser)
    return parser


async def serve(options: argparse.Namespace) -> None:
    """Sign until a signal. Raises: LocalError."""
    loop, stop = asyncio.get_running_loop(), asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    path = options.listen or options.data / "signer.sock"
    book = SignState(options.data, options.adopt)
    try:
        identity = load_identity(options.data, options.key)
        service = SignerService(identity, book)
        server = await asyncio.start_unix_server(service.serve, sock=bound(path))
        log.info("signing for the table %s at %s", fingerprint(identity.public), path)
        tell(READY, os.environ)
        await stop.wait()
        log.info("closing")
        tell(STOPPING, os.environ)
        server.close()
        await service.close()
    finally:
        book.close()


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit code: 0 fine, 1 cannot run, 2 the command line is wrong."""
    install_output_fallback()
    try:
        words = take_language_flag(sys.argv[1:] if arguments is None else arguments, os.environ)
    except LocalError as error:
        print(translate_phrase(error.phrase, environment_translator(os.environ)), file=sys.stderr)
        return 2
    options = make_parser().parse_args(words)
    logging.basicConfig(
        level=options.log_level.upper(), format="%(asctime)s %(levelname)s %(message)s"
    )
    try:
        asyncio.run(serve(options))
    except LocalError as error:
        print(translate_phrase(error.phrase, environment_translator(os.environ)), file=sys.stderr)
        return 1
    return 0

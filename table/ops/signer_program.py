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
from protocol.i18n.help_parser import HelpParser
from protocol.i18n.language_choice import (
    add_language_flag,
    environment_translator,
    take_language_flag,
)
from protocol.identity.keys import fingerprint
from protocol.view.terminal_output import install_output_fallback
from protocol.view.text import translate_phrase
from table.ops.sd_notify import READY, STOPPING, tell
from table.signer.service import SignerService
from table.signer.sign_state import SignState
from table.signer.unix_socket import bound
from table.storage.disk.keys import load_identity

log = logging.getLogger("signer")

DESCRIPTION = """\
Keep a table's key in a process of its own, and sign with it for one host or several:
  fairdeal signer --listen /run/fairdeal/signer.sock
  fairdeal host --signer /run/fairdeal/signer.sock

It remembers on disk what it has signed, before the signature leaves, and never signs two heads for one number, whatever
a host asks: two hosts that both think a match is theirs, a store that has lost something, a host that somebody else has
taken over. Two such heads would prove the table a cheat for ever. What it refuses stops that match, and no other.

Never run two signers with copies of one key, and never put an older copy of DIR back: neither knows what the other has
signed. Ctrl-C stops it; hosts wait meanwhile, and nobody's time runs.
"""


def make_parser() -> argparse.ArgumentParser:
    """The command line."""
    parser = HelpParser(
        "fairdeal signer",
        description=DESCRIPTION,
    )
    data = platformdirs.user_data_path("fairdeal") / "signer"
    add = parser.add_argument
    add(
        "--listen",
        type=Path,
        metavar="SOCKET",
        help="a path for its socket, which this user alone may open, in a folder where nobody else "
        "may write "
        "(default: DIR/signer.sock)",
    )
    add(
        "--data",
        type=Path,
        default=data,
        metavar="DIR",
        help="keeps what it has signed (default: %(default)s)",
    )
    add(
        "--key",
        type=Path,
        metavar="FILE",
        help="the table's key, 32 bytes (default: DIR/identity.key, made if there is none)",
    )
    add(
        "--adopt",
        action="store_true",
        help="go on with matches that it does not know, or not as far: for the first start with a "
        "key that has signed "
        "before, and for nothing else",
    )
    add_language_flag(parser)
    add(
        "--log-level",
        choices=("debug", "info", "warning", "error"),
        default="info",
        help="what to report on stderr (default: %(default)s)",
    )
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

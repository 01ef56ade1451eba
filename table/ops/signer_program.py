"""`fairdeal signer`: a table's key in a process of its own."""

import argparse
import asyncio
import logging
from collections.abc import Sequence
from pathlib import Path

from commandline.log_output import add_log_flags
from commandline.service import prepare_loop, run_service, serve_until
from commandline.user_folders import user_data
from protocol.i18n.help_parser import HelpParser, HelpText
from protocol.i18n.language_choice import add_language_flag
from protocol.identity.keys import fingerprint
from protocol.view.phrase import phrase
from table.signer.service import SignerService
from table.signer.sign_state import SignState
from table.signer.unix_socket import bound
from table.storage.disk.keys import load_identity

log = logging.getLogger(__name__)

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
    data = user_data() / "signer"
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
    add_log_flags(parser)
    add_language_flag(parser)
    return parser


def run(options: argparse.Namespace, readable: bool) -> None:
    """Sign until a signal. Raises: LocalError."""
    asyncio.run(_serve(options))


async def _serve(options: argparse.Namespace) -> None:
    stop = prepare_loop()
    path = options.listen or options.data / "signer.sock"
    book = SignState(options.data, options.adopt)
    try:
        identity = load_identity(options.data, options.key)
        service = SignerService(identity, book)
        server = await asyncio.start_unix_server(service.serve, sock=bound(path))
        log.info("signing for the table %s at %s", fingerprint(identity.public), path)
        await serve_until(stop)
        server.close()
        await service.close()
    finally:
        book.close()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command, and return its exit code (`ExitCode`)."""
    return run_service(make_parser, run, arguments)

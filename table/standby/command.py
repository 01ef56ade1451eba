"""`fairdeal standby`: be the other machine of a table, or make the table of it."""

import argparse
import asyncio
import contextlib
import logging
import os
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from commandline.log_output import add_log_flags
from commandline.service import prepare_loop, run_service
from net.addresses import parse_address
from protocol.errors import LocalError
from protocol.i18n.help_parser import HelpParser, HelpText
from protocol.i18n.language_choice import add_language_flag, environment_translator
from protocol.identity.keys import Identity
from protocol.view.phrase import Phrase, phrase
from protocol.view.text import phrase_renderer
from table.standby.channel import table_answers
from table.standby.handover import LOOK_SECONDS, answer, begun, let_go, standing_there
from table.standby.promotion import PrimaryStatus, promoted, promotion_doubts
from table.standby.server import StandbyServer, open_standby
from table.storage.disk.keys import KEY_FILE, load_identity
from table.storage.disk.replication_state import ReplicationState

WAIT_SECONDS = 15.0  # for a standby that runs to say where it stands; then for it to end

log = logging.getLogger(__name__)

LISTEN = "127.0.0.1:7510"
EXAMPLES = (
    (
        "fairdeal standby --listen 0.0.0.0:7510 --data copy --key table.key",
        "help.standby.example.start",
    ),
    (
        "fairdeal host --standby 10.0.0.2:7510 --data table --key table.key",
        "help.standby.example.table",
    ),
    ("fairdeal standby --promote --data copy --key table.key", "help.standby.example.promote"),
    ("fairdeal host --data copy --key table.key", "help.standby.example.host"),
)


def make_parser() -> argparse.ArgumentParser:
    """Return the parser."""
    parser = HelpParser(
        "fairdeal standby",
        about="help.command.standby",
        description="help.standby.more",
        examples=EXAMPLES,
        epilog="help.standby.next",
    )
    add = parser.add_argument_group("help.group.standby.copy").add_argument
    add("--data", type=Path, required=True, metavar="DIR", help="help.standby.data")
    add(
        "--key",
        type=Path,
        metavar="FILE",
        help=HelpText(phrase("help.standby.key", usual=f"DIR/{KEY_FILE}")),
    )
    add(
        "--listen",
        metavar="HOST:PORT",
        default=LISTEN,
        help=HelpText(phrase("help.standby.listen", usual=LISTEN)),
    )
    add = parser.add_argument_group("help.group.standby.promote").add_argument
    add("--promote", action="store_true", help="help.standby.promote")
    add("--anyway", action="store_true", help="help.standby.anyway")
    add_log_flags(parser)
    add_language_flag(parser)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command, and return its exit code (`ExitCode`)."""
    return run_service(make_parser, run, arguments)


def run(options: argparse.Namespace, readable: bool) -> None:
    """Copy until a signal, or promote what is copied. Raises: LocalError."""
    address = parse_address(options.listen)
    identity = _identity(options.data, options.key)
    if options.promote:
        say = phrase_renderer(environment_translator(os.environ), ())
        promote(options.data, identity, options.anyway, lambda told: print(say(told), flush=True))
    else:
        asyncio.run(_serve(options.data, identity, address))


def _identity(data: Path, key: Path | None) -> Identity:
    """A standby makes no key. Raises: LocalError."""
    if key is None and not (data / KEY_FILE).exists():
        raise LocalError("wrong.standby.key", path=str(data / KEY_FILE))
    return load_identity(data, key)


async def _serve(data: Path, identity: Identity, address: tuple[str, int]) -> None:
    """Until a signal. Raises: LocalError, also when a promotion asks for the folder: whoever
    watches over this process starts it anew if nothing comes of that."""
    stop = prepare_loop()
    journal = open_standby(data)
    try:
        begun(data)
        server = StandbyServer(journal, identity)
        port = await server.listen(*address)
        log.info(
            "standby of the table with this key, on port %d, at transaction %d",
            port,
            journal.standing.number,
        )
        while not stop.is_set() and answer(data, journal.standing):
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(LOOK_SECONDS):
                    await stop.wait()
        if stop.is_set():
            log.info("closing")
        await server.close()
        if not stop.is_set():
            raise LocalError("wrong.standby.ended")
    finally:
        journal.close()


def promote(
    data: Path,
    identity: Identity,
    anyway: bool,
    tell: Callable[[Phrase], None],
    wait: float = WAIT_SECONDS,
) -> None:
    """Make a table of the standby in this folder; `tell` hears what is known. One that runs ends
    when that is sure.

    Raises: LocalError.
    """
    known = _known(standing_there(data, wait), identity)
    if known.standing.written:
        tell(
            phrase(
                "standby.known",
                number=known.standing.number,
                last=_when(known.standing.written),
                heard=_when(known.standing.heard),
            )
        )
    for doubt in promotion_doubts(known):
        tell(doubt)
    promoted(known, anyway)
    with let_go(data, wait) as journal:  # it ran meanwhile, and may have been told that it was left
        sure = anyway and journal.standing.role is known.standing.role
        journal.stand(
            promoted(known._replace(standing=journal.standing, now=int(time.time())), sure)
        )
    tell(phrase("standby.promoted", data=str(data)))


def _known(standing: ReplicationState, identity: Identity) -> PrimaryStatus:
    return PrimaryStatus(standing, int(time.time()), _answers(standing, identity))


def _answers(standing: ReplicationState, identity: Identity) -> bool:
    """Whether the table still does, where its primary said that it is."""
    try:
        return bool(standing.peer) and table_answers(parse_address(standing.peer), identity.public)
    except LocalError:
        return False


def _when(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")

"""`python -m table`: host a table."""

import argparse
import asyncio
import logging
import re
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import platformdirs

from protocol.dealing.registry import DEALINGS
from protocol.errors import FairdealError, LocalError, RemoteError
from protocol.games.registry import GAMES, default_dealing
from protocol.limits import PATIENCE_SECONDS
from protocol.names import check_name
from protocol.setup import OptionList, make_terms
from table.addresses import is_wildcard, parse_address
from table.config import Config
from table.peers import where
from table.server import Table

log = logging.getLogger("table")

DESCRIPTION = """\
Host a table where people who need not trust each other, or you, play games with hidden pieces.

The first line printed is the join link. Give it to the players: they join with
  python -m player LINK
The match begins when all seats are taken. When it is over, its log is in DIR/logs, and anyone can check it with
  python -m protocol audit FILE
Ctrl-C stops the table; a match that is running then cannot be resumed.
"""
EPILOG = """\
options of the games: hand=N (tiles dealt to each), highest=6 or 9 (the set)
options of the deal, layered: take=PERCENT, swap=PERCENT; verified with --leavers threshold: quorum=N

examples:
  python -m table                                     two seats, block dominoes to 100, this machine only
  python -m table --listen 0.0.0.0:7500 --seats 4     four seats, for the local network
  python -m table --game draw-dominoes --option highest=9 --target 150
  python -m table --listen 127.0.0.1:0 --once         any free port; ends after one match
"""


def make_parser() -> argparse.ArgumentParser:
    """The command line."""
    parser = argparse.ArgumentParser(
        "python -m table", description=DESCRIPTION, epilog=EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    data = platformdirs.user_data_path("fairdeal") / "table"
    add = parser.add_argument
    add("--listen", metavar="HOST:PORT", default="127.0.0.1:7500", help="where to listen (default: %(default)s)")
    add("--name", default="Table", help="what players see this table called (default: %(default)s)")
    add("--game", choices=sorted(GAMES), default="block-dominoes", help="default: %(default)s")
    add("--seats", type=int, default=2, metavar="N", help="how many play (default: %(default)s)")
    add("--target", type=int, default=100, metavar="POINTS", help="points that win the match (default: %(default)s)")
    add("--option", action="append", default=[], metavar="NAME=VALUE", help="another option of the game, as highest=9")
    add("--deal", choices=sorted(DEALINGS), help="how pieces are dealt (default: layered for dominoes)")
    add("--leavers", choices=("void", "threshold"),
        help="when a seat leaves: the match is void, or the others share out what it held and play on "
        "(--deal verified; default: void)")  # fmt: skip
    add("--deal-option", action="append", default=[], metavar="NAME=VALUE", help="an option of the deal, as take=25")
    add("--patience", type=_seconds, default=PATIENCE_SECONDS, metavar="SECONDS",
        help="how long a match waits for a seat before it is given up (default: %(default)s)")  # fmt: skip
    add("--data", type=Path, default=data, metavar="DIR", help="keeps key, journal and logs (default: %(default)s)")
    add("--once", action="store_true", help="end when the first match is over")
    add("--log-level", choices=("debug", "info", "warning", "error"), default="info",
        help="what to report on stderr (default: %(default)s)")  # fmt: skip
    return parser


def _deal_options(options: argparse.Namespace) -> OptionList:
    """What the deal is told: `--leavers` is short for one of its options."""
    leavers = (("leavers", options.leavers),) if options.leavers else ()
    return (*_pairs(options.deal_option), *leavers)


def make_config(options: argparse.Namespace) -> Config:
    """The configuration that a command line asks for. Raises: LocalError."""
    host, port = parse_address(options.listen)
    game_options = _pairs(options.option)
    if any(name == "target" for name, _ in game_options):
        raise LocalError("Set the points that win with --target, not with --option.")
    try:
        check_name(options.name)
    except RemoteError as error:
        raise LocalError(f"--name cannot be used: {error}.") from None
    game_options = (*game_options, ("target", options.target))
    deal = options.deal or default_dealing(options.game)
    if options.leavers == "threshold" and deal != "verified":
        raise LocalError("--leavers threshold needs --deal verified: add that, or leave it out.")
    try:
        terms = make_terms(options.game, game_options, deal, _deal_options(options), options.seats)
    except RemoteError:
        raise LocalError(
            f"{options.game} dealt {deal} cannot be played like this: "
            "check --seats, --target and the names and values of options. --help lists what there is."
        ) from None
    return Config(options.data, host, port, options.name, terms, options.patience)


async def serve(config: Config, once: bool) -> None:
    """Host until a signal, or with `once` until the first match is over. Raises: LocalError."""
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(_report)
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    async with Table(config) as table:
        if is_wildcard(table.address):
            print("listening on all addresses; if players cannot reach the one in the link, put in another",
                  file=sys.stderr)  # fmt: skip
        print(table.link, flush=True)
        ends = [asyncio.ensure_future(stop.wait())]
        if once:
            ends.append(asyncio.ensure_future(table.first_match.wait()))
        await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        for end in ends:
            end.cancel()
        log.info("closing")


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit code: 0 fine, 1 cannot run, 2 the command line is wrong."""
    parser = make_parser()
    options = parser.parse_args(arguments)
    logging.basicConfig(level=options.log_level.upper(), format="%(asctime)s %(levelname)s %(message)s")
    try:
        config = make_config(options)
    except FairdealError as error:
        parser.error(str(error))
    try:
        asyncio.run(serve(config, options.once))
    except LocalError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def _pairs(texts: Sequence[str]) -> tuple[tuple[str, int | str], ...]:
    """NAME=VALUE texts; digits are numbers."""
    pairs: list[tuple[str, int | str]] = []
    for text in texts:
        name, equals, value = text.partition("=")
        if not name or not equals:
            raise LocalError("An option is given as NAME=VALUE, for example highest=9.")
        pairs.append((name, int(value) if re.fullmatch("[0-9]{1,9}", value) else value))
    return tuple(pairs)


def _seconds(text: str) -> float:
    wrong = argparse.ArgumentTypeError("give a number of seconds above 0, for example 300")
    try:
        seconds = float(text)
    except ValueError:
        raise wrong from None
    if not 0 < seconds < 1e7:
        raise wrong
    return seconds


def _report(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """An error outside any handler, and where it came from, without texts that may quote a peer."""
    error = context.get("exception")
    log.error("%s (%s)\n%s", context.get("message"), type(error).__name__, where(error) if error else "")


if __name__ == "__main__":
    sys.exit(main())

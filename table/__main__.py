"""`python -m table`: host a table."""

import argparse
import asyncio
import logging
import re
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from pathlib import Path
from typing import Any

import platformdirs

from net.addresses import is_wildcard, parse_address
from protocol.codes import Code
from protocol.dealing.registry import DEALINGS
from protocol.errors import FairdealError, LocalError, RemoteError
from protocol.games.registry import GAMES, default_dealing, default_dealing_options
from protocol.identity.names import check_name
from protocol.limits import (
    DEFAULT_EXTENSIONS,
    DEFAULT_STEP_SECONDS,
    DEFAULT_TURN_SECONDS,
)
from protocol.match.clock import CLOCK_HELP, Allowance, parse_clock
from protocol.match.setup import OptionList, make_terms
from table.config import Config, parse_bounds
from table.net.peers import where
from table.server import Table

log = logging.getLogger("table")

DESCRIPTION = """\
Host a table where people who need not trust each other, or you, play games with hidden pieces.

The first line printed is the join link. Give it to the players: they join with
  fairdeal join LINK
The match begins when all seats are taken. When it is over, its log is in DIR/logs, and anyone can check it with
  fairdeal audit FILE
Ctrl-C stops the table. Started again with the same DIR it goes on with all matches; players come back by themselves.
"""
EPILOG = """\
options of the games: dominoes: hand=N (tiles dealt to each), highest=6 or 9 (the set);
  poker: stack=N (chips to begin with), hands=N (to play), ante=N, blind=N (the big one; at draw the smallest bet)
options of the deal, layered: take=PERCENT, swap=PERCENT; verified with --leavers threshold: quorum=N

examples:
  fairdeal host                                     two seats, block dominoes to 100, this machine only
  fairdeal host --listen 0.0.0.0:7500 --seats 4     four seats, for the local network
  fairdeal host --game draw-dominoes --option highest=9 --target 150
  fairdeal host --game texas-holdem --seats 6 --option blind=10 --option stack=1000
  fairdeal host --listen 127.0.0.1:0 --once         any free port; ends after one match
"""


def make_parser() -> argparse.ArgumentParser:
    """The command line."""
    parser = argparse.ArgumentParser(
        "fairdeal host", description=DESCRIPTION, epilog=EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    data = platformdirs.user_data_path("fairdeal") / "table"
    add = parser.add_argument
    add("--listen", metavar="HOST:PORT", default="127.0.0.1:7500", help="where to listen (default: %(default)s)")
    add("--name", default="Table", help="what players see this table called (default: %(default)s)")
    add("--game", choices=sorted(GAMES), default="block-dominoes", help="default: %(default)s")
    add("--seats", type=int, default=2, metavar="N", help="how many play (default: %(default)s)")
    add("--target", type=int, metavar="POINTS", help="points that win at dominoes (default: 100)")
    add("--option", action="append", default=[], metavar="NAME=VALUE", help="another option of the game, as highest=9")
    add("--deal", choices=sorted(DEALINGS), help="how pieces are dealt (default: layered for dominoes, else verified)")
    add("--leavers", choices=("void", "threshold"),
        help="when a seat leaves: the match is void, or the others share out what it held and play on "
        "(--deal verified; default: void for dominoes, else threshold)")  # fmt: skip
    add("--deal-option", action="append", default=[], metavar="NAME=VALUE", help="an option of the deal, as take=25")
    add("--turn-seconds", type=int, default=DEFAULT_TURN_SECONDS, metavar="N",
        help="how long a seat may think about a move (default: %(default)s)")  # fmt: skip
    add("--extensions", type=int, default=DEFAULT_EXTENSIONS, metavar="N",
        help="how often a seat gets that time once more, in a match (default: %(default)s)")  # fmt: skip
    add("--step-seconds", type=int, default=DEFAULT_STEP_SECONDS, metavar="N",
        help="how long a seat's program may take for anything else (default: %(default)s)")  # fmt: skip
    add("--data", type=Path, default=data, metavar="DIR", help="keeps key, journal and logs (default: %(default)s)")
    add("--metrics", type=_port, metavar="PORT",
        help="serve figures for Prometheus on this port, to this machine alone")  # fmt: skip
    add("--bound", action="append", default=[], metavar="NAME=VALUE",
        help="another limit on what peers may ask of this table, as per_address=200 or frames=2000/1000")  # fmt: skip
    add("--once", action="store_true", help="end when the first match is over")
    add("--log-level", choices=("debug", "info", "warning", "error"), default="info",
        help="what to report on stderr (default: %(default)s)")  # fmt: skip
    return parser


def _deal_options(options: argparse.Namespace, deal: str) -> OptionList:
    """What the deal is told: `--leavers` is short for one of its options."""
    given = _pairs(options.deal_option)
    leavers = {"leavers": options.leavers} if options.leavers else default_dealing_options(options.game, deal)
    named = {name for name, _ in given} if not options.leavers else set()
    return (*given, *((name, value) for name, value in leavers.items() if name not in named))


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
    if options.target is not None:
        game_options = (*game_options, ("target", options.target))
    deal = options.deal or default_dealing(options.game)
    if options.leavers == "threshold" and deal != "verified":
        raise LocalError("--leavers threshold needs --deal verified: add that, or leave it out.")
    clock = Allowance(options.extensions, options.step_seconds, options.turn_seconds).options()
    try:
        parse_clock(clock)
    except RemoteError:
        raise LocalError(CLOCK_HELP) from None
    try:
        terms = make_terms(options.game, game_options, deal, _deal_options(options, deal), clock, options.seats)
    except RemoteError as error:
        if error.code is Code.GAME_NOT_INSTALLED:
            raise LocalError(f"{options.game} cannot be played: {error}.") from None
        raise LocalError(
            f"{options.game} dealt {deal} cannot be played like this: "
            "check --seats, --deal, --target and the names and values of options. --help lists what there is."
        ) from None
    return Config(options.data, host, port, options.name, terms, parse_bounds(options.bound))


async def serve(config: Config, once: bool, metrics_port: int | None = None) -> None:
    """Host until a signal, or with `once` until the first match is over. Raises: LocalError."""
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(_report)
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    async with AsyncExitStack() as stack:
        table = await stack.enter_async_context(Table(config))
        if metrics_port is not None:
            port = await stack.enter_async_context(exporter()(table, metrics_port))
            log.info("metrics are at http://127.0.0.1:%d/metrics", port)
        if is_wildcard(table.address):
            print("listening on all addresses; if players cannot reach the one in the link, put in another",
                  file=sys.stderr)  # fmt: skip
        print(table.link, flush=True)
        ends = [asyncio.ensure_future(stop.wait())]
        if once:
            ends.append(asyncio.ensure_future(table.matches.first_settled.wait()))
        await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        for end in ends:
            end.cancel()
        log.info("closing")


def exporter() -> Callable[[Table, int], AbstractAsyncContextManager[int]]:
    """What serves metrics. Raises: LocalError if the library for it is not installed."""
    try:
        from table.exporter import exported
    except ImportError:
        raise LocalError("--metrics needs the library prometheus-client: pip install 'fairdeal[metrics]'") from None
    return exported


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
        asyncio.run(serve(config, options.once, options.metrics))
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


def _port(text: str) -> int:
    if not re.fullmatch("[0-9]{1,5}", text) or int(text) > 65_535:
        raise argparse.ArgumentTypeError("give a port, 0 to 65535; 0 takes any free one")
    return int(text)


def _report(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """An error outside any handler, and where it came from, without texts that may quote a peer."""
    error = context.get("exception")
    log.error("%s (%s)\n%s", context.get("message"), type(error).__name__, where(error) if error else "")


if __name__ == "__main__":
    sys.exit(main())

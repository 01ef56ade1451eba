"""One host with recorded matches: the real table, either one of several over a store, or alone with
a journal on its disk.

Only its randomness differs. Seed, nonce and time of each match follow from its number, so that the
recorded posts fit. The process prints its link, and ends when its standard input ends.
"""

import argparse
import asyncio
import logging
import sys
from pathlib import Path

from protocol.messages.table import ConnectionPhase
from scripts.benchmarks.load import BOUNDS
from scripts.clusters.recorded_match import TABLE_KEY, TERMS, Number
from table.config import Config, Membership, parse_bounds
from table.lobby.matches import Matches
from table.lobby.tables import LobbyTable
from table.manager.server import TableServer
from table.match.live_match import LiveMatch
from table.storage.disk.keys import KEY_FILE


class RecordedMatches(Matches):
    """Matches with known randomness."""

    run = ""

    def begin(self, table: LobbyTable) -> None:
        """Begin a match as usual, but with the recorded randomness."""
        number = Number(self.run, table.number)
        live = LiveMatch(self.identity, number.setup(), number.seed)
        live.rules = self.rules
        room = self._open(table, live)
        for peer in self._lobby.clear(table):
            peer.forgiven = ConnectionPhase.WAITING
            room.enter(peer)


async def serve(options: argparse.Namespace) -> None:
    """Run the host until standard input ends."""
    (options.data / KEY_FILE).touch(0o600)
    (options.data / KEY_FILE).write_bytes(TABLE_KEY)
    if options.store is not None:
        cluster = Membership(options.store, options.name)
    else:
        cluster = None
    config = Config(options.data, port=0, terms=TERMS, bounds=parse_bounds(BOUNDS), cluster=cluster)
    matches = type("CannedMatches", (RecordedMatches,), {"run": options.run})
    async with TableServer(config, matches=matches) as table:
        for number in options.tables:
            table.lobby.add(
                LobbyTable(number, TERMS, Number(options.run, number).identity(0).public)
            )
        print(table.link, flush=True)
        await asyncio.to_thread(sys.stdin.readline)


def main() -> None:
    """Run the host as a program."""
    parser = argparse.ArgumentParser("host")
    parser.add_argument("--store")
    parser.add_argument("--name", default="one")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--run", required=True)
    parser.add_argument("--tables", type=int, nargs="*", default=[])
    logging.basicConfig(level="WARNING")
    asyncio.run(serve(parser.parse_args()))


if __name__ == "__main__":
    main()

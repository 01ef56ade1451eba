"""One host with canned matches: the real table over a store, or over the journal on its disk.

Only where its chance comes from is another: each match's seed, nonce and time follow from its number, so that what was
recorded fits. It prints its link, and ends when its standard input does.
"""

import argparse
import asyncio
import logging
import sys
from pathlib import Path

from protocol.identity.keys import Identity
from protocol.messages.table import Phase
from scripts.benchmarks.load import BOUNDS
from scripts.clusters.canned import TABLE_KEY, TERMS, Number
from table.config import Config, parse_bounds
from table.disk.keys import KEY_FILE
from table.lobby import LobbyTable
from table.matches import Matches
from table.room.live_match import LiveMatch
from table.server import Table
from table.stores.nats.address import parse_address
from table.stores.nats.engine import NatsEngine
from table.stores.store import Store


class CannedMatches(Matches):
    """Matches whose chance is known beforehand."""

    run = ""

    def begin(self, table: LobbyTable) -> None:
        """As every table does, with what was recorded."""
        number = Number(self.run, table.number)
        room = self._open(table, LiveMatch(self.identity, number.setup(), number.seed))
        for peer in self._lobby.clear(table):
            peer.forgiven = Phase.WAITING
            room.enter(peer)


async def serve(options: argparse.Namespace) -> None:
    """Host until nobody needs it."""
    (options.data / KEY_FILE).touch(0o600)
    (options.data / KEY_FILE).write_bytes(TABLE_KEY)
    config = Config(options.data, port=0, terms=TERMS, bounds=parse_bounds(BOUNDS))
    matches = type("CannedMatches", (CannedMatches,), {"run": options.run})
    async with Table(config, storage(options), matches=matches) as table:
        for number in options.tables:
            table.lobby.add(LobbyTable(number, TERMS))
        print(table.link, flush=True)
        await asyncio.to_thread(sys.stdin.readline)


def storage(options: argparse.Namespace) -> Store | None:
    """The store that is asked for; None: the journal."""
    if options.store is None:
        return None
    engine = NatsEngine(parse_address(options.store), options.name)
    (options.data / "logs").mkdir()
    return Store(engine, options.name, Identity(TABLE_KEY).public, options.data / "logs")


def main() -> None:
    """At the command line of whoever measures."""
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

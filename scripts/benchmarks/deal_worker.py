"""Process of one player in a measured deal. It joins on command, and prints the time of each event.

It prints "ready", waits for a line, and joins. Then it prints "joined SECONDS", "dealt SECONDS"
(all hands are dealt) and "move SECONDS" (the first move), by the monotonic clock.
"""

import asyncio
import secrets
import sys
import time

from bots.registry import BOTS
from player.client.environment import Environment
from player.client.events import Event, Happened, Welcomed
from player.client.reconnect import visit
from player.client.seat import Seat
from player.client.table_client import Plan, TableClient
from protocol.identity.keys import Identity, JoinLink


class Times:
    """Printer for the time of the first event of each kind."""

    def __init__(self) -> None:
        self.seen: set[str] = set()

    def __call__(self, event: Event) -> None:
        """Process an event."""
        if isinstance(event, Welcomed):
            self.note("joined")
        elif isinstance(event, Happened):
            if event.match.deal is not None and event.match.deal.ready:
                self.note("dealt")
            if event.entry.kind == "move":
                self.note("move")

    def note(self, what: str) -> None:
        """Print `what` with the time, only the first time."""
        if what not in self.seen:
            self.seen.add(what)
            print(what, time.monotonic(), flush=True)


def main() -> None:
    """Play one match."""
    rng = secrets.SystemRandom()
    link = JoinLink.parse(sys.argv[1])
    name = sys.argv[2]
    print("ready", flush=True)
    sys.stdin.readline()
    environment = Environment(Identity(rng.randbytes(32)), rng, Seat, BOTS["greedy"], Times())
    asyncio.run(visit(TableClient(Plan(name), environment), link, link.fingerprint))


if __name__ == "__main__":
    main()

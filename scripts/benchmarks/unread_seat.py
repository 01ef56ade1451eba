"""Effect of a seat that never reads: times of the other two seats' entries, in matches with and
without such a seat, in turns.

This process drives all three seats from the data sent to the first two. So the third seat acts like
the others although nobody reads its small socket buffer. With each entry, its author also sends
table talk to both others. A time lasts from sending an entry until both reading seats have received
it.
"""

import asyncio
import secrets
import time
from collections.abc import Callable
from random import Random
from typing import cast

from bots.registry import BOTS
from player.client.seat import Seat
from protocol.identity.keys import JoinLink
from protocol.match.log_reader import LogReader
from scripts.benchmarks.client import Client, connect
from scripts.benchmarks.move_times import quantile
from scripts.benchmarks.process import run_table
from scripts.benchmarks.relay import ENVELOPE

NAMES = ("Ann", "Bob", "Cleo")  # the last seat does not read
TAKES = 4096  # bytes in the receive buffer of its socket
# so high that the table slows down or disconnects nobody
BOUNDS = ("relays=1000000/1000000", "frames=100000/100000", "stall_seconds=600")
HOST = tuple(word for bound in BOUNDS for word in ("--bound", bound))


class Trio:
    """A match of three seats."""

    def __init__(
        self,
        clients: list[Client],
        deaf: bool,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self.clients = clients
        self.deaf = deaf
        self._clock = clock
        self.rng: Random = secrets.SystemRandom()
        self.times: list[float] = []  # seconds for each entry of the reading seats

    async def play(self) -> list[float]:
        """Play the match from the first join to the end."""
        last = await self.begin(None)
        while not self.reader.over:
            await self._step()
        last.cancel()
        for client in self.clients:
            client.close()
        return self.times

    async def begin(self, table: str | None) -> "asyncio.Task[None]":
        """Take seats at a table; what reads for the last seat."""
        for client in self.clients:
            client.send("join", table)
        matches = [(await client.expect("match")).values for client in self.clients]
        self.match_id = matches[0][1]
        people = zip(self.clients, matches, strict=True)
        self.seats = [Seat(client.identity, match[2], self.rng) for client, match in people]
        for client in self.clients:
            client.send("replay", self.match_id, 0)
        last = asyncio.create_task(self._last())
        self.reader = LogReader(*await self._entry())
        return last

    async def _last(self) -> None:
        """Read the data sent to the last seat, or nothing."""
        reader = self.clients[-1].reader
        writer = self.clients[-1].writer
        if self.deaf:
            cast(asyncio.Transport, writer.transport).pause_reading()
        while not self.deaf and await reader.read(65536):
            pass

    async def _step(self) -> None:
        """Post the entry of a seat that has one to post. If none has, wait for an entry of the
        table.
        """
        posts = ((seat, self._post_of(seat)) for seat in self.seats)
        seat, raw = next(((seat, raw) for seat, raw in posts if raw is not None), (None, b""))
        if seat is None:
            self.reader.feed(*await self._entry())
            return
        client = self.clients[self.seats.index(seat)]
        begun = self._clock()
        for other in self.seats:
            if other is not seat:
                client.send("relay", self.match_id, other.number, ENVELOPE)
        client.send("post", self.match_id, raw)
        logged = await self._entry()
        if client is not self.clients[-1]:
            self.times.append(self._clock() - begun)
        self.reader.feed(*logged)

    def _post_of(self, seat: Seat) -> bytes | None:
        match = self.reader.match
        post = seat.respond(match)
        if post is None and seat.choices(match):
            post = seat.move(match, BOTS["greedy"](seat.view(match), self.rng))
        if post is None:
            return None
        return seat.entry(self.reader.log, post)

    async def _entry(self) -> tuple[bytes, bytes]:
        """Return the next entry with its head, once both reading seats have received it."""
        found = [(await client.expect("entry")).values[2:] for client in self.clients[:-1]]
        return found[0][0], found[0][1]


async def one_match(link: JoinLink, deaf: bool) -> list[float]:
    """Play a match, and return its times."""
    clients = [
        await connect(link, name, takes=TAKES if name == NAMES[-1] else None) for name in NAMES
    ]
    return await Trio(clients, deaf).play()


async def pairs(link: JoinLink, count: int) -> tuple[list[float], list[float]]:
    """Return the times of `count` matches in which all seats read, and of as many in which one does
    not, played in turns. One match before them is not counted.
    """
    found: tuple[list[float], list[float]] = ([], [])
    await one_match(link, False)
    for _ in range(count):
        for deaf in (False, True):
            found[deaf].extend(await one_match(link, deaf))
    return found


def measure(count: int) -> dict[str, float]:
    """Measure the 99th percentile of the times, with all seats reading and with one that does not,
    and the ratio.
    """
    with run_table("--seats", str(len(NAMES)), "--target", "30", *HOST) as (_, link):
        quiet, deaf = asyncio.run(pairs(link, count))
    return {
        "quiet_entry_p99_s": quantile(quiet, 0.99),
        "deaf_entry_p99_s": quantile(deaf, 0.99),
        "deaf_to_quiet_p99": quantile(deaf, 0.99) / quantile(quiet, 0.99),
        "deaf_to_quiet_p50": quantile(deaf, 0.5) / quantile(quiet, 0.5),
    }

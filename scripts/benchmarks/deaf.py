"""The entries of two seats while a third reads all that it is sent, and while it never reads:
matches in turns.

This process drives all three from what the first two are sent, so the deaf one acts like the others
and only its socket is left alone, which takes little. With every entry its author talks to both
others. A time is from when a seat that reads sends its entry until both that read have it.
"""

import asyncio
import secrets
import time
from random import Random
from typing import cast

from bots.registry import BOTS
from player.seat.seat import Seat
from protocol.identity.keys import JoinLink
from protocol.match.log_reader import LogReader
from scripts.benchmarks.client import Client, connect
from scripts.benchmarks.move_times import quantile
from scripts.benchmarks.process import table
from scripts.benchmarks.relay import ENVELOPE

NAMES = ("Ann", "Bob", "Cleo")  # the last is the deaf one
TAKES = 4096  # bytes that its socket holds
# nobody is slowed down or cut off
BOUNDS = ("relays=1000000/1000000", "frames=100000/100000", "stall_seconds=600")
HOST = tuple(word for bound in BOUNDS for word in ("--bound", bound))


class Trio:
    """One match of three seats."""

    def __init__(self, clients: list[Client], deaf: bool) -> None:
        self.clients, self.deaf = clients, deaf
        self.rng: Random = secrets.SystemRandom()
        self.times: list[float] = []  # seconds, of the entries of seats that read

    async def play(self) -> list[float]:
        """From taking seats to the end."""
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
        """Read all that is sent to the last seat, or nothing."""
        reader, writer = self.clients[-1].reader, self.clients[-1].writer
        if self.deaf:
            cast(asyncio.Transport, writer.transport).pause_reading()
        while not self.deaf and await reader.read(65536):
            pass

    async def _step(self) -> None:
        """Whoever has something to post posts it; if nobody has, it is the table's turn."""
        posts = ((seat, self._post_of(seat)) for seat in self.seats)
        seat, raw = next(((seat, raw) for seat, raw in posts if raw is not None), (None, b""))
        if seat is None:
            self.reader.feed(*await self._entry())
            return
        client = self.clients[self.seats.index(seat)]
        begun = time.perf_counter()
        for other in self.seats:
            if other is not seat:
                client.send("relay", self.match_id, other.number, ENVELOPE)
        client.send("post", self.match_id, raw)
        logged = await self._entry()
        if client is not self.clients[-1]:
            self.times.append(time.perf_counter() - begun)
        self.reader.feed(*logged)

    def _post_of(self, seat: Seat) -> bytes | None:
        match = self.reader.match
        post = seat.respond(match)
        if post is None and seat.choices(match):
            post = seat.move(match, BOTS["greedy"](seat.view(match), self.rng))
        return None if post is None else seat.entry(self.reader.log, post)

    async def _entry(self) -> tuple[bytes, bytes]:
        """The next entry and its head, once both that read have it."""
        found = [(await client.expect("entry")).values[2:] for client in self.clients[:-1]]
        return found[0][0], found[0][1]


async def one_match(link: JoinLink, deaf: bool) -> list[float]:
    """The times of one match."""
    clients = [
        await connect(link, name, takes=TAKES if name == NAMES[-1] else None) for name in NAMES
    ]
    return await Trio(clients, deaf).play()


async def pairs(link: JoinLink, count: int) -> tuple[list[float], list[float]]:
    """The times of so many matches in which all read, and of as many with a deaf seat, in turns;
    after one.
    """
    found: tuple[list[float], list[float]] = ([], [])
    await one_match(link, False)
    for _ in range(count):
        for deaf in (False, True):
            found[deaf].extend(await one_match(link, deaf))
    return found


def measure(count: int) -> dict[str, float]:
    """What the 99th of a hundred entries takes, with nobody deaf and with one, and the ratio."""
    with table("--seats", str(len(NAMES)), "--target", "30", *HOST) as (_, link):
        quiet, deaf = asyncio.run(pairs(link, count))
    return {
        "quiet_entry_p99_s": quantile(quiet, 0.99),
        "deaf_entry_p99_s": quantile(deaf, 0.99),
        "deaf_to_quiet_p99": quantile(deaf, 0.99) / quantile(quiet, 0.99),
        "deaf_to_quiet_p50": quantile(deaf, 0.5) / quantile(quiet, 0.5),
    }

"""Memory of the table for each idle peer, at 1,000 greeted connections."""

import asyncio

import psutil

from protocol.identity.keys import JoinLink
from scripts.benchmarks.client import Client, connect
from scripts.benchmarks.process import table

CONNECTIONS = 1_000
ADDRESSES = 50  # the table bounds connections from one address, so they come from several of the loopback range
AT_ONCE = 10  # handshakes under way


async def _crowd(link: JoinLink, count: int) -> list[Client]:
    gate = asyncio.Semaphore(AT_ONCE)

    async def one(number: int) -> Client:
        async with gate:
            return await connect(link, f"Guest {number}", f"127.0.0.{2 + number % ADDRESSES}")

    return await asyncio.gather(*(one(number) for number in range(count)))


async def _memory(link: JoinLink, process: psutil.Process) -> float:
    first = await _crowd(link, AT_ONCE)  # what is allocated once and for all
    before = process.memory_info().rss
    crowd = await _crowd(link, CONNECTIONS)
    grown = process.memory_info().rss - before
    for client in first + crowd:
        client.close()
    return grown / CONNECTIONS / 1024


def measure() -> dict[str, float]:
    """Kilobytes of resident memory for each connection."""
    with table() as (process, link):
        return {"seat_memory_kb": asyncio.run(_memory(link, psutil.Process(process.pid)))}

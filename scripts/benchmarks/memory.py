"""Memory of the table for each idle peer, all greeted."""

import asyncio

import psutil

from protocol.identity.keys import JoinLink
from scripts.benchmarks.client import Client, connect
from scripts.benchmarks.process import table

# the table bounds connections from one address, so they come from several of the loopback range
ADDRESSES = 50
AT_ONCE = 10  # handshakes under way


async def _crowd(link: JoinLink, count: int) -> list[Client]:
    gate = asyncio.Semaphore(AT_ONCE)

    async def one(number: int) -> Client:
        async with gate:
            return await connect(link, f"Guest {number}", f"127.0.0.{2 + number % ADDRESSES}")

    return await asyncio.gather(*(one(number) for number in range(count)))


async def _memory(link: JoinLink, process: psutil.Process, connections: int) -> float:
    first = await _crowd(link, AT_ONCE)  # what is allocated once and for all
    before = process.memory_info().rss
    crowd = await _crowd(link, connections)
    grown = process.memory_info().rss - before
    for client in first + crowd:
        client.close()
    return grown / connections / 1024


def measure(connections: int) -> dict[str, float]:
    """Kilobytes of resident memory for each of so many connections."""
    with table() as (process, link):
        return {
            "seat_memory_kb": asyncio.run(_memory(link, psutil.Process(process.pid), connections))
        }

"""Memory of the table for each idle peer after the greeting."""

import asyncio

import psutil

from protocol.identity.keys import JoinLink
from scripts.benchmarks.client import Client, connect
from scripts.benchmarks.process import run_table

# several loopback addresses, because the table limits connections from one
ADDRESSES = 50
AT_ONCE = 10  # parallel handshakes


async def _crowd(link: JoinLink, count: int) -> list[Client]:
    gate = asyncio.Semaphore(AT_ONCE)

    async def one(number: int) -> Client:
        async with gate:
            return await connect(link, f"Guest {number}", f"127.0.0.{2 + number % ADDRESSES}")

    return await asyncio.gather(*(one(number) for number in range(count)))


async def _memory(link: JoinLink, process: psutil.Process, connections: int) -> float:
    first = await _crowd(link, AT_ONCE)  # memory that is allocated only once
    before = process.memory_info().rss
    crowd = await _crowd(link, connections)
    grown = process.memory_info().rss - before
    for client in first + crowd:
        client.close()
    return grown / connections / 1024


def measure(connections: int) -> dict[str, float]:
    """Return the kilobytes of resident memory per connection."""
    with run_table() as (process, link):
        return {
            "seat_memory_kb": asyncio.run(_memory(link, psutil.Process(process.pid), connections))
        }

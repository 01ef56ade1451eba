"""Baseline for the machines over NATS: one of two processes that send each other requests at full
speed.

The process answers a request with the same bytes. `under_way` is its number of open requests, sent
by the client library's own `request`. It starts when a line comes on standard input, and prints the
number of answers in a second.
"""

import asyncio
import sys
import time

import nats
from nats.aio.msg import Msg

QUESTION = bytes(32)  # about as long as a lay in Ligretto
SECONDS = 1.0
PATIENCE = 30  # seconds for one answer


async def main(url: str, own: str, other: str, under_way: int) -> None:
    """Send requests to the other process for a second."""
    client = await nats.connect(url)
    asked = 0

    async def answer(message: Msg) -> None:
        await client.publish(message.reply, message.data)

    async def ask(until: float) -> None:
        nonlocal asked
        while time.perf_counter() < until:
            await client.request(other, QUESTION, PATIENCE)
            asked += 1

    await client.subscribe(own, cb=answer)
    await client.flush()
    print("ready", flush=True)
    await asyncio.to_thread(sys.stdin.readline)
    begun = time.perf_counter()
    await asyncio.gather(*(ask(begun + SECONDS) for _ in range(under_way)))
    print(asked / (time.perf_counter() - begun), flush=True)
    await asyncio.to_thread(sys.stdin.readline)  # the other process may still send requests
    await client.close()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:4], int(sys.argv[4])))

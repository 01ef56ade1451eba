"""The baseline of the machines over NATS: one of two processes that ask each other as often as they
can.

It answers what it is asked with the same bytes, and has as many questions under way as it is told,
by the client library's own `request`. Said on its standard input: begin. Printed: questions
answered a second.
"""

import asyncio
import sys
import time

import nats
from nats.aio.msg import Msg

QUESTION = bytes(32)  # about as long as a lay
SECONDS = 1.0
PATIENCE = 30  # seconds for one answer


async def main(url: str, own: str, other: str, under_way: int) -> None:
    """Ask the other for a second."""
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
    await asyncio.to_thread(sys.stdin.readline)  # the other may still be asking
    await client.close()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:4], int(sys.argv[4])))

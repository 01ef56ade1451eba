"""Envelopes of table talk that the table relays per second, compared with a bare relay in the same
run.
"""

import asyncio
import statistics
import time
from collections.abc import Awaitable, Callable
from itertools import count, islice

from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from protocol.identity.keys import JoinLink
from protocol.limits import FRAME_HEADER, TALK_ENVELOPE
from protocol.messages import table as messages
from scripts.benchmarks import bare_relay
from scripts.benchmarks.client import connect
from scripts.benchmarks.process import read_line, run_program, run_table

Round = Callable[[], Awaitable[float]]  # measures the frames per second once

ENVELOPE = bytes(TALK_ENVELOPE)
RECORD_OVERHEAD = FRAME_HEADER + 1 + 16  # bytes: length, record type, tag of AES-GCM
FRAMES = 20_000
RATES = ("frames", "frames_per_address", "relays")
# so high that nothing is dropped, even if this process reads slowly
QUEUED = ("queued", "queued_in_all", "talk_queued")
BOUNDS = (*(f"{rate}=1000000/1000000" for rate in RATES), *(f"{name}=100000000" for name in QUEUED))
# without limits, to measure the possible speed
UNBOUND = tuple(word for bound in BOUNDS for word in ("--bound", bound))


async def send_frames(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, data: bytes, expected: int
) -> float:
    """Send prepared bytes, and wait until all of them have come out. Return frames per second."""
    begun = time.perf_counter()
    writer.write(data)
    left = expected
    while left > 0:
        left -= len(await reader.read(1 << 20))
    return FRAMES / (time.perf_counter() - begun)


async def through_table(link: JoinLink) -> Round:
    """Prepare a measurement from one seat to the other through the table."""
    clients = [await connect(link, name) for name in ("Ann", "Bob")]
    for client in clients:
        client.send("join", None)
    matches = [await client.expect("match") for client in clients]
    match_id = matches[1].values[1]
    seat = matches[1].values[2]
    ann, bob = clients
    message = messages.encode("relay", match_id, seat, ENVELOPE)
    size = RECORD_OVERHEAD + len(messages.encode("relayed", match_id, 1 - seat, ENVELOPE))

    async def pumped() -> float:
        data = b"".join(ann.session.send(message) for _ in range(FRAMES))
        return await send_frames(bob.reader, ann.writer, data, FRAMES * size)

    return pumped


async def through_bare_relay(port: int) -> Round:
    """Prepare a measurement of the same frames through the baseline."""
    ends = [await asyncio.open_connection("127.0.0.1", port) for _ in range(2)]
    cipher, counter = AESGCM(bare_relay.KEY), count()

    async def pumped() -> float:
        frames = []
        for number in islice(counter, FRAMES):
            sealed = cipher.encrypt(number.to_bytes(12, "big"), ENVELOPE, None)
            frames.append(len(sealed).to_bytes(bare_relay.HEADER, "big") + sealed)
        data = b"".join(frames)
        return await send_frames(ends[1][0], ends[0][1], data, len(data))

    return pumped


async def _rates(link: JoinLink, ports: list[int], rounds: int) -> list[list[float]]:
    """Measure the table and both baselines in turns, because other load on the machine then affects
    all three.
    """
    relays = [await through_table(link), *[await through_bare_relay(port) for port in ports]]
    return [[await relay() for relay in relays] for _ in range(rounds)]


def measure(rounds: int) -> dict[str, float]:
    """Return medians of the rates, and of their ratios within a round."""
    bare = "scripts.benchmarks.bare_relay"
    with (
        run_table("--seats", "2", *UNBOUND) as (_, link),
        run_program(bare) as one,
        run_program(bare, "--batch") as many,
    ):
        found = asyncio.run(_rates(link, [int(read_line(one)), int(read_line(many))], rounds))
    median = statistics.median
    return {
        "relay_ratio": median(ours / bare for ours, bare, _ in found),
        "relay_ratio_to_batching": median(ours / batching for ours, _, batching in found),
        "relay_frames_per_s": median(ours for ours, _, _ in found),
        "bare_relay_frames_per_s": median(bare for _, bare, _ in found),
        "batching_relay_frames_per_s": median(batching for _, _, batching in found),
    }

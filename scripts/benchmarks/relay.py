"""Envelopes of table talk routed through the table per second, over a bare relay in the same run."""

import asyncio
import statistics
import time

from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from protocol.identity.keys import JoinLink
from protocol.limits import FRAME_HEADER, TALK_ENVELOPE
from protocol.messages import table as messages
from scripts.benchmarks import bare_relay
from scripts.benchmarks.client import connect
from scripts.benchmarks.process import line, program, table

ENVELOPE = bytes(TALK_ENVELOPE)
RECORD_OVERHEAD = FRAME_HEADER + 1 + 16  # bytes: the length, the record's type, AES-GCM's tag
FRAMES = 20_000
RATES = ("frames", "frames_per_address", "relays")
QUEUED = ("queued", "queued_in_all", "talk_queued")  # nothing is dropped, however slowly this process reads
BOUNDS = (*(f"{rate}=1000000/1000000" for rate in RATES), *(f"{name}=100000000" for name in QUEUED))
UNBOUND = tuple(word for bound in BOUNDS for word in ("--bound", bound))  # what it could do


async def pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, data: bytes, expected: int) -> float:
    """Send bytes made beforehand and wait until as many have come out as there should; frames a second."""
    begun = time.perf_counter()
    writer.write(data)
    left = expected
    while left > 0:
        left -= len(await reader.read(1 << 20))
    return FRAMES / (time.perf_counter() - begun)


async def through_table(link: JoinLink, rounds: int) -> list[float]:
    """Frames a second from one seat to the other."""
    clients = [await connect(link, name) for name in ("Ann", "Bob")]
    for client in clients:
        client.send("join", None)
    matches = [await client.expect("match") for client in clients]
    match_id, seat = matches[1].values[1], matches[1].values[2]
    ann, bob = clients
    message = messages.encode("relay", match_id, seat, ENVELOPE)
    size = RECORD_OVERHEAD + len(messages.encode("relayed", match_id, 1 - seat, ENVELOPE))
    rates = []
    for _ in range(rounds):
        data = b"".join(ann.session.send(message) for _ in range(FRAMES))
        rates.append(await pump(bob.reader, ann.writer, data, FRAMES * size))
    for client in clients:
        client.close()
    return rates


async def through_bare_relay(port: int, rounds: int) -> list[float]:
    """The same frames through the baseline."""
    ends = [await asyncio.open_connection("127.0.0.1", port) for _ in range(2)]
    cipher, rates, counter = AESGCM(bare_relay.KEY), [], 0
    for _ in range(rounds):
        frames = []
        for _ in range(FRAMES):
            sealed = cipher.encrypt(counter.to_bytes(12, "big"), ENVELOPE, None)
            frames.append(len(sealed).to_bytes(bare_relay.HEADER, "big") + sealed)
            counter += 1
        data = b"".join(frames)
        rates.append(await pump(ends[1][0], ends[0][1], data, len(data)))
    for _, writer in ends:
        writer.close()
    return rates


def measure(rounds: int) -> dict[str, float]:
    """Medians of both, and their ratio."""
    with table("--seats", "2", *UNBOUND) as (_, link):
        ours = statistics.median(asyncio.run(through_table(link, rounds)))
    bare, batched = (_bare(rounds, *arguments) for arguments in ((), ("--batch",)))
    return {
        "relay_ratio": ours / bare,
        "relay_ratio_to_batching": ours / batched,
        "relay_frames_per_s": ours,
        "bare_relay_frames_per_s": bare,
        "batching_relay_frames_per_s": batched,
    }


def _bare(rounds: int, *arguments: str) -> float:
    with program("scripts.benchmarks.bare_relay", *arguments) as process:
        return statistics.median(asyncio.run(through_bare_relay(int(line(process)), rounds)))

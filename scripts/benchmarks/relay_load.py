"""Load of a relay: guests and their tables send each other sealed records as fast as they go.

Ours and a plain WebSocket relay without accounting, by the same library, take turns in one run.
Each round opens all lines anew, and counts what comes out. This process makes and counts bytes by
their number alone, so the relay is what limits it.
"""

import argparse
import asyncio
import json
import statistics
import time
from collections.abc import Awaitable, Callable, Sequence
from random import Random
from typing import NamedTuple

import psutil

from net.websocket_transport import connect_websocket
from protocol import wire
from protocol.identity.address import Address
from protocol.identity.keys import Identity, JoinLink, fingerprint
from protocol.limits import MAX_RELAY_MESSAGE
from protocol.messages.relay import (
    LABEL,
    Challenge,
    Claim,
    ControlMessage,
    Guest,
    Open,
    decode,
    encode,
    guest_address,
    line_address,
    signed_fields,
    table_address,
)
from scripts.benchmarks.process import read_line, run_program

HERE = "127.0.0.1"
TABLES = 10
ADDRESSES = 50  # of guests
RECORD = 300  # bytes of a record with its frame: a move with its proof
TOGETHER = 4  # records that a sender has in one write
ON_THE_WAY = 2  # such writes that a sender has on the way
SETTLE = 1.0  # seconds before counting

_KEY = b"\x01\x02\x03\x04"
_DATA = wire.encode_frame(Random(1).randbytes(RECORD - 4))
_MASKED = bytes(byte ^ _KEY[place % 4] for place, byte in enumerate(_DATA))
SENT = (b"\x82\xfe" + RECORD.to_bytes(2, "big") + _KEY + _MASKED) * TOGETHER
RECEIVED = (4 + RECORD) * TOGETHER  # bytes, without the mask


class End(asyncio.Protocol):
    """One end of a line: after the answer to its request it sends, and counts what comes."""

    def __init__(self) -> None:
        self.open = asyncio.get_running_loop().create_future()
        self.other: End | None = None
        self.received = 0  # bytes

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Remember the transport."""
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        """Count, and let the other end send as much again."""
        if not self.open.done():
            assert data.startswith(b"HTTP/1.1 101 "), data
            self.open.set_result(None)
            return
        before = self.received // RECEIVED
        self.received += len(data)
        if self.other is not None:
            for _ in range(self.received // RECEIVED - before):
                self.other.transport.write(SENT)


async def request(port: int, path: str, local: str = HERE) -> End:
    """Ask for a WebSocket; the answer may come later."""
    loop = asyncio.get_running_loop()
    _, end = await loop.create_connection(End, HERE, port, local_addr=(local, 0))
    head = (
        f"GET {path} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n"
    )
    end.transport.write(head.encode())
    return end


class Table(asyncio.Protocol):
    """The control line of a table."""

    def __init__(self, identity: Identity, url: str) -> None:
        self._identity, self._url = identity, url
        self.messages: asyncio.Queue[ControlMessage] = asyncio.Queue()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Remember the transport."""
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        """Answer the challenge; the rest is for the queue."""
        for payload in wire.FrameDecoder(MAX_RELAY_MESSAGE).feed(data):
            message = decode(payload)
            if isinstance(message, Challenge):
                fields = signed_fields(message.challenge, self._url)
                signature = self._identity.sign(LABEL, *fields)
                claim = Claim(self._identity.public, self._url, signature)
                self.transport.write(encode(claim))
            else:
                self.messages.put_nowait(message)


async def lines_of_ours(port: int, count: int) -> list[tuple[End, End]]:
    """Open lines through our relay, by several tables."""
    relay = Address(HERE, port, "ws")
    ends = []
    for number in range(TABLES):
        identity = Identity(Random(number).randbytes(32))
        to = JoinLink(HERE, port, web_scheme="ws", path=table_address(relay).path)
        _, table = await connect_websocket(
            to, lambda identity=identity: Table(identity, str(relay)), f"127.0.2.{number + 1}"
        )
        assert await table.messages.get() == Open()
        whose = fingerprint(identity.public)
        for guest in range(count // TABLES):
            local = f"127.0.1.{1 + guest % ADDRESSES}"
            asking = await request(port, guest_address(relay, whose).path, local)
            told = await table.messages.get()
            assert isinstance(told, Guest)
            line = await request(
                port, line_address(relay, told.token).path, f"127.0.2.{number + 1}"
            )
            ends.append((asking, line))
    return ends


async def lines_of_bare(port: int, count: int) -> list[tuple[End, End]]:
    """Open lines through the plain relay."""
    return [
        (await request(port, f"/a/{number}"), await request(port, f"/b/{number}"))
        for number in range(count)
    ]


Opener = Callable[[int, int], Awaitable[list[tuple[End, End]]]]


class Round(NamedTuple):
    """Figures of one relay in one round."""

    rate: float  # records per second
    cost: float  # microseconds of the relay's processor time for a record
    opened: float  # milliseconds in which one line was opened
    memory: float  # bytes for a guest


async def measure_once(
    opener: Opener, port: int, process: psutil.Process, count: int, seconds: float
) -> Round:
    """Measure a relay that runs at this port."""
    empty = process.memory_info().rss
    began = time.perf_counter()
    pairs = await opener(port, count)
    for pair in pairs:
        await asyncio.gather(*(end.open for end in pair))
    opened = (time.perf_counter() - began) / count * 1000
    for one, other in pairs:
        one.other, other.other = other, one
        for end in (one, other):
            end.transport.write(SENT * ON_THE_WAY)
    await asyncio.sleep(SETTLE)
    ends = [end for pair in pairs for end in pair]
    spent = sum(process.cpu_times()[:2])
    before, began = sum(end.received for end in ends), time.perf_counter()
    least = min(end.received for end in ends)
    await asyncio.sleep(seconds)
    took = time.perf_counter() - began
    records = (sum(end.received for end in ends) - before) / (4 + RECORD)
    cost = (sum(process.cpu_times()[:2]) - spent) / records * 1e6
    memory = (process.memory_info().rss - empty) / count
    assert min(end.received for end in ends) > least, "somebody gets nothing"
    for end in ends:
        end.transport.abort()
    return Round(records / took, cost, opened, memory)


def measure(count: int, rounds: int, seconds: float) -> dict[str, float]:
    """Return medians of all rounds."""
    module = "scripts.benchmarks.bare_web_relay"
    found: list[tuple[Round, Round]] = []
    for _ in range(rounds):
        one = []
        for name, opener in (("ours", lines_of_ours), ("bare", lines_of_bare)):
            with run_program(module, name) as program:
                process = psutil.Process(program.pid)
                port = int(read_line(program))
                one.append(asyncio.run(measure_once(opener, port, process, count, seconds)))
        found.append((one[0], one[1]))
    median = statistics.median
    return {
        "relay_records_per_s": median(ours.rate for ours, _ in found),
        "plain_relay_records_per_s": median(bare.rate for _, bare in found),
        "ratio": median(ours.rate / bare.rate for ours, bare in found),
        "relay_us_a_record": median(ours.cost for ours, _ in found),
        "plain_relay_us_a_record": median(bare.cost for _, bare in found),
        "ratio_by_processor_time": median(bare.cost / ours.cost for ours, bare in found),
        "ms_to_open_a_line": median(ours.opened for ours, _ in found),
        "bytes_of_memory_a_guest": median(ours.memory for ours, _ in found),
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and print the figures as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--connections", type=int, default=1_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=5.0)
    asked = parser.parse_args(arguments)
    print(json.dumps(measure(asked.connections, asked.rounds, asked.seconds), indent=1))


if __name__ == "__main__":
    main()

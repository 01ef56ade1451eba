"""Since when one peer was not read from, and until when that counts."""

import asyncio

import pytest

from table.net.processor_time import Budget, ConnectionPayer
from table.net.read_queue import ReadQueue
from table.net.read_throttle import ReadThrottle
from table.net.token_bucket import TokenBucket


class Transport:
    """The newest request: to read, or not to."""

    def __init__(self) -> None:
        self.reads = True

    def pause_reading(self) -> None:
        self.reads = False

    def resume_reading(self) -> None:
        self.reads = True


class Throttled:
    """The reading side of a connection without a socket."""

    def __init__(self) -> None:
        self.loop = asyncio.get_running_loop()
        self.budget = Budget(10)
        self.line = ReadQueue(self.budget, self.loop)
        self.payer = ConnectionPayer(self.budget, "192.0.2.1")
        self.held_at_turn: list[bool] = []
        rates = (TokenBucket((100.0, 100.0)), TokenBucket((100.0, 100.0)))
        self.transport = Transport()
        self.throttle = ReadThrottle(
            self.transport,  # type: ignore[arg-type]  # as much of one as is used
            self.loop,
            rates,
            self._go_on,
        )

    def _go_on(self) -> None:
        self.held_at_turn.append(self.throttle.held)


@pytest.mark.parametrize("kind", ["pause", "hold"])
async def test_peer_counts_as_held_until_it_was_read(kind):
    peer = Throttled()
    before = peer.loop.time()
    if kind == "pause":
        peer.throttle.pause(0.0)
    else:
        peer.throttle.hold(peer.line, peer.payer)
    assert peer.throttle.held and not peer.transport.reads
    while not peer.transport.reads:
        await asyncio.sleep(0)
    assert peer.held_at_turn == [True], "what the system has was not read yet"
    assert peer.throttle.held and peer.throttle.held_since is not None
    assert peer.throttle.held_since >= before
    async with asyncio.timeout(5):
        while peer.throttle.held:
            await asyncio.sleep(0)
    assert peer.throttle.held_since is None


async def test_newer_hold_keeps_when_it_began():
    peer = Throttled()
    peer.throttle.hold(peer.line, peer.payer)
    since = peer.throttle.held_since
    while not peer.transport.reads:
        await asyncio.sleep(0)
    peer.throttle.pause(5.0)
    for _ in range(5):
        await asyncio.sleep(0)
    assert peer.throttle.held and peer.throttle.held_since == since
    peer.throttle.stop()

"""The accept loop takes a few connections in each turn, sets nothing up for refused ones, and
leaves none open.
"""

import asyncio
import socket
from itertools import pairwise

import pytest

from net.listener import Listener
from protocol.limits import ACCEPTS_PER_TURN
from tests.support.callers import hung_up

COUNT = 2 * ACCEPTS_PER_TURN + 3


class Refusing(asyncio.Protocol):
    """Listener that refuses everybody."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        transport.close()


async def test_accepts_per_turn_are_bounded():
    knocks: list[object] = []
    made: list[asyncio.Protocol] = []

    def factory() -> asyncio.Protocol:
        made.append(asyncio.Protocol())
        return made[-1]

    def admits(peer: object) -> bytes | None:
        knocks.append(peer)
        return None if len(knocks) % 2 == 0 else b"!"

    listener = Listener("127.0.0.1", 0, admits, factory)
    peers = [socket.create_connection((listener.host, listener.port)) for _ in range(COUNT)]
    turns = [0]
    async with asyncio.timeout(60):
        while len(knocks) < COUNT:
            await asyncio.sleep(0)
            turns.append(len(knocks))
        while len(made) < COUNT // 2:
            await asyncio.sleep(0)
    in_each = [after - before for before, after in pairwise(turns)]
    assert max(in_each) == ACCEPTS_PER_TURN
    assert knocks == [peer.getsockname() for peer in peers]
    assert len(made) == COUNT // 2
    refused = peers[::2]
    assert [peer.recv(9) for peer in refused] == [b"!"] * len(refused)  # the last word
    assert [peer.recv(9) for peer in refused] == [b""] * len(refused)
    listener.close()
    for peer in peers:
        peer.close()


@pytest.mark.parametrize("turns", range(4))
def test_connection_accepted_at_loop_end_is_closed(turns):
    """After this number of turns the connection is not accepted, or has no transport, or has no
    protocol yet.
    """

    async def called() -> socket.socket:
        listener = Listener("127.0.0.1", 0, lambda _: None, Refusing)
        caller = socket.create_connection((listener.host, listener.port))
        for _ in range(turns):
            await asyncio.sleep(0)
        listener.close()
        return caller

    with asyncio.run(called()) as caller:
        assert hung_up(caller)

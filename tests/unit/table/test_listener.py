"""The accept loop: a few in a turn, and nothing is set up for those who are refused."""

import asyncio
import socket
from itertools import pairwise

from protocol.limits import ACCEPTS_PER_TURN
from table.net.listener import Listener

COUNT = 2 * ACCEPTS_PER_TURN + 3


async def test_so_many_are_accepted_in_a_turn_and_no_more():
    knocks: list[str] = []
    made: list[asyncio.Protocol] = []

    def factory() -> asyncio.Protocol:
        made.append(asyncio.Protocol())
        return made[-1]

    def admits(address: str) -> bool:
        knocks.append(address)
        return len(knocks) % 2 == 0

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
    assert set(knocks) == {"127.0.0.1"}
    assert len(made) == COUNT // 2
    assert [peer.recv(1) for peer in peers[::2]] == [b""] * (COUNT - COUNT // 2)  # refused
    listener.close()
    for peer in peers:
        peer.close()

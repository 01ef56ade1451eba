"""A player's listener; a caller that arrives while the program ends is disconnected, and delays
nobody.
"""

import asyncio
import socket
from random import Random

import pytest

from player.multipath.acceptor import Acceptor
from protocol.errors import LocalError
from protocol.identity.keys import Identity
from tests.support.callers import hung_up

HERE = "127.0.0.1"
SECONDS = 5.0  # half of the timeout of a handshake
TURNS = 6  # turns of the loop until a new connection is established, or a closed one is gone


class Nobody:
    """Protocol that ignores every event."""

    def established(self, connection, peer):
        raise AssertionError

    def received(self, connection, peer, payload):
        raise AssertionError

    def gone(self, connection, code):
        pass


async def test_listen_failure_says_whether_host_or_port_is_wrong():
    rng = Random(1)
    callers = Acceptor(Nobody(), Identity(rng.randbytes(32)), rng)
    with pytest.raises(LocalError) as unknown:
        await callers.listen("a..b", 0)
    port = await callers.listen(HERE, 0)
    with pytest.raises(LocalError) as taken:
        await callers.listen(HERE, port)
    await callers.close()
    assert [wrong.value.phrase.key for wrong in (unknown, taken)] == [
        "wrong.listen.unknown",
        "wrong.listen.nobody",
    ]


@pytest.mark.parametrize("turns", range(TURNS))
async def test_caller_arriving_at_shutdown_is_disconnected(turns):
    """After this number of turns the call is not accepted, has no transport yet, or is
    established.
    """
    rng = Random(turns)
    callers = Acceptor(Nobody(), Identity(rng.randbytes(32)), rng)
    with socket.create_connection((HERE, await callers.listen(HERE, 0))) as caller:
        for _ in range(turns):
            await asyncio.sleep(0)
        async with asyncio.timeout(SECONDS):
            await callers.close()
        for _ in range(TURNS):
            await asyncio.sleep(0)
        assert not callers.connections
        assert hung_up(caller)

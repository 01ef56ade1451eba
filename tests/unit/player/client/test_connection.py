"""The socket under a client: a line that has died without a word is noticed by the operating
system, and any byte that comes is heard."""

import asyncio
import socket
import time
from random import Random

import pytest
from websockets.asyncio.server import serve
from websockets.frames import Frame, Opcode

from net.websocket_transport import NULL_LOGGER
from player.client.connection import Connection, connect
from protocol import wire
from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.identity.keys import Identity, JoinLink, fingerprint
from protocol.limits import KEEPALIVE_SECONDS, WATCH_SECONDS
from protocol.session.session import PROLOGUE, Role, Session

OPTIONS = ("TCP_KEEPIDLE", "TCP_KEEPINTVL", "TCP_KEEPCNT", "TCP_USER_TIMEOUT")


class Nobody:
    """Protocol that ignores every event."""

    def established(self, connection, table_key):
        pass

    def received(self, payload):
        pass


async def test_silent_line_is_probed():
    server = await asyncio.start_server(lambda reader, writer: writer.close(), "127.0.0.1", 0)
    async with server:
        link = JoinLink("127.0.0.1", server.sockets[0].getsockname()[1], None)
        rng = Random(1)
        connection = await connect(link, Identity(rng.randbytes(32)), rng, None, Nobody())
        line = connection._transport.get_extra_info("socket")
        assert line.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
        assert line.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE) == KEEPALIVE_SECONDS
        # with another host, half of the time passes in silence and half after the question
        connection.watch()
        asked = [line.getsockopt(socket.IPPROTO_TCP, getattr(socket, name)) for name in OPTIONS]
        assert asked[0] + asked[1] * asked[2] == WATCH_SECONDS and asked[3] == 1000 * WATCH_SECONDS
        await connection.gone


MESSAGE = Frame(Opcode.BINARY, wire.encode_frame(bytes(200))).serialize(mask=False)


@pytest.mark.parametrize(
    ("said", "heard"),
    [
        (MESSAGE, True),
        # over a slow line a message takes longer than anybody waits for a word
        (MESSAGE[:100], True),
        (b"", False),
    ],
    ids=["whole", "part", "nothing"],
)
async def test_websocket_data_received_while_asleep_is_heard(said, heard):
    here = asyncio.get_running_loop().create_future()

    async def door(line):
        here.set_result(line)
        await line.wait_closed()

    async with serve(door, "127.0.0.1", 0, logger=NULL_LOGGER, compression=None) as server:
        rng = Random(1)
        key = Identity(rng.randbytes(32))
        link = JoinLink(
            "127.0.0.1",
            server.sockets[0].getsockname()[1],
            fingerprint(key.public),
            web_scheme="ws",
            path="/",
        )
        connection = await connect(link, key, rng, None, Nobody())
        line = await here
        slept = asyncio.get_running_loop().time()
        line.transport.write(said)
        time.sleep(0.2)  # as a program that is stopped, or busy
        for _ in range(3):
            await asyncio.sleep(0)  # the loop looks at sockets and timers
        assert (connection.heard > slept) is heard
        line.transport.abort()
        await connection.gone


async def _write_before_reading(connection):
    """Write one message in each of 50 turns of the loop, and read only then."""
    connection._transport.pause_reading()
    for _ in range(50):
        connection.send(b"more")
        await asyncio.sleep(0)
    if not connection.gone.done():
        connection._transport.resume_reading()


class Established(Nobody):
    """A peer that tells when the session is established."""

    def __init__(self):
        self.ready = asyncio.Event()

    def established(self, connection, table_key):
        self.ready.set()


class Refusing(Nobody):
    """A peer that refuses a message."""

    def received(self, payload):
        raise RemoteError(Code.BAD_TRADE)


async def test_close_record_reaches_a_peer_that_still_writes():
    rng = Random(1)
    keys = [Identity(rng.randbytes(32)) for _ in range(2)]
    loop = asyncio.get_running_loop()
    callers = []
    listener = Established()

    def answer():
        session = Session(Role.TABLE, keys[0], rng.randbytes(32), rng, None, PROLOGUE)
        callers.append(Connection(session, listener, calling=False))
        return callers[0]

    server = await loop.create_server(answer, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        link = JoinLink("127.0.0.1", port, fingerprint(keys[0].public))
        refusing = await connect(link, keys[1], rng, None, Refusing())
        async with asyncio.timeout(10):
            await listener.ready.wait()
            await _write_before_reading(callers[0])
            assert await refusing.gone is Code.BAD_TRADE
            assert await callers[0].gone is Code.BAD_TRADE

"""The socket under a client: a line that has died without a word is noticed by the operating system."""

import asyncio
import socket
from random import Random

from player.connection import connect
from protocol.identity.keys import Identity, JoinLink
from protocol.limits import KEEPALIVE_SECONDS, WATCH_SECONDS

OPTIONS = ("TCP_KEEPIDLE", "TCP_KEEPINTVL", "TCP_KEEPCNT", "TCP_USER_TIMEOUT")


class Nobody:
    """Hears nothing."""

    def established(self, connection, table_key):
        pass

    def received(self, payload):
        pass


async def test_a_silent_line_is_asked_whether_it_still_stands():
    server = await asyncio.start_server(lambda reader, writer: writer.close(), "127.0.0.1", 0)
    async with server:
        link = JoinLink("127.0.0.1", server.sockets[0].getsockname()[1], None)
        rng = Random(1)
        connection = await connect(link, Identity(rng.randbytes(32)), rng, None, Nobody())
        line = connection._transport.get_extra_info("socket")
        assert line.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
        assert line.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE) == KEEPALIVE_SECONDS
        connection.watch()  # there is another host: half of the time in silence, and as long for what is asked then
        asked = [line.getsockopt(socket.IPPROTO_TCP, getattr(socket, name)) for name in OPTIONS]
        assert asked[0] + asked[1] * asked[2] == WATCH_SECONDS and asked[3] == 1000 * WATCH_SECONDS
        await connection.gone

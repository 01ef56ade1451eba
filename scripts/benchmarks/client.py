"""Bare client for measurements: session and messages, but no player."""

import asyncio
import secrets
import socket
from random import Random

from protocol.identity.keys import Identity, JoinLink
from protocol.messages import table as messages
from protocol.messages.table import MESSAGES, Message
from protocol.session.session import MessageReceived, PeerAuthenticated, Role, Session
from protocol.wire import decode


class Client:
    """A connection to a table after the greeting."""

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        session: Session,
        identity: Identity,
    ) -> None:
        self.reader = reader
        self.writer = writer
        self.session = session
        self.identity = identity
        self._inbox: list[Message] = []

    async def expect(self, name: str) -> Message:
        """Return the next message with this name. Drop others before it."""
        while True:
            while self._inbox:
                message = self._inbox.pop(0)
                if message.name == name:
                    return message
            await self._read()

    def send(self, name: str, *values: object) -> None:
        """Send a message."""
        self.writer.write(self.session.send(messages.encode(name, *values)))

    def close(self) -> None:
        """Drop the connection."""
        self.writer.close()

    async def _read(self) -> None:
        data = await self.reader.read(65536)
        if not data:
            raise ConnectionError("the table closed the connection")
        for event in self.session.receive(data):
            if isinstance(event, MessageReceived):
                name, *values = decode(event.payload)
                assert name in MESSAGES
                self._inbox.append(Message(name, values))
            elif not isinstance(event, PeerAuthenticated):
                raise ConnectionError("the table closed the session")
        self.writer.write(self.session.take_handshake_bytes())


async def connect(
    link: JoinLink,
    name: str,
    address: str = "127.0.0.1",
    takes: int | None = None,
    identity: Identity | None = None,
) -> Client:
    """Connect and greet, from one address of this machine, with a new identity if none is given.
    `takes` is the size of the socket's receive buffer in bytes.
    """
    rng: Random = secrets.SystemRandom()
    line = socket.socket()
    if takes is not None:
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, takes)
    # the event loop sets this option only on its own sockets
    line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    line.bind((address, 0))
    line.setblocking(False)
    await asyncio.get_running_loop().sock_connect(line, (link.host, link.port))
    reader, writer = await asyncio.open_connection(sock=line)
    identity = identity or Identity(rng.randbytes(32))
    session = Session(Role.PLAYER, identity, rng.randbytes(32), rng, link.fingerprint)
    client = Client(reader, writer, session, identity)
    writer.write(session.start())
    while not session.writable:
        await client._read()
    client.send("hello", messages.VERSION, name)
    await client.expect("welcome")
    return client

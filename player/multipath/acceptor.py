"""Connections that come to a player who waits for somebody: listened for, counted, and heard one by
one.
"""

import asyncio
from collections.abc import Container
from functools import partial
from random import Random
from typing import Protocol

from net.addresses import resolve
from net.listener import Listener
from player.client.connection import Connection
from protocol.codes import Code
from protocol.errors import LocalError
from protocol.identity.keys import Identity
from protocol.limits import MAX_GUESTS
from protocol.session.session import LINE_PROLOGUE, Role, Session


class AcceptorListener(Protocol):
    """The user of incoming connections; `received` may raise `RemoteError`, which ends that
    connection.
    """

    def established(self, connection: Connection, peer: bytes) -> None:
        """Take a caller who has proven this key."""

    def received(self, connection: Connection, peer: bytes, payload: bytes) -> None:
        """A message of theirs."""

    def gone(self, connection: Connection, code: Code | None) -> None:
        """They are not there any more, for this reason."""


class Acceptor:
    """The incoming connections. To be made in a running loop."""

    def __init__(self, user: AcceptorListener, identity: Identity, rng: Random) -> None:
        self._user = user
        self._identity = identity
        self._rng = rng
        self.connections: set[Connection] = set()
        # by an error of our own
        self.failed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._listeners: list[Listener] = []
        self._closed = False

    async def listen(self, host: str, port: int) -> int:
        """Let them come, there too; the port. Raises: LocalError."""
        address = await resolve(host, port)
        try:
            listener = Listener(*address, self._turn_away, self._knock)
        except OSError:
            raise LocalError("wrong.listen.nobody", host=host, port=port) from None
        self._listeners.append(listener)
        return int(listener.port)

    def _turn_away(self, _: object) -> bytes | None:
        return None if self._admits() else b""  # closed without a word

    def _admits(self) -> bool:
        return not self._closed and len(self.connections) < MAX_GUESTS

    def _knock(self) -> asyncio.BaseProtocol:
        if not self._admits():  # any more, since it was accepted
            return _Refusal()
        static = self._rng.randbytes(32)
        session = Session(Role.TABLE, self._identity, static, self._rng, prologue=LINE_PROLOGUE)
        connection = Connection(session, _Visitor(self._user), calling=False)
        self.connections.add(connection)
        connection.gone.add_done_callback(partial(self._gone, connection))
        return connection

    def _gone(self, connection: Connection, gone: "asyncio.Future[Code | None]") -> None:
        self.connections.discard(connection)
        error = gone.exception()
        if error is None:
            self._user.gone(connection, gone.result())
        elif not self.failed.done():
            self.failed.set_exception(error)

    async def close(self, but: Container[Connection] = ()) -> None:
        """Listen no more, and hang up on everybody but these, whom somebody else hangs up on."""
        self._closed = True
        for listener in self._listeners:
            listener.close()
        ending = [connection for connection in self.connections if connection not in but]
        for connection in ending:
            connection.close(Code.CLOSING)
        if ending:
            await asyncio.wait([connection.gone for connection in ending])


class _Visitor:
    """Listens to one connection."""

    def __init__(self, user: AcceptorListener) -> None:
        self._user = user
        self._who: tuple[Connection, bytes] | None = None

    def established(self, connection: Connection, table_key: bytes) -> None:
        self._who = connection, table_key
        self._user.established(connection, table_key)

    def received(self, payload: bytes) -> None:
        assert self._who is not None
        self._user.received(*self._who, payload)


class _Refusal(asyncio.Protocol):
    """The answer to a caller that is one too many, or too late."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        transport.abort()

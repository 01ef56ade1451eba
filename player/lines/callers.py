"""Connections that come to a player who waits for somebody: listened for, counted, and heard one by one."""

import asyncio
from collections.abc import Callable
from functools import partial
from random import Random
from typing import Protocol

from player.connection import Connection
from protocol.codes import Code
from protocol.errors import LocalError
from protocol.identity.keys import Identity
from protocol.limits import MAX_GUESTS
from protocol.session.session import Role, Session


class Doorkeeper(Protocol):
    """Who is told of connections; `received` may raise `RemoteError`, which ends that one."""

    def established(self, connection: Connection, peer: bytes) -> None:
        """Somebody is there, and has proven this key."""

    def received(self, connection: Connection, peer: bytes, payload: bytes) -> None:
        """A message of theirs."""

    def gone(self, connection: Connection, code: Code | None) -> None:
        """They are not there any more, for this reason."""


class Callers:
    """Those who are there. To be made in a running loop."""

    def __init__(self, keeper: Doorkeeper, identity: Identity, rng: Random) -> None:
        self._keeper, self._identity, self._rng = keeper, identity, rng
        self.connections: set[Connection] = set()
        self.failed: asyncio.Future[None] = asyncio.get_running_loop().create_future()  # by an error of our own

    async def listen(self, host: str, port: int) -> asyncio.Server:
        """Let them come. Raises: LocalError."""
        try:
            return await asyncio.get_running_loop().create_server(self._knock, host, port)
        except (OSError, UnicodeError):
            raise LocalError("wrong.listen.nobody", host=host, port=port) from None

    def _knock(self) -> asyncio.BaseProtocol:
        if len(self.connections) >= MAX_GUESTS:
            return _Refusal()
        session = Session(Role.TABLE, self._identity, self._rng.randbytes(32), self._rng)
        connection = Connection(session, _Visitor(self._keeper), calling=False)
        self.connections.add(connection)
        connection.gone.add_done_callback(partial(self._gone, connection))
        return connection

    def _gone(self, connection: Connection, gone: "asyncio.Future[Code | None]") -> None:
        self.connections.discard(connection)
        error = gone.exception()
        if error is None:
            self._keeper.gone(connection, gone.result())
        elif not self.failed.done():
            self.failed.set_exception(error)

    async def close(self, reason: Callable[[Connection], Code | None]) -> None:
        """Hang up everywhere, each for its reason."""
        for connection in list(self.connections):
            connection.close(reason(connection))
        if self.connections:
            await asyncio.wait({connection.gone for connection in self.connections})


class _Visitor:
    """Listens to one connection."""

    def __init__(self, keeper: Doorkeeper) -> None:
        self._keeper = keeper
        self._who: tuple[Connection, bytes] | None = None

    def established(self, connection: Connection, table_key: bytes) -> None:
        self._who = connection, table_key
        self._keeper.established(connection, table_key)

    def received(self, payload: bytes) -> None:
        assert self._who is not None
        self._keeper.received(*self._who, payload)


class _Refusal(asyncio.Protocol):
    """One too many."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        transport.abort()

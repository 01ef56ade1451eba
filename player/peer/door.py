"""The host's side of the connections: listens for the one other player, and for nobody else."""

import asyncio
from functools import partial
from random import Random

from player.connection import Connection
from player.peer.client import PeerClient
from player.peer.match import GUEST, PeerMatch
from protocol.codes import Code
from protocol.errors import LocalError
from protocol.identity.keys import Identity
from protocol.limits import MAX_GUESTS
from protocol.messages.parcel import encode_parcel
from protocol.session.session import Role, Session

ANSWER_SECONDS = 10.0  # for an invitation to be accepted, which programs do; who says nothing must not hold the door
GOODBYE_SECONDS = 20  # for the other side to come back and say that it has the end of the match


class Door:
    """Connections that come. The newest of the player who has the seat is the one that counts."""

    def __init__(self, client: PeerClient, match: PeerMatch, identity: Identity, rng: Random) -> None:
        self._client, self._match, self._identity, self._rng = client, match, identity, rng
        self._connections: set[Connection] = set()
        self._own: Connection | None = None  # of the player who has the seat, or would have it
        self.failed: asyncio.Future[None] = asyncio.get_running_loop().create_future()  # by an error of our own

    async def open(self, host: str, port: int) -> asyncio.Server:
        """Listen. Raises: LocalError."""
        try:
            return await asyncio.get_running_loop().create_server(self._knock, host, port)
        except (OSError, UnicodeError):
            raise LocalError("wrong.listen.nobody", host=host, port=port) from None

    def _knock(self) -> asyncio.BaseProtocol:
        if len(self._connections) >= MAX_GUESTS:
            return _Refusal()
        session = Session(Role.TABLE, self._identity, self._rng.randbytes(32), self._rng)
        connection = Connection(session, _Visitor(self), calling=False)
        self._connections.add(connection)
        connection.gone.add_done_callback(partial(self._gone, connection))
        return connection

    def established(self, connection: Connection, peer: bytes) -> None:
        """Somebody is there: invited if nobody has the seat yet, taken in if it is who has it, else sent away."""
        if self._match.reader is None:
            connection.send(encode_parcel(self._match.invitation))
            asyncio.get_running_loop().call_later(ANSWER_SECONDS, self._no_answer, connection)
        elif self._match.reader.log.setup.people[GUEST].identity != peer:
            connection.close(Code.TABLE_FULL)
        else:
            self._take_in(connection, peer)

    def _no_answer(self, connection: Connection) -> None:
        if connection in self._connections and connection is not self._own:
            connection.close(Code.TOO_SLOW)

    def _take_in(self, connection: Connection, peer: bytes) -> None:
        before, self._own = self._own, connection
        if before is not None:
            before.close(Code.TAKEN_OVER)
        self._client.attach(connection.send, peer)

    def received(self, connection: Connection, peer: bytes, payload: bytes) -> None:
        """A message. While the seat is free, the first to accept has it."""
        if self._match.reader is None:
            self._take_in(connection, peer)
            self._client.received(payload)
            for other in self._connections - {connection}:
                other.close(Code.TABLE_FULL)
        elif connection is self._own:
            self._client.received(payload)

    def _gone(self, connection: Connection, gone: "asyncio.Future[Code | None]") -> None:
        self._connections.discard(connection)
        error = gone.exception()
        if error is not None and not self.failed.done():
            self.failed.set_exception(error)
        elif connection is self._own:
            self._own = None
            code = gone.result()
            self._client.detached(code if self._match.settled or code is Code.GAP else Code.CUT_OFF)

    async def close(self) -> None:
        """Hang up everywhere."""
        for connection in list(self._connections):
            connection.close(self._client.complaint if connection is self._own else Code.CLOSING)
        if self._connections:
            await asyncio.wait({connection.gone for connection in self._connections})


class _Visitor:
    """Listens to one connection."""

    def __init__(self, door: Door) -> None:
        self._door = door
        self._who: tuple[Connection, bytes] | None = None

    def established(self, connection: Connection, table_key: bytes) -> None:
        self._who = connection, table_key
        self._door.established(connection, table_key)

    def received(self, payload: bytes) -> None:
        assert self._who is not None
        self._door.received(*self._who, payload)


class _Refusal(asyncio.Protocol):
    """One too many."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        transport.abort()

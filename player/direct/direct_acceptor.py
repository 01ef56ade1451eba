"""The acceptor of a match without a table, for the one other player only."""

import asyncio

from player.client.connection import Connection
from player.client.environment import Environment
from player.direct.direct_client import DirectClient
from player.direct.direct_match import GUEST
from player.multipath.acceptor import Acceptor
from player.multipath.transports import LineTransports, kind_of
from protocol.codes import Code
from protocol.messages.parcel import encode_parcel

# for an invitation to be accepted, which programs do; who says nothing must not hold the door
ANSWER_SECONDS = 10.0
GOODBYE_SECONDS = 20  # for the other side to come back and say that it has the end of the match


class DirectAcceptor:
    """Connections that come. Once somebody has the seat, those of that player are lines; all others
    are sent away.
    """

    def __init__(
        self, client: DirectClient, transports: LineTransports, environment: Environment
    ) -> None:
        self._client = client
        self._transports = transports
        self._callers = Acceptor(self, environment.identity, environment.rng)
        self._lines: set[Connection] = set()
        self.failed = self._callers.failed

    async def open(self, host: str, port: int) -> int:
        """Listen, there too; the port. Raises: LocalError."""
        return await self._callers.listen(host, port)

    def established(self, connection: Connection, peer: bytes) -> None:
        """Take a caller: offer the invitation if nobody has the seat yet, take the line if the
        caller has the seat, and send away anybody else.
        """
        match = self._client.playing
        # we have not sat down ourselves
        if match is None or (match.reader is None and match.own == GUEST):
            connection.close(Code.CLOSING)
        elif match.reader is None:
            connection.send(encode_parcel(match.invitation))
            asyncio.get_running_loop().call_later(ANSWER_SECONDS, self._no_answer, connection)
        elif match.partner != peer:
            connection.close(Code.TABLE_FULL)
        else:
            self._take_in(connection, peer)

    def _no_answer(self, connection: Connection) -> None:
        if connection in self._strangers:
            connection.close(Code.TOO_SLOW)

    @property
    def _strangers(self) -> set[Connection]:
        return self._callers.connections - self._lines

    def _take_in(self, connection: Connection, peer: bytes) -> None:
        self._lines.add(connection)
        self._transports.adopt(connection, kind_of(connection.remote), peer)

    def received(self, connection: Connection, peer: bytes, payload: bytes) -> None:
        """A message. While the seat is free, the first to accept has it."""
        match = self._client.playing
        if connection in self._lines:
            self._transports.received(connection, payload)
        elif match is not None and match.reader is None:
            self._accepted(connection, peer, payload)

    def _accepted(self, connection: Connection, peer: bytes, payload: bytes) -> None:
        """Raises: RemoteError for what does not begin the match; who sent it had no claim to it."""
        self._client.answered(peer, payload)
        self._take_in(connection, peer)
        for other in self._strangers:
            other.close(Code.TABLE_FULL)

    def gone(self, connection: Connection, code: Code | None) -> None:
        """A connection has ended; what that means for the match, the lines know."""
        self._lines.discard(connection)

    async def close(self) -> None:
        """Listen no more, and hang up on all callers that are no line."""
        await self._callers.close(but=self._lines)

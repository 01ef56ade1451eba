"""One connection of a table to a directory: challenge, report, answer."""

import asyncio
from typing import Protocol, cast

from protocol import wire
from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.limits import MAX_DIRECTORY_MESSAGE, REPORT_SECONDS
from protocol.messages.directory import (
    Challenge,
    DirectoryMessage,
    Refused,
    Report,
    decode,
    encode,
)
from table.net.addresses import address_of, counted_address


class ConnectionOwner(Protocol):
    """Owner of all connections of a directory, which answers them."""

    public: bytes
    seconds: float  # for a whole connection

    def nonce(self) -> bytes:
        """Return random bytes for one connection."""

    def enter(self, connection: "DirectoryConnection") -> bool:
        """Count a connection; False if there is no place."""

    def answer(self, connection: "DirectoryConnection", report: Report) -> DirectoryMessage:
        """Return the answer to a report."""

    def forget(self, connection: "DirectoryConnection") -> None:
        """Forget a connection whose socket is closed. Called once for each connection that has
        entered.
        """


class DirectoryConnection(asyncio.Protocol):
    """One connection, for one report."""

    def __init__(self, owner: ConnectionOwner) -> None:
        self._owner = owner
        self._frames = wire.FrameDecoder(MAX_DIRECTORY_MESSAGE)
        self._entered = False
        self._timer: asyncio.TimerHandle | None = None
        self.address = ""  # as connections are counted
        self.host = ""
        self.nonce = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Send the challenge to a table that has connected."""
        self._transport = cast(asyncio.Transport, transport)
        peer = transport.get_extra_info("peername")
        if peer is None:  # gone already
            self._transport.abort()
            return
        self.address = counted_address(peer)
        self.host = str(address_of(peer))
        self._entered = self._owner.enter(self)
        if not self._entered:
            self._transport.abort()
            return
        loop = asyncio.get_running_loop()
        self._timer = loop.call_later(self._owner.seconds, self.abort)
        self.nonce = self._owner.nonce()
        self._transport.write(encode(Challenge(self.nonce, self._owner.public, self.host)))

    def data_received(self, data: bytes) -> None:
        """Read a report, and answer it. What follows it is ignored."""
        try:
            payload = next(self._frames.feed(data), None)
            if payload is None:
                return
            message = decode(payload)
            if not isinstance(message, Report):
                raise RemoteError(Code.BAD_MESSAGE)
            self._answer(self._owner.answer(self, message))
        except RemoteError as error:
            self._answer(Refused(error.code, REPORT_SECONDS))

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the timer, and tell the owner."""
        if self._timer is not None:
            self._timer.cancel()
        if self._entered:
            self._owner.forget(self)

    def abort(self) -> None:
        """Drop the connection."""
        self._transport.abort()

    def _answer(self, message: DirectoryMessage) -> None:
        self._transport.write(encode(message))
        self._transport.close()

"""A connection to the program under test: a session that carries parcels (19.5)."""

import asyncio
import contextlib
from collections.abc import Sequence

from conformance.case import CaseFailed
from conformance.trace import LineTrace
from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.limits import MAX_MESSAGE, READ_CHUNK
from protocol.messages.lines import HEADS
from protocol.messages.parcel import (
    EntriesParcel,
    Parcel,
    decode_parcel,
    encode_parcel,
    split_entries,
)
from protocol.session.session import MessageReceived, Role, Session, SessionClosed


class DirectConnection:
    """A connection. Its methods raise `CaseFailed` if the program breaks the specification."""

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        session: Session,
        trace: LineTrace,
    ) -> None:
        self.trace = trace
        self._reader = reader
        self._writer = writer
        self._arrived: asyncio.Queue[bytes] = asyncio.Queue()
        self._pumping = asyncio.create_task(self._pump())
        self.session = session
        self._role = Role.PLAYER  # the kit's in the session
        self._inbox: list[MessageReceived | SessionClosed] = []
        self.peer = b""  # the program's identity
        self.code: Code | None = None  # the code in the program's close record
        self.closed = False  # whether the program sent a close record

    async def open(self, role: Role) -> "DirectConnection":
        """Complete the handshake. Raises: CaseFailed."""
        self._role = role
        if role is Role.PLAYER:
            self._write(self.session.start())
        while not self.session.writable:
            if not await self._read():
                raise CaseFailed("the program ended the handshake")
            self._write(self.session.take_handshake_bytes())
        return self

    def _write(self, data: bytes) -> None:
        self.trace.sent(data)
        self._writer.write(data)

    async def _pump(self) -> None:
        """Read as the bytes come. A reset of the connection would take those that nobody has read
        yet, and the close record with them.
        """
        data = b"?"
        while data:
            try:
                data = await self._reader.read(READ_CHUNK)
            except ConnectionError:
                data = b""
            self._arrived.put_nowait(data)

    async def _read(self) -> bool:
        """Read the next bytes; return False at the end of the stream."""
        data = await self._arrived.get()
        if not data:
            self._arrived.put_nowait(b"")
        self.trace.received(data)
        try:
            for event in self.session.receive(data):
                if isinstance(event, MessageReceived):
                    self.trace.opened(event.payload)
                    self._inbox.append(event)
                elif isinstance(event, SessionClosed):
                    self.trace.closed(event.code)
                    self._inbox.append(event)
                else:
                    self.trace.handshake_done(1 if self._role is Role.PLAYER else 2)
                    self.peer = event.peer
        except RemoteError as error:
            raise CaseFailed(f"the program broke the session: {error.code}") from None
        return bool(data)

    async def send(self, *parcels: Parcel) -> None:
        """Send parcels, split into messages of allowed length."""
        for parcel in parcels:
            parts: Sequence[Parcel] = (
                [*split_entries(parcel, MAX_MESSAGE)]
                if isinstance(parcel, EntriesParcel)
                else [parcel]
            )
            for part in parts:
                await self.send_bytes(encode_parcel(part))

    async def send_bytes(self, payload: bytes) -> None:
        """Send a message with any payload; do nothing if the program has ended the session."""
        if not self.session.writable:
            return
        with contextlib.suppress(ConnectionError):
            self._write(self.trace.sealed(payload, self.session.send(payload)))
            await self._writer.drain()

    async def receive(self) -> Parcel | None:
        """Return the next parcel, without messages about lines; None when the program has ended the
        connection (see `code`).
        """
        event = await self._next()
        if event is None:
            return None
        if isinstance(event, SessionClosed):
            self.closed = True
            self.code = event.code
            return None
        try:
            return decode_parcel(event.payload)
        except RemoteError as error:
            raise CaseFailed(f"the program sends what is no parcel: {error.code}") from None

    async def receive_bytes(self) -> bytes | None:
        """Return the next payload, whatever it is; None when the program has ended the
        connection.
        """
        while not self._inbox:
            if not await self._read():
                return None
        event = self._inbox.pop(0)
        if isinstance(event, SessionClosed):
            self.closed = True
            self.code = event.code
            return None
        return event.payload

    async def _next(self) -> MessageReceived | SessionClosed | None:
        while True:
            while not self._inbox:
                if not await self._read():
                    return None
            event = self._inbox.pop(0)
            if isinstance(event, SessionClosed) or not event.payload.startswith(HEADS):
                return event

    async def close(self, code: Code | None = None) -> None:
        """Send a close record, and hang up."""
        with contextlib.suppress(ConnectionError):
            self.trace.note(f"sent a close record with {code or 'no code'}")
            self._writer.write(self.session.close(code))
            self._writer.close()
            await self._writer.wait_closed()

    def cut(self) -> None:
        """Cut the connection, as a broken line does."""
        self._pumping.cancel()
        self._writer.transport.abort()

"""The table's end of the player's connection: bytes, frames, handshake and records, all of which
can be false.
"""

import asyncio
from collections.abc import Callable
from random import Random

from conformance.case import CaseFailed
from conformance.player.lines import Line
from conformance.trace import LineTrace
from protocol import wire
from protocol.codes import Code
from protocol.crypto.primitives.x25519 import public_key
from protocol.errors import LocalError, RemoteError
from protocol.identity.keys import Identity, verify
from protocol.limits import MAX_FRAME, MAX_HANDSHAKE_FRAME
from protocol.messages import table as messages
from protocol.messages.table import ConnectionPhase, Message, Sender
from protocol.session.noise import CipherState, Handshake
from protocol.session.session import CLOSE, MESSAGE, PROLOGUE, Role
from protocol.session.ticket import Ticket, ticket_payload

HandshakeReply = Callable[
    ["TableConnection"], bytes
]  # returns the bytes of the table's handshake message


class ConnectionEnded(Exception):
    """The player has ended the connection."""


class TableConnection:
    """One connection of the player."""

    def __init__(self, identity: Identity, rng: Random, line: Line, trace: LineTrace) -> None:
        self.identity = identity
        self.trace = trace
        self._line = line
        self.secret = rng.randbytes(32)
        self.static = public_key(self.secret)
        self.noise = Handshake(initiator=False, prologue=PROLOGUE, static=self.secret, rng=rng)
        self.peer = b""  # the player's identity, once proved
        self.phase = self.phase_before = ConnectionPhase.GREETING
        self.heard: list[Message] = []
        self.answered = False  # whether the player has answered the table's handshake message
        self.first = b""  # the player's first handshake message
        self.tickets: list[Ticket] = []  # that the player may show
        self.shown: Ticket | None = None  # the one that it shows
        self.last = b""  # the player's newest record
        self.closed = False  # whether the player sent a close record
        self.code: Code | None = None  # the code in the close record
        self.ended = asyncio.Event()
        self.fed = 0  # number of the next entry to send
        self.port = line.port  # the local port of this connection
        self.is_first = True  # whether the player has made no connection before
        self.split = False  # whether to send parts of frames
        self._frames = wire.FrameDecoder(MAX_HANDSHAKE_FRAME)
        self._arrived: asyncio.Queue[bytes] = asyncio.Queue()
        self.pumping = asyncio.create_task(self.pump())
        self._sender: CipherState | None = None
        self._receiver: CipherState | None = None

    # --- bytes ---

    @property
    def refused(self) -> bool:
        """Check that the player has closed its WebSocket because of a message that is no frame."""
        return self._line.refused

    async def write(self, data: bytes) -> None:
        """Send bytes; do nothing if the player is gone."""
        self.trace.sent(data)
        await self._line.send(data, split=self.split)

    async def pump(self) -> None:
        """Read from the player until it hangs up. The last bytes before its answer to a close are
        also read.
        """
        data = b"?"
        while data:
            data = await self._line.receive()
            self.trace.received(data)
            self._arrived.put_nowait(data)

    def abort(self) -> None:
        """Cut the connection."""
        self._line.abort()
        self.close()

    def close(self) -> None:
        """Hang up."""
        self.pumping.cancel()
        self._line.close()
        self._arrived.put_nowait(b"")

    async def frame(self) -> bytes:
        """Return the player's next frame. Raises: ConnectionEnded, CaseFailed."""
        try:
            while (frame := self._frames.next_payload()) is None:
                data = await self._arrived.get()
                if self._line.fault:
                    raise CaseFailed(self._line.fault)
                if not data:
                    raise ConnectionEnded
                self._frames.feed(data)
        except RemoteError as error:
            raise CaseFailed(f"the player sent a frame that is wrong ({error.code})") from None
        return frame

    # --- session ---

    def check_shown(self, payload: bytes) -> None:
        """Check the payload of the player's first message: a ticket that it has, or nothing."""
        ephemeral = self.noise.remote_ephemeral or b""
        for ticket in self.tickets:
            if payload == ticket_payload(ticket, ephemeral):
                self.shown = ticket
        if payload and self.shown is None:
            raise CaseFailed("the player's first handshake message carries a payload")

    async def handshake(self, second: HandshakeReply | None = None) -> None:
        """Act as the table in a handshake; `second` makes the table's bytes. Raises:
        ConnectionEnded, CaseFailed.
        """
        self.first = await self.frame()  # for cases that send this frame back
        self.check_shown(self.noise.read(self.first))
        await self.write(
            second(self) if second else wire.encode_frame(self.noise.write(self.credential()))
        )
        before = self.noise.hash
        third = await self.frame()
        self.answered = True
        try:
            payload = wire.decode(self.noise.read(third))
            self.peer, signature = payload
            assert self.noise.remote_static is not None
            verify(self.peer, signature, Role.PLAYER.value, self.noise.remote_static, before)
        except (RemoteError, LocalError, ValueError, TypeError):
            raise CaseFailed("the player's third handshake message is wrong") from None
        self.trace.handshake_done(2)
        self._sender, self._receiver = self.noise.split()
        self._frames.limit = MAX_FRAME

    def credential(
        self,
        label: str = Role.TABLE.value,
        signer: Identity | None = None,
        static: bytes | None = None,
        hashed: bytes | None = None,
    ) -> bytes:
        """Return the table's credential in this handshake, or a wrong one."""
        who = signer or self.identity
        return wire.encode(
            [who.public, who.sign(label, static or self.static, hashed or self.noise.hash)]
        )

    def record(self, payload: bytes, kind: bytes = MESSAGE) -> bytes:
        """Return the next record's frame."""
        assert self._sender is not None
        frame = wire.encode_frame(self._sender.encrypt(kind + payload))
        if kind != MESSAGE:
            self.trace.note(f"made a record of type 0x{kind.hex()} with 0x{payload.hex()}")
            return frame
        return self.trace.sealed(payload, frame)

    async def receive(self) -> Message:
        """Return the player's next message. Raises: ConnectionEnded when the player is gone;
        CaseFailed for a message that no player may send.
        """
        assert self._receiver is not None
        try:
            self.last = await self.frame()
            plaintext = self._receiver.decrypt(self.last)
        except RemoteError:
            raise CaseFailed("the player sent a record that does not open") from None
        kind = plaintext[:1]
        body = plaintext[1:]
        if kind == CLOSE:
            self._closed_with(body)
            self.trace.closed(self.code)
            raise ConnectionEnded
        self.trace.opened(body)
        if kind != MESSAGE:
            raise CaseFailed("the player sent a record of unknown type")
        message = self._decoded(body)
        self.heard.append(message)
        return message

    def _closed_with(self, body: bytes) -> None:
        self.closed = True
        try:
            self.code = Code(body.decode()) if body else None
        except ValueError:
            raise CaseFailed("the player closed with a code that does not exist") from None

    def _decoded(self, body: bytes) -> Message:
        """Decode a message of this phase or of the phase before: messages of both sides may have
        crossed.
        """
        for phase in (self.phase, self.phase_before):
            try:
                return messages.decode(body, Sender.PLAYER, phase)
            except RemoteError as error:
                code = error.code
        raise CaseFailed(f"the player sent a message that is wrong in this phase ({code})")

    # --- messages ---

    async def say(self, name: str, *values: object) -> None:
        """Send a message."""
        await self.say_payload(messages.encode(name, *values))

    async def say_payload(self, payload: bytes) -> None:
        """Send a record with any payload."""
        await self.write(self.record(payload))

    async def say_close(self, code: Code | None = None) -> None:
        """Send a close record."""
        await self.write(self.record((code or "").encode(), CLOSE))

    def go(self, phase: ConnectionPhase) -> None:
        """Set the player's phase."""
        self.phase_before = self.phase
        self.phase = phase

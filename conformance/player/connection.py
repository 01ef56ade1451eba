"""The player's connection as the table has it: bytes, frames, the handshake and the records, all of
which can lie.
"""

import asyncio
import contextlib
import socket
import struct
from collections.abc import Callable
from random import Random

from conformance.case import CaseFailed
from protocol import wire
from protocol.codes import Code
from protocol.crypto.primitives.x25519 import public_key
from protocol.errors import LocalError, RemoteError
from protocol.identity.keys import Identity, verify
from protocol.limits import MAX_FRAME, MAX_HANDSHAKE_FRAME, READ_CHUNK
from protocol.messages import table as messages
from protocol.messages.table import ConnectionPhase, Message, Sender
from protocol.session.noise import CipherState, Handshake
from protocol.session.session import CLOSE, MESSAGE, PROLOGUE, Role

HandshakeReply = Callable[
    ["TableConnection"], bytes
]  # makes the bytes of the table's side of the handshake


class ConnectionEnded(Exception):
    """The player has ended the connection."""


class TableConnection:
    """One connection that the player has made."""

    def __init__(self, identity: Identity, rng: Random, connection: socket.socket) -> None:
        self.identity, self._socket = identity, connection
        self.secret = rng.randbytes(32)
        self.static = public_key(self.secret)
        self.noise = Handshake(initiator=False, prologue=PROLOGUE, static=self.secret, rng=rng)
        self.peer = b""  # the player's identity, once it has proved it
        self.phase = self.phase_before = ConnectionPhase.GREETING
        self.heard: list[Message] = []
        self.answered = False  # whether it has answered our handshake message
        self.first = b""  # its own
        self.last = b""  # its newest record
        self.closed = False  # whether the player sent a close record
        self.code: Code | None = None  # and what it said
        self.ended = asyncio.Event()
        self.fed = 0  # the number of the next entry to show
        self.port = connection.getsockname()[1]  # where it was called
        self.is_first = True  # the player's first connection
        self.bytewise = False  # send a byte at a time
        self._frames = wire.FrameDecoder(MAX_HANDSHAKE_FRAME)
        self._arrived: asyncio.Queue[bytes] = asyncio.Queue()
        self.pumping = asyncio.create_task(self.pump())
        self._sender: CipherState | None = None
        self._receiver: CipherState | None = None

    # --- bytes ---

    async def write(self, data: bytes) -> None:
        """Send bytes; nothing happens if the player is gone."""
        loop = asyncio.get_running_loop()
        with contextlib.suppress(OSError):
            for part in [data[at : at + 1] for at in range(len(data))] if self.bytewise else [data]:
                await loop.sock_sendall(self._socket, part)

    async def pump(self) -> None:
        """Take in what the player sends, until it hangs up: also what it said before it closed on
        an answer of ours.
        """
        loop, data = asyncio.get_running_loop(), b"?"
        while data:
            try:
                data = await loop.sock_recv(self._socket, READ_CHUNK)
            except OSError:
                data = b""
            self._arrived.put_nowait(data)

    def abort(self) -> None:
        """Cut the line."""
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close()

    def close(self) -> None:
        """Hang up."""
        self.pumping.cancel()
        self._socket.close()
        self._arrived.put_nowait(b"")

    async def frame(self) -> bytes:
        """The player's next frame. Raises: Ended, Failed."""
        try:
            while (frame := self._frames.next_payload()) is None:
                data = await self._arrived.get()
                if not data:
                    raise ConnectionEnded
                self._frames.feed(data)
        except RemoteError as error:
            raise CaseFailed(f"the player sent a frame that is wrong ({error.code})") from None
        return frame

    # --- session ---

    async def handshake(self, second: HandshakeReply | None = None) -> None:
        """Be the table in a handshake, `second` making our bytes. Raises: Ended, Failed."""
        self.first = await self.frame()  # for cases that send it back
        if self.noise.read(self.first):
            raise CaseFailed("the player's first handshake message carries a payload")
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
        self._sender, self._receiver = self.noise.split()
        self._frames.limit = MAX_FRAME

    def credential(
        self,
        label: str = Role.TABLE.value,
        signer: Identity | None = None,
        static: bytes | None = None,
        hashed: bytes | None = None,
    ) -> bytes:
        """Our credential in this handshake, or one that is wrong."""
        who = signer or self.identity
        return wire.encode(
            [who.public, who.sign(label, static or self.static, hashed or self.noise.hash)]
        )

    def record(self, payload: bytes, kind: bytes = MESSAGE) -> bytes:
        """The next record's frame."""
        assert self._sender is not None
        return wire.encode_frame(self._sender.encrypt(kind + payload))

    async def receive(self) -> Message:
        """The player's next message. Raises: Ended when it is gone; Failed for what a player may
        not send.
        """
        assert self._receiver is not None
        try:
            self.last = await self.frame()
            plaintext = self._receiver.decrypt(self.last)
        except RemoteError:
            raise CaseFailed("the player sent a record that does not open") from None
        kind, body = plaintext[:1], plaintext[1:]
        if kind == CLOSE:
            self._closed_with(body)
            raise ConnectionEnded
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
        """In this phase, or in the one before: they may have crossed."""
        for phase in (self.phase, self.phase_before):
            try:
                return messages.decode(body, Sender.PLAYER, phase)
            except RemoteError as error:
                code = error.code
        raise CaseFailed(f"the player sent a message that is wrong in this phase ({code})")

    # --- messages ---

    async def say(self, name: str, *values: object) -> None:
        """A message."""
        await self.say_payload(messages.encode(name, *values))

    async def say_payload(self, payload: bytes) -> None:
        """A record with anything in it."""
        await self.write(self.record(payload))

    async def say_close(self, code: Code | None = None) -> None:
        """A close record."""
        await self.write(self.record((code or "").encode(), CLOSE))

    def go(self, phase: ConnectionPhase) -> None:
        """The player is in this phase from now on."""
        self.phase_before, self.phase = self.phase, phase

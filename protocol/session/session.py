"""The session between a player and a table: who is there, and records that nobody between them can
read.

Bytes in, events and bytes out; no socket and no clock. The player speaks first:

    player                                              table
      e                                          ─►
                                                 ◄─     e, ee, s, es, [identity, signature]
      s, se, [identity, signature]               ─►
      records                                    ◄─►    records

Handshake: Noise XX (`protocol.session.noise`) with the prologue "fairdeal/1". Its static keys are
thrown away with the process; who somebody is, says an Ed25519 key that signs the static key and the
handshake hash as it stood before the message, so a signature is good for this one handshake, this
static key and this role only.

Records: one frame each, a Noise transport message of a type byte and a body. A record that does not
open ends the session, so nothing can be dropped, repeated, moved or added in the middle; a close
record marks the end, so nothing can be cut off it unseen.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from protocol import wire
from protocol.codes import Code
from protocol.crypto.hashing import Field
from protocol.crypto.primitives.x25519 import public_key
from protocol.errors import LocalError, RemoteError
from protocol.identity import keys as identities
from protocol.limits import MAX_FRAME, MAX_HANDSHAKE_FRAME, MAX_MESSAGE
from protocol.schema import exactly, fields
from protocol.session.noise import CipherState, Handshake, Rng

PROLOGUE = b"fairdeal/1"
MESSAGE, CLOSE = b"\0", b"\1"  # the types of record

_CREDENTIAL = fields(exactly(identities.KEY_SIZE), exactly(identities.SIGNATURE_SIZE))


class Role(Enum):
    """The side of a session; the value is the label that its identity signs under."""

    PLAYER = "session player"
    TABLE = "session table"

    @property
    def other(self) -> "Role":
        """The side across."""
        return Role.TABLE if self is Role.PLAYER else Role.PLAYER


class SessionSigner(Protocol):
    """Who stands behind a session: an `Identity`, or what has one sign for it."""

    public: bytes

    def sign(self, label: str, *fields: Field) -> bytes:
        """As `Identity.sign`: here the label is `Role.value`, the fields are static key and
        handshake hash.
        """


@dataclass(frozen=True)
class PeerAuthenticated:
    """The other side is who `peer` (an Ed25519 public key) says.

    `binding`: 64 bytes that no other session has, the same on both sides. Not secret: it is a hash
    of what was sent.
    """

    peer: bytes
    binding: bytes


# not frozen: there is one for each message, and to freeze it costs as much as to open it
@dataclass(slots=True)
class MessageReceived:
    """One message of the other side."""

    payload: bytes


@dataclass(frozen=True)
class SessionClosed:
    """The other side ended the session, with the reason it gave (None: it is done)."""

    code: Code | None


SessionEvent = PeerAuthenticated | MessageReceived | SessionClosed


class Session:
    """One side of a session.

    `static` is a fresh X25519 private key (32 bytes) of this process or connection, `rng` makes the
    ephemeral one, and `expected` (a player's only) is the fingerprint that the table's identity
    must have; with None any table is taken, and the caller compares `PeerAuthenticated.peer` with
    what it remembers.
    """

    __slots__ = (
        "__weakref__",
        "_closed",
        "_expected",
        "_frames",
        "_handshake",
        "_identity",
        "_outgoing",
        "_over",
        "_receiver",
        "_role",
        "_sender",
        "_static_public",
    )

    def __init__(
        self,
        role: Role,
        identity: SessionSigner,
        static: bytes,
        rng: Rng,
        expected: str | None = None,
        prologue: bytes = PROLOGUE,
    ) -> None:
        """`prologue`: what both sides know already, and without which no handshake ends; else a
        table's.
        """
        self._role = role
        self._identity = identity
        self._static_public = public_key(static)
        self._expected = expected
        # None once it is over: nothing that is kept can open what was said if the keys of the
        # session are gone
        self._handshake: Handshake | None = Handshake(
            initiator=role is Role.PLAYER, prologue=prologue, static=static, rng=rng
        )
        self._frames = wire.FrameDecoder(MAX_HANDSHAKE_FRAME)
        self._outgoing = bytearray()
        self._sender: CipherState | None = None  # while we may send
        self._receiver: CipherState | None = None
        self._over = False  # nothing more is taken in
        self._closed = False  # we have closed

    @property
    def writable(self) -> bool:
        """Whether `send` may be called: the other side is authenticated, and neither side has
        ended.
        """
        return self._sender is not None and not self._over

    @property
    def over(self) -> bool:
        """Whether the other side has closed, failed or gone: nothing more will come of
        `receive`.
        """
        return self._over

    @property
    def has_partial(self) -> bool:
        """Whether a frame has begun to arrive that `receive` could not yet take."""
        return self._frames.has_partial

    def start(self) -> bytes:
        """The player's first bytes."""
        assert self._handshake is not None
        return wire.encode_frame(self._handshake.write())

    def take_handshake_bytes(self) -> bytes:
        """The handshake bytes that are to be sent now; ask after each `receive`."""
        waiting = bytes(self._outgoing)
        self._outgoing.clear()
        return waiting

    def receive(self, data: bytes) -> Iterator[SessionEvent]:
        """What has happened with these bytes, one event at a time; nothing before
        `PeerAuthenticated`.

        Iterating raises `RemoteError` at the event that is at fault, after those before it were
        given: FRAME_SIZE, BAD_HANDSHAKE, BAD_IDENTITY, WRONG_TABLE_KEY or BAD_RECORD. Then the
        session is over, and `close` still gives the record that says why. Bytes after the end are
        dropped.
        """
        if self._over:
            return iter(())
        return self._events(self._frames.feed(data))

    def send(self, payload: bytes) -> bytes:
        """A message's record with its frame header. At most MAX_MESSAGE bytes; `LocalError` if not
        `writable`.
        """
        if self._over:
            raise LocalError("wrong.ours.ended")
        if len(payload) > MAX_MESSAGE:
            raise LocalError("wrong.ours.message")
        return self._record(MESSAGE + payload)

    def close(self, code: Code | None = None) -> bytes:
        """The record that ends what we send, with a reason (None: we are done).

        Empty when there is nobody to tell it to: not yet established, or closed before.
        """
        if self._sender is None:
            return b""
        record = self._record(CLOSE + (code or "").encode())
        self._sender = None
        self._closed = True
        return record

    def eof(self) -> Code | None:
        """The stream has ended. CUT_OFF if it did so before either side had closed the session or
        failed.
        """
        cut = not (self._over or self._closed)
        self._over = True
        return Code.CUT_OFF if cut else None

    def _events(self, frames: Iterator[bytes]) -> Iterator[SessionEvent]:
        try:
            for message in frames:
                event = (
                    self._open(message)
                    if self._handshake is None
                    else self._step(self._handshake, message)
                )
                if type(event) is SessionClosed:
                    self._over = True
                    yield event
                    return
                if event is not None:
                    yield event
        except RemoteError:
            self._over = True
            raise

    def _record(self, plaintext: bytes) -> bytes:
        if self._sender is None:
            raise LocalError("wrong.ours.closed")
        record = wire.encode_frame(self._sender.encrypt(plaintext))
        # What a caller has not yet fetched of the handshake must go first.
        return self.take_handshake_bytes() + record if self._outgoing else record

    def _open(self, record: bytes) -> SessionEvent:
        assert self._receiver is not None
        plaintext = self._receiver.decrypt(record)
        kind, body = plaintext[:1], plaintext[1:]
        if kind == MESSAGE:
            return MessageReceived(body)
        if kind != CLOSE:
            raise RemoteError(Code.BAD_RECORD)
        try:
            return SessionClosed(Code(body.decode()) if body else None)
        except ValueError:
            raise RemoteError(Code.BAD_RECORD) from None

    def _step(self, handshake: Handshake, message: bytes) -> PeerAuthenticated | None:
        """Take in the other side's next handshake message, and answer it."""
        hash_before = handshake.hash
        payload = handshake.read(message)
        static = handshake.remote_static
        # the player's first message: it says nothing yet, so it must carry nothing
        if static is None:
            if payload:
                raise RemoteError(Code.BAD_HANDSHAKE)
            self._answer(handshake)
            return None
        peer = self._authenticated(payload, static, hash_before)
        if self._role is Role.PLAYER:
            self._answer(handshake)
        self._sender, self._receiver = handshake.split()
        self._handshake = None
        self._frames.limit = MAX_FRAME
        return PeerAuthenticated(peer, handshake.hash)

    def _answer(self, handshake: Handshake) -> None:
        """Write the handshake message in which we say who we are."""
        signature = self._identity.sign(self._role.value, self._static_public, handshake.hash)
        credential = wire.encode([self._identity.public, signature])
        self._outgoing += wire.encode_frame(handshake.write(credential))

    def _authenticated(self, payload: bytes, static: bytes, hash_before: bytes) -> bytes:
        """The identity key that the payload names, once it is known to stand behind this
        handshake.
        """
        try:
            credential = wire.decode(payload)
        except RemoteError:
            raise RemoteError(Code.BAD_HANDSHAKE) from None
        if not _CREDENTIAL(credential):
            raise RemoteError(Code.BAD_HANDSHAKE)
        peer, signature = credential
        try:
            identities.verify(peer, signature, self._role.other.value, static, hash_before)
        except RemoteError:
            raise RemoteError(Code.BAD_IDENTITY) from None
        if self._expected is not None and identities.fingerprint(peer) != self._expected:
            raise RemoteError(Code.WRONG_TABLE_KEY)
        return bytes(peer)

"""The session between a player and a table: authenticates both sides, and encrypts their records.

Bytes in, events and bytes out; no socket and no clock. The player sends first:

    player                                              table
      e                                          ─►
                                                 ◄─     e, ee, s, es, [identity, signature]
      s, se, [identity, signature]               ─►
      records                                    ◄─►    records

Handshake: Noise XX (`protocol.session.noise`) with the prologue "fairdeal/1". The static keys last
only as long as the process. An Ed25519 key identifies each side: it signs the static key and the
handshake hash before the present message. So a signature is valid only for this handshake, this
static key and this role.

Records: one frame each, a Noise transport message of a type byte and a body. A record that cannot
be decrypted ends the session. So no record can be dropped, repeated, moved or inserted in the
middle. A close record marks the end, so a truncated stream is noticed.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Protocol, cast

from protocol import wire
from protocol.codes import Code
from protocol.crypto.hashing import Field
from protocol.crypto.primitives.x25519 import public_key
from protocol.errors import LocalError, RemoteError
from protocol.identity import keys as identities
from protocol.limits import MAX_FRAME, MAX_HANDSHAKE_FRAME, MAX_MESSAGE
from protocol.schema import exactly, fields
from protocol.session.noise import CipherState, Handshake, Rng
from protocol.session.ticket import PAYLOAD, Ticket, TicketShown, read_payload, ticket_payload

PROLOGUE = b"fairdeal/1"
# prologue of a line between two people: nobody can pass on the handshake of a visit to a table
LINE_PROLOGUE = b"fairdeal line/1"
# types of records
MESSAGE = b"\0"
CLOSE = b"\1"

# the only byte of a table's frame to a newcomer that it turns away before the handshake
_TURNED_AWAY = {b"\1": Code.TOO_MANY_HERE, b"\2": Code.TOO_MANY}

_CREDENTIAL = fields(exactly(identities.KEY_SIZE), exactly(identities.SIGNATURE_SIZE))


class Role(Enum):
    """Side of a session; the value is the label for signatures of its identity."""

    PLAYER = "session player"
    TABLE = "session table"

    @property
    def other(self) -> "Role":
        """The opposite side."""
        return Role.TABLE if self is Role.PLAYER else Role.PLAYER


class SessionSigner(Protocol):
    """Signer for one side of a session: an `Identity`, or an object that asks an identity for
    signatures.
    """

    public: bytes

    def sign(self, label: str, *fields: Field) -> bytes:
        """Sign like `Identity.sign`; the label is `Role.value`, the fields are static key and
        handshake hash.
        """


@dataclass(frozen=True)
class PeerAuthenticated:
    """The other side has proved that it has the identity `peer`, an Ed25519 public key.

    `binding`: 64 bytes unique to this session, the same on both sides. They are a hash of the sent
    bytes, and so not secret.
    """

    peer: bytes
    binding: bytes


# not frozen: one object for each message, and a frozen one costs as much as decryption
@dataclass(slots=True)
class MessageReceived:
    """A message of the other side."""

    payload: bytes


@dataclass(frozen=True)
class SessionClosed:
    """The other side has ended the session, with its reason (None: it has nothing more to send)."""

    code: Code | None


@dataclass(frozen=True)
class FirstMessage:
    """A player's first message has come; the answer goes out with the next event, or never."""

    ticket: TicketShown | None


SessionEvent = PeerAuthenticated | MessageReceived | SessionClosed


class Session:
    """A side of a session.

    `static` is a fresh X25519 private key (32 bytes) of this process or connection; `rng` creates
    the ephemeral key. `expected`, only for a player, is the fingerprint required of the table. With
    None any table is accepted, and the caller compares `PeerAuthenticated.peer` with the key that
    it remembers.
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
        "_takes_tickets",
        "_ticket",
        "_unanswered",
    )

    def __init__(
        self,
        role: Role,
        identity: SessionSigner,
        static: bytes,
        rng: Rng,
        expected: str | None = None,
        prologue: bytes = PROLOGUE,
        *,
        ticket: Ticket | None = None,
        takes_tickets: bool = False,
    ) -> None:
        """Create one side. `prologue` is a value that both sides must agree on for the handshake to
        succeed.

        The default is the prologue of a session with a table. `ticket`: what a player shows in its
        first message. `takes_tickets`: `FirstMessage` comes before all other events.
        """
        self._role = role
        self._identity = identity
        self._static_public = public_key(static)
        self._expected = expected
        self._ticket = ticket
        self._takes_tickets = takes_tickets
        self._unanswered = False  # the first message has come, and the answer is not written
        # None after the handshake: once the session's keys are gone, no saved state can decrypt its
        # records
        self._handshake: Handshake | None = Handshake(
            initiator=role is Role.PLAYER, prologue=prologue, static=static, rng=rng
        )
        self._frames = wire.FrameDecoder(MAX_HANDSHAKE_FRAME)
        self._outgoing = bytearray()
        # None before the handshake is complete and after `close`
        self._sender: CipherState | None = None
        self._receiver: CipherState | None = None
        self._over = False  # no more bytes are accepted
        self._closed = False  # this side has closed

    @property
    def writable(self) -> bool:
        """`send` may be called: the other side is authenticated, and neither side has ended."""
        return self._sender is not None and not self._over

    @property
    def over(self) -> bool:
        """The other side has closed, failed or gone: `receive` returns no more events."""
        return self._over

    @property
    def has_partial(self) -> bool:
        """The beginning of a frame has arrived."""
        return self._frames.has_partial

    def start(self) -> bytes:
        """Return the player's first bytes."""
        assert self._handshake is not None
        if self._ticket is None:
            payload = b""
        else:
            payload = ticket_payload(self._ticket, self._handshake.ephemeral)
        return wire.encode_frame(self._handshake.write(payload))

    def take_handshake_bytes(self) -> bytes:
        """Return the handshake bytes to be sent now. To be called after each `receive`."""
        waiting = bytes(self._outgoing)
        self._outgoing.clear()
        return waiting

    def receive(self, data: bytes) -> Iterator[SessionEvent]:
        """Yield the events in received bytes, one at a time. The first is `PeerAuthenticated`.

        Raises while iterating, after all events before the fault: RemoteError(FRAME_SIZE,
        BAD_HANDSHAKE, BAD_IDENTITY, WRONG_TABLE_KEY, BAD_RECORD). The session is over then, but
        `close` still returns the record with the reason. Bytes after the end are ignored.
        """
        return cast(Iterator[SessionEvent], self.receive_with_ticket(data))

    def receive_with_ticket(self, data: bytes) -> Iterator[SessionEvent | FirstMessage]:
        """Yield events like `receive`, and before all others with `takes_tickets` `FirstMessage`:
        who reads on after it lets the handshake go on.
        """
        if self._over:
            return iter(())
        return self._events(self._frames.feed(data))

    def send(self, payload: bytes) -> bytes:
        """Return the frame of a record with this message, at most MAX_MESSAGE bytes.

        Raises: LocalError unless `writable`.
        """
        if self._over:
            raise LocalError("wrong.ours.ended")
        if len(payload) > MAX_MESSAGE:
            raise LocalError("wrong.ours.message")
        return self._record(MESSAGE + payload)

    def close(self, code: Code | None = None) -> bytes:
        """Return the record that ends this side's messages, with a reason (None: nothing more to
        send).

        Empty if the session is not established, or was closed before.
        """
        if self._sender is None:
            return b""
        record = self._record(CLOSE + (code or "").encode())
        self._sender = None
        self._closed = True
        return record

    def eof(self) -> Code | None:
        """Note the end of the stream. Returns CUT_OFF if neither side had closed the session or
        failed before.
        """
        cut = not (self._over or self._closed)
        self._over = True
        return Code.CUT_OFF if cut else None

    def _events(self, frames: Iterator[bytes]) -> Iterator[SessionEvent | FirstMessage]:
        try:
            self._answer_first()
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
                    self._answer_first()
        except RemoteError:
            self._over = True
            raise

    def _record(self, plaintext: bytes) -> bytes:
        if self._sender is None:
            raise LocalError("wrong.ours.closed")
        record = wire.encode_frame(self._sender.encrypt(plaintext))
        # Handshake bytes that the caller has not fetched yet must be sent first.
        if self._outgoing:
            return self.take_handshake_bytes() + record
        return record

    def _open(self, record: bytes) -> SessionEvent:
        assert self._receiver is not None
        plaintext = self._receiver.decrypt(record)
        kind = plaintext[:1]
        body = plaintext[1:]
        if kind == MESSAGE:
            return MessageReceived(body)
        if kind != CLOSE:
            raise RemoteError(Code.BAD_RECORD)
        try:
            return SessionClosed(Code(body.decode()) if body else None)
        except ValueError:
            raise RemoteError(Code.BAD_RECORD) from None

    def _step(
        self, handshake: Handshake, message: bytes
    ) -> PeerAuthenticated | FirstMessage | None:
        """Process the other side's next handshake message, and prepare the answer.

        Anybody between the two could send the byte that turns a player away. It says no more than
        a connection that is cut: try again later.
        """
        if self._role is Role.PLAYER and message in _TURNED_AWAY:
            raise RemoteError(_TURNED_AWAY[message])
        hash_before = handshake.hash
        payload = handshake.read(message)
        static = handshake.remote_static
        # the player's first message authenticates nobody, so it has a ticket or nothing
        if static is None:
            return self._first(handshake, payload)
        peer = self._authenticated(payload, static, hash_before)
        if self._role is Role.PLAYER:
            self._answer(handshake)
        self._sender, self._receiver = handshake.split()
        self._handshake = None
        self._frames.limit = MAX_FRAME
        return PeerAuthenticated(peer, handshake.hash)

    def _first(self, handshake: Handshake, payload: bytes) -> FirstMessage | None:
        if payload and not (self._takes_tickets and len(payload) == PAYLOAD):
            raise RemoteError(Code.BAD_HANDSHAKE)
        self._unanswered = True
        if not self._takes_tickets:
            self._answer_first()
            return None
        ephemeral = handshake.remote_ephemeral or b""
        return FirstMessage(read_payload(payload, ephemeral) if payload else None)

    def _answer_first(self) -> None:
        if self._unanswered and self._handshake is not None:
            self._unanswered = False
            self._answer(self._handshake)

    def _answer(self, handshake: Handshake) -> None:
        """Write the handshake message with this side's identity and signature."""
        signature = self._identity.sign(self._role.value, self._static_public, handshake.hash)
        credential = wire.encode([self._identity.public, signature])
        self._outgoing += wire.encode_frame(handshake.write(credential))

    def _authenticated(self, payload: bytes, static: bytes, hash_before: bytes) -> bytes:
        """Return the identity key in a handshake payload after a check of its signature for this
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


def turned_away(code: Code) -> bytes:
    """Return the frame by which a table turns a newcomer away: TOO_MANY_HERE or TOO_MANY."""
    return wire.encode_frame(next(byte for byte, known in _TURNED_AWAY.items() if known is code))

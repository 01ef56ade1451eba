"""Defects of frames, encoding, handshake and records."""

from typing import Any

from conformance.weak_keys import IDENTITY_POINT
from protocol import wire
from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.identity import keys as identity
from protocol.limits import MAX_DEPTH
from protocol.messages import table as messages
from protocol.session import noise, session
from protocol.session.session import Session, SessionClosed
from table.net.connection import Connection
from tests.conformance.broken.defect import Defects

DEFECTS = Defects()
defect = DEFECTS.defect


@defect("stream/frame-one-above-the-limit")
def accepts_oversized_frames() -> None:
    session.MAX_FRAME += 1


@defect("stream/first-frame-one-above-the-limit")
def accepts_oversized_first_frames() -> None:
    session.MAX_HANDSHAKE_FRAME += 1


@defect("stream/frame-of-length-zero")
def accepts_empty_frames() -> None:
    take = wire.FrameDecoder.next_payload

    def broken(self: wire.FrameDecoder) -> bytes | None:
        if self.limit > 512 and self._buffer[:4] == bytes(4):
            del self._buffer[:4]
            return b""
        return take(self)

    wire.FrameDecoder.next_payload = broken


@defect("encoding/integer-of-one-byte-more", "entries/entry-in-a-longer-form")
def accepts_integers_in_a_longer_form() -> None:
    wire._READERS[0xCC] = wire._integer(1, 0)


@defect("encoding/text-longer-form")
def accepts_text_in_a_longer_form() -> None:
    wire._READERS[0xD9] = wire._length_prefixed(wire._text, 1, 0)


@defect("encoding/empty-map-for-a-field")
def accepts_maps() -> None:
    wire._READERS[0x80] = wire._inline_length(wire._list, 0)


@defect("encoding/float-for-an-integer")
def accepts_floats() -> None:
    wire._READERS[0xCA] = lambda data, at, depth: (1, at + 4)


@defect("encoding/lists-one-too-deep")
def accepts_lists_too_deep() -> None:
    wire.MAX_DEPTH = MAX_DEPTH + 1


@defect(
    "encoding/byte-left-over",
    "entries/entry-with-a-byte-left-over",
    "handshake/credential-with-a-byte-left-over",
)
def accepts_a_byte_left_over() -> None:
    decode = wire.decode

    def broken(data: bytes) -> Any:
        try:
            return decode(data)
        except RemoteError:
            return decode(data[:-1])

    wire.decode = broken


@defect(
    "encoding/text-that-is-not-utf-8",
    "encoding/text-with-a-surrogate",
    "encoding/text-with-an-overlong-form",
)
def accepts_text_that_is_not_utf_8() -> None:
    def text(data: bytes, at: int, depth: int, size: int) -> tuple[str, int]:
        return data[at : at + size].decode(errors="replace"), at + size

    for size in range(32):
        wire._READERS[0xA0 + size] = wire._inline_length(text, size)


@defect("encoding/boolean-for-an-integer")
def takes_true_for_one() -> None:
    row = messages.MESSAGES["hello"]
    shape = row.shape
    messages.MESSAGES["hello"] = row._replace(
        shape=lambda fields: shape([1 if fields[0] is True else fields[0], *fields[1:]])
    )


@defect("handshake/first-message-with-a-payload", "stream/first-frame-at-the-limit")
def accepts_a_payload_in_the_first_message() -> None:
    read = noise.Handshake.read

    def broken(self: noise.Handshake, message: bytes) -> bytes:
        payload = read(self, message)
        return payload if self.remote_static else b""

    noise.Handshake.read = broken


@defect("handshake/ephemeral-key-*", "handshake/static-key-*")
def accepts_low_order_points() -> None:
    shared = noise.shared_secret

    def broken(private: bytes, public: bytes) -> bytes:
        try:
            return shared(private, public)
        except RemoteError:
            return bytes(32)

    noise.shared_secret = broken


@defect("handshake/identity-key-is-the-identity-point")
def accepts_the_identity_point_as_a_key() -> None:
    holds = identity.is_signature_valid
    identity.is_signature_valid = lambda public, signature, message: (
        public == IDENTITY_POINT or holds(public, signature, message)
    )


@defect(
    "handshake/credential-signed-by-another",
    "handshake/credential-with-a-signature-of-zeros",
    "handshake/credential-in-the-role-of-the-table",
    "handshake/credential-for-another-*",
    "handshake/credential-of-the-table-reflected",
)
def skips_the_binding_of_identities() -> None:
    verify = identity.verify

    def broken(public: bytes, signature: bytes, label: str, *fields: Any) -> None:
        identity.check_key(public)
        if not label.startswith("session"):
            verify(public, signature, label, *fields)

    identity.verify = broken


@defect("handshake/credential-in-the-role-of-the-table")
def takes_a_credential_of_any_role() -> None:
    verify = identity.verify

    def broken(public: bytes, signature: bytes, label: str, *fields: Any) -> None:
        try:
            verify(public, signature, label, *fields)
        except RemoteError:
            verify(public, signature, "session table", *fields)

    identity.verify = broken


@defect(
    "handshake/silence-*", "handshake/a-byte-now-and-then", "handshake/bad-names-until-the-deadline"
)
def waits_for_hello_for_ever() -> dict[str, Any]:
    return {"handshake_seconds": 10_000.0}


@defect("records/record-repeated")
def accepts_repeated_records() -> None:
    _try_nonces(-1)


@defect("records/record-left-out", "records/records-in-the-other-order")
def accepts_records_after_a_gap() -> None:
    _try_nonces(1)


def _try_nonces(step: int) -> None:
    """Also try to decrypt a record with a nonce that is `step` further."""
    decrypt = noise.CipherState.decrypt

    def broken(self: noise.CipherState, ciphertext: bytes, ad: bytes | None = None) -> bytes:
        try:
            return decrypt(self, ciphertext, ad)
        except RemoteError:
            if self.nonce + step < 0:
                raise
            self.nonce += step
            return decrypt(self, ciphertext, ad)

    noise.CipherState.decrypt = broken


@defect("stream/frame-of-one-byte", "stream/frame-shorter-than-a-tag")
def tells_why_a_record_does_not_open() -> None:
    decrypt = noise.CipherState.decrypt

    def broken(self: noise.CipherState, ciphertext: bytes, ad: bytes | None = None) -> bytes:
        if len(ciphertext) < noise.TAG_SIZE:
            raise RemoteError(Code.BAD_ENCODING)
        return decrypt(self, ciphertext, ad)

    noise.CipherState.decrypt = broken


@defect("records/close-with-an-unknown-code")
def accepts_unknown_codes() -> None:
    opened = Session._open

    def broken(self: Session, record: bytes) -> Any:
        try:
            return opened(self, record)
        except RemoteError:
            if self._receiver is not None and len(record) == 1 + len("because") + noise.TAG_SIZE:
                return SessionClosed(None)
            raise

    Session._open = broken


@defect("records/message-after-a-close-record")
def hears_what_comes_after_a_close() -> None:
    events = Session._events

    def broken(self: Session, frames: Any) -> Any:
        for event in events(self, frames):
            if isinstance(event, SessionClosed):
                self._over = False
                yield from broken(self, frames)
                return
            yield event

    Session._events = broken


@defect(
    "stream/first-frame-of-length-*",
    "stream/first-frame-of-a-later-frames-length",
    "stream/first-frame-one-above-the-limit",
    "stream/http-request-first",
    "stream/tls-hello-first",
    "stream/ssh-banner-first",
    "stream/ones-first",
    "stream/random-bytes-first",
)
def answers_strangers_in_clear() -> None:
    last_word = Connection._send_close

    def broken(self: Connection, code: Code | None) -> None:
        if not self.identity and code is Code.FRAME_SIZE:
            self._transport.write(b"frame_size")
        last_word(self, code)

    Connection._send_close = broken

"""Fuzz targets: messages between a signer and its hosts."""

from protocol import wire
from protocol.match.refusal import Refusal
from table.key.requests import SEALING, SESSION, Request, entry, head, refusal
from table.key.signer import Denied
from table.signing import wire as signing
from table.signing.wire import Answered, Asked

HASH = b"h" * 32
REFUSAL = Refusal(b"e" * 32, 3, HASH, "not_now", b"")
REQUESTS = (
    head(HASH, 3, HASH),
    entry(HASH, b"content"),
    refusal(HASH, REFUSAL),
    Request(SESSION, (HASH, HASH + HASH)),
    Request(SEALING, ()),
)


def asked(data: bytes) -> None:
    """Check that an accepted request is written again the same way."""
    assert signing.encode_asked(signing.decode_asked(data)) == wire.encode_frame(data)


def asked_seeds() -> list[bytes]:
    """Return one request of each purpose."""
    return [signing.encode_asked(Asked(5, request))[4:] for request in REQUESTS]


def answered(data: bytes) -> None:
    """Check that an accepted answer is written again the same way."""
    assert signing.encode_answered(signing.decode_answered(data)) == wire.encode_frame(data)


def answered_seeds() -> list[bytes]:
    """Return a signature, and each reason of a refusal."""
    return [signing.encode_answered(Answered(5, said))[4:] for said in (HASH + HASH, *Denied)]


def hello(data: bytes) -> None:
    """Read a greeting."""
    assert signing.encode_hello(signing.decode_hello(data)) == wire.encode_frame(data)


def hello_seeds() -> list[bytes]:
    """Return the only greeting."""
    return [signing.encode_hello(HASH)[4:]]

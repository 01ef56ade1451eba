"""Fuzz targets: messages between a signer and its hosts."""

from protocol import wire
from protocol.match.refusal import Refusal
from table.signer import messages as signing
from table.signer.messages import SignAnswer, SignQuestion
from table.signer.requests import SEALING, SESSION, Request, entry, head, refusal
from table.signer.signer import Denied

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
    assert signing.encode_question(signing.decode_question(data)) == wire.encode_frame(data)


def asked_seeds() -> list[bytes]:
    """Return one request of each purpose."""
    return [signing.encode_question(SignQuestion(5, request))[4:] for request in REQUESTS]


def answered(data: bytes) -> None:
    """Check that an accepted answer is written again the same way."""
    assert signing.encode_answer(signing.decode_answer(data)) == wire.encode_frame(data)


def answered_seeds() -> list[bytes]:
    """Return a signature, and each reason of a refusal."""
    return [signing.encode_answer(SignAnswer(5, said))[4:] for said in (HASH + HASH, *Denied)]


def hello(data: bytes) -> None:
    """Read a greeting."""
    assert signing.encode_hello(signing.decode_hello(data)) == wire.encode_frame(data)


def hello_seeds() -> list[bytes]:
    """Return the only greeting."""
    return [signing.encode_hello(HASH)[4:]]

"""What a host and a signer say to each other, over a Unix socket: frames of `protocol.wire`, lists
in it.

    signer  [NAME, VERSION, public key]                when a host has connected
    host    [id, purpose, fields]                      see `table.signer.requests`; ids are the host's own
    signer  [id, answer]                               bytes: it is signed, and what was signed is on disk
    signer  [id, reason]                               text: it is not, the name of a `Denied`

Whoever hears something else drops the connection.
"""

from typing import Any, NamedTuple

from protocol import wire
from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.limits import MAX_NAME, MAX_SIGNER_FRAME
from protocol.schema import between, either, exactly, fields, text, uint
from table.signer.requests import SHAPES, Request
from table.signer.signer import Denied

NAME, VERSION = "fairdeal signer", 2
_HELLO = fields(text(MAX_NAME), uint(), exactly(32))
_REQUEST = fields(uint(), text(MAX_NAME), lambda values: type(values) is list)
_ANSWER = fields(uint(), either(between(1, MAX_SIGNER_FRAME), text(MAX_NAME)))


class SignQuestion(NamedTuple):
    """A request as it travels."""

    id: int
    request: Request


class SignAnswer(NamedTuple):
    """What came of it."""

    id: int
    answer: bytes | Denied


def encode_hello(public: bytes) -> bytes:
    """A signer's first frame."""
    return wire.encode_frame(wire.encode([NAME, VERSION, public]))


def decode_hello(data: bytes) -> bytes:
    """The signer's public key. Raises: RemoteError."""
    value = wire.decode(data)
    if not _HELLO(value) or value[:2] != [NAME, VERSION]:
        raise RemoteError(Code.BAD_MESSAGE)
    return bytes(value[2])


def encode_question(asked: SignQuestion) -> bytes:
    """A frame."""
    return wire.encode_frame(
        wire.encode([asked.id, asked.request.purpose, list(asked.request.fields)])
    )


def decode_question(data: bytes) -> SignQuestion:
    """A request of a known purpose with the fields that it has. Raises: RemoteError."""
    value: Any = wire.decode(data)
    if not _REQUEST(value) or value[1] not in SHAPES or not SHAPES[value[1]](value[2]):
        raise RemoteError(Code.BAD_MESSAGE)
    return SignQuestion(value[0], Request(value[1], tuple(value[2])))


def encode_answer(answered: SignAnswer) -> bytes:
    """A frame."""
    said = answered.answer
    return wire.encode_frame(
        wire.encode([answered.id, said.name if isinstance(said, Denied) else said])
    )


def decode_answer(data: bytes) -> SignAnswer:
    """Raises: RemoteError."""
    value: Any = wire.decode(data)
    if not _ANSWER(value) or (type(value[1]) is str and value[1] not in Denied.__members__):
        raise RemoteError(Code.BAD_MESSAGE)
    return SignAnswer(value[0], Denied[value[1]] if type(value[1]) is str else value[1])

"""Messages of a merge, each the encoding of a list that starts with its name (docs/protocol,
chapter 25).

A **space** is a list of records to compare: 0 a side's records in the order of its set, 1 its
accusations, by id. A **bound** is a depth and the beginning of an id. A range goes from one bound
up to another, without it. A **short** is the 8-byte id of a record in one session.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from protocol import wire
from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.limits import (
    MAX_CARD_IMAGE,
    MAX_INT,
    MAX_MESSAGE,
    MAX_RECORD,
    MERGE_IMAGES,
    MERGE_LIST,
    MERGE_MESSAGE,
    MERGE_PARTS,
    MERGE_WANTS,
)
from protocol.schema import Shape, between, exactly, fields, many, uint

SHORT = 8  # bytes of a session's id for a record, out of 32
FINGERPRINT = 16  # bytes of a range's fingerprint
RECORDS, CHEATS = SPACES = (0, 1)
START = (0, b"")
END = (MAX_INT, b"")


def _shorts(low: int, high: int) -> Shape:
    """Match a byte string of `low` to `high` concatenated shorts."""
    return lambda value: (
        type(value) is bytes and len(value) % SHORT == 0 and low <= len(value) // SHORT <= high
    )


_BOUND = (uint(), between(0, 32))
_SPACE = uint(len(SPACES) - 1)
_LARGE = MERGE_MESSAGE // SHORT  # maximum items of a list: as many as fit a message
_PART = fields(*_BOUND, uint(), exactly(FINGERPRINT))
_FORMS: dict[str, Shape] = {
    "ranges": fields(_SPACE, many(fields(*_BOUND, many(_PART, 1, MERGE_PARTS)), 1, _LARGE)),
    "ids": fields(_SPACE, many(fields(*_BOUND, *_BOUND, _shorts(0, MERGE_LIST - 1)), 1, _LARGE)),
    "have": fields(_SPACE, many(fields(*_BOUND, _shorts(1, _LARGE)), 1, _LARGE)),
    "want": fields(_shorts(1, MERGE_WANTS)),
    "records": fields(many(between(1, MAX_RECORD), 1, _LARGE)),
    "turn": fields(),
    "images": fields(many(exactly(32), 1, MERGE_IMAGES)),
    "image": fields(exactly(32), uint(MAX_CARD_IMAGE), between(1, MERGE_MESSAGE)),
    "no_image": fields(exactly(32)),
}


def encode(name: str, *values: Any) -> bytes:
    """Return the bytes of a message."""
    return wire.encode([name, *values])


def decode(message: bytes) -> tuple[str, list[Any]]:
    """Return name and fields of a message, after a check of its shape.

    Raises: RemoteError(FRAME_SIZE, BAD_ENCODING, BAD_MESSAGE).
    """
    if len(message) > MAX_MESSAGE:
        raise RemoteError(Code.FRAME_SIZE)
    value = wire.decode(message)
    if type(value) is list and value and type(value[0]) is str:
        form = _FORMS.get(value[0])
    else:
        form = None
    if form is None or not form(value[1:]):
        raise RemoteError(Code.BAD_MESSAGE)
    return value[0], value[1:]


def pack_messages(name: str, items: Iterable[Any], *before: Any) -> Iterator[bytes]:
    """Yield messages with these items in order, as many in each as fit."""
    batch = list[Any]()
    size = 0
    for item in items:
        if type(item) is bytes:
            more = len(item) + 5
        else:
            more = len(wire.encode(item))
        if batch and size + more > MERGE_MESSAGE:
            yield encode(name, *before, batch)
            batch = []
            size = 0
        batch.append(item)
        size += more
    if batch:
        yield encode(name, *before, batch)


def split_shorts(shorts: bytes) -> list[bytes]:
    """Split concatenated shorts."""
    return [shorts[at : at + SHORT] for at in range(0, len(shorts), SHORT)]

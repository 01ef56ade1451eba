"""`*.cards`: records and images in one file, to carry by hand (docs/protocol, chapter 25).

    file  = magic, then one frame for each record, then one for each image
    frame = 4-byte big-endian length, canonical MessagePack [kind, bytes]
            kind 0 is a record, 1 an image

The contents are checked like everything from elsewhere: each record by `read_record`, each image by
its digest.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from protocol import wire
from protocol.codes import Code
from protocol.errors import LocalError, RemoteError
from protocol.ledger import SUFFIX as SUFFIX
from protocol.ledger.records import LedgerRecord
from protocol.limits import (
    FRAME_HEADER,
    MAX_BUNDLE,
    MAX_BUNDLE_IMAGES,
    MAX_BUNDLE_RECORDS,
    MAX_CARD_IMAGE,
    MAX_RECORD,
)
from protocol.schema import between, fields, uint

MAGIC = b"fairdeal cards 1\n"

_RECORD, _IMAGE = range(2)
_PART = fields(uint(_IMAGE), between(1, MAX_CARD_IMAGE))
_MAX_FRAME = MAX_CARD_IMAGE + 16  # bytes; the list and the lengths in it take fewer than 16


@dataclass(frozen=True)
class CardBundle:
    """Contents of a file: unchecked records and images."""

    raws: tuple[bytes, ...]
    images: tuple[bytes, ...]


def write_bundle(records: Iterable[LedgerRecord], images: Iterable[bytes] = ()) -> bytes:
    """Return the bytes of a file with these records and images, each once.

    Parents should come before their children, as in a record set. Raises: LocalError for more than
    a file may have.
    """
    raws = dict.fromkeys(record.raw for record in records)
    pictures = dict.fromkeys(images)
    if len(raws) > MAX_BUNDLE_RECORDS or len(pictures) > MAX_BUNDLE_IMAGES:
        raise LocalError("wrong.cards.bundle", records=MAX_BUNDLE_RECORDS, images=MAX_BUNDLE_IMAGES)
    frames = [
        *(_frame(_RECORD, raw) for raw in raws),
        *(_frame(_IMAGE, image) for image in pictures),
    ]
    if len(MAGIC) + sum(map(len, frames)) > MAX_BUNDLE:
        raise LocalError("wrong.cards.bundle.bytes", mib=MAX_BUNDLE // 1024**2)
    return MAGIC + b"".join(frames)


def _frame(kind: int, data: bytes) -> bytes:
    part = [kind, data]
    # only an image can be too large, as a person has chosen it; records are checked already
    if not _PART(part):
        raise LocalError("wrong.cards.image", kib=MAX_CARD_IMAGE // 1024)
    encoded = wire.encode(part)
    return len(encoded).to_bytes(FRAME_HEADER, "big") + encoded


def read_bundle(data: bytes) -> CardBundle:
    """Read a file of records and images.

    Raises: RemoteError

    - FRAME_SIZE if the file or a part is too large;
    - TOO_MANY for too many parts;
    - BAD_ENCODING for another kind of file, or a truncated one;
    - BAD_MESSAGE for other parts, duplicates, or a record after an image.
    """
    if len(data) > MAX_BUNDLE:
        raise RemoteError(Code.FRAME_SIZE)
    if not data.startswith(MAGIC):
        raise RemoteError(Code.BAD_ENCODING)
    held: tuple[dict[bytes, None], dict[bytes, None]] = {}, {}
    for kind, part in _parts(data):
        if part in held[kind] or (kind == _RECORD and held[_IMAGE]):
            raise RemoteError(Code.BAD_MESSAGE)
        held[kind][part] = None
        if len(held[_RECORD]) > MAX_BUNDLE_RECORDS or len(held[_IMAGE]) > MAX_BUNDLE_IMAGES:
            raise RemoteError(Code.TOO_MANY)
    return CardBundle(*map(tuple, held))


def _parts(data: bytes) -> Iterator[tuple[int, bytes]]:
    at = len(MAGIC)
    while at < len(data):
        start = at + FRAME_HEADER
        size = int.from_bytes(data[at:start], "big")
        if start <= len(data) and not 0 < size <= _MAX_FRAME:
            raise RemoteError(Code.FRAME_SIZE)
        if start + size > len(data):
            raise RemoteError(Code.BAD_ENCODING)
        part = wire.decode(data[start : start + size])
        if not _PART(part):
            raise RemoteError(Code.BAD_MESSAGE)
        kind, content = part
        if kind == _RECORD and len(content) > MAX_RECORD:
            raise RemoteError(Code.BAD_MESSAGE)
        yield kind, content
        at = start + size

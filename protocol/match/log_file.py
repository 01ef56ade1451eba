"""`*.fairdeal`: a match's log as one file, the same at the table and at every player.

    file  = magic, then one frame for each entry, in order
    frame = 4-byte big-endian length, canonical MessagePack [entry, signature of the head after it]

Nothing in it is optional or ignored, so no byte can be changed without it being noticed.
"""

from collections.abc import Iterable, Iterator

from protocol import wire
from protocol.codes import Code
from protocol.errors import FairdealError, RemoteError
from protocol.limits import FRAME_HEADER, MAX_ENTRY, MAX_FRAME, MAX_LOG_FILE
from protocol.match.log import Record
from protocol.schema import between, exactly, fields

MAGIC = b"fairdeal log 1\n"
SUFFIX = ".fairdeal"

_HEAD = bytes(64)  # as long as any
_LEAST = len(wire.encode([b"\0", _HEAD]))  # bytes of the smallest record
_RECORD = fields(between(1, MAX_ENTRY), exactly(64))


class TruncatedLog(FairdealError):
    """The file ends inside its magic or a frame."""


def encode_record(entry: bytes, head: bytes) -> bytes:
    """One entry of a log file."""
    return wire.encode_frame(wire.encode([entry, head]))


def read_records(data: bytes, most: int = MAX_LOG_FILE) -> Iterator[Record]:
    """The (entry, head) pairs of a file, none of which ends behind its first `most` bytes.

    Raises while iterating: RemoteError, CutShort.
    """
    if not data.startswith(MAGIC):
        if MAGIC.startswith(data):
            raise TruncatedLog
        raise RemoteError(Code.BAD_ENCODING)
    at = len(MAGIC)
    end = min(len(data), most)
    missing = TruncatedLog() if len(data) <= most else RemoteError(Code.LOG_SIZE)
    while at < len(data):
        size = int.from_bytes(data[at : at + FRAME_HEADER], "big")
        start = at + FRAME_HEADER
        if start > end:
            raise missing
        if not 0 < size <= MAX_FRAME:
            raise RemoteError(Code.FRAME_SIZE)
        if start + size > end:
            raise missing
        record = wire.decode(data[start : start + size])
        if not _RECORD(record):
            raise RemoteError(Code.BAD_ENCODING)
        yield Record(*record)
        at = start + size


def as_far_as_read(data: bytes, entries: Iterable[bytes]) -> bytes:
    """Leave out what nobody reads behind the damage of a file, of which these entries were read.

    One more frame stays, so an audit of the rest comes to the same verdict and the same reason.
    """
    end = len(MAGIC) + sum(len(encode_record(entry, _HEAD)) for entry in entries)
    return data[: end + FRAME_HEADER + MAX_FRAME]


def count_records(data: bytes) -> int:
    """How many entries a file has by its frames' lengths alone; whether they are any, reading it
    tells.
    """
    at, count = len(MAGIC), 0
    while at + FRAME_HEADER < len(data):
        size = int.from_bytes(data[at : at + FRAME_HEADER], "big")
        if not _LEAST <= size <= MAX_FRAME:
            break
        at += FRAME_HEADER + size
        count += at <= len(data)
    return count

"""`*.fairdeal`: the log of a match as one file, the same at the table and at every player.

    file  = magic, then one frame for each entry, in order
    frame = 4-byte big-endian length, canonical MessagePack [entry, signature of the head after it]

No byte of the file is optional or ignored, so every change is noticed.
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

_HEAD = bytes(64)  # placeholder: all heads have this length
_LEAST = len(wire.encode([b"\0", _HEAD]))  # bytes of the smallest record
_RECORD = fields(between(1, MAX_ENTRY), exactly(64))


class TruncatedLog(FairdealError):
    """The file ends inside its magic or a frame."""


def encode_record(entry: bytes, head: bytes) -> bytes:
    """Return the frame of one entry in a log file."""
    return wire.encode_frame(wire.encode([entry, head]))


def read_records(data: bytes, most: int = MAX_LOG_FILE) -> Iterator[Record]:
    """Yield the (entry, head) pairs of a log file of at most `most` bytes.

    Raises while iterating: RemoteError, TruncatedLog.
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
    """Cut a damaged log file shortly after `entries`, the entries that could be read from it.

    One more frame stays, so that an audit of the rest comes to the same verdict for the same
    reason.
    """
    end = len(MAGIC) + sum(len(encode_record(entry, _HEAD)) for entry in entries)
    return data[: end + FRAME_HEADER + MAX_FRAME]


def count_records(data: bytes) -> int:
    """Count the entries of a log file by the lengths of its frames alone. The frames are not
    decoded.
    """
    at = len(MAGIC)
    count = 0
    while at + FRAME_HEADER < len(data):
        size = int.from_bytes(data[at : at + FRAME_HEADER], "big")
        if not _LEAST <= size <= MAX_FRAME:
            break
        at += FRAME_HEADER + size
        count += at <= len(data)
    return count

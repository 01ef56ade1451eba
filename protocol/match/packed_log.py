"""The packed form of a log file, in which a table keeps matches that are over.

    file  = magic, then one zlib stream (RFC 1950) of one frame for each entry, in order
    frame = 4-byte big-endian length, canonical MessagePack [part, part, number, head]

The bytes of an entry are both parts with the hash of head `number` between them. An entry quotes
the hash of the newest head that its author has seen, and the entries before it say what that is.
An entry that quotes none has an empty first part.
"""

import zlib
from collections.abc import Iterator
from io import BytesIO

from protocol import wire
from protocol.codes import Code
from protocol.crypto.hashing import digest
from protocol.errors import Refused, RemoteError
from protocol.limits import MAX_ENTRY, MAX_FRAME, MAX_LOG_FILE
from protocol.match.log import NO_HASH, Record, decode_entry
from protocol.match.log_file import MAGIC, encode_record
from protocol.schema import between, exactly, fields, uint

PACKED_MAGIC = b"fairdeal packed log 1\n"
LEVEL = 9  # of zlib: a log is packed once
_CHUNK = 64 * 1024  # bytes that are unpacked at a time
# bytes of a file for each entry, at least. A head is a signature of 64 bytes, which nothing packs
_LEAST_PACKED = 32
_FRAME = fields(between(0, MAX_ENTRY), between(0, MAX_ENTRY), uint(), exactly(64))


class LogPacker:
    """Packs one log, entry by entry. The bytes of all calls together are the file."""

    def __init__(self) -> None:
        self._stream = zlib.compressobj(LEVEL)
        self._hashes: list[bytes] = []

    def add(self, record: Record) -> bytes:
        """Pack the next entry. Raises: LocalError if it is too large."""
        magic = b"" if self._hashes else PACKED_MAGIC
        frame = wire.encode_frame(wire.encode([*self._parts(record.entry), record.head]))
        self._hashes.append(_next_hash(self._hashes, record.entry))
        return magic + self._stream.compress(frame)

    def finish(self) -> bytes:
        """End the file."""
        return self._stream.flush()

    def _parts(self, entry: bytes) -> tuple[bytes, bytes, int]:
        try:
            number = decode_entry(entry).seen_number
        except Refused:
            return b"", entry, 0
        hashed = self._hashes[number] if number < len(self._hashes) else NO_HASH
        before, found, after = entry.partition(hashed)
        return (before, after, number) if found and hashed != NO_HASH else (b"", entry, 0)


def _next_hash(hashes: list[bytes], entry: bytes) -> bytes:
    return digest("chain", hashes[-1] if hashes else NO_HASH, len(hashes), entry)


def read_packed(data: bytes, most: int = MAX_LOG_FILE) -> Iterator[Record]:
    """Yield the records of a packed log whose plain form has at most `most` bytes.

    At most `_CHUNK` bytes are unpacked ahead, and no more entries than a file of this size can have.
    Raises while iterating: RemoteError.
    """
    hashes: list[bytes] = []
    size = len(MAGIC)
    frames = wire.FrameDecoder(MAX_FRAME)
    for chunk in _unpacked(data):
        for payload in frames.feed(chunk):
            value = wire.decode(payload)
            if not _FRAME(value) or (value[0] and value[2] >= len(hashes)):
                raise RemoteError(Code.BAD_ENCODING)
            before, after, number, head = value
            record = Record(before + hashes[number] + after if before else after, head)
            if not 0 < len(record.entry) <= MAX_ENTRY:
                raise RemoteError(Code.LOG_SIZE)
            size += len(encode_record(*record))
            if size > most:
                raise RemoteError(Code.LOG_SIZE)
            hashes.append(_next_hash(hashes, record.entry))
            if len(hashes) * _LEAST_PACKED > len(data):
                raise RemoteError(Code.LOG_SIZE)
            yield record
    if frames.has_partial:
        raise RemoteError(Code.BAD_ENCODING)


def _unpacked(data: bytes) -> Iterator[bytes]:
    """Yield the bytes of the stream behind the magic. Raises: RemoteError(BAD_ENCODING)."""
    if not data.startswith(PACKED_MAGIC):
        raise RemoteError(Code.BAD_ENCODING)
    stream = zlib.decompressobj()
    try:
        for at in range(len(PACKED_MAGIC), len(data), _CHUNK):
            rest = data[at : at + _CHUNK]
            if stream.eof:
                raise RemoteError(Code.BAD_ENCODING)
            while chunk := stream.decompress(rest, _CHUNK):
                yield chunk
                rest = stream.unconsumed_tail
    except zlib.error:
        raise RemoteError(Code.BAD_ENCODING) from None
    if not stream.eof or stream.unused_data:
        raise RemoteError(Code.BAD_ENCODING)


def plain_log(data: bytes) -> bytes:
    """Return a log file in its plain form, whichever it has. Raises: RemoteError."""
    if not data.startswith(PACKED_MAGIC):
        return data
    plain = BytesIO()
    plain.write(MAGIC)
    for record in read_packed(data):
        plain.write(encode_record(*record))
    return plain.getvalue()

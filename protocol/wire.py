"""Length-prefixed frames and canonical MessagePack: strict, bounded, and restricted to a few types.

Allowed values: nil, booleans, integers 0 to 2^63-1, UTF-8 text, byte strings, lists. Without maps,
floats and extensions each value has exactly one encoding, and nothing needs an order. Format: the
MessagePack specification, with the shortest form of every value.
"""

import struct
from collections.abc import Callable, Iterator
from typing import Any

import msgpack  # type: ignore[import-untyped]
from msgpack import fallback

from protocol.codes import Code
from protocol.errors import LocalError, RemoteError
from protocol.limits import (
    FRAME_HEADER,
    MAX_DEPTH,
    MAX_FRAME,
    MAX_HANDSHAKE_FRAME,
    MAX_INT,
    MAX_SMALL,
    MAX_SMALL_LIST,
)

VERSION = 2  # version of the protocol: of all messages and all signed values

# All calls share one packer, because its creation costs more than its use. The packer in C is
# atomic for threads. The fallback in Python is not, so there each call creates its own.
_pack: Callable[[object], bytes] = (
    msgpack.packb if msgpack.Packer is fallback.Packer else msgpack.Packer().pack
)


def encode(value: object) -> bytes:
    """Return the canonical encoding of a value.

    Raises: LocalError if the value, or a value inside it, is not exactly of a permitted type.
    """
    if not _is_permitted(value, MAX_DEPTH):
        raise LocalError("wrong.ours.value")
    try:
        return _pack(value)
    except ValueError:
        # text with a lone surrogate has no UTF-8 form, and the text of the original error would
        # quote it
        raise LocalError("wrong.ours.text") from None


def _is_permitted(value: Any, depth: int) -> bool:
    """Check that a value has permitted types, is in range, and nests at most `depth` lists.

    Types must match exactly. A bool must not pass for an int. An object of a subclass would be
    decoded as an object of its base class.
    """
    kind = type(value)
    if kind is list:
        if depth == 0:
            return False
        for item in value:
            kind = type(item)
            if kind is not bytes and kind is not str and not _is_permitted(item, depth - 1):
                return False
        return True
    return (
        kind is bytes
        or kind is str
        or (kind is int and 0 <= value <= MAX_INT)
        or kind is bool
        or value is None
    )


def decode(data: bytes) -> Any:
    """Return the value with the encoding `data`. Raises only RemoteError(BAD_ENCODING)."""
    value = _decode_small(data) if len(data) <= MAX_SMALL else None
    return decode_strictly(data) if value is None else value


def _decode_small(data: bytes) -> Any:
    """Decode with the library, four times as fast as `decode_strictly`; None if this gives no
    answer.

    The result is valid only if its types are permitted and its encoding is `data` again.
    """
    try:
        value = msgpack.unpackb(data, max_array_len=MAX_SMALL_LIST, max_map_len=0, max_ext_len=0)
    except ValueError:
        return None
    if _is_permitted(value, MAX_DEPTH) and _pack(value) == data:
        return value
    return None


def decode_sequence(data: bytes, most: int, size: int) -> list[Any]:
    """Return the values whose encodings stand one after another in `data`: at most `most` of them,
    each of at most `size` bytes (no more than MAX_SMALL). Raises only RemoteError(BAD_ENCODING).
    """
    reader = msgpack.Unpacker(
        max_buffer_size=max(len(data), 1),
        max_array_len=MAX_SMALL_LIST,
        max_map_len=0,
        max_ext_len=0,
    )
    reader.feed(data)
    values: list[Any] = []
    at = 0
    try:
        for value in reader:
            end = reader.tell()
            if end - at > size or len(values) == most:
                raise RemoteError(Code.BAD_ENCODING)
            if not _is_permitted(value, MAX_DEPTH) or _pack(value) != data[at:end]:
                raise RemoteError(Code.BAD_ENCODING)
            values.append(value)
            at = end
    except ValueError:
        raise RemoteError(Code.BAD_ENCODING) from None
    if at != len(data):  # the last value is not whole
        raise RemoteError(Code.BAD_ENCODING)
    return values


def decode_strictly(data: bytes) -> Any:
    """Decode like `decode`, but without the library.

    The library has no limit on depth, and allocates a list of the claimed length before it reads
    the items. 3 kB of nested list headers therefore cost it 13 ms. For short data, the length of
    the data bounds both. This function allocates nothing for items that have not been read.
    """
    try:
        value, end = _READERS[data[0]](data, 1, MAX_DEPTH)
    except (IndexError, KeyError, ValueError, struct.error):
        raise RemoteError(Code.BAD_ENCODING) from None
    if end != len(data):  # trailing bytes, or a last slice shorter than announced
        raise RemoteError(Code.BAD_ENCODING)
    return value


# Reads the rest of a value after its first byte: (data, offset after this byte, permitted depth) ->
# (value, offset after the value). The new offset may lie beyond the end of `data`. All other errors
# raise exceptions that `decode_strictly` catches.
_Reader = Callable[[bytes, int, int], tuple[Any, int]]
# `_NUMBER`: a size or an integer in 1, 2, 4 or 8 bytes
_HEADER = struct.Struct(">I")  # length of a frame
_NUMBER = {
    width: struct.Struct(code) for width, code in ((1, ">B"), (2, ">H"), (4, ">I"), (8, ">Q"))
}


def _constant(value: object) -> _Reader:
    return lambda data, at, depth: (value, at)


def _integer(width: int, least: int) -> _Reader:
    def read(data: bytes, at: int, depth: int) -> tuple[int, int]:
        (value,) = _NUMBER[width].unpack_from(data, at)
        if not least <= value <= MAX_INT:
            raise ValueError("not the shortest form, or out of range")
        return value, at + width

    return read


def _inline_length(body: Callable[[bytes, int, int, int], tuple[Any, int]], size: int) -> _Reader:
    """Read a body whose size is part of the first byte."""
    return lambda data, at, depth: body(data, at, depth, size)


def _length_prefixed(
    body: Callable[[bytes, int, int, int], tuple[Any, int]], width: int, least: int
) -> _Reader:
    """Read a body after its size; `least` is the smallest size without a shorter form."""
    unpack = _NUMBER[width].unpack_from

    def read(data: bytes, at: int, depth: int) -> tuple[Any, int]:
        (size,) = unpack(data, at)
        if size < least:
            raise ValueError("not the shortest form")
        return body(data, at + width, depth, size)

    return read


def _bytes(data: bytes, at: int, depth: int, size: int) -> tuple[bytes, int]:
    end = at + size
    return data[at:end], end


def _short_bytes(data: bytes, at: int, depth: int) -> tuple[bytes, int]:
    """Read a byte string like `_length_prefixed(_bytes, 1, 0)`, but faster.

    Keys and hashes are the most frequent values.
    """
    start = at + 1
    end = start + data[at]
    return data[start:end], end


def _text(data: bytes, at: int, depth: int, size: int) -> tuple[str, int]:
    end = at + size
    return data[at:end].decode(), end


def _list(data: bytes, at: int, depth: int, size: int) -> tuple[list[Any], int]:
    if depth == 0:
        raise ValueError("too deep")
    items = []
    for _ in range(size):
        item, at = _READERS[data[at]](data, at + 1, depth - 1)
        items.append(item)
    return items, at


# Readers by first byte. Missing bytes are forbidden: maps, floats, extensions, negative integers,
# 0xC1.
_READERS: dict[int, _Reader] = {
    **{tag: _constant(tag) for tag in range(0x80)},
    **{0x90 + size: _inline_length(_list, size) for size in range(16)},
    **{0xA0 + size: _inline_length(_text, size) for size in range(32)},
    0xC0: _constant(None),
    0xC2: _constant(False),
    0xC3: _constant(True),
    0xC4: _short_bytes,
    0xC5: _length_prefixed(_bytes, 2, 1 << 8),
    0xC6: _length_prefixed(_bytes, 4, 1 << 16),
    0xCC: _integer(1, 1 << 7),
    0xCD: _integer(2, 1 << 8),
    0xCE: _integer(4, 1 << 16),
    0xCF: _integer(8, 1 << 32),
    0xD9: _length_prefixed(_text, 1, 1 << 5),
    0xDA: _length_prefixed(_text, 2, 1 << 8),
    0xDB: _length_prefixed(_text, 4, 1 << 16),
    0xDC: _length_prefixed(_list, 2, 1 << 4),
    0xDD: _length_prefixed(_list, 4, 1 << 16),
}


def encode_frame(payload: bytes) -> bytes:
    """Return the payload after its length (4 bytes, big-endian).

    Raises: LocalError unless the payload has 1 to MAX_FRAME bytes.
    """
    size = len(payload)
    if not 1 <= size <= MAX_FRAME:
        raise LocalError("wrong.ours.frame")
    return _HEADER.pack(size) + payload


def split_frames(data: bytes) -> list[bytes]:
    """Split the bytes sent by one side into frames with their headers. An incomplete last frame
    stays in one piece.
    """
    pieces = []
    at = 0
    while at < len(data):
        end = at + frame_size(data[at : at + FRAME_HEADER])
        pieces.append(data[at:end])
        at = end
    return pieces


def frame_size(beginning: bytes) -> int:
    """Return the length of a frame with its header, from the beginning of the frame.

    If `beginning` is shorter than a header, return the length of a header.
    """
    if len(beginning) < FRAME_HEADER:
        return FRAME_HEADER
    (size,) = _HEADER.unpack_from(beginning)
    return FRAME_HEADER + int(size)


class FrameDecoder:
    """Splits a byte stream into frames. `limit` (bytes of a payload) may be changed between two
    frames.
    """

    __slots__ = ("_buffer", "limit")

    def __init__(self, limit: int = MAX_HANDSHAKE_FRAME) -> None:
        self.limit = limit
        self._buffer = bytearray()

    @property
    def has_partial(self) -> bool:
        """The buffer contains the beginning of a frame. At the end of a stream this means a
        truncated frame.
        """
        return bool(self._buffer)

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Add bytes at once, and yield the complete payloads one at a time.

        Payloads are yielded lazily: frames before a bad frame are not lost, and `limit` may change
        between two frames. Raises while iterating: see `next_payload`.
        """
        self._buffer += data
        return iter(self.next_payload, None)

    def next_payload(self) -> bytes | None:
        """Return the next payload, or None if it is incomplete.

        Raises: RemoteError(FRAME_SIZE) for a length of zero or above the limit, as soon as the
        length has arrived. The rest of the stream cannot be split after this error, so the buffer
        is cleared.
        """
        buffer = self._buffer
        there = len(buffer)
        if there < FRAME_HEADER:
            return None
        (size,) = _HEADER.unpack_from(buffer)
        if not 0 < size <= self.limit:
            buffer.clear()
            raise RemoteError(Code.FRAME_SIZE)
        end = FRAME_HEADER + size
        if there < end:
            return None
        # two copies are faster here than a memoryview
        payload = bytes(buffer[FRAME_HEADER:end])
        del buffer[:end]
        return payload

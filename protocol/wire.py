"""Length-prefixed frames and canonical MessagePack: strict, bounded, and only the kinds we use.

Allowed values: nil, booleans, integers 0 to 2^63-1, UTF-8 text, byte strings, lists. No maps,
floats or extensions, so there is one encoding for each value and nothing to order. Format: the
MessagePack specification, shortest form of everything.
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

VERSION = 2  # of the protocol: of everything that travels or is signed

# One packer for all: to set one up costs more than what it does. The library's own in C is one step
# for all threads; where it is not installed, the one in Python is not, and each call has its own.
_pack: Callable[[object], bytes] = (
    msgpack.packb if msgpack.Packer is fallback.Packer else msgpack.Packer().pack
)


def encode(value: object) -> bytes:
    """The one encoding of a value. Raises `LocalError` if it is not of the permitted kinds (exact
    types).
    """
    if not _permitted(value, MAX_DEPTH):
        raise LocalError("wrong.ours.value")
    try:
        return _pack(value)
    except ValueError:
        # text with a lone surrogate has no UTF-8; the error's own text would quote it
        raise LocalError("wrong.ours.text") from None


def _permitted(value: Any, depth: int) -> bool:
    """Whether a value is of our kinds, in range, and nests no deeper than `depth` lists.

    Exact types, so that neither a bool passes for an int nor a subclass (which would come back as
    its base).
    """
    kind = type(value)
    if kind is list:
        if depth == 0:
            return False
        for item in value:
            kind = type(item)
            if kind is not bytes and kind is not str and not _permitted(item, depth - 1):
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
    """The value that `data` is the encoding of; raises `RemoteError(BAD_ENCODING)`, and nothing
    else.
    """
    value = _decode_small(data) if len(data) <= MAX_SMALL else None
    return decode_strictly(data) if value is None else value


def _decode_small(data: bytes) -> Any:
    """By the library, which is four times as fast; None if it cannot say. What it gives is what is
    encoded only if it is of our kinds, and encoded again gives the same bytes."""
    try:
        value = msgpack.unpackb(data, max_array_len=MAX_SMALL_LIST, max_map_len=0, max_ext_len=0)
    except ValueError:
        return None
    return value if _permitted(value, MAX_DEPTH) and _pack(value) == data else None


def decode_strictly(data: bytes) -> Any:
    """As `decode`, without the library.

    That has no bound on depth and sets a list's claimed length aside before it reads the items, so
    3 kB of nested heads cost it 13 ms; where there is little to read, the bytes themselves bound
    both. Here nothing is set aside for what has not arrived.
    """
    try:
        value, end = _READERS[data[0]](data, 1, MAX_DEPTH)
    except (IndexError, KeyError, ValueError, struct.error):
        raise RemoteError(Code.BAD_ENCODING) from None
    if end != len(data):  # trailing bytes, or the last slice came out short
        raise RemoteError(Code.BAD_ENCODING)
    return value


# Reads what follows a first byte: (data, offset after it, lists that may still nest) -> (value,
# offset after the value). That offset may lie beyond the end of `data`; any other fault raises what
# `decode` catches.
_Reader = Callable[[bytes, int, int], tuple[Any, int]]
# A size or an integer in 1, 2, 4 or 8 bytes.
_HEADER = struct.Struct(">I")  # of a frame
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


def _short(body: Callable[[bytes, int, int, int], tuple[Any, int]], size: int) -> _Reader:
    """A body whose size stands in the first byte."""
    return lambda data, at, depth: body(data, at, depth, size)


def _sized(
    body: Callable[[bytes, int, int, int], tuple[Any, int]], width: int, least: int
) -> _Reader:
    """A body behind its size; `least` is the smallest size that no shorter form can say."""
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


def _few_bytes(data: bytes, at: int, depth: int) -> tuple[bytes, int]:
    """`_sized(_bytes, 1, 0)`, written out because most of what we read is keys and hashes."""
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


# By first byte. What is not here is not permitted: maps, floats, extensions, negative integers,
# 0xC1.
_READERS: dict[int, _Reader] = {
    **{tag: _constant(tag) for tag in range(0x80)},
    **{0x90 + size: _short(_list, size) for size in range(16)},
    **{0xA0 + size: _short(_text, size) for size in range(32)},
    0xC0: _constant(None),
    0xC2: _constant(False),
    0xC3: _constant(True),
    0xC4: _few_bytes,
    0xC5: _sized(_bytes, 2, 1 << 8),
    0xC6: _sized(_bytes, 4, 1 << 16),
    0xCC: _integer(1, 1 << 7),
    0xCD: _integer(2, 1 << 8),
    0xCE: _integer(4, 1 << 16),
    0xCF: _integer(8, 1 << 32),
    0xD9: _sized(_text, 1, 1 << 5),
    0xDA: _sized(_text, 2, 1 << 8),
    0xDB: _sized(_text, 4, 1 << 16),
    0xDC: _sized(_list, 2, 1 << 4),
    0xDD: _sized(_list, 4, 1 << 16),
}


def encode_frame(payload: bytes) -> bytes:
    """The payload behind its length (4 bytes, big-endian). Raises `LocalError` outside 1..MAX_FRAME
    bytes.
    """
    size = len(payload)
    if not 1 <= size <= MAX_FRAME:
        raise LocalError("wrong.ours.frame")
    return _HEADER.pack(size) + payload


def split_frames(data: bytes) -> list[bytes]:
    """Cut what one side sends into its frames, headers included; what is no whole frame in the end
    stays one piece.
    """
    pieces, at = [], 0
    while at < len(data):
        end = at + frame_size(data[at : at + FRAME_HEADER])
        pieces.append(data[at:end])
        at = end
    return pieces


def frame_size(beginning: bytes) -> int:
    """How long a frame is, header included, that begins so; of less than a header, a header's
    length.
    """
    if len(beginning) < FRAME_HEADER:
        return FRAME_HEADER
    (size,) = _HEADER.unpack_from(beginning)
    return FRAME_HEADER + int(size)


class FrameDecoder:
    """Cuts a byte stream into frames. `limit` (bytes of a payload) may be changed between two
    frames.
    """

    __slots__ = ("_buffer", "limit")

    def __init__(self, limit: int = MAX_HANDSHAKE_FRAME) -> None:
        self.limit = limit
        self._buffer = bytearray()

    @property
    def has_partial(self) -> bool:
        """Whether bytes are waiting that no frame has been taken from: at the end of a stream, a
        cut.
        """
        return bool(self._buffer)

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Add bytes at once; give, one at a time, the payloads that are complete.

        It is lazy so that the frames before a bad one are not lost with it, and so that `limit` may
        change at a frame in the middle. Iterating raises as `take` does.
        """
        self._buffer += data
        return iter(self.next_payload, None)

    def next_payload(self) -> bytes | None:
        """The next payload, or None if it is not complete.

        Raises `RemoteError(FRAME_SIZE)` for a length of zero or above the limit, as soon as the
        length is there; the stream cannot be followed after that, and what is buffered is dropped.
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
        # copied twice, which takes less than to make a view of it
        payload = bytes(buffer[FRAME_HEADER:end])
        del buffer[:end]
        return payload

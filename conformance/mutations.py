"""How a case makes right bytes wrong: one bit, a block twice or in another place, another point."""

from collections.abc import Callable

from protocol.crypto.group import GENERATOR, decode_point

Bytes = Callable[[bytes], bytes]
IDENTITY, NO_POINT = bytes(32), b"\xff" * 32  # neither may be posted as a point (13.2.2)
NO_SCALAR = b"\xff" * 32


def flip_bit(data: bytes, at: int = 0) -> bytes:
    """With one bit changed."""
    at %= len(data)
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]


def swap_blocks(size: int) -> Bytes:
    """The first two blocks of this size in the other order."""
    return lambda data: data[size : 2 * size] + data[:size] + data[2 * size :]


def repeat_block(size: int) -> Bytes:
    """The first block instead of the second, too."""
    return lambda data: data[:size] * 2 + data[2 * size :]


def replace_block(block: bytes) -> Bytes:
    """Another first block."""
    return lambda data: block + data[len(block) :]


def replace_point(data: bytes) -> bytes:
    """Another element of the group first."""
    return (decode_point(data[:32]) + GENERATOR).encoded + data[32:]


def alias_point(data: bytes) -> bytes:
    """The first point with bit 255 set: the same element for a library that does not look at it."""
    return data[:31] + bytes([data[31] | 0x80]) + data[32:]

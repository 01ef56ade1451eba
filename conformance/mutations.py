"""Functions that make correct bytes wrong: a flipped bit, a repeated or moved block, another
point.
"""

from collections.abc import Callable

from protocol.crypto.group import GENERATOR, decode_point

Bytes = Callable[[bytes], bytes]
# neither may be posted as a point (13.2.2)
IDENTITY = bytes(32)
NO_POINT = b"\xff" * 32
NO_SCALAR = b"\xff" * 32


def flip_bit(data: bytes, at: int = 0) -> bytes:
    """Return `data` with one bit of byte `at` flipped."""
    at %= len(data)
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]


def swap_blocks(size: int) -> Bytes:
    """Return a function that swaps the first two blocks of `size` bytes."""
    return lambda data: data[size : 2 * size] + data[:size] + data[2 * size :]


def repeat_block(size: int) -> Bytes:
    """Return a function that replaces the second block of `size` bytes by the first."""
    return lambda data: data[:size] * 2 + data[2 * size :]


def replace_block(block: bytes) -> Bytes:
    """Return a function that replaces the first block by `block`."""
    return lambda data: block + data[len(block) :]


def replace_point(data: bytes) -> bytes:
    """Replace the first point by another element of the group."""
    return (decode_point(data[:32]) + GENERATOR).encoded + data[32:]


def alias_point(data: bytes) -> bytes:
    """Set bit 255 of the first point: a library that ignores this bit reads the same element."""
    return data[:31] + bytes([data[31] | 0x80]) + data[32:]

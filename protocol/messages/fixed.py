"""Messages of constant size: their fields have fixed offsets, so one call of `struct` extracts them
all.

This is a faster way to read and write the usual encoding, not another encoding. `protocol.wire`
judges all bytes that do not fit.
"""

from struct import Struct
from typing import Any

from protocol import wire


class FixedLayout:
    """Offsets of the fields of a message: byte strings of fixed sizes, and one integer of one byte.

    Decoded and encoded messages have exactly these sizes, and the integer is at most `most`.
    Callers need no further checks.
    """

    def __init__(self, name: str, *sizes: int, most: int) -> None:
        """Create the layout. `sizes` are the sizes of the byte strings in bytes, with 0 for the
        integer; `most` is below 128.
        """
        # the header of the list, followed by the name
        head = wire.encode([name, *sizes])[: len(wire.encode([name]))]
        self._template = head.replace(b"%", b"%%")
        self._form = f">{len(head)}x"
        for size in sizes:
            self._add(size)
        self._struct = Struct(self._form)
        self._integer = sizes.index(0)
        self._most = most
        self.size = self._struct.size  # bytes of the message

    def _add(self, size: int) -> None:
        head = wire.encode(bytes(size))[:-size] if size else b""
        self._template += head.replace(b"%", b"%%") + (b"%b" if size else b"%c")
        self._form += f"{len(head)}x" + (f"{size}s" if size else "B")

    def encode(self, values: tuple[Any, ...]) -> bytes:
        """Encode a message. Values of other sizes are a bug of this program, and fail an
        assertion.
        """
        message = self._template % values
        assert (
            len(message) == self.size
            and self._struct.unpack(message) == values
            and values[self._integer] <= self._most
        )
        return message

    def decode(self, message: bytes) -> list[Any] | None:
        """Return the fields of a message of this size; None for a message of another kind."""
        values = self._struct.unpack(message)
        small = values[self._integer] <= self._most
        if small and self._template % values == message:
            return list(values)
        return None

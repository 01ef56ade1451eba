"""Messages that have the same size every time: their fields stand at fixed places, and one step in
C takes them out.

It is no other encoding, only a shorter way to the one there is: whatever does not fit is for
`protocol.wire` to judge.
"""

from struct import Struct
from typing import Any

from protocol import wire


class FixedLayout:
    """Where the fields of a message stand: byte strings of one size each, and one integer from 0 to
    `most` (a byte).

    What it takes apart, and puts together, has these sizes and is in this range: nobody need look
    again.
    """

    def __init__(self, name: str, *sizes: int, most: int) -> None:
        """`sizes`: of each byte string, in bytes; 0: the integer. `most`: below 128."""
        # how many items follow, and the first of them
        head = wire.encode([name, *sizes])[: len(wire.encode([name]))]
        self._template, self._form = head.replace(b"%", b"%%"), f">{len(head)}x"
        for size in sizes:
            self._add(size)
        self._struct = Struct(self._form)
        self._integer, self._most = sizes.index(0), most
        self.size = self._struct.size  # bytes of the message

    def _add(self, size: int) -> None:
        head = wire.encode(bytes(size))[:-size] if size else b""
        self._template += head.replace(b"%", b"%%") + (b"%b" if size else b"%c")
        self._form += f"{len(head)}x" + (f"{size}s" if size else "B")

    def encode(self, values: tuple[Any, ...]) -> bytes:
        """The message with these values, which must be of its sizes: else it is a bug of ours."""
        message = self._template % values
        assert (
            len(message) == self.size
            and self._struct.unpack(message) == values
            and values[self._integer] <= self._most
        )
        return message

    def decode(self, message: bytes) -> list[Any] | None:
        """What stands in a message of this size; None if it is another one."""
        values = self._struct.unpack(message)
        small = values[self._integer] <= self._most
        return list(values) if small and self._template % values == message else None

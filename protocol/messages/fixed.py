"""Messages that have the same size every time: their fields stand at fixed places, and one step in C takes them out.

It is no other encoding, only a shorter way to the one there is: whatever does not fit is for `protocol.wire` to judge.
"""

from struct import Struct

from protocol import wire


class Layout:
    """Where the fields of a message stand: byte strings of one size each, and integers below 128 (one byte)."""

    def __init__(self, name: str, *sizes: int) -> None:
        """`sizes`: of each byte string, in bytes; 0: an integer."""
        head = wire.encode([name, *sizes])[: len(wire.encode([name]))]  # how many items follow, and the first of them
        self._template, self._form = head.replace(b"%", b"%%"), f">{len(head)}x"
        for size in sizes:
            self._add(size)
        self._struct = Struct(self._form)
        self.size = self._struct.size  # bytes of the message

    def _add(self, size: int) -> None:
        head = wire.encode(bytes(size))[:-size] if size else b""
        self._template += head.replace(b"%", b"%%") + (b"%b" if size else b"%c")
        self._form += f"{len(head)}x" + (f"{size}s" if size else "b")

    def encode(self, values: tuple[object, ...]) -> bytes:
        """The message with these values, which must be of its sizes."""
        return self._template % values

    def decode(self, message: bytes) -> list[bytes | int] | None:
        """What stands in a message of this size; None if it is another one."""
        values = self._struct.unpack(message)
        try:
            return list(values) if self._template % values == message else None
        except OverflowError:  # a byte of 128 or more is no small integer, and was taken for a negative one
            return None

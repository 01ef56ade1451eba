"""Reading of one peer, which pauses for several reasons at once: its own rates, its share of the
processor, and a receiver that does not keep up.
"""

import asyncio
from collections.abc import Callable


class ReadGate:
    """Stand-in for the transport that a `ReadThrottle` pauses."""

    __slots__ = ("_go_on", "_rates", "_receiver", "_transport")

    def __init__(self, transport: asyncio.Transport, go_on: Callable[[], None]) -> None:
        """`go_on` takes what had to wait, and then calls `read`."""
        self._transport, self._go_on = transport, go_on
        self._rates = self._receiver = False

    @property
    def shut(self) -> bool:
        """Nothing may be taken now."""
        return self._rates or self._receiver

    def pause_reading(self) -> None:
        """The sender has used up its rates."""
        self._rates = True
        self._transport.pause_reading()

    def resume_reading(self) -> None:
        """The sender may send again."""
        self._rates = False
        if not self.shut:
            self._go_on()

    def block(self) -> None:
        """The receiver has enough."""
        self._receiver = True
        self._transport.pause_reading()

    def unblock(self) -> None:
        """The receiver takes more."""
        self._receiver = False
        if not self.shut:
            self._go_on()

    def read(self) -> None:
        """Read from the transport again, unless there is a reason not to."""
        if not self.shut:
            self._transport.resume_reading()

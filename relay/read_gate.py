"""Gate for reading from one peer, which has several reasons to pause at once: the peer's rates, its
share of the processor, and a receiver that does not keep up.
"""

import asyncio
from collections.abc import Callable


class ReadGate:
    """Stand-in for the transport that a `ReadThrottle` pauses."""

    __slots__ = ("_go_on", "_rates", "_receiver", "_transport")

    def __init__(self, transport: asyncio.Transport, go_on: Callable[[], None]) -> None:
        """`go_on`: called when the gate opens; processes the bytes that had to wait, and calls `read`."""
        self._transport, self._go_on = transport, go_on
        self._rates = self._receiver = False

    @property
    def shut(self) -> bool:
        """Reading pauses for some reason."""
        return self._rates or self._receiver

    def pause_reading(self) -> None:
        """Pause, since the sender has used up its rates."""
        self._rates = True
        self._transport.pause_reading()

    def resume_reading(self) -> None:
        """Go on, as far as the sender's rates are concerned."""
        self._rates = False
        if not self.shut:
            self._go_on()

    def block(self) -> None:
        """Pause, since the receiver has too much to read."""
        self._receiver = True
        self._transport.pause_reading()

    def unblock(self) -> None:
        """Go on, as far as the receiver is concerned."""
        self._receiver = False
        if not self.shut:
            self._go_on()

    def read(self) -> None:
        """Read from the transport again, unless there is a reason not to."""
        if not self.shut:
            self._transport.resume_reading()

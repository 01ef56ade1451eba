"""Reading of one peer: it pauses while the peer sends more than its rates allow, and while its address
has spent more than its share of the processor. Nothing that other addresses do stops it.
"""

import asyncio
from collections.abc import Callable

from table.net.processor_time import ConnectionPayer
from table.net.read_line import ReadLine
from table.net.token_bucket import TokenBucket


class ReadThrottle:
    """The reading side of one peer's connection."""

    __slots__ = (
        "_address",
        "_go_on",
        "_granted",
        "_line",
        "_loop",
        "_own",
        "_pause",
        "_payer",
        "_stopped",
        "_told",
        "_transport",
        "_waits",
        "held_since",
        "left",
    )

    def __init__(
        self,
        transport: asyncio.Transport,
        loop: asyncio.AbstractEventLoop,
        rates: tuple[TokenBucket, TokenBucket],
        go_on: Callable[[], None],
        waits: Callable[[bool], None] = lambda begins: None,
    ) -> None:
        """`rates`: what this peer may send, and its address; `go_on` takes what had to wait, after
        a pause. `waits` is told when the table ceases to read, and when it reads again.
        """
        self._transport, self._loop, self._go_on = transport, loop, go_on
        self._own, self._address = rates
        self._pause: asyncio.TimerHandle | None = None  # until it may send again
        self._line: ReadLine | None = None  # in which it waits for its turn
        self._payer: ConnectionPayer | None = None
        self._waits, self._told = waits, False
        self._stopped = False
        # since when nothing was read, until something has been read after that
        self.held_since: float | None = None
        self._granted = self.left = 0  # frames that may come in this turn, in all and still

    @property
    def waiting(self) -> bool:
        """Whether it is we who do not read."""
        return self._pause is not None or self._line is not None

    @property
    def held(self) -> bool:
        """Something may have come that is not read yet, because we did not read."""
        return self.waiting or self.held_since is not None

    def wait(self, now: float) -> float:
        """Seconds until this peer may send one more frame; if 0, `left` of them may come before
        this is asked again.

        So the rates are reckoned with once for all frames of one read, and not for each.
        """
        self.settle(now)
        self._granted = self.left = min(self._own.tokens(now), self._address.tokens(now))
        return 0.0 if self.left else max(self._own.wait(now), self._address.wait(now))

    def settle(self, now: float) -> None:
        """Count the frames that have come since `wait`: whoever takes one from `left` calls this in
        the same turn.
        """
        self._spend(now, self._granted - self.left)
        self._granted = self.left = 0

    def charge(self, frames: int, now: float) -> None:
        """Count so many frames more."""
        self._granted -= frames
        self.left -= frames
        self._spend(now, frames)

    def _spend(self, now: float, frames: int) -> None:
        self._own.spend(now, frames)
        self._address.spend(now, frames)

    def pause(self, seconds: float) -> None:
        """Read nothing for so long."""
        self._cease()
        self._pause = self._loop.call_later(seconds, self._pause_over)
        self._tell(True)

    def hold(self, line: ReadLine, payer: ConnectionPayer) -> None:
        """Read nothing until it is this peer's turn."""
        self._cease()
        self._line, self._payer = line, payer
        line.enter(payer, self)
        self._tell(True)

    def take_turn(self) -> None:
        """See `Held`."""
        self._line = None
        self._tell(False)
        self._go_on()
        self._read_on()

    def stop(self) -> None:
        """What comes is not for us any more."""
        self._stopped = True
        self._go_on = _nothing
        if self._pause is not None:
            self._pause.cancel()
        if self._line is not None and self._payer is not None:
            self._line.leave(self._payer, self)
        self._line = self._payer = None
        self._tell(False)
        self._waits = _ignore

    def _pause_over(self) -> None:
        """What had to wait, and then what has come since."""
        self._pause = None
        self._tell(False)
        self._go_on()
        self._read_on()

    def _cease(self) -> None:
        self._transport.pause_reading()
        if self.held_since is None:
            self.held_since = self._loop.time()

    def _read_on(self) -> None:
        if not self._stopped and not self.waiting:
            self._transport.resume_reading()
            # a timer comes after what can be read in the next turn of the loop
            self._loop.call_later(0.0, self._caught_up)

    def _caught_up(self) -> None:
        """Note that all is read that had come meanwhile."""
        if not self.waiting:
            self.held_since = None

    def _tell(self, begins: bool) -> None:
        if begins is not self._told:
            self._told = begins
            self._waits(begins)


def _nothing() -> None:
    """Do nothing: who is not read from has nothing to go on with."""


def _ignore(begins: bool) -> None:
    """Tell nobody: the connection has ended."""

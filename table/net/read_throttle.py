"""Throttle for reading from one peer. Reading pauses while the peer sends more than its rates allow,
and while its address has spent more than its share of the processor. Other addresses cannot stop it.
"""

import asyncio
from collections.abc import Callable

from table.net.processor_time import ConnectionPayer
from table.net.read_queue import ReadQueue
from table.net.token_bucket import TokenBucket


class ReadThrottle:
    """The reading side of one peer's connection."""

    __slots__ = (
        "_address",
        "_go_on",
        "_granted",
        "_loop",
        "_on_wait",
        "_own",
        "_pause",
        "_paused",
        "_payer",
        "_queue",
        "_stopped",
        "_transport",
        "held_since",
        "left",
    )

    def __init__(
        self,
        transport: asyncio.Transport,
        loop: asyncio.AbstractEventLoop,
        rates: tuple[TokenBucket, TokenBucket],
        go_on: Callable[[], None],
        on_wait: Callable[[bool], None] = lambda begins: None,
    ) -> None:
        """`rates`: of frames from this peer, and from its address. `go_on`: called after a pause, to
        process what had to wait. `on_wait`: called with True when reading pauses, and with False when
        it goes on.
        """
        self._transport, self._loop, self._go_on = transport, loop, go_on
        self._own, self._address = rates
        self._pause: asyncio.TimerHandle | None = None  # until it may send again
        self._queue: ReadQueue | None = None  # in which it waits for its turn
        self._payer: ConnectionPayer | None = None
        self._on_wait, self._paused = on_wait, False
        self._stopped = False
        # beginning of the pause, until something has been read after it
        self.held_since: float | None = None
        # frames that this turn may process: in all, and still
        self._granted = self.left = 0

    @property
    def waiting(self) -> bool:
        """Reading pauses."""
        return self._pause is not None or self._queue is not None

    @property
    def held(self) -> bool:
        """Bytes that came during a pause may be unread."""
        return self.waiting or self.held_since is not None

    def wait(self, now: float) -> float:
        """Return the seconds until this peer may send one more frame. If 0, `left` frames may come
        before the next call: the rates are computed once for all frames of one read.
        """
        self.settle(now)
        self._granted = self.left = min(self._own.tokens(now), self._address.tokens(now))
        return 0.0 if self.left else max(self._own.wait(now), self._address.wait(now))

    def settle(self, now: float) -> None:
        """Count the frames that have come since `wait`. A caller that has reduced `left` calls this in
        the same turn.
        """
        self._spend(now, self._granted - self.left)
        self._granted = self.left = 0

    def charge(self, frames: int, now: float) -> None:
        """Count additional frames."""
        self._granted -= frames
        self.left -= frames
        self._spend(now, frames)

    def _spend(self, now: float, frames: int) -> None:
        self._own.spend(now, frames)
        self._address.spend(now, frames)

    def pause(self, seconds: float) -> None:
        """Pause for some seconds."""
        self._stop_reading()
        self._pause = self._loop.call_later(seconds, self._end_pause)
        self._report(True)

    def hold(self, queue: ReadQueue, payer: ConnectionPayer) -> None:
        """Pause until the turn of this peer comes in `queue`."""
        self._stop_reading()
        self._queue, self._payer = queue, payer
        queue.enter(payer, self)
        self._report(True)

    def take_turn(self) -> None:
        """See `WaitingReader`."""
        self._queue = None
        self._report(False)
        self._go_on()
        self._read_on()

    def stop(self) -> None:
        """Stop for good: another object, or nobody, processes what comes now."""
        self._stopped = True
        self._go_on = _nothing
        if self._pause is not None:
            self._pause.cancel()
        if self._queue is not None and self._payer is not None:
            self._queue.leave(self._payer, self)
        self._queue = self._payer = None
        self._report(False)
        self._on_wait = _ignore

    def _end_pause(self) -> None:
        """Process what had to wait, and then read again."""
        self._pause = None
        self._report(False)
        self._go_on()
        self._read_on()

    def _stop_reading(self) -> None:
        self._transport.pause_reading()
        if self.held_since is None:
            self.held_since = self._loop.time()

    def _read_on(self) -> None:
        if not self._stopped and not self.waiting:
            self._transport.resume_reading()
            # a timer comes after what can be read in the next turn of the loop
            self._loop.call_later(0.0, self._end_catch_up)

    def _end_catch_up(self) -> None:
        """Note that everything that came during the pause has been read."""
        if not self.waiting:
            self.held_since = None

    def _report(self, begins: bool) -> None:
        if begins is not self._paused:
            self._paused = begins
            self._on_wait(begins)


def _nothing() -> None:
    """Do nothing: the throttle has stopped."""


def _ignore(begins: bool) -> None:
    """Report nothing: the throttle has stopped."""

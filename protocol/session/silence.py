"""Silence on a line: seconds in which this program ran and no byte came."""


class Silence:
    """Counter of the silence on one line, from one look to the next.

    A look counts no more than the interval between two looks. So a program does not take its own
    standstill for the other side's silence: it was stopped, its machine slept, or it was busy.
    """

    __slots__ = ("_interval", "_looked", "seconds")

    def __init__(self, now: float, interval: float) -> None:
        """Begin at `now`; `interval` is the usual time between two looks, in seconds."""
        self._looked, self._interval = now, interval
        self.seconds = 0.0

    def look(self, now: float, heard: float) -> float:
        """Return the seconds of silence at `now`; the newest byte came at `heard`.

        Bytes that wait in the system's buffers must have been read before.
        """
        if heard >= self._looked:
            self.seconds = 0.0
        else:
            self.seconds += min(now - self._looked, self._interval)
        self._looked = now
        return self.seconds

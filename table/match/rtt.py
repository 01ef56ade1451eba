"""Round trip of one seat, as a table measures it. Pure: times come in, in seconds of one clock that
only goes forward.
"""

from math import inf

from protocol.limits import MAX_TIMED, TRIP_SECONDS


class WindowMinimum:
    """Smallest value of the last `TRIP_SECONDS`, or of up to twice that time."""

    def __init__(self) -> None:
        self._window, self._current, self._previous = 0, inf, inf

    def note(self, value: float, now: float) -> None:
        """Add a value."""
        self._advance(now)
        self._current = min(self._current, value)

    def value(self, now: float) -> float:
        """Return the smallest value; infinity if there is none."""
        self._advance(now)
        return min(self._current, self._previous)

    def _advance(self, now: float) -> None:
        passed = int(now / TRIP_SECONDS) - self._window
        if passed:
            self._previous, self._current = self._current if passed == 1 else inf, inf
            self._window += passed


class RoundTrip:
    """Round trip of one connection: from a question (`ping`) to its answer, and from a record to an
    entry whose author has seen it.

    Both may take longer than the line needs, and neither less. So a peer can seem farther away, but no
    nearer. An entry that comes back sooner than the answers shows that the line is faster.
    """

    def __init__(self) -> None:
        self._asked: tuple[bytes, float] | None = None  # the question that is not answered yet
        self._questions, self._entries = WindowMinimum(), WindowMinimum()
        # the newest records that went out, with their times; ascending
        self._sent: dict[int, float] = {}

    @property
    def waits(self) -> bool:
        """A question is under way; there is one at a time."""
        return self._asked is not None

    def asked(self, token: bytes, now: float) -> None:
        """Note that a question has gone out."""
        self._asked = token, now

    def answered(self, token: bytes, now: float) -> None:
        """Note an answer. An answer to no question changes nothing."""
        if self._asked is not None and self._asked[0] == token:
            self._questions.note(now - self._asked[1], now)
            self._asked = None

    def sent(self, number: int, now: float) -> None:
        """Note that the record of this number has gone out."""
        self._sent.pop(number, None)
        self._sent[number] = now
        if len(self._sent) > MAX_TIMED:
            del self._sent[next(iter(self._sent))]

    def posted(self, seen: int, arrived: float, now: float) -> None:
        """Note an accepted entry, which came at `arrived` and whose author has seen this number."""
        when = self._sent.get(seen)
        if when is not None and when <= arrived:
            self._entries.note(arrived - when, now)

    def seconds(self, now: float) -> float | None:
        """Return the round trip in seconds; None if no question was answered lately."""
        asked = self._questions.value(now)
        return None if asked == inf else min(asked, self._entries.value(now))

"""One seat's round trip, as a table measures it. Pure: times come in, in seconds of one clock that
goes forward.
"""

from math import inf

from protocol.limits import MAX_TIMED, TRIP_SECONDS


class WindowMinimum:
    """The smallest value of a while: of `TRIP_SECONDS` at least, of twice that at most."""

    def __init__(self) -> None:
        self._while, self._now, self._before = 0, inf, inf

    def note(self, value: float, now: float) -> None:
        """One more."""
        self._turn(now)
        self._now = min(self._now, value)

    def value(self, now: float) -> float:
        """Infinite if there was none."""
        self._turn(now)
        return min(self._now, self._before)

    def _turn(self, now: float) -> None:
        passed = int(now / TRIP_SECONDS) - self._while
        if passed:
            self._before, self._now = self._now if passed == 1 else inf, inf
            self._while += passed


class RoundTrip:
    """From what a connection was sent to what it answered: questions (`ping`), and entries that
    have seen an entry.

    Both may take longer than the line does, and neither less: who is asked can seem farther away,
    and no nearer. An entry that comes sooner after what it has seen than the questions are answered
    says that they could be, too.
    """

    def __init__(self) -> None:
        self._asked: tuple[bytes, float] | None = None  # the question that is not answered yet
        self._questions, self._entries = WindowMinimum(), WindowMinimum()
        # the newest records that it was sent, and when; ascending
        self._sent: dict[int, float] = {}

    @property
    def waits(self) -> bool:
        """Whether a question is under way: there is one at a time."""
        return self._asked is not None

    def asked(self, token: bytes, now: float) -> None:
        """A question has gone out."""
        self._asked = token, now

    def answered(self, token: bytes, now: float) -> None:
        """An answer has come. One to no question says nothing."""
        if self._asked is not None and self._asked[0] == token:
            self._questions.note(now - self._asked[1], now)
            self._asked = None

    def sent(self, number: int, now: float) -> None:
        """The record of this number has gone out."""
        self._sent.pop(number, None)
        self._sent[number] = now
        if len(self._sent) > MAX_TIMED:
            del self._sent[next(iter(self._sent))]

    def posted(self, seen: int, arrived: float, now: float) -> None:
        """An entry of its own stands, which came at `arrived` and has seen this number."""
        when = self._sent.get(seen)
        if when is not None and when <= arrived:
            self._entries.note(arrived - when, now)

    def seconds(self, now: float) -> float | None:
        """What it takes; None: nobody knows, for no question was answered lately."""
        asked = self._questions.value(now)
        return None if asked == inf else min(asked, self._entries.value(now))

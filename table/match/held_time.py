"""Time in which the table holds a seat's entry back: that is not the seat's time. Pure.

The table does not read a connection whose address has spent more than its share, or it has an
entry of the seat that it has not checked. It cannot know if what it has not read is an entry. So
somebody could stop the clock by sending too much: of a long time, half counts at least.
"""

from collections.abc import Sequence

from protocol.limits import HELD_FREE_SECONDS


class HeldTime:
    """For each seat: for how long it was held back since its present duty began."""

    def __init__(self) -> None:
        self._reasons: dict[int, set[str]] = {}  # by seat: why it is held back now
        self._began: dict[int, float] = {}  # by seat: since when
        self._total: dict[int, float] = {}  # by seat: seconds, without those that run
        self._before: dict[int, float] = {}  # by seat: seconds before its present duty
        self._duties: tuple[int, ...] = ()

    def begin(self, seat: int, reason: str, now: float) -> None:
        """Hold a seat back for one more reason."""
        reasons = self._reasons.setdefault(seat, set())
        if not reasons:
            self._began[seat] = now
        reasons.add(reason)

    def end(self, seat: int, reason: str, now: float) -> None:
        """One reason to hold a seat back is gone."""
        reasons = self._reasons.get(seat)
        if reasons is None or reason not in reasons:
            return
        reasons.discard(reason)
        if not reasons:
            self._total[seat] = self._total.get(seat, 0.0) + now - self._began.pop(seat)

    def set_duties(self, since: Sequence[int], now: float) -> None:
        """Take note of the entries since which the duties of all seats stand."""
        if since == self._duties:
            return
        before, self._duties = self._duties, tuple(since)
        for seat, number in enumerate(self._duties):
            if seat >= len(before) or before[seat] != number:
                self._before[seat] = self._seconds(seat, now)

    def counted(self, seat: int, waited: float, now: float) -> float:
        """Return how much of the time that a duty has stood is the seat's own."""
        held = self._seconds(seat, now) - self._before.get(seat, 0.0)
        return max(0.0, waited - min(held, max(HELD_FREE_SECONDS, waited / 2)))

    def _seconds(self, seat: int, now: float) -> float:
        began = self._began.get(seat)
        return self._total.get(seat, 0.0) + (0.0 if began is None else now - began)

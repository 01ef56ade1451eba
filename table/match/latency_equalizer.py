"""When what is sent to a seat, and what comes from it, is due, so that all round trips take as
long. Pure: times in, due times out, in seconds of one clock that only goes forward."""

from collections import deque


class LatencyEqualizer:
    """The round trip that a match wants, and what was held for it."""

    def __init__(self, seconds: float) -> None:
        """`seconds`: of the round trip; 0: nothing is ever held."""
        self.seconds = seconds
        # first of some records, and when they were there to be sent
        self._stored: deque[tuple[int, float]] = deque()
        self._taken: dict[int, float] = {}  # by seat: when its newest entry is due

    def each_way(self, trip: float | None) -> float:
        """For how long is held what goes, or comes, over a line with this round trip.

        None: nobody knows it. Then all of it, as of one that is as near as can be: else silence
        would pay.
        """
        return max(0.0, self.seconds - (trip or 0.0)) / 2

    def stored(self, first: int, now: float) -> None:
        """The records from this number on may go out from now on."""
        if not self.seconds:
            return
        self._stored.append((first, now))
        while self._stored[0][1] < now - self.seconds:
            self._stored.popleft()

    def due_out(self, number: int, trip: float | None) -> float:
        """When this record may be sent to who has this round trip; 0: it has been long enough."""
        for first, when in reversed(self._stored):
            if first <= number:
                return when + self.each_way(trip)
        return 0.0

    def due_in(self, seat: int, trip: float | None, arrived: float) -> float:
        """When an entry of this seat that has arrived is to be taken: after those that came before
        it.
        """
        due = max(arrived + self.each_way(trip), self._taken.get(seat, 0.0))
        self._taken[seat] = due
        return due

"""Delays that make the round trips to all seats equally long. Pure: times go in, due times come out,
in seconds of one clock that only goes forward.
"""

from collections import deque


class LatencyEqualizer:
    """Equalizer of one match, for records to seats and entries from seats."""

    def __init__(self, seconds: float) -> None:
        """`seconds`: round trip that the match wants; 0: nothing is delayed."""
        self.seconds = seconds
        # number of the first of some records, and the time from which they could be sent
        self._stored: deque[tuple[int, float]] = deque()
        self._taken: dict[int, float] = {}  # by seat: due time of its newest entry

    def each_way(self, trip: float | None) -> float:
        """Return the delay in each direction for a line with this round trip.

        None, an unknown round trip, counts as 0: else silence would pay.
        """
        return max(0.0, self.seconds - (trip or 0.0)) / 2

    def stored(self, first: int, now: float) -> None:
        """Note that the records from this number on can be sent from now on."""
        if not self.seconds:
            return
        self._stored.append((first, now))
        while self._stored[0][1] < now - self.seconds:
            self._stored.popleft()

    def due_out(self, number: int, trip: float | None) -> float:
        """Return the time from which this record may go out over a line with this round trip; 0: now."""
        for first, when in reversed(self._stored):
            if first <= number:
                return when + self.each_way(trip)
        return 0.0

    def due_in(self, seat: int, trip: float | None, arrived: float) -> float:
        """Return the time at which to process an entry of this seat, after its earlier entries."""
        due = max(arrived + self.each_way(trip), self._taken.get(seat, 0.0))
        self._taken[seat] = due
        return due

"""Round trips of a match in which seats act independently. The table measures them, tells all parties,
and equalizes them where the terms say so.

They are the table's word: no entry, signed by nobody, and lost with the connection.
"""

import asyncio
from collections.abc import Callable, Mapping

from protocol.crypto.hashing import derive
from protocol.limits import MAX_TRIP, PING_SECONDS
from protocol.match.log import decode_entry
from protocol.match.setup import Setup
from protocol.messages import table as messages
from table.match.latency_equalizer import LatencyEqualizer
from table.match.log_broadcaster import Party
from table.match.pending import IncomingEntry
from table.match.rtt import RoundTrip
from table.match.status import MatchStatus
from table.metrics import Metrics


class RttMonitor:
    """Monitor of the parties of one match."""

    def __init__(
        self, match_id: bytes, setup: Setup, seed: bytes, parties: Mapping[Party, int | None]
    ) -> None:
        """`seed`: of the match, secret. `parties`: those present now, with their seats; the caller keeps
        it up to date.
        """
        self._match_id, self._seats, self._seed, self._parties = (
            match_id,
            setup.seats,
            seed,
            parties,
        )
        self.equalizer = LatencyEqualizer(setup.allowance.level / 1000)
        self._trips: dict[Party, RoundTrip] = {}  # of parties with a seat
        self._told: dict[Party, list[int | None]] = {}
        self._questions = 0
        self._loop = asyncio.get_running_loop()
        self._next: asyncio.TimerHandle | None = None  # the next round of questions
        self._later: dict[Party, asyncio.TimerHandle] = {}  # when there is more to send to a party

    def begin(self) -> None:
        """Start to ask, after all parties have been told of the match."""
        for party in list(self._trips):
            self._ask(party)
        self._next = self._loop.call_later(PING_SECONDS, self._begin_round)

    def came(self, party: Party) -> None:
        """Add a party, which has been told of the match if that has begun."""
        if self._parties[party] is not None:
            self._trips[party] = RoundTrip()
            if self._next is not None:
                self._ask(party)

    def left(self, party: Party) -> None:
        """Forget a party that has gone."""
        self._trips.pop(party, None)
        self._told.pop(party, None)
        if (later := self._later.pop(party, None)) is not None:
            later.cancel()

    def close(self) -> None:
        """Stop all timers."""
        for timer in [self._next, *self._later.values()]:
            if timer is not None:
                timer.cancel()
        self._next, self._later = None, {}

    def answered(self, party: Party, token: bytes) -> None:
        """Note an answer of a party."""
        if party in self._trips:
            self._trips[party].answered(token, self._loop.time())

    def sent(self, party: Party, number: int) -> None:
        """Note that this record has gone out to a party."""
        if party in self._trips:
            self._trips[party].sent(number, self._loop.time())

    def posted(self, party: Party, seen: int, arrived: float) -> None:
        """Note an accepted entry of a party, which came at `arrived` and has seen this number."""
        if party in self._trips:
            self._trips[party].posted(seen, arrived, self._loop.time())

    def entry_accepted(
        self, post: IncomingEntry, before: MatchStatus, after: MatchStatus, metrics: Metrics
    ) -> None:
        """Note an accepted entry, in the round trip of its author and in the metrics."""
        seen = decode_entry(post.raw).seen_number
        self.posted(post.party, seen, post.arrived)
        if after.late != before.late:
            metrics.late += 1
            metrics.late_by.observe(before.next_number - 1 - seen)

    def trip(self, party: Party) -> float | None:
        """Return a party's round trip in seconds; None if it is unknown, as for all spectators."""
        known = self._trips.get(party)
        return None if known is None else known.seconds(self._loop.time())

    def send_later(self, party: Party, due: float, send: Callable[[Party], None]) -> None:
        """Call `send` for this party at the time `due`, unless it is to be called already."""
        if party not in self._later:
            self._later[party] = self._loop.call_at(due, self._send, party, send)

    def release_delayed(self) -> list[Party]:
        """Stop all delays, and return the parties for which `send` has not been called."""
        later, self._later = self._later, {}
        for timer in later.values():
            timer.cancel()
        return list(later)

    def _send(self, party: Party, send: Callable[[Party], None]) -> None:
        del self._later[party]
        send(party)

    def _begin_round(self) -> None:
        self._next = self._loop.call_later(PING_SECONDS, self._begin_round)
        for party in list(self._trips):  # who does not read may be cut off here, and leave
            self._ask(party)
        self._send_trips()

    def _ask(self, party: Party) -> None:
        trip = self._trips.get(party)
        if trip is not None and not trip.waits and party.takes_talk:
            self._questions += 1
            token = derive(self._seed, "ping", self._questions, length=messages.PING)
            trip.asked(token, self._loop.time())
            party.send(messages.encode("ping", self._match_id, token))

    def _send_trips(self) -> None:
        """Send all round trips to the parties that do not know them yet."""
        trips: list[int | None] = [None] * self._seats
        for party in self._trips:
            seconds, seat = self.trip(party), self._parties[party]
            if seconds is not None and seat is not None:
                trips[seat] = min(round(1000 * seconds), MAX_TRIP)
        message = messages.encode("trips", self._match_id, trips)
        for party in [party for party in self._parties if self._told.get(party) != trips]:
            if party.takes_talk:
                self._told[party] = trips
                party.send(message)


def rtt_monitor_of(
    setup: Setup, match_id: bytes, seed: bytes, parties: Mapping[Party, int | None]
) -> RttMonitor | None:
    """Return a monitor for a match in which seats may act at the same time, so that distance matters;
    else None.
    """
    return RttMonitor(match_id, setup, seed, parties) if setup.game.real_time else None

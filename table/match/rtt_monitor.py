"""Round trips of a match in which seats act independently: asked for, told to all, and made level
where that is agreed.

Only what this table says of them: no entry, signed by nobody, and gone with the connection that it
was measured on.
"""

import asyncio
from collections.abc import Callable, Mapping

from protocol.crypto.hashing import derive
from protocol.games import IndependentGame
from protocol.limits import MAX_TRIP, PING_SECONDS
from protocol.match.log import decode_entry
from protocol.match.setup import Setup
from protocol.match.state import Match
from protocol.messages import table as messages
from table.match.latency_equalizer import LatencyEqualizer
from table.match.log_broadcaster import Party
from table.match.pending import IncomingEntry
from table.match.rtt import RoundTrip
from table.metrics import Metrics


class RttMonitor:
    """What is measured of the parties of one match."""

    def __init__(
        self, match_id: bytes, setup: Setup, seed: bytes, parties: Mapping[Party, int | None]
    ) -> None:
        """`parties`, and their seats, as they come and go; `seed`: of the match, secret."""
        self._match_id, self._seats, self._seed, self._parties = (
            match_id,
            setup.seats,
            seed,
            parties,
        )
        self.level = LatencyEqualizer(setup.allowance.level / 1000)
        self._trips: dict[Party, RoundTrip] = {}  # of those who have a seat
        self._told: dict[Party, list[int | None]] = {}
        self._questions = 0
        self._loop = asyncio.get_running_loop()
        self._next: asyncio.TimerHandle | None = None  # the next round of questions
        self._later: dict[Party, asyncio.TimerHandle] = {}  # when there is more to send to a party

    def begin(self) -> None:
        """All parties have been told of the match."""
        for party in list(self._trips):
            self._ask(party)
        self._next = self._loop.call_later(PING_SECONDS, self._again)

    def came(self, party: Party) -> None:
        """A party has come, and has been told of the match if that has begun."""
        if self._parties[party] is not None:
            self._trips[party] = RoundTrip()
            if self._next is not None:
                self._ask(party)

    def left(self, party: Party) -> None:
        """A party has gone."""
        self._trips.pop(party, None)
        self._told.pop(party, None)
        if (later := self._later.pop(party, None)) is not None:
            later.cancel()

    def close(self) -> None:
        """Nobody is asked or told anything more."""
        for timer in [self._next, *self._later.values()]:
            if timer is not None:
                timer.cancel()
        self._next, self._later = None, {}

    def answered(self, party: Party, token: bytes) -> None:
        """A party has answered a question."""
        if party in self._trips:
            self._trips[party].answered(token, self._loop.time())

    def sent(self, party: Party, number: int) -> None:
        """A party has been sent this record."""
        if party in self._trips:
            self._trips[party].sent(number, self._loop.time())

    def posted(self, party: Party, seen: int, arrived: float) -> None:
        """An entry of this party's, which came at `arrived`, stands, and has seen this number."""
        if party in self._trips:
            self._trips[party].posted(seen, arrived, self._loop.time())

    def stands(self, post: IncomingEntry, before: Match, after: Match, metrics: Metrics) -> None:
        """Somebody's entry has been taken."""
        seen = decode_entry(post.raw).seen_number
        self.posted(post.author, seen, post.arrived)
        if after.late_counts != before.late_counts:
            metrics.late += 1
            metrics.late_by.observe(before.next_number - 1 - seen)

    def trip(self, party: Party) -> float | None:
        """A party's round trip in seconds; None: nobody knows, as of all who have no seat."""
        known = self._trips.get(party)
        return None if known is None else known.seconds(self._loop.time())

    def later(self, party: Party, due: float, send: Callable[[Party], None]) -> None:
        """There will be more to send to this party, then."""
        if party not in self._later:
            self._later[party] = self._loop.call_at(due, self._send, party, send)

    def release(self) -> list[Party]:
        """To whom there is more to send, which need not wait any more."""
        later, self._later = self._later, {}
        for timer in later.values():
            timer.cancel()
        return list(later)

    def _send(self, party: Party, send: Callable[[Party], None]) -> None:
        del self._later[party]
        send(party)

    def _again(self) -> None:
        self._next = self._loop.call_later(PING_SECONDS, self._again)
        for party in list(self._trips):  # who does not read may be cut off here, and leave
            self._ask(party)
        self._tell()

    def _ask(self, party: Party) -> None:
        trip = self._trips.get(party)
        if trip is not None and not trip.waits and party.takes_talk:
            self._questions += 1
            token = derive(self._seed, "ping", self._questions, length=messages.PING)
            trip.asked(token, self._loop.time())
            party.send(messages.encode("ping", self._match_id, token))

    def _tell(self) -> None:
        """Everybody what all round trips take, where it is news."""
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
    """Of a match in which seats may act at the same time, so that it matters how far away one is;
    else None.
    """
    return (
        RttMonitor(match_id, setup, seed, parties)
        if isinstance(setup.game, IndependentGame)
        else None
    )

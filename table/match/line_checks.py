"""Checks of the lines to seats, so that no seat lapses because it does not hear its host.

A table of several hosts asks a seat for an answer before it says that the seat's time is over. A
seat that does not answer, or that has lost its line, gets time to report at another host that it
cannot reach this one (`table.cluster.strays`).
"""

import asyncio
from itertools import count

from protocol.limits import HOST_UNREACHED_SECONDS, LIFE_SECONDS, SILENCE_SECONDS
from protocol.messages import table as messages
from table.match.log_broadcaster import Party

_MARK = b"line"  # begins our questions; those that measure a round trip are random


class LineChecks:
    """The lines to the seats of one match."""

    def __init__(self, match_id: bytes, parties: dict[Party, int | None]) -> None:
        """`parties`: those present now, with their seats; the caller keeps it up to date."""
        self._match_id, self._parties = match_id, parties
        self._time = asyncio.get_running_loop().time
        self._began = self._time()
        self._left: dict[int, float] = {}  # by seat: time at which its last party has gone
        self._numbers = count(1)
        self._token: dict[Party, bytes] = {}  # the newest question
        self._asked: dict[Party, float] = {}  # when it was asked
        self._waits: dict[Party, float] = {}  # since when no question has been answered
        self._answered: dict[Party, float] = {}

    def may_lapse(self, seat: int, now: float) -> bool:
        """Tell if the time of a seat may be over; if not, ask it whether it hears."""
        party = next((each for each, its in self._parties.items() if its == seat), None)
        if party is None:
            return now - self._left.get(seat, self._began) >= HOST_UNREACHED_SECONDS
        if now - self._answered.get(party, self._began - SILENCE_SECONDS) < SILENCE_SECONDS:
            return True
        if now - self._asked.get(party, self._began - LIFE_SECONDS) >= LIFE_SECONDS:
            self._asked[party] = now
            self._token[party] = _MARK + next(self._numbers).to_bytes(4, "big")
            party.send(messages.encode("ping", self._match_id, self._token[party]))
        return now - self._waits.setdefault(party, now) >= HOST_UNREACHED_SECONDS

    def answered(self, party: Party, token: bytes) -> None:
        """Note an answer of a party."""
        if self._token.get(party) == token:
            self._answered[party] = self._time()
            self._waits.pop(party, None)

    def left(self, party: Party, seat: int | None) -> None:
        """Forget a party that has gone."""
        if seat is not None:
            self._left[seat] = self._time()
        for kept in (self._token, self._asked, self._waits, self._answered):
            kept.pop(party, None)

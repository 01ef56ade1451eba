"""Messages to all parties of a match beside its log: the table's word, signed by nobody.

They say whose players are connected, again and again, so that people notice a dead line
(docs/protocol, 4.9); and that the table cannot write, while people wait for that.
"""

import asyncio
from collections.abc import Callable, Iterable

from protocol.codes import Code
from protocol.limits import HELD_UP_SECONDS, LIFE_SECONDS, PRESENCE_SECONDS
from protocol.messages import table as messages
from table.match.hosted_log import HostedLog
from table.match.log_broadcaster import Party

LOOK_SECONDS = 1  # seconds between two looks at what is due, and at what waits


def _never() -> bool:
    return False


class Presence:
    """Presence of the players, and what each party knows of it. Changes are collected for
    `PRESENCE_SECONDS`, so a line that flaps is not reported.
    """

    # tells if the match waits for entries that the store has lost
    held_up: Callable[[], bool] = staticmethod(_never)

    def __init__(self, live: HostedLog, parties: dict[Party, int | None]) -> None:
        """`parties`: those present now, with their seats; the caller keeps it up to date, and calls
        `changed`.
        """
        self._live, self._parties = live, parties
        self._everybody = tuple(range(live.setup.seats))
        # seats that each party knows to be present; a party that is missing takes all as present
        self._told: dict[Party, tuple[int, ...]] = {}
        self._loop = asyncio.get_running_loop()
        self._due: asyncio.TimerHandle | None = None
        self._again: asyncio.TimerHandle | None = None
        self._greeting: asyncio.Handle | None = None
        self._quiet = 0  # seconds since the last sign of life
        # parties that have had a first sign of life
        self._greeted: set[Party] = set()
        # number of records after which the match stands still, and since when
        self._stuck: tuple[int, float] | None = None
        self._warned: set[Party] = set()  # parties that have been told of the standstill

    def changed(self) -> None:
        """Schedule messages, since somebody has come or gone."""
        if self._due is None:
            self._due = self._loop.call_later(PRESENCE_SECONDS, self._tell)
        if self._again is None:
            self._again = self._loop.call_later(LOOK_SECONDS, self._look)
            self._quiet = 0
        if self._greeting is None:
            self._greeting = self._loop.call_soon(self._greet)

    def close(self) -> None:
        """Stop all timers, and drop the callback."""
        self.held_up = _never  # no circle is left (`table.ops.garbage`)
        for timer in (self._due, self._again, self._greeting):
            if timer is not None:
                timer.cancel()

    def _greet(self) -> None:
        """Send new parties a first sign of life, which promises more of them. This runs in the next
        turn of the loop, after all have been told of the match.
        """
        self._greeting = None
        new = [party for party in self._parties if party not in self._greeted]
        self._greeted = set(self._parties)
        self._send_sign_of_life(new)

    def _tell(self) -> None:
        self._due = None
        here = tuple(sorted(_seats(self._parties.values())))
        self._told = {party: told for party, told in self._told.items() if party in self._parties}
        for party in [party for party in self._parties if self._heard(party) != here]:
            if party.takes_talk:
                self._told[party] = here
                party.send(self._message(here))
            else:
                self.changed()  # to say so later

    def _look(self) -> None:
        """Check for a standstill, and send signs of life, as long as there are parties."""
        self._again = self._loop.call_later(LOOK_SECONDS, self._look) if self._parties else None
        self._check_standstill()
        self._quiet += LOOK_SECONDS
        if self._quiet >= LIFE_SECONDS:
            self._quiet = 0
            self._send_sign_of_life(list(self._parties))

    def _send_sign_of_life(self, parties: Iterable[Party]) -> None:
        for party in parties:
            if party.takes_talk:  # else other messages are on their way to it
                party.send(self._message(self._heard(party)))

    def _check_standstill(self) -> None:
        """Tell all parties, once, if the match has stood still for long with entries to be written."""
        live, now = self._live, self._loop.time()
        stands = len(live.records)
        if stands == live.log.next_number and not live.owes and not self.held_up():
            self._stuck = None
        elif self._stuck is None or self._stuck[0] != stands:
            self._stuck = stands, now
        if self._stuck is None or self._stuck[1] == now:
            self._warned.clear()
        elif now - self._stuck[1] >= HELD_UP_SECONDS and self._cannot_write:
            for party in [
                party for party in self._parties if party not in self._warned and party.takes_talk
            ]:
                self._warned.add(party)
                party.send(messages.encode("error", str(Code.CANNOT_WRITE)))

    @property
    def _cannot_write(self) -> bool:
        """The match waits for the store, the signer or lost entries. After a claim it may wait for
        heads until seats are back, which does not count.
        """
        return (
            self.held_up()
            or self._live.acknowledged < self._live.log.next_number
            or self._live.signer.away
        )

    def _heard(self, party: Party) -> tuple[int, ...]:
        return self._told.get(party, self._everybody)

    def _message(self, here: tuple[int, ...]) -> bytes:
        return messages.encode("present", self._live.log.match_id, list(here))


def _seats(seats: Iterable[int | None]) -> set[int]:
    return {seat for seat in seats if seat is not None}

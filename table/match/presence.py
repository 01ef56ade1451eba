"""What all who follow a match are told beside its log: the table's word, signed by nobody.

Whose players are connected; that is said again and again, so that people notice when their line is
dead (docs/protocol, 4.9). And that the table cannot write, while they wait for it.
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
    """What each party has been told. Changes are collected for `PRESENCE_SECONDS`: a line that
    flaps is no news.
    """

    # whether all wait for what the store has lost
    held_up: Callable[[], bool] = staticmethod(_never)

    def __init__(self, live: HostedLog, parties: dict[Party, int | None]) -> None:
        """`parties`, and their seats, as they come and go: whoever changes them calls `changed`."""
        self._live, self._parties = live, parties
        self._everybody = tuple(range(live.setup.seats))
        self._told: dict[Party, tuple[int, ...]] = {}  # who is not in it takes everybody to be here
        self._loop = asyncio.get_running_loop()
        self._due: asyncio.TimerHandle | None = None
        self._again: asyncio.TimerHandle | None = None
        self._greeting: asyncio.Handle | None = None
        self._quiet = 0  # seconds since the last sign of life
        # who has heard for the first time that this table is there
        self._greeted: set[Party] = set()
        # behind so many records something waits to be written; since when
        self._stuck: tuple[int, float] | None = None
        self._warned: set[Party] = set()  # who has been told so

    def changed(self) -> None:
        """Somebody has come or gone."""
        if self._due is None:
            self._due = self._loop.call_later(PRESENCE_SECONDS, self._tell)
        if self._again is None:
            self._again = self._loop.call_later(LOOK_SECONDS, self._look)
            self._quiet = 0
        if self._greeting is None:
            self._greeting = self._loop.call_soon(self._greet)

    def close(self) -> None:
        """Nobody is told anything more."""
        self.held_up = _never  # no circle is left (`table.ops.garbage`)
        for timer in (self._due, self._again, self._greeting):
            if timer is not None:
                timer.cancel()

    def _greet(self) -> None:
        """Give whoever has just come a first sign of life, which promises more of them.

        In the next turn of the loop: by then everybody has been told of the match.
        """
        self._greeting = None
        new = [party for party in self._parties if party not in self._greeted]
        self._greeted = set(self._parties)
        self._say_again(new)

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
        """As long as anybody is here."""
        self._again = self._loop.call_later(LOOK_SECONDS, self._look) if self._parties else None
        self._see_what_waits()
        self._quiet += LOOK_SECONDS
        if self._quiet >= LIFE_SECONDS:
            self._quiet = 0
            self._say_again(list(self._parties))

    def _say_again(self, parties: Iterable[Party]) -> None:
        for party in parties:
            if party.takes_talk:  # else it is still being sent something
                party.send(self._message(self._heard(party)))

    def _see_what_waits(self) -> None:
        """Whether the match has stood still for long with something of it to be written: then all
        hear so, once.
        """
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
        """Whether it is store or signer, or what the store has lost, that is waited for: after a
        claim heads may lack until seats are back."""
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

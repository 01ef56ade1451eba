"""Whose players are connected, told to all who follow a match: the table's word, signed by nobody.

Where a table has several hosts, that is also how they notice that theirs has fallen silent: it is said again and again.
"""

import asyncio
from collections.abc import Iterable

from protocol.limits import LIFE_SECONDS, PRESENCE_SECONDS
from protocol.messages import table as messages
from table.room.feed import Party


class Presence:
    """What each party has been told. Changes are collected for `PRESENCE_SECONDS`: a line that flaps is no news."""

    lively = False  # say all of it again each `LIFE_SECONDS`: there are other hosts to go to if this one is silent

    def __init__(self, match_id: bytes, seats: int, parties: dict[Party, int | None]) -> None:
        """`parties`, and their seats, as they come and go: whoever changes them calls `changed`."""
        self._match_id, self._parties = match_id, parties
        self._everybody = tuple(range(seats))
        self._told: dict[Party, tuple[int, ...]] = {}  # who is not in it takes everybody to be here
        self._loop = asyncio.get_running_loop()
        self._due: asyncio.TimerHandle | None = None
        self._again: asyncio.TimerHandle | None = None

    def changed(self) -> None:
        """Somebody has come or gone."""
        if self._due is None:
            self._due = self._loop.call_later(PRESENCE_SECONDS, self._tell)
        if self.lively and self._again is None:
            self._again = self._loop.call_later(LIFE_SECONDS, self._live)

    def close(self) -> None:
        """Nobody is told anything more."""
        for timer in (self._due, self._again):
            if timer is not None:
                timer.cancel()

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

    def _live(self) -> None:
        self._again = self._loop.call_later(LIFE_SECONDS, self._live) if self._parties else None
        for party in list(self._parties):
            if party.takes_talk:  # else it is still being sent something
                party.send(self._message(self._heard(party)))

    def _heard(self, party: Party) -> tuple[int, ...]:
        return self._told.get(party, self._everybody)

    def _message(self, here: tuple[int, ...]) -> bytes:
        return messages.encode("present", self._match_id, list(here))


def _seats(seats: Iterable[int | None]) -> set[int]:
    return {seat for seat in seats if seat is not None}

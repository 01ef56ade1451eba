"""Whose players are connected, told to all who follow a match: the table's word, signed by nobody."""

import asyncio
from collections.abc import Iterable

from protocol.limits import PRESENCE_SECONDS
from protocol.messages import table as messages
from table.room.feed import Party


class Presence:
    """What each party has been told. Changes are collected for `PRESENCE_SECONDS`: a line that flaps is no news."""

    def __init__(self, match_id: bytes, seats: int, parties: dict[Party, int | None]) -> None:
        """`parties`, and their seats, as they come and go: whoever changes them calls `changed`."""
        self._match_id, self._parties = match_id, parties
        self._everybody = tuple(range(seats))
        self._told: dict[Party, tuple[int, ...]] = {}  # who is not in it takes everybody to be here
        self._loop = asyncio.get_running_loop()
        self._due: asyncio.TimerHandle | None = None

    def changed(self) -> None:
        """Somebody has come or gone."""
        if self._due is None:
            self._due = self._loop.call_later(PRESENCE_SECONDS, self._tell)

    def close(self) -> None:
        """Nobody is told anything more."""
        if self._due is not None:
            self._due.cancel()

    def _tell(self) -> None:
        self._due = None
        here = tuple(sorted(_seats(self._parties.values())))
        self._told = {party: told for party, told in self._told.items() if party in self._parties}
        message = messages.encode("present", self._match_id, list(here))
        for party in [party for party in self._parties if self._told.get(party, self._everybody) != here]:
            if party.takes_talk:
                self._told[party] = here
                party.send(message)
            else:
                self.changed()  # to say so later


def _seats(seats: Iterable[int | None]) -> set[int]:
    return {seat for seat in seats if seat is not None}

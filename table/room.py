"""One running match: its host, who reads its log and how far each has read, and how long it waits for whom."""

import asyncio
import logging
import sqlite3
from hashlib import sha256
from typing import Protocol

from protocol import messages
from protocol.codes import Code
from protocol.dealing import TABLE
from protocol.errors import Refused
from protocol.messages import Phase
from table.config import Bounds
from table.connection import Connection
from table.host import Host
from table.journal import Journal

log = logging.getLogger(__name__)


class Keeper(Protocol):
    """Whom a room reports to."""

    def match_over(self, room: "Room") -> None:
        """The match has ended, and its end is on disk."""

    def match_settled(self, room: "Room") -> None:
        """All parties have been sent all of it, or have gone: the room may be forgotten."""


class Room:
    """One match at one table.

    The log is one stream that every party reads from a place of its own: a start, a reconnection and a spectator are
    the same thing. What is not on disk is not in the stream.
    """

    def __init__(
        self,
        table_id: str,
        host: Host,
        journal: Journal,
        patience: float,
        bounds: Bounds,
        keeper: Keeper,
    ) -> None:
        """Stores the first entry. Raises: sqlite3.Error if that fails."""
        self.table_id, self.host = table_id, host
        self.match_id = host.log.match_id
        self.people = tuple(person.identity for person in host.match.setup.people)
        self.seated: list[Connection | None] = [None] * len(self.people)
        self.stored = 0  # records on disk; only these are sent
        self._journal, self._patience, self._bounds, self._keeper = journal, patience, bounds, keeper
        self._loop = asyncio.get_running_loop()
        self._parties: set[Connection] = set()
        self._next: dict[Connection, int] = {}  # number of the record that each reader gets next
        self._last: tuple[int, bytes] = (-1, b"")  # the message encoded last
        self._logged_at = self._loop.time()
        self._retry: asyncio.TimerHandle | None = None
        self._goodbye: asyncio.TimerHandle | None = None
        self._store()
        self._impatience = self._loop.call_later(patience, self._check_patience)

    @property
    def over(self) -> bool:
        """Whether the match has ended and its end is on disk."""
        return self.host.match.over and self.stored == len(self.host.records)

    @property
    def spectators(self) -> int:
        """How many watch."""
        return len(self._parties) - sum(seat is not None for seat in self.seated)

    def seat_of(self, identity: bytes) -> int | None:
        """The seat of this identity in this match."""
        return self.people.index(identity) if identity in self.people else None

    def enter(self, connection: Connection) -> None:
        """Seat a connection whose identity has a seat here; any other watches. It gets `match`."""
        seat = self.seat_of(connection.identity)
        if seat is not None:
            self.seated[seat] = connection
        self._parties.add(connection)
        connection.room, connection.seat = self, seat
        connection.phase = Phase.WATCHING if seat is None else Phase.SEATED
        connection.send(messages.encode("match", self.table_id, self.match_id, seat, self.stored))

    def leave(self, connection: Connection) -> None:
        """The connection has nothing more to do with this match; its seat stays its identity's."""
        self._parties.discard(connection)
        self._next.pop(connection, None)
        if connection.seat is not None and self.seated[connection.seat] is connection:
            self.seated[connection.seat] = None
        connection.room, connection.seat, connection.lagging = None, None, False
        if self.over and not self._parties:
            self._settle()

    def post(self, connection: Connection, raw: bytes) -> None:
        """Take an entry of a seated connection: to disk, then to everybody; or `refused` to its author."""
        assert connection.seat is not None
        try:
            self.host.offer(raw, connection.seat)
        except Refused as refusal:
            log.debug("match %s: an entry of seat %d is refused: %s", self, connection.seat, refusal.code)
            refuse(connection, self.match_id, raw, refusal.code)
        finally:  # whatever happened, what stands in the log goes out
            self._publish()

    def replay(self, connection: Connection, number: int) -> bool:
        """Send the log from this number on, and what comes from now on; False if there are not so many entries."""
        if number > self.stored:
            return False
        self._next[connection] = number
        self.pump(connection)
        return True

    def pump(self, connection: Connection) -> None:
        """Send a reader what it has not been sent, as far as it keeps up; after the last entry of all, `left`."""
        number = self._next[connection]
        while number < self.stored and connection.open and not connection.busy:
            connection.send(self._message(number))
            number += 1
        if not connection.open:
            return
        self._next[connection] = number
        connection.lagging = number < self.stored
        if self.over and not connection.lagging:
            self._dismiss(connection)

    def close(self) -> None:
        """Stop all timers: nothing happens here any more."""
        for timer in (self._impatience, self._retry, self._goodbye):
            if timer is not None:
                timer.cancel()

    def __str__(self) -> str:
        return self.match_id.hex()[:8]

    def _message(self, number: int) -> bytes:
        """The `entry` message of a record; readers who keep up share one encoding."""
        if self._last[0] != number:
            record = self.host.records[number]
            self._last = (number, messages.encode("entry", self.match_id, *record))
        return self._last[1]

    def _store(self) -> None:
        records = self.host.records
        self._journal.store(self.match_id, records[self.stored :])
        self.stored = len(records)

    def _publish(self) -> None:
        """Put new records on disk, then into the stream. If the disk refuses, both wait: the match goes on later."""
        first = self.stored
        if first == len(self.host.records) or self._retry is not None:
            return
        try:
            self._store()
        except sqlite3.Error as error:
            log.error("match %s: the journal cannot be written (%s); trying again", self, type(error).__name__)
            self._retry = self._loop.call_later(self._bounds.retry_seconds, self._try_again)
            return
        self._logged_at = self._loop.time()
        for number in range(first, self.stored):
            for connection in [reader for reader, at in self._next.items() if at == number]:
                if not connection.busy:
                    connection.send(self._message(number))
                    if connection in self._next:
                        self._next[connection] = number + 1
        for connection, at in self._next.items():
            connection.lagging = at < self.stored
        if self.over:
            self._finish()

    def _try_again(self) -> None:
        self._retry = None
        self._publish()

    def _finish(self) -> None:
        self._impatience.cancel()
        log.info("match %s is over after %d entries, faults: %d", self, self.stored, len(self.host.match.faults))
        self._keeper.match_over(self)
        for connection in [reader for reader in self._next if not reader.lagging]:
            self._dismiss(connection)
        if self._parties:
            self._goodbye = self._loop.call_later(self._bounds.goodbye_seconds, self._dismiss_all)
        else:
            self._settle()

    def _dismiss(self, connection: Connection) -> None:
        """Back to the lobby."""
        connection.send(messages.encode("left"))
        connection.forgiven, connection.phase = connection.phase, Phase.LOBBY
        self.leave(connection)

    def _dismiss_all(self) -> None:
        """Those who have not asked for the rest by now."""
        for connection in list(self._parties):
            self._dismiss(connection)

    def _settle(self) -> None:
        self.close()
        self._keeper.match_settled(self)

    def _check_patience(self) -> None:
        """Once nothing has been logged for too long, the first seat that owes an entry has lapsed."""
        waited = self._loop.time() - self._logged_at
        if waited < self._patience:
            self._impatience = self._loop.call_later(self._patience - waited, self._check_patience)
            return
        self._impatience = self._loop.call_later(self._patience, self._check_patience)
        owing = [duty.author for duty in self.host.match.duties() if duty.author != TABLE]
        if owing and self._retry is None:  # nobody can answer what is not yet on disk
            log.info("match %s: seat %d has not answered in time", self, owing[0])
            self.host.lapse(owing[0])
            self._publish()


def refuse(connection: Connection, match_id: bytes, raw: bytes, code: Code) -> None:
    """Tell an author that its entry is not in the log, and why."""
    connection.send(messages.encode("refused", match_id, sha256(raw).digest(), str(code)))

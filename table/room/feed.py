"""A match's log as one stream, which every party reads from a place of its own.

A start, a reconnection, a spectator and a look back at a match that is over are the same thing. What is not on disk
is not in the stream.
"""

import asyncio
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Protocol

from protocol.codes import Code
from protocol.match.setup import Setup
from protocol.messages import table as messages
from protocol.messages.table import Phase
from table.config import Bounds
from table.metrics import Metrics
from table.net.connection import Connection
from table.room.live_match import Record


class Keeper(Protocol):
    """Whom a feed reports to."""

    metrics: Metrics

    def match_over(self, feed: "Feed") -> None:
        """The match has ended, and its end is on disk."""

    def match_settled(self, feed: "Feed") -> None:
        """All parties have been sent all of it, or have gone: the feed may be forgotten."""


class Feed:
    """The readers of one log, and how far each has read. By itself: of a match that is over."""

    def __init__(
        self, match_id: bytes, setup: Setup, records: Sequence[Record], stored: int, bounds: Bounds, keeper: Keeper
    ) -> None:
        """`records` may grow; `stored` of them are on disk."""
        self.match_id, self.table_id, self.records, self.stored = match_id, setup.table.id, records, stored
        self.people = tuple(person.identity for person in setup.people)
        self.seated: list[Connection | None] = [None] * len(self.people)
        self._bounds, self._keeper = bounds, keeper
        self._loop = asyncio.get_running_loop()
        self._parties: dict[Connection, None] = {}  # in the order they came
        self._next: dict[Connection, int] = {}  # number of the record that each reader gets next
        self._last: tuple[int, bytes] = (-1, b"")  # the message encoded last
        self._goodbye: asyncio.TimerHandle | None = None

    def __str__(self) -> str:
        return self.match_id.hex()[:8]

    @property
    def over(self) -> bool:
        """Whether the match has ended and its end is on disk."""
        return True

    @property
    def spectators(self) -> int:
        """How many watch."""
        return len(self._parties) - sum(seat is not None for seat in self.seated)

    def seat_of(self, identity: bytes) -> int | None:
        """The seat of this identity in this match."""
        return self.people.index(identity) if identity in self.people else None

    def enter(self, connection: Connection) -> None:
        """Seat a connection whose identity has a seat here; any other watches. It gets `match` once there is one."""
        seat = self.seat_of(connection.identity)
        if seat is not None:
            self.seated[seat] = connection
        self._parties[connection] = None
        connection.room, connection.seat = self, seat
        connection.phase = Phase.WATCHING if seat is None else Phase.SEATED
        if self.stored:
            self._announce(connection)

    def leave(self, connection: Connection) -> None:
        """The connection has nothing more to do with this match; its seat stays its identity's."""
        self._parties.pop(connection, None)
        self._next.pop(connection, None)
        if connection.seat is not None and self.seated[connection.seat] is connection:
            self.seated[connection.seat] = None
        connection.room, connection.seat, connection.lagging = None, None, False
        if self.over and not self._parties:
            self._settle()

    def post(self, connection: Connection, raw: bytes) -> None:
        """Take an entry of a seated connection, or answer `refused`."""
        refuse(connection, self.match_id, raw, Code.MATCH_OVER)

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

    def say_goodbye(self) -> None:
        """The match is over: dismiss who has read all of it, and soon everybody who does not go on reading."""
        for connection in [reader for reader in self._next if not reader.lagging]:
            self._dismiss(connection)
        if self._goodbye is not None:
            self._goodbye.cancel()
        if self._parties:
            self._goodbye = self._loop.call_later(self._bounds.goodbye_seconds, self._dismiss_idle, dict(self._next))
        else:
            self._settle()

    def close(self) -> None:
        """Stop all timers: nothing happens here any more."""
        if self._goodbye is not None:
            self._goodbye.cancel()

    def _announce(self, connection: Connection) -> None:
        connection.send(messages.encode("match", self.table_id, self.match_id, connection.seat, self.stored))

    def _message(self, number: int) -> bytes:
        """The `entry` message of a record; readers who keep up share one encoding."""
        if self._last[0] != number:
            self._last = (number, messages.encode("entry", self.match_id, *self.records[number]))
        return self._last[1]

    def _send_new(self, first: int) -> None:
        """Send the records from this number on to all who have been sent the one before, as far as they keep up."""
        for number in range(first, self.stored):
            for connection in [reader for reader, at in self._next.items() if at == number]:
                if not connection.busy:
                    connection.send(self._message(number))
                    if connection in self._next:
                        self._next[connection] = number + 1
        for connection, at in self._next.items():
            connection.lagging = at < self.stored

    def _dismiss(self, connection: Connection) -> None:
        """Back to the lobby."""
        connection.send(messages.encode("left"))
        connection.forgiven, connection.phase = connection.phase, Phase.LOBBY
        self.leave(connection)

    def _dismiss_idle(self, before: Mapping[Connection, int]) -> None:
        """Those who have not asked for the rest by now, or have taken nothing of it since they were at `before`."""
        for connection in list(self._parties):
            if self._next.get(connection) == before.get(connection):
                self._dismiss(connection)
        if self._parties:
            self.say_goodbye()

    def _settle(self) -> None:
        self.close()
        self._keeper.match_settled(self)


def refuse(connection: Connection, match_id: bytes, raw: bytes, code: Code) -> None:
    """Tell an author that its entry is not in the log, and why."""
    connection.refused(code)
    connection.send(refusal(match_id, raw, code))


def refusal(match_id: bytes, raw: bytes, code: Code) -> bytes:
    """The `refused` message about an entry."""
    return messages.encode("refused", match_id, sha256(raw).digest(), str(code))

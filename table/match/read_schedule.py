"""Readers of stored logs: how much they are sent, and in whose turn.

Entries that are new to a seat of a running match never come here. All else that is read from a log
does: a start from entry 0, a look back at a match that is over, all that a spectator is sent. Each
address has an allowance of bytes, and another one for its seats in running matches. Addresses take
turns, and so do the readers of one address. All readers together get a share of the time.
"""

import asyncio
from typing import NamedTuple, Protocol

from protocol.limits import (
    ENTRY_OVERHEAD,
    READ_PART,
    READ_PAUSE,
    READ_REST,
    READ_REST_SECONDS,
    READ_TURN,
)
from protocol.match.log import Record
from protocol.messages import table as messages
from table.config import Bounds
from table.net.addresses import widest_group
from table.net.token_bucket import TokenBuckets


class LogReader(Protocol):
    """One who reads a log."""

    @property
    def address(self) -> str:
        """The address that it comes from, as `table.net.addresses.address_group` has it."""


class ReadableLog(Protocol):
    """A log with readers."""

    def read_on(self, reader: "LogReader", most: int) -> tuple[int, bool]:
        """Send a reader about `most` bytes, one entry at least.

        Return the bytes that it cost, and whether the reader takes more now.
        """


class _Waiting(NamedTuple):
    """A reader that waits for its turn."""

    log: ReadableLog
    allowance: TokenBuckets


Turns = dict[str, dict[LogReader, _Waiting]]


class EncodedEntries:
    """`entry` messages that were encoded before, the one used last is last; bounded in bytes."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._messages: dict[tuple[bytes, int], tuple[Record, bytes]] = {}
        self.size = 0  # bytes

    def message(self, match_id: bytes, number: int, record: Record) -> bytes:
        """Return the `entry` message of a record."""
        key = match_id, number
        kept = self._messages.pop(key, None)
        if kept is None or kept[0] != record:
            self.size -= 0 if kept is None else len(kept[1])
            kept = record, messages.encode("entry", match_id, number, *record)
            self.size += len(kept[1])
        self._messages[key] = kept
        while self.size > self._most and len(self._messages) > 1:
            self.size -= len(self._messages.pop(next(iter(self._messages)))[1])
        return kept[1]


class ReadSchedule:
    """The turns of all readers of a table manager."""

    def __init__(self, bounds: Bounds) -> None:
        self.entries = EncodedEntries(bounds.encoded_entries)
        kept = bounds.addresses_kept
        self._of_seats = TokenBuckets(bounds.seat_log_bytes_per_address, kept)
        self._of_others = TokenBuckets(bounds.log_bytes_per_address, kept)
        self._loop = asyncio.get_running_loop()
        # by `widest_group`; seats of running matches, and all others: they alternate
        self._lanes: tuple[Turns, Turns] = ({}, {})
        self._timer: asyncio.TimerHandle | None = None
        self._resting = False  # the timer is for the end of a rest

    def add(self, log: ReadableLog, reader: LogReader, running_seat: bool) -> None:
        """Give a reader turns until it has enough; at once, if nobody else waits."""
        allowance = self._of_seats if running_seat else self._of_others
        lane = self._lanes[not running_seat]
        readers = lane.setdefault(widest_group(reader.address), {})
        if reader in readers:
            return
        readers[reader] = _Waiting(log, allowance)
        if self._timer is None:
            self._turn()
        elif not self._resting and not allowance.wait(reader.address, self._loop.time()):
            self._wake(0.0)

    def remove(self, reader: LogReader) -> None:
        """Forget a reader that has gone."""
        group = widest_group(reader.address)
        for lane in self._lanes:
            readers = lane.get(group)
            if readers is not None and readers.pop(reader, None) is not None and not readers:
                del lane[group]

    def waits(self, reader: LogReader) -> bool:
        """Return whether a reader waits for its turn."""
        group = widest_group(reader.address)
        return any(reader in lane.get(group, {}) for lane in self._lanes)

    def may_read(self, address: str) -> bool:
        """Return whether an address has anything left of its allowance."""
        return not self._of_others.wait(address, self._loop.time())

    def charge(self, address: str, cost: int) -> None:
        """Take bytes out of an address's allowance."""
        self._of_others.spend(address, self._loop.time(), cost)

    def close(self) -> None:
        """Give no more turns."""
        if self._timer is not None:
            self._timer.cancel()
        for lane in self._lanes:
            lane.clear()

    def _turn(self) -> None:
        """Send READ_TURN bytes to those whose turn it is, and then rest for as long as that took,
        several times.
        """
        # whoever is added meanwhile has its turn in this one, or after it
        self._timer, self._resting = self._loop.call_later(READ_PAUSE, self._turn), True
        began = self._loop.time()
        left, idle, lane = READ_TURN, 0, 0
        while left > 0 and idle < len(self._lanes):
            cost = self._give_one(self._lanes[lane], began)
            left -= cost
            idle = 0 if cost else idle + 1
            lane = 1 - lane
        self._resting = left <= 0
        if self._resting:
            self._wake(max(READ_REST_SECONDS, (self._loop.time() - began) * READ_REST))
        elif any(self._lanes):
            self._wake(max(READ_PAUSE, self._soonest(began)))
        else:
            self._timer.cancel()
            self._timer = None

    def _wake(self, seconds: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._loop.call_later(seconds, self._turn)

    def _give_one(self, lane: Turns, now: float) -> int:
        """Give the next reader of a lane that may read its part; 0 if there is none."""
        for group, readers in list(lane.items()):
            found = next(
                (
                    reader
                    for reader, waiting in readers.items()
                    if not waiting.allowance.wait(reader.address, now)
                ),
                None,
            )
            if found is None:
                continue
            waiting = readers.pop(found)
            cost, more = waiting.log.read_on(found, READ_PART)
            waiting.allowance.spend(found.address, now, cost)
            # some may have been added or removed meanwhile; these readers come last now
            readers = lane.pop(group, {})
            if more:
                readers.setdefault(found, waiting)
            if readers:
                lane[group] = readers
            if cost:
                return cost
        return 0

    def _soonest(self, now: float) -> float:
        """Return the seconds until one of those who wait may read."""
        return min(
            (
                waiting.allowance.wait(reader.address, now)
                for lane in self._lanes
                for readers in lane.values()
                for reader, waiting in readers.items()
            ),
            default=0.0,
        )


def cost_of(message: bytes) -> int:
    """Return the bytes that a message takes out of an allowance."""
    return len(message) + ENTRY_OVERHEAD

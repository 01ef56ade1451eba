"""Received entries that cannot be checked yet, and refusals that cannot be signed yet.

Pure: the time comes in, in seconds of a clock that only goes forward.
"""

from collections import deque
from collections.abc import Callable
from math import inf
from typing import NamedTuple

from protocol.codes import Code
from protocol.limits import MAX_HELD
from table.match.log_broadcaster import Party
from table.net.processor_time import Payer


class IncomingEntry(NamedTuple):
    """An entry as it came: from a seat, or from the signer for the table itself."""

    author: Party | None  # to whom a refusal goes; None: the entry is the table's
    seat: int  # TABLE: the entry is the table's
    raw: bytes
    arrived: float
    held_since: float = inf  # when it may have come, if its connection was not read for a while
    payer: Payer | None = None  # of the processor time that it causes

    @property
    def came(self) -> float:
        """The earliest time at which it may have come."""
        return min(self.arrived, self.held_since)

    @property
    def party(self) -> Party:
        """The party that has sent the entry of a seat."""
        assert self.author is not None
        return self.author


class PendingRefusal(NamedTuple):
    """A refusal that is not signed yet."""

    seen: tuple[int, bytes]  # the head, its number and hash, behind which the entry cannot stand
    author: Party
    raw: bytes
    code: Code


class EntryQueue:
    """Entries in the order in which they came, until the match can take one.

    A seat that sends too many is to be cut off. Equal bytes are one entry, as after a lost
    connection: the answer goes where they came last.
    """

    def __init__(self) -> None:
        self._entries: deque[IncomingEntry] = deque()

    def __len__(self) -> int:
        return len(self._entries)

    def put(self, entry: IncomingEntry) -> bool:
        """Add an entry. Return False if the queue has too many of its seat."""
        of_seat = 0
        for place, old in enumerate(self._entries):
            if old.raw == entry.raw:
                self._entries[place] = old._replace(author=entry.author)
                return True
            of_seat += old.seat == entry.seat
        if of_seat >= MAX_HELD:
            return False
        self._entries.append(entry)
        return True

    def has_of(self, seat: int, latest: float) -> bool:
        """Tell if an entry of this seat waits that came by `latest`."""
        return any(entry.seat == seat and entry.came <= latest for entry in self._entries)

    def take(self) -> IncomingEntry:
        """Remove and return the oldest entry."""
        return self._entries.popleft()

    def clear(self) -> None:
        """Drop all entries. Their authors still have them."""
        self._entries.clear()


class DelayedEntries:
    """Entries that wait so that all round trips take equally long. Each seat's stay in order."""

    def __init__(self) -> None:
        # by seat: entries, each with when it is due; none is empty
        self._by_seat: dict[int, deque[tuple[IncomingEntry, float]]] = {}

    def waits(self, seat: int) -> bool:
        """Tell if an entry of this seat is delayed; then its next one waits too."""
        return seat in self._by_seat

    def has_of(self, seat: int, latest: float) -> bool:
        """Tell if an entry of this seat waits that came by `latest`."""
        return any(entry.came <= latest for entry, _ in self._by_seat.get(seat, ()))

    def put(self, entry: IncomingEntry, due: float) -> bool:
        """Delay an entry until `due`. Return False if too many of its seat are delayed."""
        entries = self._by_seat.get(entry.seat, deque())
        for place, (old, when) in enumerate(entries):
            if old.raw == entry.raw:
                entries[place] = old._replace(author=entry.author), when
                return True
        if len(entries) >= MAX_HELD:
            return False
        entries.append((entry, due))
        self._by_seat[entry.seat] = entries
        return True

    @property
    def next_due(self) -> float:
        """Time at which the next entry is due; infinity: none is delayed."""
        return min((entries[0][1] for entries in self._by_seat.values()), default=inf)

    def take_due(self, now: float) -> list[IncomingEntry]:
        """Remove and return the entries that are due, in the order in which they were due."""
        due: list[IncomingEntry] = []
        while self._by_seat:
            seat = min(self._by_seat, key=lambda seat: self._by_seat[seat][0][1])
            entries = self._by_seat[seat]
            if entries[0][1] > now:
                break
            due.append(entries.popleft()[0])
            if not entries:
                del self._by_seat[seat]
        return due

    def clear(self) -> None:
        """Drop all entries. Their authors still have them."""
        self._by_seat.clear()


class PendingRefusals:
    """Refusals that wait, in the order of the entries that they are about.

    A refusal waits for the records up to its head: all of them are stored, and its author has been
    sent them, before it is signed. The refused entry itself is among them if it is a second copy.
    """

    def __init__(self) -> None:
        self._waiting: list[PendingRefusal] = []

    def put(self, refusal: PendingRefusal) -> int:
        """Add a refusal. Return how many of its author's wait."""
        self._waiting.append(refusal)
        return sum(waiting.author is refusal.author for waiting in self._waiting)

    def take_due(self, sent: Callable[[Party], int | None]) -> list[PendingRefusal]:
        """Remove and return the refusals that can be signed.

        `sent`: how many records a party has been sent; None: it is gone, and its refusals go too.
        """
        due: list[PendingRefusal] = []
        waiting: list[PendingRefusal] = []
        for refusal in self._waiting:
            count = sent(refusal.author)
            if count is not None:
                (due if refusal.seen[0] < count else waiting).append(refusal)
        self._waiting = waiting
        return due

    def is_waiting(self, sent: Callable[[Party], int | None]) -> bool:
        """Tell if a refusal waits whose author is still here."""
        self._waiting = [each for each in self._waiting if sent(each.author) is not None]
        return bool(self._waiting)

    def clear(self) -> None:
        """Drop all refusals."""
        self._waiting.clear()

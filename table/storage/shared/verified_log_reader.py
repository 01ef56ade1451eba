"""A match of another host's, as a host reads it that only passes it on: as far as the table's own
signatures go.

A read proves nothing: what is read may be gone with the store's next change of leader. A head
proves that its entry had been acknowledged before it was signed (R1), so an entry counts here once
its head is there and fits. The newest entry's comes to the store with the next one; the owner may
say it before (`hint`).
"""

from collections.abc import Iterable, Sequence

from protocol.crypto.hashing import digest
from protocol.identity.keys import verify
from protocol.match.log import NO_HASH, Record
from table.storage.shared.backend import Item, SharedLog
from table.storage.shared.match_notes import RUNS, BadNote, MatchNotes
from table.storage.shared.match_subjects import subject_of

# bytes that a record takes in memory beside its entry: its head, and what Python has for both
_BESIDE = 350
# reads that bring nothing of what the owner has signed, then what was read before may be what is
# wrong
_BEHIND = 4


class VerifiedLogReader:
    """What has been read of one match. Nothing is ever appended or signed here."""

    def __init__(self, logs: SharedLog, match_id: bytes, key: bytes) -> None:
        """`key`: the table's, public."""
        self._logs, self.match_id, self._key = logs, match_id, key
        self.records: list[Record] = []  # those whose heads fit: they stand for good
        # bytes of what was read, and of records that were read before that
        self._read = self._kept = 0
        self._told, self._hash = MatchNotes(), NO_HASH
        self._hinted: dict[int, bytes] = {}  # the newest heads, as the owner says
        self._behind = 0

    @property
    def size(self) -> int:
        """Bytes that all of it takes in memory."""
        return self._read + self._kept

    @property
    def over(self) -> bool:
        """Whether the match has ended, and all of it is here."""
        told = self._told
        return told.state != RUNS and len(self.records) == len(told.entries) == len(told.heads)

    def hint(self, first: int, heads: Sequence[bytes]) -> None:
        """The owner says what it has signed last, from this number on. It is believed if it
        fits.
        """
        self._hinted = dict(enumerate(heads, first))

    async def more(self) -> bool:
        """Take in the next that the store has, if there is anything, and whether there was.

        Raises: Damaged, RemoteError if that does not go on from what was read; Unanswered.
        """
        item = await self._logs.next(subject_of(self.match_id, self._logs.parts), self._told.number)
        if item is not None:
            self._take(item)
        self._grow()
        return item is not None

    def anew(self) -> None:
        """Read from the beginning again: what was read last may never have stood. What was signed
        stays.
        """
        self._told, self._behind, self._hinted = MatchNotes(), 0, {}
        self._read, self._kept = 0, _size(record.entry for record in self.records)

    def check(self) -> None:
        """All has been read that there is. Raises: Damaged if the owner has signed what does not
        come for long.
        """
        lacks = max(self._hinted, default=-1) >= len(self.records)
        self._behind = self._behind + 1 if lacks else 0
        if self._behind >= _BEHIND:
            raise BadNote

    def _take(self, item: Item) -> None:
        before = len(self._told.entries)
        self._told.take(item)
        self._read += _size(self._told.entries[before:])

    def _grow(self) -> None:
        """Check the heads that have come. Raises: Damaged, RemoteError."""
        entries, heads = self._told.entries, self._told.heads
        while (number := len(self.records)) < len(entries):
            hashed = digest("chain", self._hash, number, entries[number])
            if number == 0 and hashed != self.match_id:
                raise BadNote
            head = heads[number] if number < len(heads) else self._hinted.get(number)
            if head is None:
                return
            verify(self._key, head, "head", self.match_id, number, hashed)
            self._hash = hashed
            self.records.append(Record(entries[number], head))


def _size(entries: Iterable[bytes]) -> int:
    return sum(len(entry) + _BESIDE for entry in entries)

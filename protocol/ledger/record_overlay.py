"""A record set with additional records on top."""

from collections.abc import Iterable, Iterator
from itertools import chain

from protocol.ledger.record_set import RecordSet
from protocol.ledger.records import LedgerRecord
from protocol.ledger.related_records import index_keys


class RecordOverlay:
    """A record set with additional records on top; the set itself does not change."""

    def __init__(self, below: RecordSet, more: Iterable[LedgerRecord]) -> None:
        self._below = below
        self.more = {record.id: record for record in more if record.id not in below}
        self._filed: dict[bytes, list[LedgerRecord]] = {}
        for record in self.more.values():
            for key in index_keys(record):
                self._filed.setdefault(key, []).append(record)

    def get(self, name: bytes) -> LedgerRecord | None:
        """Return the record with this id."""
        return self.more.get(name) or self._below.get(name)

    def ids_under(self, key: bytes) -> Iterator[LedgerRecord]:
        """Yield the records with this index key."""
        return chain(self._filed.get(key, ()), self._below.ids_under(key))

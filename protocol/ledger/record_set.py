"""A growing set of the ledger's records, as one person has them, in the order that a merge of two
sets uses.

The order is by depth, then by id. A record without parents has depth 0. Any other record has one
more than its deepest parent, so parents always come before their children. The depth follows from
ids alone. So it is the same for everybody who has all ancestors of a record.

A record with missing ancestors is an **orphan**. It is stored, but it has no depth and no place in
the order until the ancestors arrive.
"""

from collections import ChainMap
from collections.abc import Iterable, Iterator, MutableMapping
from typing import Any

from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.ledger.records import LedgerRecord, parents
from protocol.ledger.related_records import Lookups, companion_keys, index_keys, relevant_ids
from protocol.limits import MAX_ORPHANS
from protocol.steps import Steps, finish

Place = tuple[int, bytes]  # place of a record in the order: depth, id

# linked list: (newest item, older items); adding an item takes constant time, and copies of the set
# can share lists
_Several = tuple[Any, Any] | None


def _each(several: _Several) -> Iterator[Any]:
    while several is not None:
        one, several = several
        yield one


class RecordSet:
    """Records by their ids. Of two records with the same id, and so the same content, the first is
    stored. No record is ever removed.
    """

    __slots__ = ("_depths", "_filed", "_order", "_orphans", "_records", "_waiting")

    def __init__(self, records: Iterable[LedgerRecord] = ()) -> None:
        self._records: MutableMapping[bytes, LedgerRecord] = {}
        self._depths: MutableMapping[bytes, int] = {}  # of all records except orphans
        self._orphans = 0
        # ids of records by their index keys
        self._filed: MutableMapping[bytes, _Several] = {}
        # missing id -> (orphan, its parents, number of leading parents that are complete)
        self._waiting: MutableMapping[bytes, _Several] = {}
        self._order: tuple[Place, ...] | None = ()
        for record in records:
            self.add(record)

    def add(self, record: LedgerRecord) -> bool:
        """Add a record, as an orphan if ancestors are missing. Returns True for a new record.

        Orphans that waited for this record get their depth.

        Raises: RemoteError(TOO_MANY) for one orphan too many; nothing is stored then.
        """
        if record.id in self._records:
            return False
        above = parents(record.content)
        if self._orphans >= MAX_ORPHANS and not all(map(self._depths.__contains__, above)):
            raise RemoteError(Code.TOO_MANY)
        self._records[record.id] = record
        self._orphans += 1
        for key in index_keys(record):
            self._filed[key] = (record.id, self._filed.get(key))
        self._settle([(record.id, above, 0)])
        return True

    def _settle(self, ready: list[tuple[bytes, tuple[bytes, ...], int]]) -> None:
        """Give a depth to these records and to the records that waited for them. The others wait
        for a missing parent.

        Each entry contains the number of parents already found, so every parent is looked up once.
        """
        depths = self._depths
        while ready:
            name, above, there = ready.pop()
            while there < len(above) and above[there] in depths:
                there += 1
            if there < len(above):
                self._waiting[above[there]] = (
                    (name, above, there),
                    self._waiting.get(above[there]),
                )
                continue
            depths[name] = 1 + max((depths[parent] for parent in above), default=-1)
            self._orphans -= 1
            self._order = None
            ready.extend(_each(self._waiting.get(name)))
            self._waiting.pop(name, None)

    def get(self, name: bytes) -> LedgerRecord | None:
        """Return the record with this id, including orphans."""
        return self._records.get(name)

    def __contains__(self, name: object) -> bool:
        """Check for a record with this id, including orphans."""
        return name in self._records

    def depth(self, name: bytes) -> int | None:
        """Return the depth of the record with this id; None for an orphan or an unknown id."""
        return self._depths.get(name)

    def missing(self, record: LedgerRecord) -> tuple[bytes, ...]:
        """Return the ids of parents that are missing, or are orphans themselves."""
        return tuple(parent for parent in parents(record.content) if parent not in self._depths)

    def order(self) -> tuple[Place, ...]:
        """Return depth and id of all records except orphans, sorted."""
        if self._order is None:
            self._order = tuple(sorted((depth, name) for name, depth in self._depths.items()))
        return self._order

    def ids(self) -> tuple[bytes, ...]:
        """Return all ids, including those of orphans."""
        return tuple(self._records)

    def __iter__(self) -> Iterator[LedgerRecord]:
        """Iterate over all records except orphans, parents first."""
        return (self._records[name] for _, name in self.order())

    def __len__(self) -> int:
        """Return the number of records without orphans."""
        return len(self._depths)

    @property
    def orphans(self) -> tuple[LedgerRecord, ...]:
        """Records with missing ancestors, in the order of their arrival."""
        if not self._orphans:
            return ()
        return tuple(record for name, record in self._records.items() if name not in self._depths)

    def ids_under(self, key: bytes) -> Iterator[LedgerRecord]:
        """Yield the records with this index key (`protocol.ledger.related_records`), newest first,
        including orphans.
        """
        return (self._records[name] for name in _each(self._filed.get(key)))

    def closure(self, names: Iterable[bytes]) -> tuple[LedgerRecord, ...]:
        """Return all records needed to judge the records with these ids, parents first. Orphans and
        unknown ids are left out.

        The result contains:

        - all ancestors, with the waives that trades list;
        - for a trade, all trades by its givers from the same places, its waives by parties, and its
          attestations;
        - for a type, its revisions and runs;
        - all `creator` records of the creators concerned;
        - for an instance in `names`, its later trades.

        Irrelevant records that strangers have added under the same keys are left out
        (`relevant_ids`).
        """
        return finish(self.closure_steps(names))

    def closure_steps(self, names: Iterable[bytes]) -> Steps[tuple[LedgerRecord, ...]]:
        """Return a closure, in steps. Records that are added meanwhile may be left out."""
        asked = tuple(dict.fromkeys(names))
        lookups = Lookups()
        ahead = [*asked]
        for card in asked:
            ahead += yield from relevant_ids(card, self, lookups)
        found: set[bytes] = set()
        done: set[bytes] = set()
        while ahead:
            yield
            name = ahead.pop()
            if name in found or name not in self._depths:
                continue
            found.add(name)
            record = self._records[name]
            ahead += parents(record.content)
            for key in companion_keys(record):
                if key not in done:
                    done.add(key)
                    ahead += yield from relevant_ids(key, self, lookups)
        return tuple(
            self._records[name] for _, name in sorted((self._depths[name], name) for name in found)
        )

    def branch(self) -> "RecordSet":
        """Return a set with the same records, to which others can be added. This set does not
        change, and nothing is copied.
        """
        other = RecordSet()
        other._records = ChainMap({}, self._records)
        other._depths = ChainMap({}, self._depths)
        other._filed = ChainMap({}, self._filed)
        other._waiting = ChainMap({}, self._waiting)
        other._orphans = self._orphans
        other._order = self._order
        return other

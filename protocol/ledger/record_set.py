"""A set of the ledger's records that only grows: what one person knows, and in which order two who
merge count it.

The order is by depth, then id. A record without parents has depth 0, any other one more than its
deepest parent, so a parent always comes before its children. Depth follows from ids alone, hence is
the same for everybody who has all that comes before a record. One of whose parents some are missing
is an **orphan**: it is kept, has no depth, and no place in the order until they are there.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.ledger.records import LedgerRecord, parents
from protocol.ledger.related_records import companion_keys, index_keys, relevant_ids
from protocol.limits import MAX_ORPHANS

Place = tuple[int, bytes]  # of a record in the order: depth, id

# Several under one key, as pairs of the newest and the others: one more costs the same however many
# there are, and a copy of the set may share them.
_Several = tuple[Any, Any] | None


def _each(several: _Several) -> Iterator[Any]:
    while several is not None:
        one, several = several
        yield one


class RecordSet:
    """Records by their ids; of two with one id, which say the same, the first is kept. Nothing is
    ever taken out.
    """

    __slots__ = ("_depths", "_filed", "_order", "_records", "_waiting")

    def __init__(self, records: Iterable[LedgerRecord] = ()) -> None:
        self._records: dict[bytes, LedgerRecord] = {}
        self._depths: dict[bytes, int] = {}  # of all but the orphans
        self._filed: dict[bytes, _Several] = {}  # ids, by what they are filed under
        # missing id -> (orphan, its parents, how many of these are there)
        self._waiting: dict[bytes, _Several] = {}
        self._order: tuple[Place, ...] | None = ()
        for record in records:
            self.add(record)

    def add(self, record: LedgerRecord) -> bool:
        """Keep a record, as an orphan if parents are missing; whether it is news.

        Orphans that have waited for it have their depth from then on.

        Raises: RemoteError(TOO_MANY) if it would be one orphan too many; nothing is kept then.
        """
        if record.id in self._records:
            return False
        above = parents(record.content)
        if len(self._records) - len(self._depths) >= MAX_ORPHANS and not all(
            map(self._depths.__contains__, above)
        ):
            raise RemoteError(Code.TOO_MANY)
        self._records[record.id] = record
        for key in index_keys(record):
            self._filed[key] = (record.id, self._filed.get(key))
        self._settle([(record.id, above, 0)])
        return True

    def _settle(self, ready: list[tuple[bytes, tuple[bytes, ...], int]]) -> None:
        """Give depth to these, then to those that waited for them, and so on; who still misses a
        parent waits for it.

        Who waits remembers how many of its parents are there, so that each is looked for once.
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
            self._order = None
            ready.extend(_each(self._waiting.pop(name, None)))

    def get(self, name: bytes) -> LedgerRecord | None:
        """The record with this id, also if it is an orphan."""
        return self._records.get(name)

    def __contains__(self, name: object) -> bool:
        """Whether a record with this id is held, also as an orphan."""
        return name in self._records

    def depth(self, name: bytes) -> int | None:
        """Of the record with this id; None for an orphan, and for what is not here."""
        return self._depths.get(name)

    def missing(self, record: LedgerRecord) -> tuple[bytes, ...]:
        """Ids of its parents that are not here or are orphans themselves."""
        return tuple(parent for parent in parents(record.content) if parent not in self._depths)

    def order(self) -> tuple[Place, ...]:
        """Depth and id of all that are no orphans, sorted."""
        if self._order is None:
            self._order = tuple(sorted((depth, name) for name, depth in self._depths.items()))
        return self._order

    def ids(self) -> tuple[bytes, ...]:
        """All ids, those of orphans too."""
        return tuple(self._records)

    def __iter__(self) -> Iterator[LedgerRecord]:
        """All that are no orphans, in order: parents first."""
        return (self._records[name] for _, name in self.order())

    def __len__(self) -> int:
        """How many are no orphans."""
        return len(self._depths)

    @property
    def orphans(self) -> tuple[LedgerRecord, ...]:
        """Those that miss a parent, in the order in which they came."""
        if len(self._records) == len(self._depths):
            return ()
        return tuple(record for name, record in self._records.items() if name not in self._depths)

    def ids_under(self, key: bytes) -> Iterator[LedgerRecord]:
        """What is filed under a key (`protocol.ledger.related_records`), newest first, orphans
        among it.
        """
        return (self._records[name] for name in _each(self._filed.get(key)))

    def closure(self, names: Iterable[bytes]) -> tuple[LedgerRecord, ...]:
        """All that is needed to say what these records are worth, parents first; orphans, and ids
        not here, left out.

        That is: their parents and the parents of these to the beginning; with a trade, all trades
        that have one of its slots, all waives of it and all that witnesses said of it; with a type
        its revisions and runs; all that the creators concerned say of themselves; and of an
        instance that is named itself, its trades since. What strangers have filed there, and cannot
        bear on it, is not (`relevant_ids`).
        """
        asked = tuple(names)
        ahead = [
            *asked,
            *(name for card in asked for name in relevant_ids(card, self.get, self.ids_under)),
        ]
        found: set[bytes] = set()
        done: set[bytes] = set()
        while ahead:
            name = ahead.pop()
            if name in found or name not in self._depths:
                continue
            found.add(name)
            record = self._records[name]
            ahead += parents(record.content)
            for key in companion_keys(record):
                if key not in done:
                    done.add(key)
                    ahead += relevant_ids(key, self.get, self.ids_under)
        return tuple(
            self._records[name] for _, name in sorted((self._depths[name], name) for name in found)
        )

    def copy(self) -> "RecordSet":
        """A set of its own with the same records."""
        other = RecordSet()
        other._records, other._depths = self._records.copy(), self._depths.copy()
        other._filed, other._waiting, other._order = (
            self._filed.copy(),
            self._waiting.copy(),
            self._order,
        )
        return other

"""Records of one data folder, with their ledger view and the trust marks of one person.

The terminal and the page have one collection each. Trades, witnesses and creators get the
collection as their `protocol.ledger.trading.card_store.CardStore`.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from player.cards.record_index import RecordIndex
from player.cards.storage.ledger_store import LedgerStore
from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.ledger.incremental_view import IncrementalLedgerView
from protocol.ledger.merge.accusations import accusing_records
from protocol.ledger.merge.merge_session import MergeSession, list_records
from protocol.ledger.pictures import PictureCheck, check_pictures, image_of
from protocol.ledger.record_set import RecordSet
from protocol.ledger.records import LedgerRecord, image_digest, parents, read_record
from protocol.ledger.retention import retained_ids
from protocol.limits import MAX_LEDGER_STORED, MAX_UNDONE_COUNTED
from protocol.steps import Steps, finish


@dataclass(frozen=True)
class ImportResult:
    """Outcome of taking records from somebody else. `waiting`: number of records whose parents are
    missing here. `pictures`: what is wrong with the images that came along; only the others are
    stored.
    """

    new: tuple[LedgerRecord, ...]
    known: int
    waiting: int
    refused: tuple[Code, ...]
    pictures: PictureCheck = field(default_factory=PictureCheck)


class CardRecords:
    """Records with their ledger view, in memory alone.

    `me`: key of the person who looks at the records; empty for nobody.
    """

    def __init__(self, me: bytes = b"", records: Iterable[LedgerRecord] = ()) -> None:
        self.me = me
        # text of the rule file that the person names; decks may be for these rules
        self.rules = ""
        self.records = RecordSet()
        self.index = RecordIndex()
        self.view = IncrementalLedgerView()
        for record in records:
            self.learn(record)

    def learn(self, record: LedgerRecord) -> bool:
        """Add a record to set, view and index. Return False if the set has the record already."""
        if not self.records.add(record):
            return False
        self.view.add(record)
        self.index.add(record)
        return True

    def find(self, record: bytes) -> LedgerRecord | None:
        return self.records.get(record)

    def trust(self, key: bytes) -> bool | None:
        """Return the person's mark of a key: trusted, distrusted, or None."""
        return None

    def reserved(self) -> frozenset[bytes]:
        """Return the person's own cards in trades that only the person has signed."""
        return frozenset()

    def undone_by(self, trades: Iterable[bytes]) -> tuple[bytes, ...]:
        """Return void trades among `trades` and their descendants, ascending by id: at most
        MAX_UNDONE_COUNTED.
        """
        found = set[bytes]()
        todo = list(trades)
        while todo and len(found) < MAX_UNDONE_COUNTED:
            trade = todo.pop()
            if trade not in found and trade in self.index.trades and self.view.void(trade):
                found.add(trade)
                todo += self.index.children[trade]
        return tuple(sorted(found))


class Collection(CardRecords):
    """`CardRecords` of a store on disk. `me`: key of the person who owns the cards."""

    def __init__(self, store: LedgerStore, me: bytes) -> None:
        """Read all records of the store. Raises: LocalError."""
        self.store = store
        self._read(me)
        if self.tidy():  # as much as strangers may leave on disk, and no more, is read next time
            self._read(me)

    def _read(self, me: bytes) -> None:
        # what another program stores meanwhile is read again by `refresh`
        self._version = self.store.version()
        self._newest = self.store.newest()
        super().__init__(me, self.store.records())

    def refresh(self) -> bool:
        """Read what other programs have stored in the data folder. Return True if anything there
        has changed. Raises: LocalError.
        """
        return finish(self.refresh_steps())

    def refresh_steps(self) -> Steps[bool]:
        """Refresh as `refresh` does, in steps of one record.

        Records that another program has deleted stay in memory: a trade may rest on them.
        """
        version = self.store.version()
        if version == self._version:
            return False
        newest = self.store.newest()
        for record in self.store.records(self._newest):
            self.learn(record)
            yield
        self._version = version
        self._newest = newest
        return True

    def add(self, records: Iterable[LedgerRecord]) -> None:
        """Store records that have been checked, parents first. Raises: LocalError if the disk is
        full or damaged.
        """
        new = [record for record in records if record.id not in self.records]
        self.store.add(new)
        for record in new:
            self.learn(record)

    def take(self, raws: Iterable[bytes], images: Iterable[bytes] = ()) -> ImportResult:
        """Check records of somebody else, in any order, and images that came with them.

        Store each record whose parents are known, and each record that proves a cheat. Store each
        image that a known record names. Raises: LocalError.
        """
        return self.take_read(*read_all(raws), images)

    def take_read(
        self,
        read: dict[bytes, LedgerRecord],
        refused: Iterable[Code],
        images: Iterable[bytes] = (),
    ) -> ImportResult:
        """Take records that `read_all` has read, as `take` does."""
        known = sum(record.id in self.records for record in read.values())
        whole = [record for record in self._with_parents(read) if record.id not in self.records]
        self.add(whole)
        cheats = self._accusing(record for record in read.values() if record.id not in self.records)
        self.add(cheats)
        new = (*whole, *cheats)
        pictures = tuple(images)
        checked = check_pictures(pictures, read.values(), self.index.images)
        self.store_images(pictures)
        return ImportResult(new, known, len(read) - known - len(new), tuple(refused), checked)

    def _accusing(self, others: Iterable[LedgerRecord]) -> list[LedgerRecord]:
        """Return the records among `others` that prove a cheat. Their parents are missing here, but
        two contradictory records are proof enough.
        """
        rest = list(others)
        tried = self.records.branch()
        try:
            if rest:
                return accusing_records([record for record in rest if tried.add(record)], tried)
            return []
        except RemoteError:  # more records than the set has room for
            return []

    def _with_parents(self, read: dict[bytes, LedgerRecord]) -> Iterator[LedgerRecord]:
        """Yield the records whose parents are all stored or come earlier."""
        taken: set[bytes] = set()
        for record in sort_parents_first(read.values()):
            if all(one in taken or one in self.records for one in parents(record.content)):
                taken.add(record.id)
                yield record

    # --- for a trade ---

    def merge(self, salt: bytes, calling: bool, given: Iterable[bytes]) -> MergeSession:
        """Begin to merge records with a partner. The partner may have all alarms, and all records
        that the records `given` rest on.
        """
        return finish(self.merge_steps(salt, calling, given))

    def merge_steps(
        self, salt: bytes, calling: bool, given: Iterable[bytes]
    ) -> Steps[MergeSession]:
        """Begin a merge as `merge` does, in steps."""
        about = tuple(given)
        alarms = self.view.alarms
        listed = yield from list_records(self.records, salt, about, alarms)
        yield from self.store.use(listed.records.ids())
        return MergeSession(
            self.records,
            salt,
            calling,
            about,
            lambda key: self.trust(key) is True,
            alarms,
            listed,
        )

    def witnesses(self, creator: bytes) -> tuple[tuple[bytes, ...], int]:
        """Return the witnesses that a creator names, and the number of them that settles a trade.

        For an unknown creator both are empty: (), 0.
        """
        found = self.index.creators.get(creator)
        if found is None:
            return ((), 0)
        return (found[1].witnesses, found[1].quorum)

    def trust(self, key: bytes) -> bool | None:
        """Return the person's mark of a key: trusted, distrusted, or None. Raises: LocalError."""
        return self.store.trust(key)

    def trusted(self) -> tuple[bytes, ...]:
        """Return all trusted keys, ascending."""
        return tuple(key for key, trusted in self.store.marks().items() if trusted)

    def image_digests(self, cards: Iterable[bytes]) -> Iterator[bytes]:
        """Yield the image digests of the newest types of `cards`, and of their creators."""
        index = self.index
        for copy in filter(None, map(index.instances.get, cards)):
            for found in (index.types.get(copy.type), index.creators.get(copy.creator)):
                if found is not None and (digest := image_of(found[0].content)) is not None:
                    yield digest

    def image(self, digest: bytes) -> bytes | None:
        """Return the image with this digest, if it is stored. Raises: LocalError."""
        return self.store.image(digest)

    def store_images(self, images: Iterable[bytes]) -> int:
        """Store the images that a known record names, and return their number. Raises:
        LocalError.
        """
        kept = [data for data in images if image_digest(data) in self.index.images]
        for data in kept:
            self.store.add_image(data)
        return len(kept)

    def images_of(self, records: Iterable[LedgerRecord]) -> list[bytes]:
        """Return the stored images that these records name. Raises: LocalError."""
        named = dict.fromkeys(
            digest for record in records if (digest := image_of(record.content)) is not None
        )
        return [data for digest in named if (data := self.store.image(digest)) is not None]

    def tidy(self) -> int:
        """Delete the least recently used records if the store is too large, and return their
        number. Raises: LocalError.
        """
        if self.store.size() <= MAX_LEDGER_STORED:
            return 0
        return self.store.evict(retained_ids(self.records, self.view, self.me))

    def reserved(self) -> frozenset[bytes]:
        """Return the person's own cards in trades that only the person has signed. Raises:
        LocalError.
        """
        return frozenset(
            card for promise in self.store.journal.reserved() for card in promise.cards
        )


def read_all(raws: Iterable[bytes]) -> tuple[dict[bytes, LedgerRecord], list[Code]]:
    """Decode and check records. Return the valid records by id, and the error codes of the
    others.
    """
    read: dict[bytes, LedgerRecord] = {}
    refused: list[Code] = []
    for raw in raws:
        try:
            record = read_record(raw)
        except RemoteError as error:
            refused.append(error.code)
        else:
            read[record.id] = record
    return read, refused


def sort_parents_first(records: Iterable[LedgerRecord]) -> Iterator[LedgerRecord]:
    """Yield all records, each after its parents. Ids are hashes, so the records have no cycle."""
    read = {record.id: record for record in records}
    done: set[bytes] = set()
    for root in sorted(read):
        todo = [root]
        while todo:
            one = todo[-1]
            waits = [up for up in parents(read[one].content) if up in read and up not in done]
            if waits and one not in done:
                todo += waits
            else:
                todo.pop()
                if one not in done:
                    done.add(one)
                    yield read[one]

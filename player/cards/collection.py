"""Everything that one data folder knows of cards: its records, their view and one person's marks,
kept in step.

Terminal and page have one each; trades, witnesses and creators are given it as the book they write
in (`protocol.ledger.trading.card_store.CardStore`).
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from player.cards.record_index import Index, image_of
from player.cards.storage.ledger_store import LedgerStore
from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.ledger.incremental_view import IncrementalLedgerView
from protocol.ledger.merge.accusations import accusing_records
from protocol.ledger.merge.merge_session import MergeSession
from protocol.ledger.record_set import RecordSet
from protocol.ledger.records import LedgerRecord, image_digest, parents, read_record
from protocol.ledger.retention import retained_ids


@dataclass(frozen=True)
class Taken:
    """What came of records that somebody brought. `waiting`: they build on records that nobody has
    shown yet.
    """

    new: tuple[LedgerRecord, ...]
    known: int
    waiting: int
    refused: tuple[Code, ...]


class CardRecords:
    """Records with their view, in memory alone. `me`: whose eyes they are seen with; empty if
    nobody's.
    """

    def __init__(self, me: bytes = b"", records: Iterable[LedgerRecord] = ()) -> None:
        self.me = me
        # the text of a rule file that the person names, for decks that are played by it
        self.rules = ""
        self.records, self.index, self.view = RecordSet(), Index(), IncrementalLedgerView()
        for record in records:
            self.learn(record)

    def learn(self, record: LedgerRecord) -> bool:
        """Take a record into set, view and index; False if it is there already."""
        if not self.records.add(record):
            return False
        self.view.add(record)
        self.index.add(record)
        return True

    def find(self, record: bytes) -> LedgerRecord | None:
        """A record, by its id."""
        return self.records.get(record)

    def trust(self, key: bytes) -> bool | None:
        """What the person thinks of a key: trusted, distrusted, or None."""
        return None

    def reserved(self) -> frozenset[bytes]:
        """One's own cards that a signature is out for, which nobody has answered."""
        return frozenset()

    def undone_by(self, trades: Iterable[bytes]) -> tuple[bytes, ...]:
        """These trades and all that build on them, as far as they do not count; ascending."""
        found, todo = set[bytes](), list(trades)
        while todo:
            trade = todo.pop()
            if trade not in found and trade in self.index.trades and self.view.void(trade):
                found.add(trade)
                todo += self.index.children[trade]
        return tuple(sorted(found))


class Collection(CardRecords):
    """The same, kept in a store. `me`: the key whose cards these are."""

    def __init__(self, store: LedgerStore, me: bytes) -> None:
        """Read all that is in the store. Raises: LocalError."""
        self.store = store
        super().__init__(me, store.records())

    def add(self, records: Iterable[LedgerRecord]) -> None:
        """Keep records that have been checked, parents first. Raises: LocalError if the disk does
        not take them.
        """
        new = [record for record in records if record.id not in self.records]
        self.store.add(new)
        for record in new:
            self.learn(record)

    def take(self, raws: Iterable[bytes]) -> Taken:
        """Check records that somebody brought, in any order, and keep those that are whole, or name
        a cheat.

        Raises: LocalError.
        """
        read, refused = read_all(raws)
        known = sum(record.id in self.records for record in read.values())
        whole = [record for record in self._with_parents(read) if record.id not in self.records]
        self.add(whole)
        cheats = self._accusing(record for record in read.values() if record.id not in self.records)
        self.add(cheats)
        new = (*whole, *cheats)
        return Taken(new, known, len(read) - known - len(new), tuple(refused))

    def _accusing(self, others: Iterable[LedgerRecord]) -> list[LedgerRecord]:
        """Of these, which rest on what nobody has shown, the ones that name somebody: that takes no
        more than two.
        """
        rest, tried = list(others), self.records.copy()
        try:
            return (
                accusing_records([record for record in rest if tried.add(record)], tried)
                if rest
                else []
            )
        except RemoteError:  # no room for so many
            return []

    def _with_parents(self, read: dict[bytes, LedgerRecord]) -> Iterator[LedgerRecord]:
        """Those whose parents are all here, or come before them."""
        taken: set[bytes] = set()
        for record in parents_first(read.values()):
            if all(one in taken or one in self.records for one in parents(record.content)):
                taken.add(record.id)
                yield record

    # --- what a trade asks ---

    def merge(self, salt: bytes, calling: bool, given: Iterable[bytes]) -> MergeSession:
        """Begin to merge with somebody who may have the closures of these, and all alarms."""
        about = tuple(given)
        self.store.use(record.id for record in self.records.closure(about))
        return MergeSession(
            self.records,
            salt,
            calling,
            about,
            lambda key: self.trust(key) is True,
            self.view.alarms,
        )

    def witnesses(self, creator: bytes) -> tuple[tuple[bytes, ...], int]:
        """Whom a creator names as witnesses, and how many of them settle a trade; 0 of none if it
        is unknown.
        """
        found = self.index.creators.get(creator)
        return ((), 0) if found is None else (found[1].witnesses, found[1].quorum)

    def trust(self, key: bytes) -> bool | None:
        """What the person thinks of a key: trusted, distrusted, or None."""
        return self.store.trust(key)

    def trusted(self) -> tuple[bytes, ...]:
        """All keys that are trusted, ascending."""
        return tuple(key for key, trusted in self.store.marks().items() if trusted)

    def image_digests(self, cards: Iterable[bytes]) -> Iterator[bytes]:
        """Digests of the images of these cards, as their types are now, and of who made them."""
        index = self.index
        for copy in filter(None, map(index.instances.get, cards)):
            for found in (index.types.get(copy.type), index.creators.get(copy.creator)):
                if found is not None and (digest := image_of(found[0])) is not None:
                    yield digest

    def image(self, digest: bytes) -> bytes | None:
        """An image, if it is here. Raises: LocalError."""
        return self.store.image(digest)

    def store_images(self, images: Iterable[bytes]) -> int:
        """Keep the images that a record here names; how many that is. Raises: LocalError."""
        kept = [data for data in images if image_digest(data) in self.index.images]
        for data in kept:
            self.store.add_image(data)
        return len(kept)

    def images_of(self, records: Iterable[LedgerRecord]) -> list[bytes]:
        """The images that these records name, as far as they are here. Raises: LocalError."""
        named = dict.fromkeys(
            digest for record in records if (digest := image_of(record)) is not None
        )
        return [data for digest in named if (data := self.store.image(digest)) is not None]

    def tidy(self) -> None:
        """Let the store forget what was not needed for longest, if there is too much of it. Raises:
        LocalError.
        """
        self.store.evict(retained_ids(self.records, self.view, self.me))

    def reserved(self) -> frozenset[bytes]:
        """One's own cards that a signature is out for, which nobody has answered."""
        return frozenset(
            card for promise in self.store.journal.reserved() for card in promise.cards
        )


def read_all(raws: Iterable[bytes]) -> tuple[dict[bytes, LedgerRecord], list[Code]]:
    """The records that are right, by their ids, and why the others are not."""
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


def parents_first(records: Iterable[LedgerRecord]) -> Iterator[LedgerRecord]:
    """All of them, each after those of its parents that are among them. Ids are hashes: there is no
    circle.
    """
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

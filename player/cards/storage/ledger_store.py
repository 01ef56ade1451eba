"""Store of the cards in a data folder. Several programs may use one folder at a time."""

from collections.abc import Collection, Iterable, Iterator
from contextlib import closing
from pathlib import Path

from player.cards.storage.database import FILE, USE, Database
from player.cards.storage.named_decks import DeckStore
from player.cards.storage.rollback_guard import RollbackGuard
from player.cards.storage.signature_journal import DiskJournal, reserved_promises
from protocol.identity.keys import JoinLink, fingerprint
from protocol.ledger.pictures import image_of
from protocol.ledger.proofs.signed_heads import WitnessHead
from protocol.ledger.record_codec import read_content
from protocol.ledger.record_contents import Content, Waive
from protocol.ledger.records import LedgerRecord, image_digest, parents
from protocol.limits import MAX_LEDGER_STORED
from protocol.steps import Steps
from protocol.wire import decode, encode

POLICY = "policy"
OPPONENTS = "opponents"
_MARKED = 1_000  # records that a transaction marks as used; some milliseconds
_RECORD_SIZE = "SELECT coalesce(sum(length(raw)), 0) FROM records"
_IMAGE_SIZE = "SELECT coalesce(sum(length(data)), 0) FROM images"


def stored_image(data: Path, digest: bytes) -> bytes | None:
    """Return an image from the store in the data folder `data`, as `LedgerStore.image`, without
    reading anything else.
    """
    if not (data / FILE).exists():
        return None
    with closing(LedgerReader(data)) as reader:
        return reader.image(digest)


class StoredCards:
    """Stored cards of an open file. At most one thread uses them at a time."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.decks = DeckStore(database)

    def records(self, after: int = 0) -> Iterator[LedgerRecord]:
        """Return the records with a number above `after`, parents first. They were checked before
        they were stored. Raises: LocalError.
        """
        query = "SELECT id, raw FROM records WHERE number > ? ORDER BY number"
        for name, raw in self._database.rows(query, after):
            yield LedgerRecord(raw, name, read_content(decode(raw)[0]))

    def image(self, digest: bytes) -> bytes | None:
        """Return the image with this digest; None if it is missing, or was changed on disk.
        Raises: LocalError.
        """
        found = self._database.rows("SELECT data FROM images WHERE digest = ?", digest)
        return found[0][0] if found and image_digest(found[0][0]) == digest else None

    def reserved(self, me: bytes) -> frozenset[bytes]:
        """Return the cards in trades that only the key `me` has signed. Raises: LocalError."""
        return frozenset(
            card for promise in reserved_promises(self._database, me) for card in promise.cards
        )

    def trust(self, key: bytes) -> bool | None:
        """Return the mark of a key: trusted, distrusted, or None. Raises: LocalError."""
        found = self._database.rows("SELECT trusted FROM trust WHERE key = ?", key)
        return bool(found[0][0]) if found else None

    def marks(self) -> dict[bytes, bool]:
        """Return all marks by key, ascending. Raises: LocalError."""
        return {
            key: bool(mark)
            for key, mark in self._database.rows("SELECT key, trusted FROM trust ORDER BY key")
        }

    @property
    def opponents(self) -> str | None:
        """Name of the choice whose cards the person plays against; None without a choice. Raises:
        LocalError.
        """
        said = self._database.fact(OPPONENTS)
        return None if said is None else str(said)

    def close(self) -> None:
        self._database.close()


class LedgerReader(StoredCards):
    """Stored cards of a data folder, for reading alone: SQLite refuses every change.

    A reader needs no key, and does not compare the journal with the mark outside the folder.
    """

    def __init__(self, data: Path) -> None:
        """Open the file, after a transaction of another program. Raises: LocalError."""
        super().__init__(Database(data / FILE))
        self._database.forbid_changes()


class LedgerStore(StoredCards):
    """Stored cards of one key, for changes as well. At most one thread uses a store at a time."""

    def __init__(self, data: Path, me: bytes, marks: Path | None) -> None:
        """Open the store in the data folder `data`.

        `me`: key of the folder. `marks`: folder of the rollback guard, outside of `data`
        (`default_marks`); None: no guard. The guard detects an old copy of the data folder. Raises:
        LocalError.
        """
        super().__init__(Database(data / FILE))
        self._used: set[bytes] = set()  # records that were marked as used
        try:
            self.journal = DiskJournal(self._database, me, RollbackGuard(marks, fingerprint(me)))
            with self._database.transaction():
                # the clock of `used` advances at each opening
                self._database.keep(USE, self._database.fact(USE, 0) + 1)
        except BaseException:
            self._database.close()
            raise

    # --- changes by other programs ---

    def version(self) -> int:
        """Return a number that differs after another program has changed the file. Raises:
        LocalError.
        """
        return self._database.version()

    def newest(self) -> int:
        """Return the number of the record that was stored last; 0 without one. Raises:
        LocalError.
        """
        rows = self._database.rows("SELECT seq FROM sqlite_sequence WHERE name = 'records'")
        return int(rows[0][0]) if rows else 0

    # --- records and images ---

    def add(self, records: Iterable[LedgerRecord]) -> None:
        """Store records, parents first, on disk at return; a record that is stored already counts
        as used.

        A record signed by this key but absent from the journal proves an old copy of the folder
        (`journal.is_outdated`). Raises: LocalError.
        """
        new = list(records)
        with self._database.transaction():
            now = self._database.fact(USE)
            for record in new:
                query = (
                    "INSERT INTO records (id, raw, used) VALUES (?, ?, ?) ON CONFLICT (id) DO "
                    "UPDATE SET used = ?"
                )
                self._database.run(query, record.id, record.raw, now, now)
            self.journal.adopt(new)

    def use(self, names: Iterable[bytes]) -> Steps[None]:
        """Mark records as used, so that they are evicted later: each once while the store is open.
        A step is a transaction. Raises: LocalError.
        """
        new = [name for name in names if name not in self._used]
        for start in range(0, len(new), _MARKED):
            some = new[start : start + _MARKED]
            with self._database.transaction():
                now = self._database.fact(USE)
                for name in some:
                    self._database.run("UPDATE records SET used = ? WHERE id = ?", now, name)
            self._used.update(some)
            yield

    def add_image(self, data: bytes) -> None:
        """Store an image. Raises: LocalError."""
        row = image_digest(data), data, self._database.fact(USE)
        self._database.run("INSERT OR REPLACE INTO images VALUES (?, ?, ?)", *row)

    def size(self) -> int:
        """Return the bytes of records and images. Raises: LocalError."""
        return _size(self._database)

    def evict(self, always: Collection[bytes], most: int = MAX_LEDGER_STORED) -> int:
        """Delete the least recently used records until at most `most` bytes are left; return their
        number.

        `always`: ids of records that are never deleted (`protocol.ledger.retention.retained_ids`).
        Records that the journal has signed, and images of remaining records, stay as well. A record
        is deleted only after all records that build on it. Raises: LocalError.
        """
        with self._database.transaction():
            return _evict(self._database, always, most)

    # --- trust marks ---

    def mark(self, key: bytes, trusted: bool | None) -> None:
        """Set the mark of a key; None removes it. Raises: LocalError."""
        if trusted is None:
            self._database.run("DELETE FROM trust WHERE key = ?", key)
        else:
            self._database.run("INSERT OR REPLACE INTO trust VALUES (?, ?)", key, int(trusted))

    # --- witnesses ---

    def witnesses(self) -> dict[str, JoinLink]:
        """Return the links to witnesses that the person gave, by fingerprint. Raises:
        LocalError.
        """
        rows = self._database.rows(
            "SELECT fingerprint, link FROM witnesses WHERE link IS NOT NULL ORDER BY fingerprint"
        )
        return {name: JoinLink.parse(link) for name, link in rows}

    def witness_link(self, letters: str) -> JoinLink | None:
        """Return the link to the witness with this fingerprint. Raises: LocalError."""
        return self.witnesses().get(letters)

    def add_witness(self, link: JoinLink) -> None:
        """Store the link to a witness, in place of an older link. Raises: LocalError."""
        query = (
            "INSERT INTO witnesses (fingerprint, link) VALUES (?, ?) ON CONFLICT (fingerprint) DO "
            "UPDATE SET link = ?"
        )
        self._database.run(query, link.fingerprint, str(link), str(link))

    def witness_head(self, witness: bytes) -> WitnessHead | None:
        """Return the newest valid head of a witness. Raises: LocalError."""
        found = self._database.rows(
            "SELECT head FROM witnesses WHERE fingerprint = ?", fingerprint(witness)
        )
        if found and found[0][0] is not None:
            return WitnessHead(*decode(found[0][0]))
        return None

    def keep_witness_head(self, witness: bytes, head: WitnessHead) -> None:
        """Store the newest head of a witness, so that an older head is recognised later. Raises:
        LocalError.
        """
        query = (
            "INSERT INTO witnesses (fingerprint, head) VALUES (?, ?) ON CONFLICT (fingerprint) DO "
            "UPDATE SET head = ?"
        )
        raw = encode(head.values())
        self._database.run(query, fingerprint(witness), raw, raw)

    # --- acceptance policy ---

    @property
    def policy(self) -> str | None:
        """Name of the acceptance policy that the person chose; None without a choice. Raises:
        LocalError.
        """
        said = self._database.fact(POLICY)
        return None if said is None else str(said)

    @policy.setter
    def policy(self, said: str) -> None:
        self._database.keep(POLICY, said)

    @property
    def opponents(self) -> str | None:
        """Name of the choice whose cards the person plays against; None without a choice. Raises:
        LocalError.
        """
        return super().opponents

    @opponents.setter
    def opponents(self, said: str) -> None:
        self._database.keep(OPPONENTS, said)


def _size(database: Database) -> int:
    return int(database.rows(_RECORD_SIZE)[0][0] + database.rows(_IMAGE_SIZE)[0][0])


def _evict(database: Database, always: Collection[bytes], most: int) -> int:
    """Implement `LedgerStore.evict`, inside a transaction."""
    total = _size(database)
    gone = 0
    for name, size in _by_use(database, always) if total > most else ():
        if total <= most:
            break
        total -= size
        gone += 1
        database.run("DELETE FROM records WHERE id = ?", name)
    if gone:
        _forget_images(database)
    return gone


def _by_use(database: Database, always: Collection[bytes]) -> Iterator[tuple[bytes, int]]:
    """Yield the records that may be deleted, the least recently used first, with the bytes of
    record and image.

    A record counts as used whenever a record that builds on it is used. Among records with equal
    use the newer comes first. So no record loses its parents.
    """
    signed = {
        trade
        for (trade,) in database.rows("SELECT trade FROM promises UNION SELECT trade FROM waives")
    }
    stay = {*always, *signed}
    used: dict[bytes, int] = {}
    found = []
    for number, name, raw, at in database.rows(
        "SELECT number, id, raw, used FROM records ORDER BY number DESC"
    ):
        content = read_content(decode(raw)[0])
        if name in stay or (isinstance(content, Waive) and content.trade in signed):
            stay.update(parents(content))
            continue
        used[name] = max(at, used.get(name, 0))
        for parent in parents(content):
            used[parent] = max(used[name], used.get(parent, 0))
        found.append((used[name], -number, name, len(raw) + _image_size(database, content)))
    for _, _, name, size in sorted(found):
        yield name, size


def _image_size(database: Database, content: Content) -> int:
    digest = image_of(content)
    if digest is None:
        return 0
    found = database.rows("SELECT length(data) FROM images WHERE digest = ?", digest)
    return found[0][0] if found else 0


def _forget_images(database: Database) -> None:
    """Delete the images that no record names."""
    contents = (read_content(decode(raw)[0]) for (raw,) in database.rows("SELECT raw FROM records"))
    named = {image_of(content) for content in contents}
    for (digest,) in database.rows("SELECT digest FROM images"):
        if digest not in named:
            database.run("DELETE FROM images WHERE digest = ?", digest)

"""Everything about cards in a data folder, for any number of programs at once."""

from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from player.cards.storage.database import FILE, USE, Database
from player.cards.storage.named_decks import Decks
from player.cards.storage.rollback_guard import RollbackGuard
from player.cards.storage.signature_journal import DiskJournal
from protocol.identity.keys import JoinLink, fingerprint
from protocol.ledger.proofs.signed_heads import WitnessHead
from protocol.ledger.record_codec import read_content
from protocol.ledger.record_contents import CardType, Content, Creator, Waive
from protocol.ledger.records import LedgerRecord, image_digest, parents
from protocol.limits import MAX_LEDGER_STORED
from protocol.wire import decode, encode

POLICY = "policy"
_RECORD_SIZE = "SELECT coalesce(sum(length(raw)), 0) FROM records"
_IMAGE_SIZE = "SELECT coalesce(sum(length(data)), 0) FROM images"


class LedgerStore:
    """The cards of one key. One thread at a time may use it."""

    def __init__(self, data: Path, me: bytes, marks: Path | None) -> None:
        """`data`: the data folder. `marks`: the folder for the mark that shows an old copy of it,
        outside of it (`default_marks`); None to go without.

        Raises: LocalError.
        """
        self._database = Database(data / FILE)
        try:
            self.decks = Decks(self._database)
            self.journal = DiskJournal(self._database, me, RollbackGuard(marks, me))
            with self._database.transaction():
                # one more time of use begins
                self._database.keep(USE, self._database.fact(USE, 0) + 1)
        except BaseException:
            self._database.close()
            raise

    # --- records and images ---

    def records(self) -> Iterator[LedgerRecord]:
        """All, parents first. They were checked before they were stored. Raises: LocalError."""
        for name, raw in self._database.rows("SELECT id, raw FROM records ORDER BY number"):
            yield LedgerRecord(raw, name, read_content(decode(raw)[0]))

    def add(self, records: Iterable[LedgerRecord]) -> None:
        """Keep records, parents first; those that are there are used again. On disk when it
        returns.

        What was signed by this key and is not in its journal shows that the folder is an old copy
        (`journal.doubt`). Raises: LocalError.
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

    def use(self, names: Iterable[bytes]) -> None:
        """Records that were needed: they are kept longer than others. Raises: LocalError."""
        with self._database.transaction():
            now = self._database.fact(USE)
            for name in names:
                self._database.run("UPDATE records SET used = ? WHERE id = ?", now, name)

    def image(self, digest: bytes) -> bytes | None:
        """An image by its digest. Raises: LocalError."""
        found = self._database.rows("SELECT data FROM images WHERE digest = ?", digest)
        return found[0][0] if found else None

    def add_image(self, data: bytes) -> None:
        """Keep an image. Raises: LocalError."""
        row = image_digest(data), data, self._database.fact(USE)
        self._database.run("INSERT OR REPLACE INTO images VALUES (?, ?, ?)", *row)

    def evict(self, always: Collection[bytes], most: int = MAX_LEDGER_STORED) -> int:
        """Forget what was not used for longest until the rest is at most so many bytes; how many
        records that was.

        `always`: ids of what stays whatever it takes (`protocol.ledger.retention.retained_ids`).
        What one's journal has signed stays too, and the images of what stays. Nothing goes before
        what builds on it. Raises: LocalError.
        """
        with self._database.transaction():
            return _evict(self._database, always, most)

    # --- what the person thinks ---

    def trust(self, key: bytes) -> bool | None:
        """The mark of a key: trusted, distrusted, or none. Raises: LocalError."""
        found = self._database.rows("SELECT trusted FROM trust WHERE key = ?", key)
        return bool(found[0][0]) if found else None

    def marks(self) -> dict[bytes, bool]:
        """All marks, by key, ascending. Raises: LocalError."""
        return {
            key: bool(mark)
            for key, mark in self._database.rows("SELECT key, trusted FROM trust ORDER BY key")
        }

    def mark(self, key: bytes, trusted: bool | None) -> None:
        """Set a mark, or with None take it away. Raises: LocalError."""
        if trusted is None:
            self._database.run("DELETE FROM trust WHERE key = ?", key)
        else:
            self._database.run("INSERT OR REPLACE INTO trust VALUES (?, ?)", key, int(trusted))

    # --- witnesses ---

    def witnesses(self) -> dict[str, JoinLink]:
        """Where the person says that witnesses can be reached, by fingerprint. Raises:
        LocalError.
        """
        rows = self._database.rows(
            "SELECT fingerprint, link FROM witnesses WHERE link IS NOT NULL ORDER BY fingerprint"
        )
        return {name: JoinLink.parse(link) for name, link in rows}

    def witness_link(self, letters: str) -> JoinLink | None:
        """Where the witness with this fingerprint can be reached. Raises: LocalError."""
        return self.witnesses().get(letters)

    def add_witness(self, link: JoinLink) -> None:
        """Remember where a witness can be reached, in place of what was known. Raises:
        LocalError.
        """
        query = (
            "INSERT INTO witnesses (fingerprint, link) VALUES (?, ?) ON CONFLICT (fingerprint) DO "
            "UPDATE SET link = ?"
        )
        self._database.run(query, link.fingerprint, str(link), str(link))

    def witness_head(self, witness: bytes) -> WitnessHead | None:
        """The newest head of a witness that held. Raises: LocalError."""
        found = self._database.rows(
            "SELECT head FROM witnesses WHERE fingerprint = ?", fingerprint(witness)
        )
        return WitnessHead(*decode(found[0][0])) if found and found[0][0] is not None else None

    def keep_witness_head(self, witness: bytes, head: WitnessHead) -> None:
        """Remember the newest head of a witness: an older one is no news then. Raises:
        LocalError.
        """
        query = (
            "INSERT INTO witnesses (fingerprint, head) VALUES (?, ?) ON CONFLICT (fingerprint) DO "
            "UPDATE SET head = ?"
        )
        raw = encode(head.values())
        self._database.run(query, fingerprint(witness), raw, raw)

    # --- which trades ---

    @property
    def policy(self) -> str | None:
        """Which trades the person accepts, as they have said; None if they have not. Raises:
        LocalError.
        """
        said = self._database.fact(POLICY)
        return None if said is None else str(said)

    @policy.setter
    def policy(self, said: str) -> None:
        self._database.keep(POLICY, said)

    def close(self) -> None:
        """Let go of the file."""
        self._database.close()


def _evict(database: Database, always: Collection[bytes], most: int) -> int:
    """Implement `LedgerStore.evict`, inside a transaction."""
    total = database.rows(_RECORD_SIZE)[0][0] + database.rows(_IMAGE_SIZE)[0][0]
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
    """What may go, that which was not used for longest first, with its size: its own, and its
    image's.

    A record is in use while anything that builds on it is; of two of one time the newer goes first.
    So nothing is ever left without what it builds on.
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


def _image_of(content: Content) -> bytes | None:
    match content:
        case CardType(image=digest) | Creator(icon=digest):
            return digest
        case _:
            return None


def _image_size(database: Database, content: Content) -> int:
    digest = _image_of(content)
    if digest is None:
        return 0
    found = database.rows("SELECT length(data) FROM images WHERE digest = ?", digest)
    return found[0][0] if found else 0


def _forget_images(database: Database) -> None:
    """Those that no record names any more."""
    contents = (read_content(decode(raw)[0]) for (raw,) in database.rows("SELECT raw FROM records"))
    named = {_image_of(content) for content in contents}
    for (digest,) in database.rows("SELECT digest FROM images"):
        if digest not in named:
            database.run("DELETE FROM images WHERE digest = ?", digest)

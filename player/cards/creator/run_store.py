"""Sealed runs on disk, and their sale. The files are the creator's secret until all packs are sold.

creator/<run id>.sealed   the run's record, all cards, all packs with their salts: never changed
creator/<run id>.json     number of sales begun, and whether the run is opened
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from player.cards.collection import Collection
from player.storage.files import read_json, take_alone, write_json, write_whole
from protocol import wire
from protocol.codes import Code
from protocol.errors import FairdealError, LocalError, RemoteError
from protocol.ledger.record_contents import Instance, PrintRun
from protocol.ledger.records import read_record
from protocol.ledger.runs.run_opening import check_run_opening
from protocol.ledger.runs.sealed_run import Pack, SealedRun
from protocol.ledger.runs.seller import RunOnSale

FOLDER = "creator"
_SEALED = ".sealed"
_STATE = ".json"


@dataclass(frozen=True)
class StoredRun:
    """A print run of this creator, with the file of its state."""

    sealed: SealedRun
    state: Path

    @property
    def opened(self) -> bool:
        """True if the packs were opened to everybody: the run is not sold any more. Raises:
        LocalError.
        """
        return bool(read_json(self.state).get("opened", False))

    def open(self) -> None:
        """Mark the run as opened. Raises: LocalError."""
        write_json(self.state, {**read_json(self.state), "opened": True})

    def next_sale(self) -> int:
        """Return the number of a new sale; the count is on disk at return. Raises: LocalError."""
        state = read_json(self.state)
        number = int(state.get("sales", 0))
        write_json(self.state, {**state, "sales": number + 1})
        return number


def store_run(data: Path, sealed: SealedRun) -> StoredRun:
    """Store a new run. Raises: LocalError."""
    packs = [[pack.salt, list(pack.instances)] for pack in sealed.packs]
    raw = wire.encode([sealed.record.raw, [card.raw for card in sealed.cards.values()], packs])
    path = data / FOLDER / f"{sealed.record.id.hex()[:16]}{_SEALED}"
    write_whole(path, raw)
    return StoredRun(sealed, path.with_suffix(_STATE))


def stored_runs(data: Path) -> tuple[StoredRun, ...]:
    """Return all stored runs, by edition and number. Raises: LocalError for a damaged run."""
    found = [_read(path) for path in sorted((data / FOLDER).glob(f"*{_SEALED}"))]
    return tuple(sorted(found, key=lambda kept: (kept.sealed.run.edition, kept.sealed.run.number)))


def _read(path: Path) -> StoredRun:
    """Read a run, and check it as a buyer does, so that a damaged run is not sold."""
    try:
        raw, cards, packs = wire.decode(path.read_bytes())
        record = read_record(raw)
        read = [read_record(card) for card in cards]
        run = record.content
        named = {card.id: card for card in read}
        listed = tuple(Pack(number, salt, tuple(ids)) for number, (salt, ids) in enumerate(packs))
        if not isinstance(run, PrintRun):
            raise ValueError("no run")
        contents = {card.id: card.content for card in read if isinstance(card.content, Instance)}
        check_run_opening(run, listed, contents)
    except (OSError, ValueError, TypeError, FairdealError):
        raise LocalError("wrong.creator.damaged", path=str(path)) from None
    return StoredRun(SealedRun(record, run, listed, named), path.with_suffix(_STATE))


@contextmanager
def lock_runs(data: Path) -> Iterator[None]:
    """Lock the runs of a data folder: only one program sells at a time. Raises: LocalError."""
    try:
        (data / FOLDER).mkdir(parents=True, exist_ok=True, mode=0o700)
        lock = (data / FOLDER / "selling.lock").open("wb")
    except OSError as error:
        raise LocalError(
            "wrong.folder", folder=str(data / FOLDER), why=str(error.strerror)
        ) from None
    with lock:
        if not take_alone(lock):
            raise LocalError("wrong.creator.selling", folder=str(data))
        yield


class DiskSaleStore:
    """`protocol.ledger.runs.seller.SaleStore` of one selling program, on disk."""

    def __init__(self, runs: Sequence[StoredRun], price: int, collection: Collection) -> None:
        self._runs = {kept.sealed.record.id: kept for kept in runs}
        self._stock = tuple(RunOnSale(kept.sealed, price) for kept in runs)
        self._collection = collection
        self._busy: set[bytes] = set()

    def stock(self) -> Sequence[RunOnSale]:
        """Return the runs on sale."""
        return self._stock

    def face(self, type_id: bytes) -> bytes | None:
        """Return the image of the newest revision of a type, if it has one. Raises: LocalError."""
        found = self._collection.index.types.get(type_id)
        digest = found[1].image if found else None
        if digest is None:
            return None
        return self._collection.store.image(digest)

    def begin(self, run_id: bytes) -> int:
        """Begin a sale, and return its number.

        Raises: RemoteError(NOT_NOW) during another sale of this run, and while the data folder may
        be an old copy, which would give numbers twice.
        """
        if run_id in self._busy or self._collection.store.journal.is_outdated():
            raise RemoteError(Code.NOT_NOW)
        number = self._runs[run_id].next_sale()
        self._busy.add(run_id)
        return number

    def end(self, run_id: bytes) -> None:
        """End the sale of a run."""
        self._busy.discard(run_id)

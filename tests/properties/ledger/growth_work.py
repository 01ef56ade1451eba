"""Work on sets of records of growing size: import, start, merge, view, and the search for records
about a card.

Each piece of work is a function without arguments, made from records and an empty folder. Making
it prepares what does not count.
"""

from collections.abc import Callable
from pathlib import Path

from player.cards.collection import Collection
from player.cards.storage.ledger_store import LedgerStore
from protocol.games.decks.ledger_ownership import LedgerOwnership, card_of
from protocol.ledger.bundle import read_bundle, write_bundle
from protocol.ledger.incremental_view import IncrementalLedgerView
from protocol.ledger.merge.merge_session import MergeSession
from protocol.ledger.record_contents import Instance
from protocol.ledger.record_set import RecordSet
from protocol.ledger.records import LedgerRecord
from protocol.ledger.retention import evidence
from protocol.limits import MAX_ALARMS_SENT
from tests.properties.ledger.growth import key

ME = key(2).public  # a party of most trades
Work = Callable[[], None]


def view(records: list[LedgerRecord], folder: Path) -> Work:
    """Take all records into a view, and read it."""

    def work() -> None:
        made = IncrementalLedgerView(records)
        made.held_by(ME)
        len(made.alarms)

    return work


def import_file(records: list[LedgerRecord], folder: Path) -> Work:
    """Import a file into a new folder."""
    data = write_bundle(records)
    store = LedgerStore(folder / "import", ME, None)
    collection = Collection(store, ME)

    def work() -> None:
        collection.take(read_bundle(data).raws)
        _read(collection)
        collection.tidy()
        store.close()

    return work


def start(records: list[LedgerRecord], folder: Path) -> Work:
    """Open a folder that has these records."""
    store = LedgerStore(folder / "start", ME, None)
    store.add(records)
    store.close()

    def work() -> None:
        again = LedgerStore(folder / "start", ME, None)
        _read(Collection(again, ME))
        again.close()

    return work


def merge(records: list[LedgerRecord], folder: Path) -> Work:
    """Merge with somebody who has these records, in as many sessions as it takes."""
    theirs = RecordSet(records)
    store = LedgerStore(folder / "merge", ME, None)
    mine = Collection(store, ME)

    def work() -> None:
        for number in range(len(records)):
            before = len(mine.records)
            _session(theirs, mine, bytes([number]) * 32)
            _read(mine)
            if len(mine.records) == before or len(mine.records) == len(theirs):
                break
        store.close()

    return work


def _session(theirs: RecordSet, mine: Collection, salt: bytes) -> None:
    speaker = MergeSession(theirs, salt, True)
    hearer = here = MergeSession(mine.records, salt, False, None, lambda _: True)
    while not (speaker.done and hearer.done):
        for message in speaker.outgoing():
            new = hearer.received(message)
            if hearer is here:
                mine.add(new)
        speaker, hearer = hearer, speaker


def search(records: list[LedgerRecord], folder: Path) -> Work:
    """Search for records about a card: to send it along, and to speak against it."""
    known = RecordSet(records)
    there = IncrementalLedgerView(records)
    card = next(record.id for record in records if isinstance(record.content, Instance))
    kind = next(record for record in records if record.id == there.instances[card].type)
    types = {kind.id: (kind, kind.content)}
    there.held_by(ME)
    len(there.alarms)

    def work() -> None:
        evidence(known, there.alarms, [card], MAX_ALARMS_SENT)
        shown = card_of(card, known, there, types)  # type: ignore[arg-type]
        assert shown is not None
        for holder in (there.instances[card].creator, ME):
            LedgerOwnership(known, there).counter_evidence(shown, holder)

    return work


def _read(collection: Collection) -> None:
    collection.view.held_by(ME)
    len(collection.view.alarms)


WORKS: dict[str, Callable[[list[LedgerRecord], Path], Work]] = {
    "view": view,
    "import": import_file,
    "start": start,
    "merge": merge,
    "search": search,
}

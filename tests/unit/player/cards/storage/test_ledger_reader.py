"""Readers of a data folder: they change nothing there, and take no lock from a store of the same
process.
"""

import os
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from player.cards.collection import Collection
from player.cards.decks.card_trust import known_creators, name_creators, trusted_creators
from player.cards.decks.deck_choice import FolderDecks
from player.cards.decks.deck_editing import add_card
from player.cards.decks.deck_loading import load_ownership
from player.cards.decks.loadout import FolderLoadouts, load_proxies
from player.cards.rule_set_store import RuleSetStore
from player.cards.storage.database import FILE
from player.cards.storage.ledger_store import LedgerReader, LedgerStore, stored_image
from player.cards.storage.named_decks import NamedDeck
from player.cards.storage.rollback_guard import default_marks
from protocol.errors import LocalError
from protocol.identity.keys import Identity
from protocol.ledger.records import sign_content
from protocol.ledger.trading.journal import sign_promise
from tests.support.collectors import STATE
from tests.support.ledger import ANN, BOB, MAKER, TYPE, card, maker, slot_of, trade_of, traded
from tests.support.stores import left_open

CARDS = [card(serial) for serial in range(3)]
GIVEN = trade_of(MAKER, ANN, [slot_of(one.id) for one in CARDS])
OTHER = Identity(Random(3).randbytes(32))
# a program that opens the cards, reads them and ends, as each command in a terminal does
BESIDE = """
import sqlite3, sys
other = sqlite3.connect(sys.argv[1])
print(other.execute("SELECT count(*) FROM trust").fetchone()[0])
other.close()
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a folder whose key has signed, so that a mark lies outside of it."""
    monkeypatch.setenv(STATE, str(tmp_path / "state"))
    with closing(_store(tmp_path / "ann")) as store:
        store.add([maker(), TYPE, *CARDS])
        store.journal.sign_once(sign_promise(ANN, GIVEN, sign_content(MAKER, GIVEN)))
        store.mark(MAKER.public, True)
        store.decks.make(NamedDeck("mine", "element-duel", True, (CARDS[0].id,)))
        store.decks.make(NamedDeck("plain", "element-duel", False, (1,)))
        store.opponents = "trusted"
    return tmp_path / "ann"


def _store(folder: Path) -> LedgerStore:
    return LedgerStore(folder, ANN.public, default_marks())


def _rows(folder: Path) -> list[tuple[object, ...]]:
    """Return all rows of all tables."""
    with closing(sqlite3.connect(folder / FILE)) as database:
        tables = [
            name
            for (name,) in database.execute("SELECT name FROM sqlite_master WHERE sql NOT NULL")
        ]
        return [row for name in tables for row in database.execute(f"SELECT * FROM {name}")]


def _read_all(folder: Path, key: bytes) -> None:
    """Read everything that a match reads, for a seat with this key."""
    known_creators(folder)
    known_creators(folder, key)
    trusted_creators(folder)
    name_creators(["trusted"], folder)
    loadouts = FolderLoadouts(folder)
    loadouts.creators(key)
    loadouts.picture(bytes(32))
    load_proxies(folder, "plain")
    load_ownership(folder, key)
    FolderDecks(folder, key).brings("plain", None)
    if key == ANN.public:
        loadout = loadouts.load(key, "mine")
        loadouts.check_free(key, loadout)
    assert FolderDecks(folder, key)._all()
    RuleSetStore(folder, key).all()


@pytest.mark.parametrize("key", [b"", OTHER.public, ANN.public], ids=["nobody", "stranger", "own"])
def test_reading_decks_and_creators_changes_nothing(folder: Path, key: bytes):
    before = _rows(folder)
    _read_all(folder, key)
    assert _rows(folder) == before


@pytest.mark.parametrize("key", [b"", OTHER.public], ids=["nobody", "stranger"])
def test_bot_with_proxy_deck_leaves_trades_possible(folder: Path, key: bytes):
    _read_all(folder, key)
    with closing(_store(folder)) as store:
        assert not store.journal.is_outdated()
        trade = trade_of(ANN, BOB, [slot_of(CARDS[0].id, sign_promise(ANN, GIVEN).id)])
        store.journal.sign_once(sign_promise(ANN, trade))


def test_new_key_in_old_folder_is_no_old_copy(folder: Path):
    with closing(LedgerStore(folder, OTHER.public, default_marks())) as store:
        assert not store.journal.is_outdated()
    with closing(_store(folder)) as store:
        assert not store.journal.is_outdated()


def test_reader_refuses_change(folder: Path):
    with closing(LedgerReader(folder)) as reader, pytest.raises(LocalError):
        reader.decks.delete("mine")


def _beside(folder: Path) -> int:
    """Run another program on the folder to its end. Return the number of marks that it has seen."""
    run = [sys.executable, "-c", BESIDE, str(folder / FILE)]
    return int(subprocess.run(run, check=True, capture_output=True, timeout=60).stdout)


@pytest.mark.process
@pytest.mark.parametrize("reads", [stored_image, known_creators, RuleSetStore, LedgerReader])
def test_reader_keeps_lock_of_store_in_same_process(folder: Path, reads):
    store = left_open(_store(folder))
    wal = folder / f"{FILE}-wal"
    store.mark(BOB.public, True)
    log = wal.stat().st_ino
    if reads is stored_image:
        stored_image(folder, bytes(32))
    elif reads is RuleSetStore:
        RuleSetStore(folder).mark(OTHER.public, True)
    elif reads is LedgerReader:
        LedgerReader(folder).close()
    else:
        known_creators(folder)
    seen = _beside(folder)
    assert wal.exists()
    assert wal.stat().st_ino == log
    store.mark(BOB.public, None)
    assert _beside(folder) == seen - 1


def test_threads_that_create_file_together_keep_their_locks(tmp_path: Path):
    for number in range(20):
        data = tmp_path / str(number)
        threads = [threading.Thread(target=lambda data=data: _make(data)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        with closing(LedgerReader(data)) as reader:
            assert len(reader.marks()) == 1
        assert not (data / FILE).stat().st_mode & 0o077 or os.name == "nt"


def _make(data: Path) -> None:
    with closing(LedgerStore(data, ANN.public, None)) as store:
        store.mark(BOB.public, True)


def test_collection_reads_what_another_program_has_stored(folder: Path):
    store = left_open(_store(folder))
    collection = Collection(store, ANN.public)
    assert not collection.refresh()
    others = [maker(by=BOB), traded(ANN, BOB, [slot_of(CARDS[1].id, sign_promise(ANN, GIVEN).id)])]
    with closing(_store(folder)) as other:
        other.add(others)
    assert collection.refresh()
    assert all(one.id in collection.records for one in others)
    assert not collection.refresh()
    collection.add([maker(by=ANN)])
    assert not collection.refresh()


def test_two_programs_that_add_cards_lose_none(tmp_path: Path):
    """Each adds its cards to the same deck, as the page and a command in a terminal may."""
    with closing(LedgerStore(tmp_path, ANN.public, None)) as store:
        store.decks.make(NamedDeck("both", "element-duel", False))
    threads = [threading.Thread(target=_add, args=(tmp_path, card)) for card in (1, 2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with closing(LedgerReader(tmp_path)) as reader:
        cards = reader.decks.named("both").cards
    assert (cards.count(1), cards.count(2)) == (10, 10)


def _add(data: Path, number: int) -> None:
    with closing(LedgerStore(data, ANN.public, None)) as store:
        collection = Collection(store, ANN.public)
        for _ in range(10):
            add_card(collection, "both", str(number))

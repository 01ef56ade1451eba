"""The journal on disk: reading back, crashes, damaged files and permissions."""

import os
import resource
import shutil
import sqlite3
import stat
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from protocol.errors import LocalError
from protocol.i18n import english_text
from protocol.identity.keys import Identity
from protocol.match.clock import Allowance
from protocol.match.log import NO_HASH, Record, chain_position
from protocol.match.packed_log import LogPacker, plain_log, read_packed
from protocol.match.setup import Setup
from protocol.match.terms import make_terms
from protocol.options import Selection
from table.config import MIB, Bounds
from table.match.live_match import LiveMatch, last_heads, read_chain
from table.storage.disk.finished_rows import BLOCK, finished_in_order, leave
from table.storage.disk.journal import JOURNAL_FILE, LOGS, Journal
from table.storage.disk.log_files import run_to_end
from table.storage.disk.match_rows import _FIRST, VERSION, Claim, Exported, KeepHeads
from table.storage.disk.replication_state import ReplicationState, Role
from table.storage.interface import (
    MatchBeginning,
    MatchOwnership,
    NewAttestations,
    NewRecords,
    NewTable,
    OpenMatch,
    SavedTable,
    TableRemoved,
)
from tests.support.at_once import sign_heads
from tests.support.errors import raises_text
from tests.support.offline import Offline, make_offline

RECORDS = [Record(bytes([number + 1]) * 9, bytes(64)) for number in range(3)]
M, N, SEED = b"m" * 32, b"n" * 32, b"s" * 32
TERMS = make_terms(
    Selection("draw-dominoes", (("highest", 9), ("target", 50))),
    Selection("layered", (("take", 25),)),
    Allowance().options(),
    3,
)
WAL = f"{JOURNAL_FILE}-wal"


ENTRIES = [record.entry for record in RECORDS]


def begun(match_id: bytes, count: int = 1) -> NewRecords:
    return NewRecords(match_id, 0, NO_HASH, 0, tuple(ENTRIES[:count]), begin=MatchBeginning(SEED))


def more(match_id: bytes, first: int = 1, **values: object) -> NewRecords:
    """Return records after the first ones, with all earlier heads."""
    heads = tuple(record.head for record in RECORDS[:first])
    entries = tuple(ENTRIES[first:])
    return NewRecords(
        match_id, first, chain_position(ENTRIES[:first])[1], 0, entries, heads
    )._replace(**values)


def lacking(*lacks: int) -> list[Record]:
    """Return the records, some without heads."""
    return [
        record._replace(head=b"") if number in lacks else record
        for number, record in enumerate(RECORDS)
    ]


def test_journal_returns_stored_records(tmp_path):
    journal = Journal(tmp_path)
    assert journal.load() == SavedTable([], 0) and journal.open_matches() == []
    journal.write([begun(M), NewTable(1, TERMS, b"a" * 32), begun(N)])
    journal.write([more(M), more(N, over=True)])
    journal.close()
    journal = Journal(tmp_path)
    assert journal.load() == SavedTable([NewTable(1, TERMS, b"a" * 32)], 1)
    assert journal.open_matches() == [
        MatchOwnership(M, 0, "", ""),
        MatchOwnership(N, 0, "", "", over=True),
    ]
    assert journal.claimed(M) == OpenMatch(M, 0, SEED, lacking(1, 2))
    assert journal.claimed(N) == OpenMatch(N, 0, b"", lacking(1, 2))
    assert journal.finished(N) == [], "it has not got all heads"
    journal.write([KeepHeads(N, tuple(record.head for record in RECORDS[1:]))])
    assert journal.finished(N) == RECORDS
    assert journal.finished(M) == journal.finished(b"o" * 32) == []
    journal.close()


def test_missing_final_records_are_reported_and_stored_again(tmp_path):
    journal = Journal(tmp_path)
    journal.write([begun(M)])
    journal.write([more(M)])
    journal._database.execute("DELETE FROM records WHERE number > 0")
    assert journal.write([Claim(M)]) == [1]
    kept = journal.claimed(M)
    assert (len(kept.records), kept.counted) == (1, len(RECORDS))
    assert journal.write([more(M)._replace(claim=1)]) == [1]
    assert journal.claimed(M).counted == 0 and len(journal.records(M)) == len(RECORDS)
    journal.close()


def test_table_numbers_are_never_reused(tmp_path):
    journal = Journal(tmp_path)
    journal.write([NewTable(1, TERMS, M), NewTable(2, TERMS, M)])
    journal.write([TableRemoved(2), TableRemoved(1), TableRemoved(7)])
    journal.close()
    journal = Journal(tmp_path)
    assert journal.load() == SavedTable([], 2)
    journal.close()


def test_journal_batch_is_stored_completely_or_not(tmp_path):
    journal = Journal(tmp_path)
    journal.write([NewAttestations(0, ((b"slot", b"word"),), ())])
    with pytest.raises(sqlite3.IntegrityError):
        journal.write([begun(N), NewAttestations(1, ((b"slot", b"another"),), ())])
    assert journal.records(N) == [] and journal.open_matches() == []
    assert journal.write([begun(N), begun(M, 2), begun(M, 1)]) == [1, 1, 0], (
        "what comes too late holds up nobody"
    )
    assert [len(journal.records(match_id)) for match_id in (M, N)] == [2, 1]
    journal.close()


def test_older_journal_is_adopted_unless_matches_run(tmp_path):
    """The folder has the records of its witness too, which nobody may move away."""
    path = tmp_path / JOURNAL_FILE
    with closing(sqlite3.connect(path)) as database:
        for statement in _FIRST.split(";"):
            database.execute(statement)
        rows = [(M, number, *record) for number, record in enumerate(RECORDS)]
        database.executemany("INSERT INTO records VALUES (?, ?, ?, ?)", rows)
        database.execute("INSERT INTO matches VALUES (?, ?, 0)", (M, SEED))
        database.commit()
    # into the folder, not beside it
    with raises_text(LocalError, match=r"finish the matches in it .* then start this one again"):
        Journal(tmp_path)
    with closing(sqlite3.connect(path)) as database:
        database.execute("UPDATE matches SET seed = NULL")
        database.commit()
    with closing(Journal(tmp_path)) as journal:
        assert journal.finished(M) == RECORDS
        assert journal.open_matches() == [MatchOwnership(M, 0, "", "", over=True)]


def test_journal_syncs_before_returning(tmp_path):
    journal = Journal(tmp_path)
    assert journal._database.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert journal._database.execute("PRAGMA synchronous").fetchone() == (2,)
    journal.close()


def test_second_table_cannot_open_the_journal(tmp_path):
    journal = Journal(tmp_path)
    with raises_text(LocalError, match="--data"):
        Journal(tmp_path)
    journal.close()
    Journal(tmp_path).close()


def test_journal_is_readable_only_by_owner(tmp_path):
    (tmp_path / JOURNAL_FILE).touch(mode=0o644)
    journal = Journal(tmp_path)
    journal.write([begun(M)])
    for name in (JOURNAL_FILE, WAL):
        assert stat.S_IMODE((tmp_path / name).stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "logs").stat().st_mode) == 0o700
    journal.close()


def test_seed_is_erased_after_match_is_exported(tmp_path):
    match = played(tmp_path)
    journal = match.journal
    assert match.sealed in contents(tmp_path) and match.offline.live.seed not in contents(tmp_path)
    journal.export(match.match_id)
    assert match.sealed not in contents(tmp_path)
    assert len(contents(tmp_path)) > 1000
    journal.close()


class Meanwhile:
    """A database in which something happens once, between two reads of a match's entries."""

    def __init__(self, database: sqlite3.Connection, happens: Callable[[], object]) -> None:
        self._database, self._happens, self._reads = database, happens, 0

    def __getattr__(self, name: str) -> object:
        return getattr(self._database, name)

    def execute(self, sql: str, *values: object) -> sqlite3.Cursor:
        self._reads += sql.startswith("SELECT number, entry")
        if self._reads == 2:
            self._reads += 1
            self._happens()
        return self._database.execute(sql, *values)


def test_match_filed_away_during_a_read_is_read_whole(tmp_path):
    match = played(tmp_path)
    journal, live, match_id = match.journal, match.offline.live, bytes([2]) * 32
    *first, last = live.entries
    heads = tuple(record.head for record in live.records)
    begin = MatchBeginning(live.seed)
    journal.write([NewRecords(match_id, 0, NO_HASH, 0, tuple(first), begin=begin)])

    def file_away() -> None:
        number, seen = len(first), chain_position(first)[1]
        end = NewRecords(match_id, number, seen, 0, (last,), heads[:number], over=True)
        journal.write([end, KeepHeads(match_id, heads[number:])])
        journal.export(match_id)

    journal._database = Meanwhile(journal._database, file_away)
    assert journal.records(match_id) == live.records
    journal.close()


def test_match_filed_away_during_a_read_loses_its_seed_later(tmp_path):
    match = played(tmp_path)
    journal = match.journal
    with closing(journal._database.execute("SELECT number FROM records")) as reader:
        assert reader.fetchone() is not None
        path = journal.export(match.match_id)
    assert path.exists() and journal.open_matches() == []
    assert match.sealed in contents(tmp_path)
    finished(journal, 2, match.offline)
    assert match.sealed not in contents(tmp_path)
    journal.close()


def test_full_disk_is_told_when_the_wal_is_emptied(tmp_path):
    journal = Journal(tmp_path)
    journal.write([begun(M)])
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, before[1]))
    try:
        with pytest.raises(sqlite3.OperationalError):
            journal._empty_wal()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        journal.close()


def contents(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.iterdir() if path.is_file())


def test_exported_file_has_records_and_no_drafts_remain(tmp_path):
    match = played(tmp_path)
    assert [row.match_id for row in match.journal.open_matches()] == [match.match_id]
    path = match.journal.export(match.match_id)
    assert path == tmp_path / "logs" / f"2023-11-14-{match.match_id.hex()[:8]}.fairdeal"
    assert plain_log(path.read_bytes()) == match.offline.file()
    assert list(path.parent.iterdir()) == [path]
    (path.parent / "x.part").write_bytes(b"half")
    assert match.journal.open_matches() == []
    match.journal.close()
    Journal(tmp_path).close()
    assert list(path.parent.iterdir()) == [path]


# --- crashes ---


class Played:
    """A match written as a room writes it, with the size of the WAL after each write."""

    def __init__(
        self,
        folder: Path,
        dealing: str = "layered",
        before=lambda: None,
        after=lambda: None,
        steps: int = 100_000,
    ) -> None:
        self.journal, self.wal, self.stored = Journal(folder), folder / WAL, 0
        self.sizes: list[tuple[int, int]] = []  # size of the WAL, and the number of records in it
        self.offline = make_offline(2, seed=4, options={"hand": 1}, dealing=dealing)
        self.offline.live = live = LiveMatch(*secrets_of(self.offline.live))
        self.match_id, self.sealed = live.log.match_id, live.change().begin.seed
        self.before, self.after = before, after
        self.write(self.offline.live)
        self.offline.accept = self.accept
        self.offline.play(steps)
        self.journal.write([KeepHeads(self.match_id, live.unstored_heads())])

    def accept(self, live: LiveMatch, raw: bytes, seat: int) -> None:
        live.offer(raw, seat)
        self.write(live)

    def write(self, live: LiveMatch) -> None:
        change = live.change()
        self.before()
        assert self.journal.write([change]) == [1]
        self.after()
        live.stored(live.log.next_number, heads=change.first)
        sign_heads(live, live.log.next_number)
        self.stored = len(live.records)
        self.sizes.append((self.wal.stat().st_size, self.stored))


def secrets_of(live: LiveMatch) -> tuple[Identity, Setup, bytes]:
    return live._identity, live.match.setup, live.seed


def played(folder: Path, **values) -> Played:
    return Played(folder, **values)


def restored(folder: Path, offline: Offline) -> LiveMatch | None:
    """Return the match with which a table would continue on this folder, or None."""
    with closing(Journal(folder)) as journal:
        journal.load()
        rows = [row for row in journal.open_matches() if not row.over]
        if not rows:
            return None
        (row,) = rows
        try:
            assert journal.write([Claim(row.match_id)]) == [row.claim + 1]
            kept = journal.claimed(row.match_id)
        except sqlite3.Error:
            raise LocalError("wrong.journal.damaged", path="") from None
    live = LiveMatch.claimed(offline.live._identity, kept)
    sign_heads(live, live.acknowledged)
    return live


@pytest.mark.match
@pytest.mark.parametrize("dealing", ["layered", "verified"])
def test_kill_around_any_write_leaves_same_posted_bytes(tmp_path, dealing):
    folder, copies = tmp_path / "data", []

    def copy():  # the files as the system has them after a kill
        target = tmp_path / f"copy{len(copies)}"
        shutil.copytree(folder, target)
        copies.append(target)

    match = played(folder, dealing=dealing, before=copy, after=copy)
    final = match.offline.live.records
    lengths = []
    for target in copies:
        live = restored(target, match.offline)
        if live is not None:
            assert live.records == final[: len(live.records)]
            lengths.append(len(live.records))
    assert lengths == sorted(lengths)
    assert lengths[0] == 1 and lengths[-1] > len(final) * 3 // 4
    assert all(row.over for row in Journal(copies[-1]).open_matches())
    match.journal.close()


@pytest.mark.slow
def test_torn_wal_keeps_every_complete_write(tmp_path):
    match = played(tmp_path / "data")
    final, rng = match.offline.live.records, Random(3)
    sizes = [size for size, _ in match.sizes]
    cuts = {
        0,
        1,
        31,
        32,
        33,
        sizes[-1] - 1,
        *sizes,
        *(size - 1 for size in sizes),
        *rng.sample(range(sizes[-1]), 60),
    }
    for number, cut in enumerate(sorted(cuts)):
        target = tmp_path / str(number)
        shutil.copytree(tmp_path / "data", target)
        with (target / WAL).open("r+b") as file:
            file.truncate(cut)
        journal = Journal(target)
        expected = max((stored for size, stored in match.sizes if size <= cut), default=0)
        assert [record.entry for record in journal.records(match.match_id)] == [
            r.entry for r in final[:expected]
        ]
        journal.close()
        shutil.rmtree(target)
    match.journal.close()


@pytest.mark.match
def test_damaged_journal_gives_advice_or_stops_the_match(
    tmp_path,
):
    match = played(tmp_path / "data", steps=30)
    match.journal.write([NewTable(1, TERMS, M)])
    match.journal.close()  # everything is in the main file now
    whole, rng = (tmp_path / "data" / JOURNAL_FILE).read_bytes(), Random(5)
    outcomes = set()
    for number in range(200):
        damaged = bytearray(whole)
        if number % 2:
            del damaged[rng.randrange(1, len(whole)) :]
        else:
            damaged[rng.choice((rng.randrange(200), rng.randrange(len(whole))))] ^= (
                1 << rng.randrange(8)
            )
        target = tmp_path / str(number)
        target.mkdir()
        (target / JOURNAL_FILE).write_bytes(damaged)
        outcomes.add(attempt(target, match.offline))
        shutil.rmtree(target)
    assert outcomes == {"fine", "damaged"}


def attempt(folder: Path, offline: Offline) -> str:
    try:
        restored(folder, offline)
    except LocalError as error:
        assert (
            "damaged" in english_text(error.phrase)
            or "check the disk" in english_text(error.phrase)
            or "entry" in english_text(error.phrase)
            or "key" in english_text(error.phrase)
        )
        return "damaged"
    return "fine"


def test_empty_file_beside_wal_is_not_new_journal(tmp_path):
    match = played(tmp_path / "data")
    shutil.copytree(tmp_path / "data", tmp_path / "copy")
    (tmp_path / "copy" / JOURNAL_FILE).write_bytes(b"")
    with raises_text(LocalError, match="damaged"):
        Journal(tmp_path / "copy")
    assert (tmp_path / "copy" / WAL).stat().st_size > 0
    match.journal.close()


def test_other_key_or_program_does_not_continue_match(tmp_path):
    offline = make_offline(2, seed=4, options={"hand": 1})
    offline.play(20)
    live = offline.live
    with raises_text(LocalError, match="another key"):
        LiveMatch.restore(Identity(bytes(32)), live.seed, live.records)
    with raises_text(LocalError, match="would post or sign now"):
        LiveMatch.restore(live._identity, bytes(32), live.records)
    with raises_text(LocalError, match="damaged"):
        LiveMatch.restore(live._identity, live.seed, live.records[:2] + live.records[3:])
    assert LiveMatch.restore(live._identity, live.seed, live.records).records == live.records


def test_stored_heads_are_verified_and_missing_ones_signed():
    offline = make_offline(2, seed=4, options={"hand": 1})
    offline.play(20)
    live = offline.live
    bare = [record._replace(head=b"") for record in live.records]
    again = LiveMatch.restore(live._identity, live.seed, live.records[:4] + bare[4:])
    # a player may have our head for another entry there
    assert again.records == live.records[:4]
    sign_heads(again, again.acknowledged)
    assert again.records == live.records and again.unstored_heads() == tuple(
        r.head for r in live.records[4:]
    )
    other = live.records[6]._replace(head=live.records[7].head)
    for wrong in ([*live.records[:6], other], live.records[:6] + bare[6:7] + live.records[7:], []):
        with raises_text(LocalError, match="damaged"):
            LiveMatch.restore(live._identity, live.seed, wrong)
    chain = read_chain(live._identity, live.records[:4] + bare[4:])
    assert last_heads(live._identity, chain, 4) == [record.head for record in live.records[4:]]
    for wrong in ([*live.records[:6], other], live.records[:3] + live.records[4:], []):
        with raises_text(LocalError, match="damaged"):
            read_chain(live._identity, wrong)
    with raises_text(LocalError, match="another key"):
        read_chain(Identity(bytes(32)), live.records)


def test_exported_files_match_the_records(tmp_path):
    match = played(tmp_path)
    path = match.journal.export(match.match_id)
    assert list(read_packed(path.read_bytes())) == [
        (r.entry, r.head) for r in match.offline.live.records
    ]
    match.journal.close()


def finished(journal: Journal, number: int, offline: Offline) -> bytes:
    """Put a finished match into the journal and export it; return its id."""
    match_id = bytes([number]) * 32
    live = offline.live
    journal.write(
        [
            NewRecords(
                match_id,
                0,
                NO_HASH,
                0,
                tuple(live.entries),
                begin=MatchBeginning(live.seed),
                over=True,
            )
        ]
    )
    journal.write([KeepHeads(match_id, tuple(record.head for record in live.records))])
    os.utime(journal.export(match_id), ns=(number, number))
    return match_id


def packed(offline: Offline) -> bytes:
    packer = LogPacker()
    return b"".join(map(packer.add, offline.live.records)) + packer.finish()


def test_oldest_finished_matches_are_removed_above_limit(tmp_path):
    """Strangers who play match after match do not fill the disk; running matches and the newest one
    always stay.
    """
    offline = make_offline(2, seed=4, options={"hand": 1})
    offline.play()
    size = -(-len(packed(offline)) // BLOCK) * BLOCK
    with closing(Journal(tmp_path, Bounds(logs_mib=3.5 * size / MIB))) as journal:
        journal.write(
            [
                NewRecords(
                    M, 0, NO_HASH, 0, tuple(offline.live.entries[:3]), begin=MatchBeginning(SEED)
                )
            ]
        )
        ids = [finished(journal, number, offline) for number in range(1, 7)]
        assert [bool(journal.finished(match_id)) for match_id in ids] == [False] * 3 + [True] * 3
        assert journal.records(M), "a match that runs"
        left = {path.stem[-8:] for path in (tmp_path / LOGS).iterdir()}
        assert left == {match_id.hex()[:8] for match_id in ids[-3:]}
        assert [row.match_id for row in journal.open_matches()] == [M]


def test_match_above_total_limit_is_still_a_file(tmp_path):
    offline = make_offline(2, seed=4, options={"hand": 1})
    offline.play()
    with closing(Journal(tmp_path, Bounds(journal_mib=0.0001, logs_mib=0.0001))) as journal:
        match_id = finished(journal, 1, offline)
        assert journal.finished(match_id) and len(list((tmp_path / LOGS).iterdir())) == 1


LOOKED: list[str] = []  # folders that were scanned while the test listens
LISTENING: list[bool] = []
sys.addaudithook(
    lambda event, given: (
        LOOKED.append(str(given[0])) if LISTENING and event == "os.scandir" else None
    )
)


def test_match_end_does_not_scan_earlier_matches(tmp_path):
    """Strangers could end sixteen short matches a second for hours, and each scan would delay all
    other matches.
    """
    offline = make_offline(2, seed=4, game="matches", options={"n": 1}, dealing="none")
    offline.play()
    bounds = Bounds(journal_mib=4 * BLOCK / MIB, logs_mib=4 * BLOCK / MIB)
    with closing(Journal(tmp_path, bounds)) as journal:
        for number in range(1, 4):
            finished(journal, number, offline)
    with closing(Journal(tmp_path, bounds)) as journal:  # existing files count too
        LISTENING.append(True)
        ids = [finished(journal, number, offline) for number in range(4, 7)]
        LISTENING.clear()
        assert not LOOKED
        assert all(map(journal.finished, ids)) and journal.finished(bytes([3]) * 32)
        assert not journal.finished(bytes([2]) * 32) and len(list((tmp_path / LOGS).iterdir())) == 4


def before_version_3(folder: Path, offline: Offline, numbers: range) -> list[bytes]:
    """Leave a journal of version 2 with matches that are over, and their files; return their ids."""
    ids = [bytes([number]) * 32 for number in numbers]
    live = offline.live
    heads = tuple(record.head for record in live.records)
    with closing(Journal(folder)) as journal:
        for match_id in ids:
            begin = MatchBeginning(live.seed)
            entries = tuple(live.entries)
            journal.write(
                [
                    NewRecords(match_id, 0, NO_HASH, 0, entries, begin=begin, over=True),
                    KeepHeads(match_id, heads),
                    Exported(match_id, len(offline.file())),
                ]
            )
            name = f"2023-11-14-{match_id.hex()[:8]}.fairdeal"
            (folder / LOGS / name).write_bytes(offline.file())
        journal._database.execute("PRAGMA user_version = 2")
    return ids


def test_folder_of_version_2_opens_and_packs_its_matches(tmp_path):
    offline = make_offline(2, seed=4, options={"hand": 1})
    offline.play()
    ids = before_version_3(tmp_path, offline, range(1, 4))
    # a file whose match had left the journal, and one that is no log
    single = make_offline(2, seed=5, options={"hand": 1})
    single.play()
    (tmp_path / LOGS / "2023-11-14-00000000.fairdeal").write_bytes(single.file())
    (tmp_path / LOGS / "notes.fairdeal").write_bytes(b"mine")
    with closing(Journal(tmp_path)) as journal:
        assert [journal.finished(each) for each in ids] == [offline.live.records] * 3
        run_to_end(journal.pack_parts())
        assert [journal.finished(each) for each in ids] == [offline.live.records] * 3
        assert journal.finished(single.live.log.match_id) == single.live.records
        count = "SELECT count(*) FROM records"
        assert journal._database.execute(count).fetchone() == (0,)
        assert journal._database.execute("PRAGMA user_version").fetchone() == (VERSION,)
    packed_files = [
        path
        for path in (tmp_path / LOGS).iterdir()
        if path.stem[-8:] in {each.hex()[:8] for each in ids}
    ]
    assert [plain_log(path.read_bytes()) for path in packed_files] == [offline.file()] * 3
    assert all(len(path.read_bytes()) < len(offline.file()) for path in packed_files)


def test_finished_match_lies_in_its_file_alone(tmp_path):
    match = played(tmp_path)
    path = match.journal.export(match.match_id)
    for table in ("records", "matches", "claims"):
        count = f"SELECT count(*) FROM {table}"
        assert match.journal._database.execute(count).fetchone() == (0,)
    assert match.journal.finished(match.match_id) == match.offline.live.records
    path.unlink()
    with pytest.raises(FileNotFoundError):  # not "no such match": nobody is told to forget it
        match.journal.finished(match.match_id)
    match.journal.close()


def test_two_matches_whose_names_begin_alike_keep_a_file_each(tmp_path):
    offline = make_offline(2, seed=4, options={"hand": 1})
    offline.play()
    with closing(Journal(tmp_path)) as journal:
        ids = [bytes(4) + bytes([number]) * 28 for number in (1, 2)]
        live = offline.live
        for match_id in ids:
            begin = MatchBeginning(live.seed)
            entries = tuple(live.entries)
            journal.write([NewRecords(match_id, 0, NO_HASH, 0, entries, begin=begin, over=True)])
            journal.write([KeepHeads(match_id, tuple(record.head for record in live.records))])
            journal.export(match_id)
        assert len(list((tmp_path / LOGS).iterdir())) == 2
        assert [journal.finished(each) for each in ids] == [live.records] * 2


def test_removal_of_file_that_a_crash_cut_short_is_finished(tmp_path):
    match = played(tmp_path)
    path = match.journal.export(match.match_id)
    (row,) = finished_in_order(match.journal._database)
    leave(match.journal._database, row.number)
    assert match.journal.finished(match.match_id) == []
    match.journal.close()
    with closing(Journal(tmp_path)) as journal:
        assert not path.exists() and not list(finished_in_order(journal._database))


def test_snapshot_has_no_secrets_and_no_match_that_goes_on(tmp_path):
    with closing(Journal(tmp_path / "a")) as journal:
        journal.write([begun(M), begun(N), NewTable(1, TERMS, b"c" * 32)])
        (tmp_path / "b").mkdir()
        journal.snapshot(tmp_path / "b" / JOURNAL_FILE)
        assert [row.match_id for row in journal.open_matches()] == [M, N]
        journal.write([more(M)])
    assert SEED not in (tmp_path / "b" / JOURNAL_FILE).read_bytes()
    with closing(Journal(tmp_path / "b")) as copy:
        assert copy.begin_again() == 2
        saved = copy.load()
        assert saved.stopped == {M, N} and saved.restored and not copy.open_matches()
        assert [table.number for table in saved.tables] == [1]
        assert copy.write([more(M), Claim(N)]) == [0, 0]  # nobody goes on with them


def test_copy_made_by_hand_stops_its_matches_as_well(tmp_path):
    with closing(Journal(tmp_path)) as journal:
        journal.write([begun(M)])
        journal.list_finished([(N, "2026-01-01-00000000.fairdeal", 5, 1)])
        assert journal.begin_again() == 1 and journal.write([more(M)]) == [0]
        assert not list(journal.finished_matches()), "its file is not there"


def test_snapshot_has_no_seed_that_waits_for_the_standby(tmp_path):
    with closing(Journal(tmp_path)) as journal:
        journal.stand(ReplicationState(Role.PRIMARY, b"x" * 16))
        journal.write([begun(M)])
        assert SEED in journal.unsent()[0].body
        journal.snapshot(tmp_path / "copy")
        assert SEED not in (tmp_path / "copy").read_bytes()
        assert journal.unsent()

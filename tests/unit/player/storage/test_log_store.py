"""The file is a valid log after every entry, even if the program dies at any time."""

import pytest

from player.storage.log_store import LogStore, read_log, usual_path
from protocol.audit.verdict import Verdict, audit
from protocol.errors import LocalError
from protocol.identity.keys import fingerprint
from tests.support.errors import raises_text
from tests.support.offline import make_offline


@pytest.mark.slow
def test_store_is_a_valid_log_after_every_entry(tmp_path):
    table = make_offline(seats=2)
    table.play()
    path = tmp_path / "deep" / "a.fairdeal"
    store = LogStore(path)
    assert audit(path.read_bytes()).verdict is Verdict.INCOMPLETE
    records = table.live.records
    for number, record in enumerate(records):
        store.append(record.entry, record.head)
        report = audit(path.read_bytes()) if number % 20 == 0 or record is records[-1] else None
        if report:
            assert report.entries == number + 1
            assert report.verdict is (
                Verdict.CLEAN if record is records[-1] else Verdict.INCOMPLETE
            )
    store.close()
    assert path.read_bytes() == table.file()


def test_existing_file_is_left_unchanged(tmp_path):
    (tmp_path / "a").write_bytes(b"evidence")
    with raises_text(LocalError, match="exists already"):
        LogStore(tmp_path / "a")
    assert (tmp_path / "a").read_bytes() == b"evidence"


@pytest.mark.slow
def test_log_after_crash_is_continued(tmp_path):
    table = make_offline(seats=2)
    table.play()
    whole, records, path = (
        table.file(),
        [(record.entry, record.head) for record in table.live.records],
        tmp_path / "a",
    )
    for cut in range(0, len(whole), 997):
        path.write_bytes(whole[:cut])
        left = read_log(path)
        assert left == records[: len(left)]
        store = LogStore.again(path, len(left))
        for record in records[len(left) :]:
            store.append(*record)
        store.close()
        assert path.read_bytes() == whole


def test_file_of_other_format_is_never_overwritten(tmp_path):
    (tmp_path / "a").write_bytes(b"evidence")
    assert read_log(tmp_path / "a") == []
    with raises_text(LocalError, match="not the log"):
        LogStore.again(tmp_path / "a", 0)
    assert (tmp_path / "a").read_bytes() == b"evidence"


def test_unwritable_folder_is_reported_as_such(tmp_path):
    (tmp_path / "file").write_bytes(b"")
    with raises_text(LocalError, match="--log"):
        LogStore(tmp_path / "file" / "a")


def test_full_disk_is_reported_as_such(tmp_path):
    store = LogStore(tmp_path / "a")

    class Full:
        closed = False

        def write(self, data):
            return 3

    store._file.close()
    store._file = Full()
    with raises_text(LocalError, match="full"):
        store.append(b"entry", bytes(64))


def test_usual_path_names_match_and_its_owner(tmp_path):
    path = usual_path(tmp_path, bytes.fromhex("0123456789abcdef" * 4), bytes(32))
    assert path.parent == tmp_path / "logs"
    assert path.name.endswith(f"-01234567-{fingerprint(bytes(32))[:8]}.fairdeal")


def test_second_program_cannot_write_the_same_log(tmp_path):
    """Two programs with one name never write to one file, nor mix their times."""
    first = LogStore(tmp_path / "a.fairdeal")
    with raises_text(LocalError, match="Another program is writing its log"):
        LogStore.again(tmp_path / "a.fairdeal", 0)
    first.close()
    LogStore.again(tmp_path / "a.fairdeal", 0).close()

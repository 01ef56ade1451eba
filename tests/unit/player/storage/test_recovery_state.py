"""A disk that fills up during a match: nothing is signed again, and with free space the match
continues.
"""

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from random import Random

import pytest

from player.storage.agreement import Agreement
from player.storage.recovery_state import RecoveryState, any_recovery_states, read_recovery_states
from protocol.audit.verdict import Verdict, audit
from protocol.errors import LocalError
from protocol.i18n import english_text
from protocol.match.log import decode_entry
from protocol.match.setup import Person
from tests.support.direct import ME, Direct
from tests.support.fake_table import FakeTable, listening
from tests.support.play import play

FILLED = 4  # number of the client's own entry before which the disk fills up


@contextmanager
def bounded() -> Iterator[None]:
    """Restore the limit on file sizes afterwards."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def full_at(size: int) -> None:
    """Limit the file size of this process, as on a full disk: a write beyond the limit is cut
    short.
    """
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))


class Filling(FakeTable):
    """Table that fills the disk while the client's entry of that number is in transit, or never; it
    keeps the posts.
    """

    def __init__(self, filling) -> None:
        super().__init__()
        self.filling, self.posts = filling, []

    def on_post(self, wire, match_id, raw):
        self.posts.append(raw)
        if self.filling is not None and decode_entry(raw).sequence == FILLED:
            self.filling()
        super().on_post(wire, match_id, raw)


@pytest.mark.match
def test_unlogged_entry_is_followed_by_none_of_ours(tmp_path):
    """Otherwise the next start would continue from the older log, and sign entries again that the
    outbox has lost.
    """
    log = tmp_path / "log.fairdeal"
    table = Filling(lambda: full_at(log.stat().st_size + 10))
    with bounded():
        outcome = Direct(table, tmp_path).run().stop()
    said = english_text(outcome.reason)
    assert "is incomplete" in said and "make room" in said and "same command" in said
    (memory,) = read_recovery_states(tmp_path, ME)
    assert decode_entry(table.posts[-1]).sequence == FILLED and memory.last() == table.posts[-1]
    table.filling = None
    assert Direct(table, tmp_path).run().stop().verdict is Verdict.CLEAN
    assert audit(log.read_bytes()).verdict is Verdict.CLEAN and not any_recovery_states(tmp_path)
    signed = {raw: decode_entry(raw).sequence for raw in table.posts}
    assert len(signed) == len(set(signed.values()))


class Beginning(FakeTable):
    """Table that changes the client's disk as its match begins."""

    def __init__(self, trouble) -> None:
        super().__init__()
        self.trouble = trouble

    def on_join(self, wire, table_id):
        self.trouble()
        super().on_join(wire, table_id)


@pytest.mark.match
@pytest.mark.parametrize("what", ["secrets", "log"])
def test_match_begun_on_full_disk_starts_with_next_run(tmp_path, what):
    log = tmp_path / "log.fairdeal"
    table = Beginning(log.mkdir if what == "log" else lambda: full_at(10))
    with bounded(), pytest.raises(LocalError) as begun:
        Direct(table, tmp_path).run()
    said = english_text(begun.value.phrase)
    assert "Your match is running" in said and "make room" in said and "same command" in said
    assert table.live.log.sequence(0) == 0 and any_recovery_states(tmp_path) == (what == "log")
    if what == "log":
        log.rmdir()
    table.trouble = lambda: None
    assert Direct(table, tmp_path).run().stop().verdict is Verdict.CLEAN
    assert not list(tmp_path.glob("matches/*"))


def test_full_disk_takes_no_seat_at_new_match(tmp_path):
    table = FakeTable()
    with bounded(), pytest.raises(LocalError) as full:
        full_at(1000)
        Direct(table, tmp_path)
    assert full.value.phrase.key == "wrong.disk.no_room"
    assert table.live is None and not list(tmp_path.glob("matches/*"))


async def test_reserved_disk_space_is_released_after_match(tmp_path):
    table = FakeTable()
    table.handle = lambda wire, name, values: wire.transport.abort()
    async with listening(table) as link:
        await play(link, ME, "Zoe", None, rng=Random(4), state_dir=tmp_path)
    assert not list(tmp_path.glob("matches/*"))


def test_undeletable_file_is_reported(tmp_path):
    memory = remembered(tmp_path)
    (outbox,) = tmp_path.glob("matches/*.outbox")
    outbox.unlink()
    outbox.mkdir()
    with pytest.raises(LocalError) as told:
        memory.forget()
    assert told.value.phrase.key == "wrong.disk.remove"


def remembered(folder) -> RecoveryState:
    """Remember a match of any table."""
    agreement = Agreement(bytes(32), bytes(32), "main", 0, Person("Zoe", ME.public), None)
    memory = RecoveryState(folder, folder / "log.fairdeal", "", agreement, bytes(32))
    memory.save()
    return memory


@pytest.mark.parametrize("room", [0, 20, 200])
def test_failed_outbox_write_keeps_the_previous_entry(tmp_path, room):
    memory = remembered(tmp_path)
    memory.put(b"first")
    with bounded(), pytest.raises(LocalError) as full:
        full_at(room)
        memory.put(b"x" * 1000)
    assert full.value.phrase.key == "wrong.disk.full"
    assert memory.last() == b"first"
    memory.put(b"x" * 1000)
    assert memory.last() == b"x" * 1000

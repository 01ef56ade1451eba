"""A disk that fills up while a match runs: nothing is signed anew, and with room again the match goes on."""

import resource
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from player.agreement import Agreement
from player.disk.memory import Memory, any_memories, read_memories
from protocol.audit.verdict import Verdict, audit
from protocol.errors import LocalError
from protocol.locale import in_english
from protocol.match.log import decode_entry
from protocol.match.setup import Person
from tests.support.direct import ME, Direct
from tests.support.fake_table import FakeTable

FILLED = 4  # the number, of the client's own entries, of the one before which the disk fills up


@contextmanager
def bounded() -> Iterator[None]:
    """Whatever bound of files was set inside is lifted again."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def full_at(size: int) -> None:
    """No file of this process gets larger than this, as on a disk that is full: a write is cut short there."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))


class Filling(FakeTable):
    """Somebody fills the disk while the client's entry of that number is under way, or never; keeps what it posts."""

    def __init__(self, filling) -> None:
        super().__init__()
        self.filling, self.posts = filling, []

    def on_post(self, wire, match_id, raw):
        self.posts.append(raw)
        if self.filling is not None and decode_entry(raw).sequence == FILLED:
            self.filling()
        super().on_post(wire, match_id, raw)


@pytest.mark.match
def test_what_the_log_does_not_take_is_followed_by_no_entry_of_ours(tmp_path):
    """Else the next start would go on from the older log, and sign anew what the outbox does not have any more."""
    log = tmp_path / "log.fairdeal"
    table = Filling(lambda: full_at(log.stat().st_size + 10))
    with bounded():
        outcome = Direct(table, tmp_path).run().stop()
    said = in_english(outcome.reason)
    assert "ends too early" in said and "make room" in said and "same command" in said
    (memory,) = read_memories(tmp_path, ME)
    assert decode_entry(table.posts[-1]).sequence == FILLED and memory.last() == table.posts[-1]
    table.filling = None
    assert Direct(table, tmp_path).run().stop().verdict is Verdict.CLEAN
    assert audit(log.read_bytes()).verdict is Verdict.CLEAN and not any_memories(tmp_path)
    signed = {raw: decode_entry(raw).sequence for raw in table.posts}
    assert len(signed) == len(set(signed.values()))


@pytest.mark.parametrize("room", [0, 20, 200])
def test_what_the_outbox_does_not_take_leaves_the_entry_before(tmp_path, room):
    agreement = Agreement(bytes(32), bytes(32), "main", 0, Person("Zoe", ME.public), None)
    memory = Memory(tmp_path, tmp_path / "log.fairdeal", "", agreement, bytes(32))
    memory.save()
    memory.put(b"first")
    with bounded(), pytest.raises(LocalError) as full:
        full_at(room)
        memory.put(b"x" * 1000)
    assert full.value.phrase.key == "wrong.disk.full"
    assert memory.last() == b"first"
    memory.put(b"x" * 1000)
    assert memory.last() == b"x" * 1000

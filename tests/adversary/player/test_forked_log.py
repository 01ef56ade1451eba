"""A table that crashes a player's program and then shows another log gets no second signature for
one number.
"""

import os
from pathlib import Path
from random import Random

import pytest

from bots.dominoes import greedy_bot
from player.client.deterministic_seat import DeterministicSeat
from player.client.environment import Environment
from player.client.seat import Seat
from player.client.table_match import TableMatch
from player.storage.agreement import Agreement
from player.storage.log_store import read_log
from player.storage.recovery_state import MatchFiles, RecoveryState, read_recovery_states
from protocol.codes import Code
from protocol.dealing import TABLE, Fault, Post
from protocol.errors import LocalError
from protocol.identity.keys import Identity, JoinLink, fingerprint
from protocol.match.log import decode_entry
from protocol.match.log_reader import LogReader
from table.match.live_match import LiveMatch
from tests.support.at_once import StoredAtOnce
from tests.support.errors import raises_text
from tests.support.offline import make_setup
from tests.support.refusals import refused

TABLE_KEY, ME, OTHER = (Identity(bytes([letter]) * 32) for letter in b"tmo")
LINK = JoinLink("example.org", 7500, fingerprint(TABLE_KEY.public))


class Evil:
    """Table that colludes with the other seat and keeps any number of logs of one match."""

    def __init__(self, folder: Path, dealing: str = "verified") -> None:
        self.setup = make_setup(
            TABLE_KEY, [ME, OTHER], Random(1), options={"hand": 2}, dealing=dealing
        )
        self.folder = folder
        self.logs = [self.new_log(1)]
        self.signed: set[bytes] = set()  # entries that the player has sent
        match_id = self.live.log.match_id
        agreement = Agreement(match_id, TABLE_KEY.public, "main", 0, self.setup.people[0], None)
        self.player = TableMatch(agreement, 1, self.environment())
        self.show()

    def new_log(self, seed: int) -> tuple[LiveMatch, Seat, LogReader]:
        """Begin a log with the same first entry; the other seat has other secrets."""
        live = StoredAtOnce(TABLE_KEY, self.setup, bytes(32))
        return (
            live,
            Seat(OTHER, 1, Random(seed)),
            LogReader(live.records[0].entry, live.records[0].head),
        )

    @property
    def live(self) -> LiveMatch:
        return self.logs[-1][0]

    def environment(self) -> Environment:
        files = MatchFiles(self.folder, LINK, bytes(32), self.folder / "log.fairdeal")
        return Environment(ME, Random(2), Seat, greedy_bot, lambda event: None, files)

    @property
    def memory(self) -> RecoveryState:
        (memory,) = read_recovery_states(self.folder, ME)
        return memory

    def show(self) -> None:
        """Let the player read the newest log to its end."""
        first = self.player.number
        for number, record in enumerate(self.live.records[first:], first):
            self.player.read(number, *record)

    def ours(self) -> bytes | None:
        """Return the entry that the player sends now."""
        raw = self.player.unanswered() or self.player.next_post()
        self.signed |= {raw} if raw else set()
        return raw

    def step(self) -> bool:
        """Let the player post, or else the other seat."""
        raw = self.ours()
        if raw is not None:
            self.live.offer(raw, 0)
        else:
            assert self.theirs()
        self.show()
        return not self.live.match.over

    def theirs(self) -> bool:
        """Let the other seat post its duty."""
        live, seat, reader = self.logs[-1]
        for record in live.records[reader.log.next_number :]:
            reader.feed(record.entry, record.head)
        post = seat.respond(reader.match)
        if post is None and (choices := seat.choices(reader.match)):
            post = seat.move(reader.match, choices[0])
        if post is None:
            return False
        live.offer(seat.entry(reader.log, post), 1)
        return True

    def crash(self, log: bytes) -> None:
        """End the player's program and restart it with this part of its log on disk."""
        memory = self.memory
        self.player.close()
        (self.folder / memory.log).write_bytes(log)
        self.player = TableMatch.restore(memory, self.environment())

    def log_file(self) -> bytes:
        return (self.folder / "log.fairdeal").read_bytes()

    def signed_twice(self) -> set[int]:
        numbers = [decode_entry(raw).sequence for raw in self.signed]
        return {number for number in numbers if numbers.count(number) > 1}


@pytest.fixture
def evil(tmp_path):
    made = Evil(tmp_path)
    yield made
    made.player.close()


def fork_after_the_first_entry(evil: Evil, overtake: bool) -> None:
    """Begin another log after the player has posted `sit` and `nonce` and lost all but the first
    entry on disk.
    """
    short = evil.log_file()
    while len(evil.signed) < 2:
        evil.step()
    evil.crash(short)
    sit = min(evil.signed, key=lambda raw: decode_entry(raw).sequence)
    evil.logs.append(evil.new_log(99))
    assert evil.theirs()
    evil.live.offer(sit, 0)
    if overtake:
        assert evil.theirs()


@pytest.mark.parametrize("overtake", [False, True])
@pytest.mark.parametrize("early", [False, True])
def test_fork_behind_our_newest_entry_is_noticed_without_log(evil, overtake, early):
    fork_after_the_first_entry(evil, overtake)
    last = evil.memory.last()
    assert last is not None
    evil.player.rejoin(evil.live.log.next_number)
    if early:
        evil.player.refused(refused(evil.live, last, Code.STALE))
    evil.show()
    evil.player.refused(refused(evil.live, last, Code.STALE))
    assert evil.ours() is None
    assert evil.player.faults == (Fault(TABLE, 2, Code.TABLE_FORKED),)
    assert evil.signed_twice() == set()


def test_table_with_shorter_log_than_answered_gets_nothing(
    evil,
):
    fork_after_the_first_entry(evil, overtake=False)
    evil.player.rejoin(2)
    for number, record in enumerate(evil.live.records[:2]):
        evil.player.read(number, *record)
    assert not evil.player.caught_up and evil.player.stopped is None
    assert evil.ours() is None
    evil.show()  # the entries there differ from those that we had seen
    assert evil.ours() is None and evil.player.over
    assert evil.player.faults == (Fault(TABLE, 2, Code.TABLE_FORKED),)
    assert evil.signed_twice() == set()


def test_client_posts_nothing_before_rereading_seen_entries(evil):
    """The client waits even before the table has said how long its log is."""
    fork_after_the_first_entry(evil, overtake=False)
    assert not evil.player.caught_up
    assert evil.ours() is None


@pytest.mark.slow
def test_honest_log_continues_after_the_same_loss(evil):
    short = evil.log_file()
    while len(evil.signed) < 4:
        evil.step()
    evil.crash(short)
    evil.player.rejoin(evil.live.log.next_number)
    evil.show()
    while evil.step():
        """To the end."""
    assert evil.player.faults == () and evil.signed_twice() == set()


@pytest.mark.slow
def test_entry_is_stored_after_all_seen_entries(evil, tmp_path, monkeypatch):
    """A power cut during the note of an entry may tear it, but not remove the log that earlier
    entries had seen.
    """
    on_disk: dict[str, bytes] = {}
    real = os.fsync

    def fsync(number: int) -> None:
        real(number)
        path = Path(os.readlink(f"/proc/self/fd/{number}"))
        if path.is_file():
            on_disk[path.name] = path.read_bytes()

    monkeypatch.setattr(os, "fsync", fsync)
    while evil.step():
        newest = max((decode_entry(raw).seen_number for raw in evil.signed), default=-1)
        (tmp_path / "cut.fairdeal").write_bytes(on_disk.get("log.fairdeal", b""))
        assert len(read_log(tmp_path / "cut.fairdeal")) > newest


def test_remembered_match_is_not_begun_again(evil):
    """A table at another address may not be known to be the same; its `match` would take a second
    seed for one seat.
    """
    while len(evil.signed) < 2:
        evil.step()
    seed = evil.memory.seed
    again = TableMatch(evil.player.agreement, 1, evil.environment())
    with raises_text(LocalError, match="unfinished"):
        again.read(0, *evil.live.records[0])
    assert evil.memory.seed == seed


def test_overtaken_protest_is_recognised_as_own_after_crash(evil):
    """The protest stands in the log where we would not protest any more; the seat does not leave
    for that.
    """
    reader = evil.player.reader
    assert reader is not None
    steady = DeterministicSeat(Seat, ME, 0, bytes(32), reader)
    assert steady.due is not None and steady.due.kind == "sit"
    raw = steady.seat.entry(reader.log, Post("protest", [0]))
    assert steady.would_post(decode_entry(raw))

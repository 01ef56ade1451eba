"""One running match and its parties, some of which read slowly or not at all. No socket, and the
disk is a list.
"""

import asyncio
import gc
import weakref
from collections.abc import Callable, Coroutine
from functools import wraps
from itertools import pairwise
from math import inf
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

from protocol.codes import Code
from protocol.identity.keys import Identity
from protocol.limits import (
    HOST_STALE_SECONDS,
    MAX_CHANGE,
    MAX_CHANGE_ENTRIES,
    MAX_ENTRY,
    MAX_REFUSALS_WAITING,
    PRESENCE_SECONDS,
)
from protocol.match.fold import apply
from protocol.match.log import Record
from protocol.messages import table as messages
from protocol.messages.table import ConnectionPhase, Sender
from table.config import Bounds
from table.match.clock import LoopWatch
from table.match.hosted_match import RUN_PAUSE, STALE_PAUSE, HostedMatch
from table.match.live_match import LiveMatch
from table.match.log_broadcaster import LogBroadcaster
from table.match.machine import Ready
from table.match.read_schedule import ReadSchedule
from table.metrics import Metrics
from table.signer.signer import signer_of
from table.storage.interface import Change, Done, hash_after
from tests.properties.simulate.loop import VirtualLoop
from tests.support.offline import Offline, make_offline

IDENTITY = Identity(bytes(32))


def in_virtual_time(work: Callable[[], Coroutine[Any, Any, None]]) -> Callable[[], None]:
    """Return a test on a loop whose clock jumps to the next timer: no machine is too slow for
    it.
    """

    @wraps(work)
    def run() -> None:
        with asyncio.Runner(loop_factory=VirtualLoop) as runner:
            runner.run(work())

    return run


class Party:
    """A seat's connection that records its messages. It is `busy` while it does not read."""

    def __init__(self, identity: bytes) -> None:
        self.identity, self.address = identity, ""
        self.phase = ConnectionPhase.LOBBY
        self.feed: LogBroadcaster | None = None
        self.busy = False
        self.open = self.takes_talk = True
        self.was_moved = False
        self.slow = False  # it is busy after each message
        # the message at which its queue overflows
        self.leaves_at: str | None = None
        self.got: list[messages.Message] = []
        self.knows: list[int] | None = None  # seats whose players are here; None: all
        self.sent = 0  # bytes; it takes them at once, if it is not busy
        self.held, self.arrived = False, inf

    @property
    def written(self) -> int:
        return 0 if self.busy else self.sent

    def is_sign_of_life(self, told: messages.Message) -> bool:
        """Tell a `present` without news, which comes all the time, from anything else."""
        if told.name != "present" or self.feed is None:
            return False
        before = list(range(len(self.feed.people))) if self.knows is None else self.knows
        self.knows = told.values[1]
        return self.knows == before

    def send(self, message: bytes) -> None:
        self.busy = self.busy or self.slow
        self.sent += len(message)
        told = messages.decode(message, Sender.TABLE, self.phase)
        if told.name == self.leaves_at:
            self.cut_off()
        elif self.open and not self.is_sign_of_life(told):
            self.got.append(told)

    def refused(self, code: Code) -> None:
        pass

    def cut_off(self) -> None:
        self.open = False
        if self.feed is not None:
            self.feed.leave(self)

    def moved(self, address: str, match_id: bytes) -> None:
        self.was_moved = True
        self.cut_off()

    def entered(self, feed: LogBroadcaster, seat: int | None) -> None:
        self.feed, self.phase = feed, ConnectionPhase.SEATED

    def dismissed(self) -> None:
        self.feed, self.phase = None, ConnectionPhase.LOBBY

    def names(self) -> list[str]:
        return [message.name for message in self.got]


class Disk:
    """Disk that accepts changes when told to."""

    def __init__(self) -> None:
        self.waiting: list[Done] = []
        self.changes: list[Change] = []
        self.lost: Done = lambda: None  # callback of the last change
        self.silence = 0.0

    def submit(self, change: Change, done: Done, lost: Done) -> None:
        self.waiting.append(done)
        self.changes.append(change)
        self.lost = lost

    def silent(self) -> float:
        return self.silence

    def work(self) -> None:
        while self.waiting:
            self.waiting.pop(0)()


def begun(seats: int) -> tuple[HostedMatch, Disk, list[Party], Offline]:
    """Return a match whose first entry is on its way to the disk, with all its people, and their
    honest log.
    """
    offline = make_offline(seats, 1)
    live = offline.live
    disk = Disk()
    settled = {"match_over": lambda feed: None, "match_settled": lambda feed: None}
    keeper = SimpleNamespace(
        identity=IDENTITY,
        metrics=Metrics(),
        reading=ReadSchedule(Bounds()),
        loop_watch=LoopWatch(),
        **settled,
    )
    offline.live = live = LiveMatch(live._identity, live.match.setup, live.seed)
    room = HostedMatch(live, disk, Bounds(), keeper)
    parties = [Party(person.identity) for person in live.match.setup.people]
    for party in parties:
        room.enter(party)
    return room, disk, parties, offline


async def test_peer_cut_off_at_announcement_does_not_block_match():
    room, disk, parties, _ = begun(3)
    parties[0].leaves_at = "match"
    disk.work()
    assert [party.names() for party in parties] == [[], ["match"], ["match"]]
    room.close()


async def test_fault_that_lasts_leaves_the_loop_to_others(monkeypatch):
    """What cannot be done now is tried again, but not in each turn of the loop."""
    room, disk, parties, _ = begun(2)
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(lambda loop, context: None)
    tries = 0

    def fail(now: float) -> Ready:
        nonlocal tries
        tries += 1
        raise ZeroDivisionError

    monkeypatch.setattr(room.machine, "ready", fail)
    with pytest.raises(ZeroDivisionError):
        disk.work()
    began = loop.time()
    for _ in range(1000):
        await asyncio.sleep(0)
    assert tries <= 2 + (loop.time() - began) / RUN_PAUSE
    monkeypatch.undo()
    async with asyncio.timeout(30):
        while any(party.names() != ["match"] for party in parties):
            await asyncio.sleep(0)
    room.close()


async def test_refusal_waits_for_earlier_entries_to_its_author():
    room, disk, (ann, bob), offline = begun(2)
    disk.work()
    for party in (ann, bob):
        room.replay(party, 0)
    bob.busy = True
    seat = offline.seats[0]
    room.post(ann, seat.entry(offline.readers[0].log, seat.respond(offline.readers[0].match)))
    disk.work()
    room.post(bob, b"no entry")
    disk.work()
    assert (ann.names()[-2:], bob.names()) == (["entry", "entry"], ["match", "entry"])
    bob.busy = False
    room.drained(bob)
    assert bob.names() == ["match", "entry", "entry", "refused"]
    room.close()


async def test_room_taken_over_by_another_host_is_silent():
    """The room does not even refuse entries; its people are disconnected, and its table is free."""
    room, disk, (ann, bob), offline = begun(2)
    disk.work()
    for party in (ann, bob):
        room.replay(party, 0)
    lost: list[LogBroadcaster] = []
    room._owner.match_lost = lost.append
    room._owner.elsewhere = lambda match_id: ""
    seat = offline.seats[0]
    room.post(ann, seat.entry(offline.readers[0].log, seat.respond(offline.readers[0].match)))
    room.post(bob, b"no entry")
    before = [party.names() for party in (ann, bob)]
    disk.waiting.clear()
    disk.lost()
    assert (lost, ann.was_moved, bob.was_moved, room.seated) == ([room], True, True, set())
    bob.open = True
    room.post(bob, b"no entry")
    assert [party.names() for party in (ann, bob)] == before == [["match", "entry"]] * 2
    assert not disk.waiting


@in_virtual_time
async def test_no_entry_is_refused_during_store_silence():
    room, disk, (ann, _), _ = begun(2)
    disk.work()
    disk.silence = HOST_STALE_SECONDS
    room.post(ann, b"no entry")
    assert ann.names() == ["match"]
    disk.silence = 0.0
    async with asyncio.timeout(60):
        while ann.names() != ["match", "refused"]:
            await asyncio.sleep(STALE_PAUSE)
    room.close()


@pytest.mark.slow
async def test_messages_for_departed_are_not_kept_during_store_silence():
    room, disk, (ann, bob), _ = begun(2)
    disk.work()
    disk.silence = HOST_STALE_SECONDS
    gone = weakref.ref(ann)
    room.post(ann, b"no entry")
    room.leave(ann)
    ann = None
    room.post(bob, b"no entry")
    gc.collect()
    assert gone() is None
    room.close()


async def test_head_and_refusal_require_stored_entries():
    room, disk, (ann, bob), offline = begun(2)
    signed: list[tuple[str, int]] = []
    room.live.signer = signer_of(Signing(room.live._identity, signed))
    assert not room.live.records
    disk.work()
    assert signed == [("head", 0)]
    for party in (ann, bob):
        room.replay(party, 0)
    seat = offline.seats[0]
    room.post(ann, seat.entry(offline.readers[0].log, seat.respond(offline.readers[0].match)))
    room.post(bob, b"no entry")
    assert signed == [("head", 0)]
    disk.work()
    assert signed == [("head", 0), ("head", 1), ("refused", 1)]
    room.close()


class Signing(Identity):
    """Key that records its signatures: head or refusal, and number."""

    def __init__(self, identity: Identity, signed: list[tuple[str, int]]) -> None:
        self._key, self.public, self._signed = identity._key, identity.public, signed

    def sign(self, label: str, *fields: bytes | int | str) -> bytes:
        if label in ("head", "refused"):
            self._signed.append((label, fields[1 if label == "head" else 2]))
        return super().sign(label, *fields)


def ahead() -> LiveMatch:
    """Return a match played while the store answered nothing: its whole log is still unstored."""
    offline = make_offline(3, 1)
    played = offline.live
    offline.play()
    live = LiveMatch(played._identity, played.match.setup, played.seed)
    for raw in played.entries[1:]:
        entry = live.log.check(raw)
        live._append(entry, apply(live.match, entry))
    assert live.match.over and len(live.entries) > MAX_CHANGE_ENTRIES
    return live


@pytest.mark.match
async def test_store_changes_are_bounded_in_count():
    """Each change follows the one before, with all earlier heads; only the last has the end."""
    live, disk, over = ahead(), Disk(), list[LogBroadcaster]()
    keeper = SimpleNamespace(
        identity=IDENTITY,
        metrics=Metrics(),
        reading=ReadSchedule(Bounds()),
        loop_watch=LoopWatch(),
        match_over=over.append,
        match_settled=lambda feed: None,
    )
    room = HostedMatch(live, disk, Bounds(), keeper)
    disk.work()
    heads = [record.head for record in live.records]
    for change, after in pairwise(disk.changes):
        assert len(change.entries) == MAX_CHANGE_ENTRIES and not change.over and after.begin is None
        assert (after.first, after.follows) == (
            change.first + len(change.entries),
            hash_after(change),
        )
        assert list(after.heads) == heads[change.first : after.first]
    assert sum((change.entries for change in disk.changes), ()) == tuple(live.entries)
    assert (
        len(disk.changes) > 1
        and disk.changes[-1].over
        and over == [room]
        and len(live.unstored_heads()) <= MAX_CHANGE_ENTRIES
    )
    room.close()


async def test_store_changes_are_bounded_in_bytes():
    live = make_offline(2, 1).live
    live.entries += [bytes(MAX_ENTRY)] * 60
    sizes = []
    while len(live.records) < len(live.entries):
        change = live.change()
        sizes.append(sum(map(len, change.entries)))
        live.records += [Record(entry, bytes(64)) for entry in change.entries]
        live.log.chain_hashes += [bytes(32)] * len(change.entries)
    assert MAX_CHANGE - MAX_ENTRY < max(sizes) <= MAX_CHANGE and len(sizes) == 3
    live.entries += [bytes(MAX_CHANGE + 1)] * 2
    assert len(live.change().entries) == 1, "one goes by itself"


async def test_refusal_does_not_wait_for_peer_without_log_request():
    room, disk, (ann, _), _ = begun(2)
    disk.work()
    room.post(ann, b"no entry")
    assert ann.names() == ["match", "refused"]
    room.close()


@pytest.mark.parametrize("more", [0, 1])
async def test_waiting_refusals_are_bounded(more):
    room, disk, (ann, bob), offline = begun(2)
    disk.work()
    seat = offline.seats[1]
    # not yet on disk
    room.post(bob, seat.entry(offline.readers[1].log, seat.respond(offline.readers[1].match)))
    for _ in range(MAX_REFUSALS_WAITING + more):
        room.post(ann, Random(1).randbytes(40))
    assert ann.open is not bool(more)
    disk.work()
    assert ann.names().count("refused") == (0 if more else MAX_REFUSALS_WAITING)
    room.close()


@pytest.mark.slow
@in_virtual_time
async def test_slow_reader_gets_whole_ended_log_and_nonreader_leaves():
    offline = make_offline(2, 1)
    offline.play()
    live = offline.live
    keeper = SimpleNamespace(
        identity=IDENTITY,
        metrics=Metrics(),
        reading=ReadSchedule(Bounds()),
        loop_watch=LoopWatch(),
        match_settled=lambda feed: None,
    )
    feed = LogBroadcaster(
        b"m" * 32, live.match.setup, live.records, Bounds(goodbye_seconds=0.02), keeper
    )
    ann, bob = (Party(person.identity) for person in live.match.setup.people)
    for party in (ann, bob):
        feed.enter(party)
        party.busy = party.slow = True
        feed.replay(party, 0)
    feed.say_goodbye()
    while ann.phase is not ConnectionPhase.LOBBY:
        ann.busy = False
        feed.drained(ann)
        await asyncio.sleep(0.002)  # the whole log takes longer than many goodbyes
    assert ann.names() == ["match", *["entry"] * len(live.records), "left"]
    assert bob.names() == ["match", "left"]


@in_virtual_time
async def test_peer_returning_to_ended_match_has_time_to_ask():
    """This holds although others who never asked are dismissed soon."""
    live = make_offline(2, 1).live
    keeper = SimpleNamespace(
        identity=IDENTITY,
        metrics=Metrics(),
        reading=ReadSchedule(Bounds()),
        loop_watch=LoopWatch(),
        match_settled=lambda feed: None,
    )
    feed = LogBroadcaster(
        b"m" * 32, live.match.setup, live.records, Bounds(goodbye_seconds=0.02), keeper
    )
    idle, late = (Party(person.identity) for person in live.match.setup.people)
    feed.enter(idle)
    feed.say_goodbye()
    feed.enter(late)
    while idle.phase is not ConnectionPhase.LOBBY:
        await asyncio.sleep(0.001)
    assert feed.replay(late, 0) and late.names() == [
        "match",
        *["entry"] * len(live.records),
        "left",
    ]


@in_virtual_time
async def test_departure_is_untold_to_peers_without_the_match():
    """The disk takes the first entry late, and a peer leaves meanwhile: the others still wait for
    their match.
    """
    room, disk, (ann, bob, cleo), _ = begun(3)
    room.leave(bob)
    await asyncio.sleep(10 * PRESENCE_SECONDS)
    assert ann.names() == cleo.names() == []
    disk.work()
    await asyncio.sleep(10 * PRESENCE_SECONDS)
    assert ann.names() == cleo.names() == ["match", "present"]
    assert ann.got[1].values[1] == [0, 2]
    room.close()


@in_virtual_time
async def test_peer_waiting_for_silent_disk_gets_reason():
    room, disk, (ann, bob), offline = begun(2)
    disk.work()
    for party in (ann, bob):
        room.replay(party, 0)
    seat = offline.seats[0]
    room.post(ann, seat.entry(offline.readers[0].log, seat.respond(offline.readers[0].match)))
    await asyncio.sleep(60)
    assert ann.names() == bob.names() == ["match", "entry", "error"]
    assert bob.got[-1].values == ["cannot_write"]
    while disk.waiting:
        disk.work()
    await asyncio.sleep(60)
    assert bob.names().count("error") == 1 and bob.names()[3] == "entry"
    room.close()

"""A room after a claim, whose store may have lost the end of the log: returned entries, and invalid
ones.

The tests use no socket and no clock, and the disk is a list. Whole tables that lose entries:
`test_tails.py`.
"""

import asyncio
from functools import cache, partial
from types import SimpleNamespace

import pytest

from protocol.codes import Code
from protocol.crypto.hashing import digest
from protocol.dealing import TABLE, Post
from protocol.errors import RemoteError
from protocol.identity.keys import Identity
from protocol.limits import (
    HELD_UP_SECONDS,
    LIFE_SECONDS,
    LOST_TAIL_SECONDS,
    MAX_HELD,
    RETURNING_ALONE_SECONDS,
    RETURNING_SECONDS,
)
from protocol.match.clock import Allowance
from protocol.match.log import Record, decode_entry
from protocol.messages import table as messages
from protocol.messages.tail import HeldHead, LogTail, split_tail
from table.config import Bounds
from table.match.clock import LoopWatch
from table.match.hosted_match import HostedMatch
from table.match.live_match import LiveMatch
from table.match.read_schedule import ReadSchedule
from table.match.seed_seal import seal_seed
from table.metrics import Metrics
from table.storage.interface import MatchStopped, NewClaim, OpenMatch, hash_after
from tests.properties.simulate.loop import VirtualLoop
from tests.support.at_once import restored, sign_heads
from tests.support.offline import Offline, make_offline
from tests.unit.table.match.test_hosted_match import Disk, Party

ENTRIES, STORED = 24, 20  # entries of the log, and those that the store still has
STEP = 40  # seconds of a step of a deal in these matches


class Somebody(Party):
    """A party that records the messages it receives."""

    told: Code | None = None

    def is_sign_of_life(self, told: messages.Message) -> bool:
        """Leave out also `waited`, which follows each `match` and says nothing of entries."""
        return told.name == "waited" or super().is_sign_of_life(told)

    def stopped(self, code: Code) -> None:
        self.told = code
        self.cut_off()


class World:
    """A room that continues a match of which the store has only some records."""

    def __init__(
        self,
        stored: int = STORED,
        seats: int = 2,
        offline: Offline | None = None,
        several: bool = False,
        **values,
    ) -> None:
        self.offline = offline or played(seats)
        live = self.offline.live
        self.key, self.log, self.records = live._identity, live.log, live.records
        sealed = seal_seed(self.key, live.log.match_id, live.seed)
        values.setdefault("records", list(live.records[:stored]))
        kept = OpenMatch(live.log.match_id, 7, sealed, **values)
        self.disk, self.stopped = Disk(), []
        self.again: list[NewClaim] = []  # claims of a match that was claimed before
        nothing = {
            name: lambda feed: None for name in ("match_over", "match_settled", "match_lost")
        }
        self.keeper = SimpleNamespace(
            identity=self.key,
            metrics=Metrics(),
            reading=ReadSchedule(Bounds()),
            loop_watch=LoopWatch(),
            match_stopped=self.stopped.append,
            claim_again=lambda feed, again: self.again.append(again),
            **nothing,
        )
        self.room = HostedMatch(
            LiveMatch.claimed(self.key, kept), self.disk, Bounds(), self.keeper, several
        )
        self.parties = [Somebody(person.identity) for person in live.match.setup.people]

    def holds(self, number: int) -> HeldHead:
        return HeldHead(number, self.log.chain_hashes[number], self.records[number].head)

    def back(self, seat: int, entries: int = STORED) -> Somebody:
        """Let a seat return with this number of entries."""
        party = self.parties[seat]
        self.room.enter(party, self.holds(entries - 1) if entries else None)
        return party

    def give(self, seat: int, first: int = STORED, end: int = ENTRIES) -> bool:
        (tail,) = split_tail(first, self.log.chain_hashes[first - 1], self.records[first:end])
        return self.room.take_back(self.parties[seat], tail)

    def settle(self) -> None:
        """Let the store answer until no request is open."""
        while self.disk.waiting:
            self.disk.work()

    def signed(self) -> list[Record]:
        return list(self.room.records)

    def next_post(self, seat: int) -> bytes:
        """Return the entry by which a seat with the whole log leaves."""
        return self.offline.seats[seat].entry(self.log, Post("leave", []))


@cache
def played(seats: int, step: int = STEP) -> Offline:
    offline = make_offline(seats, 1, allowance=Allowance(step=step))
    while offline.live.log.next_number < ENTRIES:
        before = offline.live.log.next_number
        for seat in offline.seats:
            if offline.live.log.next_number < ENTRIES:
                offline.step(seat)
        assert offline.live.log.next_number > before
    return offline


def branched(number: int) -> list[Record]:
    """Return a store's records with other entries after this number; two of them lack their
    heads.
    """
    live = restored(
        SimpleNamespace(**{**vars(played(3).live), "records": played(3).live.records[: number + 1]})
    )
    seat = live.match.duties()[0].author
    due = live.match.next_clock_entry(seat)
    live.post_clock(Post(due.kind, [seat, due.after]))
    entries = live.entries[number : number + 2]
    return [*played(3).live.records[:number], *[Record(raw, b"") for raw in entries]]


@cache
def another_branch() -> list[Record]:
    """Return another history signed by this table: second heads for numbers from `STORED` on."""
    live = restored(
        SimpleNamespace(**{**vars(played(2).live), "records": played(2).live.records[:STORED]})
    )
    for _ in range(2):
        seat = live.match.duties()[0].author
        due = live.match.next_clock_entry(seat)
        live.post_clock(Post(due.kind, [seat, due.after]))
    live.stored(len(live.entries))
    sign_heads(live, len(live.entries))
    return live.records


def leave_at(number: int, step: int = STEP) -> bytes:
    """Return the entry by which the second seat leaves when the log has this number of entries."""
    offline = played(2, step)
    reader = make_offline(2, 1, allowance=Allowance(step=step)).readers[0]
    for record in offline.live.records[1:number]:
        reader.feed(*record)
    return offline.seats[1].entry(reader.log, Post("leave", []))


def in_no_time(work) -> None:
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        runner.run(work())


def room_test(work):
    """Run a test in virtual time."""

    def run() -> None:
        in_no_time(work)

    run.__name__, run.__doc__ = work.__name__, work.__doc__
    return run


# --- given back ---


@room_test
async def test_lost_tail_is_requested_stored_and_sent_with_heads():
    world = World()
    ann, bob = world.back(0, STORED), world.back(1, ENTRIES)
    assert bob.got[-1].values == [world.log.match_id, STORED] and bob.names() == [
        "match",
        "missing",
    ]
    assert ann.names() == ["match"]
    assert world.room.replay(ann, STORED) and world.room.replay(bob, ENTRIES)
    assert world.give(1)
    assert world.signed() == world.records[:STORED]  # R1: nothing is signed before the store has it
    world.settle()
    assert world.signed() == world.records
    (change,) = world.disk.changes
    assert (change.first, change.claim, hash_after(change)) == (
        STORED,
        7,
        world.log.chain_hashes[ENTRIES - 1],
    )
    assert ann.names() == ["match", *["entry"] * (ENTRIES - STORED)] and bob.names() == [
        "match",
        "missing",
    ]
    assert (world.keeper.metrics.tails, world.keeper.metrics.forks, world.stopped) == (1, 0, [])
    world.room.close()


@room_test
async def test_tail_may_come_from_several_players():
    world = World(seats=3)
    for seat, entries in ((0, STORED + 2), (1, ENTRIES), (2, STORED)):
        world.back(seat, entries)
    assert world.give(1, STORED, STORED + 1) and world.give(0, STORED, STORED + 2)
    assert world.give(1, STORED + 1, STORED + 3)
    world.settle()
    assert world.room.stored == STORED + 3 and world.room.machine.recovery.waits
    assert world.give(1, STORED + 3, ENTRIES)
    world.settle()
    assert world.signed() == world.records and not world.room.machine.recovery.waits
    assert not world.give(1)  # the table no longer asks
    assert [party.names().count("missing") for party in world.parties] == [1, 1, 0]
    world.room.close()


@room_test
async def test_crash_during_recovery_loses_nothing():
    first = World()
    first.back(1, ENTRIES)
    assert first.give(1, STORED, STORED + 2)
    first.settle()
    first.room.close()
    again = World(first.room.stored)
    assert again.back(1, ENTRIES).got[-1].values == [again.log.match_id, STORED + 2]
    again.back(0, STORED)
    assert again.give(1, STORED + 2, ENTRIES)
    again.settle()
    assert again.signed() == again.records and not again.room.machine.recovery.waits
    again.room.close()


@room_test
async def test_next_player_is_asked_after_first_goes():
    world = World(seats=3)
    world.back(1, ENTRIES).cut_off()
    world.back(2, STORED)
    assert world.back(0, STORED + 1).names() == ["match", "missing"]
    assert world.give(0, STORED, STORED + 1)
    world.settle()
    await asyncio.sleep(STEP + 1)
    assert world.room.machine.recovery.waits  # a head of ours for a number that is still missing
    assert world.signed() == world.records[: STORED + 1]
    world.parties[1] = Somebody(world.parties[1].identity)
    world.back(1, ENTRIES)
    assert world.give(1, STORED + 1)
    world.settle()
    assert world.signed() == world.records
    world.room.close()


@room_test
async def test_late_tail_is_returned_while_nothing_else_was_signed():
    world = World()
    world.back(0)
    await asyncio.sleep(RETURNING_ALONE_SECONDS + 1)
    assert not world.room.machine.recovery.waits
    assert world.back(1, ENTRIES).names() == ["match", "missing"]
    assert world.room.machine.recovery.waits and world.give(1)
    world.settle()
    assert world.signed() == world.records and not world.room.machine.recovery.waits
    world.room.close()


@room_test
async def test_stored_count_unseen_by_players_waits_one_step():
    """Crossed with a table that is stopped between the store's answer and the first player's, and
    whose store then loses the entry.
    """
    world = World(counted=ENTRIES)
    world.back(0), world.back(1, STORED + 1)
    assert world.give(1, STORED, STORED + 1)
    world.settle()
    world.room.post(world.parties[1], leave_at(STORED + 1))
    await asyncio.sleep(STEP - 1)
    assert world.room.machine.recovery.waits and world.room.stored == STORED + 1
    await asyncio.sleep(1.1)
    world.settle()
    assert not world.room.machine.recovery.waits and world.room.stored > STORED + 1
    assert "refused" not in world.parties[1].names()
    world.room.close()


@room_test
async def test_stored_count_held_by_player_ends_wait_early():
    world = World(counted=ENTRIES)
    world.back(0, ENTRIES), world.back(1)
    assert world.give(0)
    world.settle()
    assert world.signed() == world.records and not world.room.machine.recovery.waits
    world.room.close()


@room_test
async def test_shown_entry_never_given_is_announced_and_stops_match():
    """Crossed with a seat that shows a head of its own entry and never gives it: the others wait,
    and are told so.
    """
    world = World(counted=STORED + 1)
    ann = world.back(0)
    world.back(1, ENTRIES).cut_off()
    await asyncio.sleep(HELD_UP_SECONDS + 2 * LIFE_SECONDS)
    assert [told.values for told in ann.got if told.name == "error"] == [["cannot_write"]]
    assert world.room.presence.held_up()
    await asyncio.sleep(LOST_TAIL_SECONDS - HELD_UP_SECONDS - 2 * LIFE_SECONDS - 1)
    assert world.room.machine.recovery.waits and not world.stopped
    await asyncio.sleep(2)
    assert ann.told is Code.MATCH_STOPPED and world.stopped == [world.room]
    assert (
        world.room.stored == STORED and not world.disk.changes and world.keeper.metrics.forks == 0
    )
    late = Somebody(world.parties[1].identity)
    world.room.enter(late, world.holds(ENTRIES - 1))
    assert late.told is Code.MATCH_STOPPED
    world.room.close()


@pytest.mark.slow
@room_test
async def test_wait_for_shown_entries_restarts_with_each_returned_entry():
    world = World()
    world.back(0), world.back(1, ENTRIES)
    for number in range(STORED, ENTRIES):
        await asyncio.sleep(LOST_TAIL_SECONDS - 1)
        assert world.give(1, number, number + 1)
        world.settle()
    assert world.signed() == world.records and not world.stopped
    world.room.close()


@room_test
async def test_absent_seat_gets_short_wait_after_full_recovery():
    world = World(seats=3)
    world.back(0), world.back(1, ENTRIES)
    assert world.give(1)
    world.settle()
    await asyncio.sleep(RETURNING_ALONE_SECONDS - 1)
    assert world.room.machine.recovery.waits
    await asyncio.sleep(1.1)
    assert not world.room.machine.recovery.waits
    world.room.close()


@pytest.mark.slow
@room_test
async def test_letter_match_does_not_wait_month_for_stored_count():
    world = World(offline=played(2, 30 * 24 * 3600), counted=ENTRIES)
    world.back(0), world.back(1)
    await asyncio.sleep(LOST_TAIL_SECONDS + 1)
    assert not world.room.machine.recovery.waits
    world.room.close()


@room_test
async def test_seat_without_entries_is_still_awaited():
    """Crossed with another program of the same identity without a log: the one with the log is on
    its way.
    """
    world = World()
    world.back(0), world.back(1, 0)
    await asyncio.sleep(3)
    assert world.room.machine.recovery.waits
    world.parties[1].cut_off()
    world.parties[1] = Somebody(world.parties[1].identity)
    world.back(1, ENTRIES)
    assert world.give(1)
    world.settle()
    assert world.signed() == world.records
    world.room.close()


# --- nothing new before that ---


@room_test
async def test_nothing_new_is_signed_before_all_return():
    world = World(ENTRIES)
    world.back(0, ENTRIES)
    world.room.post(world.parties[0], world.next_post(0))
    await asyncio.sleep(1)
    # neither accepted nor refused
    assert (world.disk.changes, world.parties[0].names()) == ([], ["match"])
    world.back(1, STORED)
    world.settle()
    assert world.signed()[:ENTRIES] == world.records and world.room.stored > ENTRIES
    world.room.close()


@pytest.mark.parametrize(
    ("values", "back", "waits"),
    [
        ({}, True, RETURNING_ALONE_SECONDS),
        ({"several": True}, True, RETURNING_SECONDS),
        ({"step": 2, "several": True}, True, RETURNING_SECONDS),
        ({"counted": ENTRIES + 1}, True, STEP),
        ({}, False, STEP),
        ({"step": 2}, False, RETURNING_ALONE_SECONDS),
    ],
    ids=[
        "one is back",
        "several hosts",
        "short steps",
        "something was lost",
        "nobody is back",
        "nor in a short step",
    ],
)
def test_wait_for_an_absent_seat_ends(values, back, waits):
    """Crossed with a seat that never returns: the others wait for some seconds, or longer after a
    loss.
    """

    async def work():
        world = World(
            ENTRIES,
            offline=played(2, values.get("step", STEP)),
            several=values.get("several", False),
            counted=values.get("counted", 0),
        )
        if back:
            world.back(0, ENTRIES)
            world.room.post(world.parties[0], world.next_post(0))
        await asyncio.sleep(waits - 1)
        assert world.room.machine.recovery.waits and world.room.stored == ENTRIES
        await asyncio.sleep(1.1)
        world.settle()
        assert not world.room.machine.recovery.waits and (world.room.stored > ENTRIES) is back
        world.room.close()

    in_no_time(work)


@room_test
async def test_clock_pauses_during_recovery_and_restarts():
    world = World(ENTRIES)
    await asyncio.sleep(STEP - 1)
    world.back(0, ENTRIES)
    await asyncio.sleep(RETURNING_ALONE_SECONDS - 1)
    assert (
        world.room.machine.recovery.waits and not world.disk.changes
    )  # also if the first returns late
    await asyncio.sleep(2)
    assert not world.room.machine.recovery.waits
    duties = [duty.author for duty in world.room.live.match.duties()]
    assert (
        all(
            world.room.machine.waited(seat, asyncio.get_running_loop().time()) < 2
            for seat in duties
        )
        and not world.disk.changes
    )
    world.room.close()


@room_test
async def test_owed_table_entry_is_unchanged_after_all_return():
    owed = next(
        n
        for n, each in enumerate(played(2).live.records)
        if n > 3 and decode_entry(each.entry).author == TABLE
    )
    world = World(owed)
    world.back(0, owed)
    assert not world.disk.changes
    world.back(1, owed)
    assert world.disk.changes[0].entries[0] == world.records[owed].entry
    world.room.close()


@room_test
async def test_new_match_waits_for_nobody():
    offline = make_offline(2, 1)
    live = LiveMatch(offline.live._identity, offline.live.match.setup, offline.live.seed)
    keeper = SimpleNamespace(identity=live._identity, metrics=Metrics(), loop_watch=LoopWatch())
    room = HostedMatch(live, Disk(), Bounds(), keeper)
    assert not room.machine.recovery.waits
    room.close()


@room_test
async def test_waiting_entries_above_limit_disconnect_and_copies_merge():
    world = World(ENTRIES)
    ann = world.back(0, ENTRIES)
    for number in range(MAX_HELD):
        for _ in range(2):
            world.room.post(ann, b"entry %d" % number)
    assert ann.open
    world.room.post(ann, b"one more")
    assert not ann.open
    world.room.close()


def headless(records: list[Record], first: int) -> list[Record]:
    """Return the records without heads from this number on, as after a host was killed before it
    stored them.
    """
    return records[:first] + [record._replace(head=b"") for record in records[first:]]


@room_test
async def test_missing_heads_are_signed_as_far_as_shown():
    world = World(records=headless(played(2).live.records, ENTRIES - 2))
    ann = world.back(0, ENTRIES - 2)
    assert world.signed() == world.records[: ENTRIES - 2] and ann.got[-1].values[3] == ENTRIES - 2
    # nobody has vouched for the next one
    assert world.back(1, ENTRIES - 1).got[-1].values[3] == ENTRIES - 1
    assert ann.got[-1].values[3] == ENTRIES - 2
    assert world.signed()[:ENTRIES] == world.records  # all have returned
    world.room.close()


@room_test
async def test_shown_head_vouches_for_no_later_entry():
    """Crossed with a lost entry that was posted again as the same bytes, with another entry after
    it.
    """
    world = World(seats=3, records=branched(STORED))
    world.back(0, STORED + 1)
    assert world.signed() == world.records[: STORED + 1]
    world.back(1, STORED + 2)
    assert world.signed() == world.records[: STORED + 1]
    gave_way(world, STORED + 1)


@room_test
async def test_missing_heads_are_signed_once_nobody_can_contradict():
    world = World(records=headless(played(2).live.records, ENTRIES - 1))
    ann = world.back(0, ENTRIES - 1)
    assert world.signed() == world.records[:-1] and world.room.machine.recovery.waits
    await asyncio.sleep(RETURNING_ALONE_SECONDS + 1)
    assert world.signed()[:ENTRIES] == world.records and not world.room.machine.recovery.waits
    assert "error" not in ann.names()  # store and signer work, and nobody is told otherwise
    world.room.close()


@room_test
async def test_missing_head_is_signed_before_returned_tail_behind_it():
    world = World(records=headless(played(2).live.records[:STORED], STORED - 1))
    ann = world.back(0, ENTRIES)
    assert ann.got[-1].values == [world.log.match_id, STORED] and len(world.signed()) == STORED - 1
    assert world.give(0)
    world.back(1)
    world.settle()
    assert world.signed()[:ENTRIES] == world.records
    world.room.close()


@room_test
async def test_replacement_of_lost_entry_stays_unsigned_after_restart():
    """Crossed with a killed table that would sign a stored entry at its restart: a second head."""
    world = World(records=headless(another_branch()[: STORED + 1], STORED))
    world.back(0, STORED + 1)
    assert world.signed() == world.records[:STORED]
    gave_way(world)


@room_test
async def test_leaving_host_leaves_missing_heads_to_successor():
    world, left = World(records=headless(played(2).live.records, ENTRIES - 1)), []
    world.room.stop(partial(left.append, "released"))
    await asyncio.sleep(STEP + 1)
    assert left == ["released"] and not world.disk.changes and world.signed() == world.records[:-1]
    world.room.close()


# --- invalid messages ---


@pytest.mark.parametrize(
    ("spoil", "code"),
    [
        (
            lambda tail: tail._replace(records=[tail.records[0]._replace(head=bytes(64))]),
            Code.BAD_SIGNATURE,
        ),
        (
            lambda tail: tail._replace(records=[tail.records[0]._replace(entry=b"x")]),
            Code.BAD_SIGNATURE,
        ),
        (lambda tail: tail._replace(before=bytes(32)), Code.BAD_SIGNATURE),
        (
            lambda tail: tail._replace(records=[tail.records[0], tail.records[2]]),
            Code.BAD_SIGNATURE,
        ),
        (lambda tail: tail._replace(records=tail.records[::-1]), Code.BAD_SIGNATURE),
        (lambda tail: tail._replace(first=tail.first + 1), Code.BAD_MESSAGE),
        (lambda tail: tail._replace(first=tail.first - 1), Code.BAD_MESSAGE),
        (
            lambda tail: tail._replace(
                records=[*tail.records, Record(b"made up", tail.records[-1].head)]
            ),
            Code.BAD_SIGNATURE,
        ),
    ],
    ids=[
        "head",
        "entry",
        "chain",
        "gap inside",
        "order",
        "gap before",
        "too early",
        "more than there was",
    ],
)
def test_false_tail_is_refused_without_any_effect(spoil, code):
    async def work():
        world = World()
        world.back(1, ENTRIES)
        tail = LogTail(STORED, world.log.chain_hashes[STORED - 1], world.records[STORED:])
        with pytest.raises(RemoteError) as error:
            world.room.take_back(world.parties[1], spoil(tail))
        assert error.value.code is code
        assert (world.room.live.log.next_number, world.disk.changes, world.stopped) == (
            STORED,
            [],
            [],
        )
        assert world.give(1)  # the same from an honest player
        world.settle()
        assert world.signed() == world.records
        world.room.close()

    in_no_time(work)


@room_test
async def test_head_of_another_match_or_table_is_refused():
    world = World()
    world.back(1, ENTRIES)
    other = Identity(b"\7" * 32)
    (raw, _), chain = world.records[STORED], world.log.chain_hashes
    hashed = digest("chain", chain[STORED - 1], STORED, raw)
    for head in (
        other.sign("head", world.log.match_id, STORED, hashed),
        world.key.sign("head", bytes(32), STORED, hashed),
        world.key.sign("head", world.log.match_id, STORED + 1, hashed),
    ):
        with pytest.raises(RemoteError):
            world.room.take_back(
                world.parties[1], LogTail(STORED, chain[STORED - 1], [Record(raw, head)])
            )
    assert world.room.stored == STORED and not world.disk.changes
    world.room.close()


@room_test
async def test_unrequested_tail_is_refused():
    world = World()
    world.back(0)
    eve = Somebody(bytes(32))  # a spectator
    world.room.enter(eve)
    for party in (world.parties[0], eve):
        tail = LogTail(STORED, world.log.chain_hashes[STORED - 1], world.records[STORED:])
        assert not world.room.take_back(party, tail)
    assert "missing" not in eve.names() and world.room.live.log.next_number == STORED
    world.room.close()


# --- forks ---


def gave_way(world: World, keep: int = STORED) -> None:
    """Check that the match is claimed anew, without the entries that nobody has been told of."""
    assert world.again == [NewClaim(owned=world.room.live.claim, keep=keep)]
    assert not world.stopped and not any(party.open for party in world.room._parties)


def forked(world: World) -> None:
    """Check that the match has stopped, has announced it, and signs nothing more."""
    signed = world.signed()
    world.settle()
    world.room.post(world.parties[0], b"anything")
    assert world.signed() == signed and world.stopped == [world.room]
    # otherwise the next restart would continue it
    assert world.disk.changes[-1] == MatchStopped(world.log.match_id, 7)
    late = Somebody(world.parties[0].identity)
    world.room.enter(late)
    assert late.told is Code.TABLE_FORKED and world.keeper.metrics.forks == 1


def of(records: list[Record], number: int) -> tuple[HeldHead, list[Record]]:
    """Return a player's head in another log up to this number, and its end from `STORED` on."""
    hashed = bytes(32)
    for place, record in enumerate(records[: number + 1]):
        hashed = digest("chain", hashed, place, record.entry)
    return HeldHead(number, hashed, records[number].head), records[STORED : number + 1]


@room_test
async def test_other_own_head_for_held_number_is_fork():
    world = World(ENTRIES)
    ann = world.back(0, ENTRIES)
    world.room.enter(world.parties[1], of(another_branch(), STORED)[0])
    assert (ann.told, world.parties[1].told) == (Code.TABLE_FORKED, Code.TABLE_FORKED)
    forked(world)


@room_test
async def test_two_players_with_different_ends_are_fork():
    world = World()
    holds, records = of(another_branch(), STORED)
    world.back(0, ENTRIES)
    world.room.enter(world.parties[1], holds)
    world.room.take_back(
        world.parties[1], LogTail(STORED, world.log.chain_hashes[STORED - 1], records)
    )
    world.give(0)
    assert world.room.stored == STORED and world.parties[0].told is Code.TABLE_FORKED
    forked(world)


@room_test
async def test_two_heads_for_missing_number_are_fork():
    world = World()
    world.back(0, STORED + 1)
    world.room.enter(world.parties[1], of(another_branch(), STORED)[0])
    forked(world)


@room_test
async def test_chain_diverging_before_ours_is_fork_regardless():
    world = World(STORED + 1)
    branch = another_branch()
    assert len(branch) > STORED + 1
    holds, _ = of(branch, len(branch) - 1)
    before = of(branch, STORED)[0].hash
    world.room.enter(world.parties[1], holds)
    world.room.take_back(world.parties[1], LogTail(STORED + 1, before, branch[STORED + 1 :]))
    forked(world)


@room_test
async def test_entry_pending_at_store_is_unsigned_after_rival_head():
    world = World()
    world.back(0), world.back(1)
    world.room.post(world.parties[1], leave_at(STORED))
    assert world.disk.waiting and world.room.stored == STORED
    world.parties[0].cut_off()
    world.parties[0] = Somebody(world.parties[0].identity)
    world.back(0, STORED + 1)
    world.settle()
    assert world.signed() == world.records[:STORED]
    gave_way(world)


@room_test
async def test_entry_pending_at_store_is_unsigned_after_later_head():
    """Crossed with a player with more entries that returns while a different entry without a known
    head is pending.
    """
    world = World()
    world.back(0), world.back(1)
    world.room.post(world.parties[1], leave_at(STORED))
    world.parties[0].cut_off()
    world.parties[0] = Somebody(world.parties[0].identity)
    ann = world.back(0, ENTRIES)
    world.settle()
    assert world.signed() == world.records[:STORED] and ann.names() == ["match", "missing"]
    first = ann.got[-1].values[1]
    assert first == STORED + 1 and world.give(0, first)
    assert not ann.open and world.signed() == world.records[:STORED]
    gave_way(world)


@room_test
async def test_entry_signed_and_pending_is_signed_when_successor_returns():
    world = World()
    world.back(0), world.back(1)
    author = decode_entry(world.records[STORED].entry).author
    if author != TABLE:
        world.room.post(world.parties[author], world.records[STORED].entry)
    under_way = world.room.live.log.next_number
    assert world.disk.waiting and under_way < ENTRIES
    other = 0 if author == 1 else 1
    world.parties[other].cut_off()
    world.parties[other] = Somebody(world.parties[other].identity)
    world.back(other, ENTRIES)
    world.settle()
    assert world.signed() == world.records[:STORED]
    assert world.give(other, under_way)
    world.settle()
    assert world.signed()[:ENTRIES] == world.records and not world.room.machine.recovery.waits
    world.room.close()


@room_test
async def test_leaving_host_gives_up_match_that_gives_way():
    world, left = World(), []
    world.back(0), world.back(1)
    world.room.post(world.parties[1], leave_at(STORED))
    world.parties[0].cut_off()
    world.parties[0] = Somebody(world.parties[0].identity)
    world.back(0, STORED + 1)
    assert world.again and world.disk.waiting
    world.room.stop(partial(left.append, "released"))
    world.settle()
    assert left == ["released"] and world.room.stored == STORED


@room_test
async def test_leaving_host_leaves_pending_entry_unsigned_after_later_head():
    world, left = World(), []
    world.back(0), world.back(1)
    world.room.post(world.parties[1], leave_at(STORED))
    world.parties[0].cut_off()
    world.parties[0] = Somebody(world.parties[0].identity)
    world.back(0, ENTRIES)
    world.room.stop(partial(left.append, "released"))
    assert not left
    world.settle()
    assert left == ["released"] and world.signed() == world.records[:STORED]
    world.room.close()


@room_test
async def test_leaving_host_signs_nothing_while_waiting():
    world, left = World(), []
    world.back(0, ENTRIES)
    world.room.stop(partial(left.append, "released"))
    world.back(1, ENTRIES)
    assert world.give(0)  # a late tail is not the player's fault
    await asyncio.sleep(STEP + 1)
    assert left == ["released"] and not world.disk.changes and world.room.stored == STORED
    world.room.close()


@room_test
async def test_invalid_tail_entry_stops_match_without_fork():
    """A replaced program has posted other bytes: a signed entry stays signed."""
    world = World()
    world.back(1, ENTRIES)
    raw = b"cannot stand"
    hashed = digest("chain", world.log.chain_hashes[STORED], STORED + 1, raw)
    wrong = Record(raw, world.key.sign("head", world.log.match_id, STORED + 1, hashed))
    tail = LogTail(STORED, world.log.chain_hashes[STORED - 1], [world.records[STORED], wrong])
    world.room.take_back(world.parties[1], tail)
    assert world.parties[1].told is Code.MATCH_STOPPED and world.keeper.metrics.forks == 0
    assert world.stopped == [world.room] and not world.disk.changes


# --- messages ---


def test_tail_is_split_into_messages_within_limit():
    records = [Record(bytes(size), bytes(64)) for size in (1, 40_000, 30_000, 49_152, *[10] * 800)]
    parts = list(split_tail(5, bytes(32), records))
    assert [record for part in parts for record in part.records] == records
    assert [part.first for part in parts] == [5, 7, 8, 188, 444, 700]
    hashed = bytes(32)
    for number, record in enumerate(records, 5):
        if number in (part.first for part in parts):
            assert next(part.before for part in parts if part.first == number) == hashed
        hashed = digest("chain", hashed, number, record.entry)
    for part in parts:
        assert len(messages.encode("tail", bytes(32), *part.values())) <= 65_518

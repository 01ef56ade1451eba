"""The table's clock: due entries by a given time, and matches whose seats do not answer."""

import asyncio
import time

import pytest

from protocol.audit.verdict import Verdict, audit
from protocol.codes import Code
from protocol.dealing import Fault, Post
from protocol.limits import LOOP_BEAT_SECONDS
from protocol.match.clock import Allowance
from protocol.match.log import decode_entry
from protocol.match.log_file import read_records
from protocol.match.state import MatchStage
from table.manager.server import TableServer
from table.match import clock
from table.match.clock import LoopWatch
from table.match.status import clock_duties
from tests.support.offline import make_offline
from tests.support.tables import (
    close_all,
    config,
    exported,
    finish,
    hurried,
    seated,
    surviving,
    until,
)
from tests.support.wire_client import Player

pytestmark = pytest.mark.match


def kinds(data: bytes) -> list[str]:
    return [decode_entry(raw).kind for raw, _ in read_records(data)]


def tick(match, waited):
    return clock.tick(clock_duties(match), match.setup.allowance, waited)


def after(seconds):
    """Return waits with this time for every seat."""
    return lambda seat: seconds


def test_clock_entries_are_posted_exactly_when_due():
    match = make_offline(2, 1).live
    for seconds, kind in ((290, "warning"), (290, "warning"), (300, "lapse")):
        early = tick(match.match, after(seconds - 0.25))
        if early.post is None:
            assert early.again <= 0.25
        due = tick(match.match, after(seconds))
        assert due.post is not None and due.post.kind == kind and due.post.body[1] == seconds * 1000
        match.post_clock(due.post)  # the fold agrees
        if match.match.over:
            return
    pytest.fail("nobody lapsed")


def test_clock_rechecks_before_the_next_due_entry():
    """A turn may begin right after the check in a step, or a step of a seat that is often slow:
    both are warned sooner.
    """
    match = make_offline(2, 1).live.match
    assert tick(match, after(0)).again == 20  # 30 s, less the notice, although the step has 290
    match = make_offline(2, 1, allowance=Allowance(step=300, turn=25)).live.match
    assert tick(match, after(0)).again == 15


def test_answering_seat_is_not_named():
    offline = make_offline(3, 1)
    offline.step(offline.seats[0])
    said = [tick(offline.live.match, after(1e6))]
    while said[-1].post is not None and said[-1].post.kind == "warning":
        offline.live.post_clock(said[-1].post)
        said.append(tick(offline.live.match, after(1e6)))
    assert [tick.post.body[0] for tick in said if tick.post is not None] == [1, 2]
    # although the warnings came late, their notice is given
    assert said[-1].post is None and said[-1].again <= 20


def test_slow_deal_step_is_announced_then_warned():
    offline = make_offline(2, 1)
    while offline.live.match.stage is not MatchStage.DEALING or not offline.live.match.duties():
        assert any(offline.step(seat) for seat in offline.seats)
    live, said = offline.live, []
    for seconds in (29.9, 30, 289.9, 290, 300):
        due = tick(live.match, after(seconds))
        said.append(due.post and due.post.kind)
        if due.post is not None:
            live.post_clock(due.post)
        else:
            assert due.again <= 0.2
    assert said == [None, "slow", None, "warning", "lapse"]


def test_own_steps_of_table_are_not_timed():
    offline = make_offline(2, 1)
    offline.play()
    assert tick(offline.live.match, after(1e9)).post is None


@pytest.mark.match
async def test_seat_leaving_during_deal_is_named_and_match_ends(tmp_path):
    async with surviving(tmp_path, seats=3) as table, hurried(table):
        ann, bob, cleo = await seated(table, 1, 2, 3)
        parties = [asyncio.create_task(Player(client).run()) for client in (ann, bob)]
        await Player(cleo).run(until=9)  # keys and nonces are there, the layers are not
        await cleo.close(polite=False)
        for player in await asyncio.gather(*parties):
            assert [(fault.seat, fault.code) for fault in player.reader.faults] == [
                (2, Code.LAPSED)
            ]
            assert kinds(player.file)[-2:] == ["warning", "lapse"]
            assert player.file == await exported(table, ann.match_id)
            assert audit(player.file).verdict is Verdict.FAULT
        await close_all(ann, bob)


async def test_refused_entries_and_traffic_extend_no_deadline(tmp_path):
    """A peer that stays just below each deadline by sending all the time gets no more time than
    another.
    """
    async with surviving(tmp_path) as table, hurried(table):
        ann, bob = await seated(table, 1, 2)
        honest = asyncio.create_task(Player(ann).run())
        said = 0
        while not honest.done():
            await bob.send("post", bob.match_id, b"not an entry")
            if (answer := await bob.receive()).name == "left" or answer.values[
                -2
            ] == Code.MATCH_OVER:
                break
            assert answer.name == "refused" and answer.values[4] == "bad_entry"
            await bob.send("list")
            if (await bob.receive()).name == "left":
                break
            await asyncio.sleep(0.1)
            said += 1
        # pauses of a tenth of a second; on a busy machine they are longer and fewer
        assert said < 50
        player = await honest
        assert player.reader.faults == (Fault(1, 3, Code.LAPSED),)
        await close_all(ann, bob)


@pytest.mark.match
async def test_wall_clock_jump_changes_nothing(tmp_path):
    now = time.time()
    async with surviving(tmp_path, now=lambda: now) as table, hurried(table, Allowance(0, 60, 60)):
        clients = await seated(table, 1, 2)
        now += 1e6
        players = await finish(clients)
        assert players[0].reader.faults == ()
        assert "warning" not in kinds(players[0].file)
        await close_all(*clients)


async def test_no_seat_lapses_while_the_disk_fails(tmp_path):
    """Nobody can answer an entry that is not on disk; once it is, everybody gets full time."""
    async with surviving(tmp_path) as table, hurried(table):
        ann, bob = await seated(table, 1, 2)
        room = table.lobby.tables["main"].room
        # as while the writer cannot write
        last, said = room.live.records.pop(), []
        room.live.acknowledged -= 1
        room.machine._storing = True
        room.live.post_clock, post = said.append, room.live.post_clock
        await asyncio.sleep(1.6)  # the time itself is tested
        assert said == []
        room.live.records.append(last)
        room.live.acknowledged += 1
        room.machine._storing = False
        room.live.post_clock = post
        await until(lambda: room.live.match.over)
        assert room.live.match.stage is MatchStage.OVER
        await close_all(ann, bob)


def test_clock_post_matches_fold_request():
    offline = make_offline(2, 2)
    due = offline.live.match.next_clock_entry(1)
    assert tick(offline.live.match, after(due.after / 1000)).post in (
        Post("warning", [0, due.after]),
        Post("warning", [1, due.after]),
    )


async def test_restarted_table_waits_from_the_start(tmp_path):
    """Waits and warnings before the stop do not shorten the time of the seats after it."""
    short = Allowance(0, 2, 2)
    async with TableServer(config(tmp_path)) as table, hurried(table, short):
        clients = await seated(table, 1, 2)
        live = table.lobby.tables["main"].room.live
        # both are warned, a second before their time is over
        await until(lambda: len(live.records) == 3)
    await close_all(*clients)
    began = time.monotonic()
    async with TableServer(config(tmp_path)) as table:
        live = table.lobby.tables["main"].room.live
        assert kinds_of(live.entries)[1:3] == ["warning", "warning"]
        await until(lambda: live.match.over)
        assert time.monotonic() - began >= 2
        assert kinds_of(live.entries) == ["open", "warning", "warning", "lapse"]


def kinds_of(entries) -> list[str]:
    return [decode_entry(raw).kind for raw in entries]


def beaten(*times: float) -> LoopWatch:
    """Return a watch of a loop that beats each LOOP_BEAT_SECONDS, at these times."""
    watch = LoopWatch()
    for now in times:
        watch.beat(now, now + LOOP_BEAT_SECONDS)
    return watch


def test_loop_that_runs_has_no_standstill():
    watch = beaten(100.0, 100.5, 101.2)
    assert watch.look(101.9) == 0 and watch.look(102.1) == 0


def test_loop_nobody_watches_has_no_standstill():
    assert LoopWatch().look(1e6) == 0


def test_standstill_is_seen_by_who_looks_first():
    watch = beaten(100.0)
    assert watch.look(110.0) == 10
    assert watch.beat(110.1, 110.6) == pytest.approx(10.1)
    assert watch.beat(110.6, 111.1) == 0


def test_long_turn_of_many_callbacks_is_a_standstill():
    watch = beaten(100.0)
    for step in range(50):
        watch.look(100.0 + step / 10)
    assert watch.beat(105.0, 105.5) == pytest.approx(5)

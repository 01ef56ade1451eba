"""Workers that fold matches, as real processes: what they answer, and what happens when one dies."""

import asyncio
import os
import resource
import signal
from contextlib import asynccontextmanager
from itertools import combinations

import psutil
import pytest

from protocol.codes import Code
from protocol.dealing import Post
from protocol.i18n import english_text
from protocol.view.phrase import phrase
from table.workers.messages import Answer
from table.workers.pool import FoldPool
from table.workers.worker_match import WorkerMatch, open_new
from tests.support.dying_worker import DIES, EATS, ONCE, SPINS
from tests.support.offline import Offline, make_offline
from tests.support.tables import until

pytestmark = pytest.mark.process


class DyingPool(FoldPool):
    module = "tests.support.dying_worker"
    entry_seconds = 0.5


class Hosted:
    """A match whose entries workers fold, and its players."""

    def __init__(self, pool: FoldPool, dealing: str = "verified", seed: int = 1) -> None:
        self.offline: Offline = make_offline(2, seed, dealing=dealing)
        played = self.offline.live
        self.live: WorkerMatch = open_new(played._identity, played.match.setup, played.seed, pool)
        self.pool = pool

    @property
    def worker(self):
        return self.pool._matches[self.live.match_id].worker

    async def offer(self, raw: bytes, seat: int) -> Code | None:
        answered = asyncio.get_running_loop().create_future()
        self.live.fold(raw, seat, answered.set_result)
        async with asyncio.timeout(60):
            return await answered

    async def step(self) -> bool:
        """Each seat posts what it can, in this process and at the worker; False: nobody can."""
        moved = False
        for seat in self.offline.seats:
            before = len(self.offline.live.entries)
            self.offline.step(seat)
            for raw in self.offline.live.entries[before:]:
                assert await self.offer(raw, _author(self.offline, raw)) is None
                moved = True
        return moved


def _author(offline: Offline, raw: bytes) -> int:
    from protocol.match.log import decode_entry

    return decode_entry(raw).author


@asynccontextmanager
async def workers(count: int = 1, kind: type[FoldPool] = DyingPool):
    pool = kind(count)
    pool.start()
    try:
        yield pool
    finally:
        await pool.close()


@pytest.mark.parametrize("dealing", ["verified", "layered"])
async def test_worker_folds_as_this_process_does(dealing):
    async with workers() as pool:
        match = Hosted(pool, dealing)
        for _ in range(6):
            await match.step()
        here = match.offline.live
        assert match.live.log.chain_hashes == here.log.chain_hashes
        assert match.live.status == here.status and match.live.clock_duties() == here.clock_duties()
        assert len(here.entries) > 8 and pool.deaths == 0


async def test_refused_entry_changes_nothing():
    async with workers() as pool:
        match = Hosted(pool)
        assert await match.offer(b"no entry", 0) is Code.BAD_ENTRY
        raw = match.offline.seats[0].entry(match.live.log, Post("leave", []))
        assert await match.offer(raw, 1) is Code.WRONG_AUTHOR
        assert len(match.live.entries) == 1 and await match.step()


@pytest.mark.parametrize("word", [DIES, SPINS, EATS])
async def test_entry_that_kills_two_workers_is_too_costly(word):
    async with workers() as pool:
        hostile, other = Hosted(pool), Hosted(pool, seed=2)
        await hostile.step()
        await other.step()
        refused = asyncio.create_task(hostile.offer(word, 0))
        assert await other.step(), "the match of others goes on meanwhile"
        assert await refused is Code.TOO_COSTLY
        assert pool.deaths == 2
        assert await hostile.step() and await other.step()
        assert hostile.live.failed is None and other.live.failed is None


async def test_entry_that_kills_one_worker_is_tried_again(tmp_path):
    async with workers() as pool:
        match = Hosted(pool)
        await match.step()
        once = ONCE + os.fsencode(tmp_path / "died")
        assert await match.offer(once, 0) is Code.BAD_ENTRY, "as any bytes that are no entry"
        assert pool.deaths == 1 and await match.step()


class KilledTogether(DyingPool):
    """A pool whose workers are killed together: with the first, before the pool notices."""

    is_on = False

    async def _replace(self, *args):
        if self.is_on:
            self.is_on = False
            for worker in self._workers:
                os.kill(worker.process.pid, signal.SIGKILL)
        await super()._replace(*args)


async def test_worker_killed_before_a_request_does_not_count(tmp_path):
    async with workers(kind=KilledTogether) as pool:
        match = Hosted(pool)
        await match.step()
        assert await match.offer(ONCE + os.fsencode(tmp_path / "one"), 0) is Code.BAD_ENTRY
        await until(lambda: len(pool._workers) == 2 and pool.idle)
        pool.is_on = True
        assert await match.offer(ONCE + os.fsencode(tmp_path / "two"), 0) is Code.BAD_ENTRY
        assert pool.deaths == 3 and await match.step()


async def test_other_matches_keep_their_worker_after_death():
    async with workers() as pool:
        hostile, other = Hosted(pool), Hosted(pool, seed=2)
        await other.step()
        for _ in range(2):
            assert await hostile.offer(DIES, 0) is Code.TOO_COSTLY
        assert pool.deaths == 4
        assert await other.step()
        worker = other.worker
        assert await hostile.offer(DIES, 0) is Code.TOO_COSTLY
        assert await other.step()
        assert other.worker is worker and worker in pool._workers, "only the other kind has died"


async def test_log_that_cannot_be_folded_stops_match():
    async with workers() as pool:
        match = Hosted(pool)
        await match.step()
        match.live.entries[1] = b"damaged"
        match.worker.matches.clear()  # as when it is opened at another worker
        await match.offer(b"anything", 0)
        assert match.live.failed is not None
        assert match.live.failed.phrase.key == "wrong.room.records"


class PatientPool(DyingPool):
    entry_seconds = 30.0


async def test_long_fold_delays_no_other_match():
    async with workers(2, PatientPool) as pool:
        hostile = Hosted(pool)
        others = [Hosted(pool, seed=seed) for seed in (2, 3)]
        for match in (hostile, *others):
            await match.step()
        assert len({hostile.worker, *(match.worker for match in others)}) <= 2, "two share one"
        long = asyncio.create_task(hostile.offer(SPINS, 0))
        for match in others:
            assert await match.step()
        assert pool.deaths == 0 and not long.done()
        long.cancel()


def taken_back(match: Hosted, *sizes: int) -> None:
    """The match gets entries back that were played elsewhere, in tails of these sizes."""
    played = match.offline
    while len(played.live.records) < len(match.live.entries) + sum(sizes):
        for seat in played.seats:
            played.step(seat)
    for size in sizes:
        first = len(match.live.entries)
        match.live.take_back(played.live.records[first : first + size])


async def folded(match: Hosted) -> None:
    async with asyncio.timeout(60):
        while match.live.busy and match.live.failed is None:
            await asyncio.sleep(0.002)
    assert match.live.failed is None
    assert match.live.status.next_number == len(match.live.entries)


async def test_given_back_entries_are_folded_once_when_worker_dies():
    async with workers() as pool:
        match = Hosted(pool)
        await match.step()
        taken_back(match, 3, 2)
        os.kill(match.worker.process.pid, signal.SIGKILL)
        await folded(match)
        assert pool.deaths == 1 and await match.offer(b"no entry", 0) is Code.BAD_ENTRY


async def test_requests_of_moved_match_stay_in_order():
    async with workers(2, PatientPool) as pool:
        matches = [Hosted(pool, seed=seed) for seed in (1, 2, 3)]
        for each in matches:
            await each.step()
        # of three matches at two workers, two are at the same
        hostile, match = next(
            (one, two) for one, two in combinations(matches, 2) if one.worker is two.worker
        )
        long = asyncio.create_task(hostile.offer(SPINS, 0))
        await asyncio.sleep(0)
        taken_back(match, 2, 1, 2)
        await folded(match)
        assert match.worker is not hostile.worker and not long.done()
        long.cancel()


async def test_forgotten_match_is_not_opened_again():
    async with workers(1, PatientPool) as pool:
        hostile, match = Hosted(pool), Hosted(pool, seed=2)
        await match.step()
        worker = match.worker
        long = asyncio.create_task(hostile.offer(SPINS, 0))
        await asyncio.sleep(0)
        asked = asyncio.create_task(match.offer(b"no entry", 0))
        await asyncio.sleep(0)
        assert len(worker.jobs) == 2
        match.live.close()
        assert len(worker.jobs) == 1 and worker.matches == {worker.jobs[0].match}
        asked.cancel()
        long.cancel()


async def test_closed_pool_leaves_no_process():
    async with workers(2) as pool:
        match = Hosted(pool)
        await match.step()
        await until(lambda: len(pool._workers) == 2)
        processes = [worker.process.pid for worker in pool._workers]
    for pid in processes:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


async def test_processor_time_is_counted_by_match():
    async with workers() as pool:
        match, idle = Hosted(pool), Hosted(pool, seed=2)
        for _ in range(4):
            await match.step()
        assert pool._matches[match.live.match_id].microseconds > 0
        assert pool._matches[idle.live.match_id].microseconds == 0


def test_answer_without_outcome_is_a_failure():
    assert Answer(failed=phrase("wrong.room.records")).result is None


class LatePool(FoldPool):
    module = "tests.support.late_worker"


async def test_worker_that_cannot_start_costs_no_entry(tmp_path, monkeypatch):
    monkeypatch.setattr("table.workers.pool.WORKER_RETRY_SECONDS", 0.05)
    ready = tmp_path / "ready"
    pool = LatePool(1, [str(ready)])
    pool.start()
    try:
        match = Hosted(pool)
        entry = asyncio.create_task(match.offer(b"no entry", 0))
        await asyncio.sleep(2)  # several workers have tried
        assert not entry.done()
        ready.touch()
        assert await entry is Code.BAD_ENTRY and pool.deaths == 0
    finally:
        await pool.close()


async def test_worker_that_system_refuses_is_started_later(monkeypatch):
    monkeypatch.setattr("table.workers.pool.WORKER_RETRY_SECONDS", 0.05)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (psutil.Process().num_fds(), hard))
    try:
        pool = DyingPool(1)
        pool.start()
        match = Hosted(pool)
        entry = asyncio.create_task(match.offer(b"no entry", 0))
        await asyncio.sleep(0.1)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    try:
        assert await entry is Code.BAD_ENTRY
    finally:
        await pool.close()


async def test_match_returns_when_its_request_was_not_to_blame(tmp_path):
    async with workers() as pool:
        match = Hosted(pool)
        await match.step()
        assert await match.offer(ONCE + os.fsencode(tmp_path / "died"), 0) is Code.BAD_ENTRY
        await match.step()
        assert not match.worker.is_for_suspects
        assert await match.offer(ONCE + os.fsencode(tmp_path / "again"), 0) is Code.BAD_ENTRY
        await match.step()
        assert match.worker.is_for_suspects, "twice is no chance"


async def test_workers_that_die_at_once_leave_one_for_suspects(tmp_path):
    async with workers(2) as pool:
        matches = [Hosted(pool, seed=seed) for seed in (1, 2)]
        refused = await asyncio.gather(*(match.offer(DIES, 0) for match in matches))
        assert refused == [Code.TOO_COSTLY] * 2
        await until(lambda: len(pool._workers) == 3)
        assert sum(worker.is_for_suspects for worker in pool._workers) == 1


async def test_request_of_forgotten_match_is_not_tried_again():
    async with workers() as pool:
        match, other = Hosted(pool), Hosted(pool, seed=2)
        await match.step()
        asked = asyncio.create_task(match.offer(DIES, 0))
        await asyncio.sleep(0)
        match.live.close()
        assert await other.offer(b"no entry", 0) is Code.BAD_ENTRY
        await until(lambda: len(pool._workers) == 2)
        assert pool.deaths == 1
        assert not any(worker.jobs or len(worker.matches) > 1 for worker in pool._workers)
        asked.cancel()


@pytest.mark.parametrize(
    "garbage", [b"\x00\x00\x00\x00", b"\xff\xff\xff\xff", b"\x00\x00\x00\x01\xc1"]
)
async def test_malformed_answer_ends_worker_alone(garbage):
    async with workers() as pool:
        match = Hosted(pool)
        await match.step()
        match.worker.reader.feed_data(garbage)
        assert await match.offer(b"no entry", 0) is Code.BAD_ENTRY
        assert pool.deaths == 1 and match.live.failed is None


async def test_failure_of_worker_keeps_its_arguments():
    async with workers() as pool:
        match = Hosted(pool, "layered")
        for _ in range(6):
            await match.step()
        match.live.seed = bytes(32)  # so a worker would post another entry of the table
        match.worker.matches.clear()
        await match.offer(b"anything", 0)
        assert "entry" in english_text(match.live.failed.phrase)


async def test_idle_workers_share_matches_out():
    async with workers(2) as pool:
        await until(lambda: len(pool._workers) == 2)
        matches = [Hosted(pool, seed=seed) for seed in range(4)]
        for match in matches:
            await match.step()
        assert [len(worker.matches) for worker in pool._workers] == [2, 2]

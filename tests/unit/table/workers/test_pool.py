"""Workers that fold matches, as real processes: what they answer, and what happens when one dies."""

import asyncio
import os
from contextlib import asynccontextmanager

import pytest

from protocol.codes import Code
from protocol.dealing import Post
from table.workers.messages import Answer
from table.workers.pool import FoldPool
from table.workers.worker_match import WorkerMatch, open_new
from tests.support.dying_worker import DIES, EATS, ONCE, SPINS
from tests.support.offline import Offline, make_offline

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
        self.rng_seed = played.seed

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


async def test_other_matches_keep_their_worker_after_death():
    async with workers() as pool:
        hostile, other = Hosted(pool), Hosted(pool, seed=2)
        await other.step()
        for _ in range(2):
            assert await hostile.offer(DIES, 0) is Code.TOO_COSTLY
        deaths = pool.deaths
        assert deaths == 4
        assert await hostile.offer(DIES, 0) is Code.TOO_COSTLY
        first = pool._matches[other.live.match_id].worker
        assert await other.step()
        assert pool._matches[other.live.match_id].worker in (first, *pool._workers)
        assert not pool._matches[other.live.match_id].is_suspect


async def test_log_that_kills_two_workers_stops_match():
    async with workers() as pool:
        match = Hosted(pool)
        await match.step()
        match.live.entries[1] = b"damaged"
        pool._matches[match.live.match_id].worker = None
        await match.offer(b"anything", 0)
        assert match.live.failed is not None
        assert match.live.failed.phrase.key == "wrong.room.records"


async def test_long_fold_delays_no_other_match():
    async with workers(2) as pool:
        hostile = Hosted(pool)
        others = [Hosted(pool, seed=seed) for seed in (2, 3)]
        for match in (hostile, *others):
            await match.step()
        long = asyncio.create_task(hostile.offer(SPINS, 0))
        loop = asyncio.get_running_loop()
        started = loop.time()
        for match in others:
            assert await match.step()
        assert not long.done() or loop.time() - started < 0.5
        assert await long is Code.TOO_COSTLY


async def test_closed_pool_leaves_no_process():
    async with workers(2) as pool:
        match = Hosted(pool)
        await match.step()
        processes = [worker.process.pid for worker in pool._workers]
        assert len(processes) == 2
    for pid in processes:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


async def test_processor_time_is_counted_by_match():
    async with workers() as pool:
        match, idle = Hosted(pool), Hosted(pool, seed=2)
        for _ in range(4):
            await match.step()
        assert pool.processor_seconds(match.live.match_id) > 0
        assert pool.processor_seconds(idle.live.match_id) == 0


def test_answer_without_outcome_is_a_failure():
    assert Answer(failed="wrong.room.records").outcome is None

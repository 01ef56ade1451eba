"""The match that a worker folds next, and where: several addresses, some of which cost much."""

import asyncio

import pytest

from protocol.codes import Code
from table.net.processor_time import METER, Account, Budget, ConnectionPayer
from table.workers.pool import FoldPool
from table.workers.worker_match import WorkerMatch, open_new
from tests.support.dying_worker import SPINS
from tests.support.offline import make_offline
from tests.support.slow_worker import GAME, SECONDS
from tests.unit.table.workers.test_pool import DyingPool, _author, workers

pytestmark = pytest.mark.process

EVE, ANN = "192.0.2.1", "192.0.2.2"


class SlowPool(FoldPool):
    module = "tests.support.slow_worker"


class Played:
    """A match whose entries an address pays for."""

    def __init__(self, pool: FoldPool, budget: Budget, address: str, game: str, seed: int) -> None:
        self.pool, self.payer = pool, ConnectionPayer(budget, address)
        options: dict[str, int | str] = {"rows": "-".join(["20"] * 8)} if game == "nim" else {}
        self.offline = make_offline(2, seed, game, options, dealing="none")
        self.offline.bots = ("random", "random")
        played = self.offline.live
        self.live: WorkerMatch = open_new(played._identity, played.match.setup, played.seed, pool)

    @property
    def worker(self):
        return self.pool._matches[self.live.match_id].worker

    def offer(self) -> "asyncio.Future[object]":
        """Offer the next entry."""
        loop = asyncio.get_running_loop()
        answered = loop.create_future()
        known = len(self.live.entries)
        while len(self.offline.live.entries) <= known:
            assert sum(self.offline.step(seat) for seat in self.offline.seats)
        raw = self.offline.live.entries[known]
        before = METER.switch(self.payer)
        self.live.fold(raw, _author(self.offline, raw), answered.set_result)
        METER.switch(before)
        return answered

    async def post(self) -> float:
        """Return the seconds until an entry has been folded."""
        began = asyncio.get_running_loop().time()
        async with asyncio.timeout(60):
            assert await self.offer() is None
        return asyncio.get_running_loop().time() - began

    async def run(self, count: int) -> int:
        for _ in range(count):
            await self.post()
        return count


def played(pool: FoldPool, *matches: tuple[str, str]) -> list[Played]:
    budget = Budget(100)
    return [
        Played(pool, budget, address, game, seed)
        for seed, (address, game) in enumerate(matches, start=1)
    ]


async def test_match_of_other_address_waits_for_one_entry_at_most():
    async with workers(1, SlowPool) as pool:
        *dear, cheap = played(pool, *[(EVE, GAME)] * 6, (ANN, "nim"))
        await cheap.run(2)
        running = [asyncio.create_task(match.run(8)) for match in dear]
        await asyncio.sleep(SECONDS * 3)
        before = sum(len(match.live.entries) for match in dear)
        await cheap.run(5)
        served = sum(len(match.live.entries) for match in dear) - before
        assert served <= 6, "one entry of the other address before each of hers, and one under way"
        for task in running:
            task.cancel()


async def test_short_entries_do_not_wait_for_long_ones():
    async with workers(2, SlowPool) as pool:
        *dear, cheap = played(pool, *[(EVE, GAME)] * 4, (ANN, "nim"))
        await cheap.run(2)
        running = [asyncio.create_task(match.run(8)) for match in dear]
        await asyncio.sleep(SECONDS * 2)
        await cheap.run(3)
        before = sum(len(match.live.entries) for match in dear)
        await cheap.run(12)
        served = sum(len(match.live.entries) for match in dear) - before
        assert served <= 3, "she waits for nobody"
        assert len({match.worker for match in dear}) == 1
        assert cheap.worker not in {match.worker for match in dear}
        for task in running:
            task.cancel()


async def test_long_entries_alone_use_all_workers():
    async with workers(2, SlowPool) as pool:
        pool._short_at = -1e9
        dear = played(pool, *[(EVE, GAME)] * 4)
        for match in dear:
            pool._matches[match.live.match_id].is_long = True
        await asyncio.gather(*(match.run(4) for match in dear))
        assert len({match.worker for match in dear}) == 2


async def test_time_of_workers_is_charged_to_author():
    async with workers(2, SlowPool) as pool:
        eve, ann = played(pool, (EVE, GAME), (ANN, "nim"))
        await eve.run(2)
        await ann.run(2)
        assert eve.payer.spent >= 2 * SECONDS > ann.payer.spent
        eve.payer.settle(1.0)
        assert isinstance(eve.payer.account, Account)


async def test_entry_that_kills_its_worker_costs_all_it_may():
    async with workers(1, DyingPool) as pool:
        eve, ann = played(pool, (EVE, "nim"), (ANN, "nim"))
        await eve.run(2)
        before = METER.switch(eve.payer)
        killed = asyncio.get_running_loop().create_future()
        eve.live.fold(SPINS, 0, killed.set_result)
        METER.switch(before)
        async with asyncio.timeout(60):
            assert await killed is Code.TOO_COSTLY
        assert eve.payer.spent >= 2 * pool.entry_seconds > ann.payer.spent
        assert pool.seconds >= 2 * pool.entry_seconds
        assert eve.payer.account.long_until > asyncio.get_running_loop().time()

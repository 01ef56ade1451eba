"""Pruning of a store in memory: what the suite asks, and faults that real servers do not have at
will.
"""

import pytest

from table.storage.shared.backend import Unanswered
from table.storage.shared.match_subjects import subject_of
from table.storage.shared.pruning import PruneLimits
from tests.integration.storage.calls import game
from tests.integration.storage.over_stores import MemoryWorld
from tests.integration.storage.pruning_suite import ALL, PRUNING, finish, prune, there_is
from tests.integration.storage.worlds import Case
from tests.support.table_stores.memory import MemoryEngine

DAY = 86_400.0


@pytest.mark.parametrize("case", PRUNING, ids=lambda case: case.__name__)
def test_store_in_memory_is_pruned_as_promised(case: Case, tmp_path) -> None:
    MemoryWorld(tmp_path).run(case)


class Counted(MemoryEngine):
    """Engine that counts questions, and fails at purges while `fails`."""

    asked = 0
    fails = False

    async def takes_time(self) -> None:
        type(self).asked += 1
        await super().takes_time()

    async def beat(self) -> None:
        """Count no heartbeats."""

    async def purge(self, subject: str, last: int) -> int:
        if type(self).fails:
            raise Unanswered
        return await super().purge(subject, last)


class CountedWorld(MemoryWorld):
    def engine(self, name: str):
        return Counted(self.shared)


@pytest.fixture
def world(tmp_path):
    Counted.asked, Counted.fails = 0, False
    return CountedWorld(tmp_path)


def test_look_at_young_matches_asks_no_more_for_many(world):
    async def case(world):
        there = await world.host("a")
        asked = []
        for seed in range(1, 13):
            await finish(there, game(seed))
            before = Counted.asked
            assert await prune(there, PruneLimits(age=90 * DAY, size=1 << 30)) == []
            asked.append(Counted.asked - before)
        assert set(asked) == {asked[0]}

    world.run(case)


def test_match_goes_after_its_age_and_not_before(world):
    async def case(world):
        there = await world.host("a")
        await finish(there, game(1))
        world.shared.later = 10 * DAY
        await finish(there, game(2))
        world.shared.later = 89.9 * DAY
        assert await prune(there, PruneLimits(age=90 * DAY)) == []
        world.shared.later = 90.1 * DAY
        assert await prune(there, PruneLimits(age=90.05 * DAY)) == [
            game(seed).match_id for seed in (1, 2)
        ]

    world.run(case)


def test_long_match_stays_as_long_after_its_end_as_others(world):
    """The first of its items is old, and the last is not."""

    async def case(world):
        there, match = await world.host("a"), game(1)
        await finish(there, match)
        last = max(world.shared.times)
        for number in world.shared.times:
            world.shared.times[number] -= 100 * DAY if number < last else 0
        assert await prune(there, PruneLimits(age=90 * DAY)) == []
        assert await there_is(there, match)

    world.run(case)


def test_purge_without_an_answer_is_made_up_for(world):
    async def case(world):
        there = await world.host("a")
        await finish(there, game(1))
        Counted.fails = True
        with pytest.raises(Unanswered):
            await prune(there, ALL)
        assert await there_is(there, game(1))
        Counted.fails = False
        assert await prune(there, ALL) == [game(1).match_id]

    world.run(case)


def test_damaged_match_stays(world):
    """Nobody can tell whether it is finished."""

    async def case(world):
        there = await world.host("a")
        await finish(there, game(1))
        subject = subject_of(game(1).match_id)
        place = max(n for n, (where, _) in enumerate(world.shared.items) if where == subject)
        world.shared.items[place] = subject, b"\xc1"
        assert await prune(there, ALL) == []

    world.run(case)

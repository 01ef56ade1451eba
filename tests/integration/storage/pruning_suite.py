"""Promises of pruning for every store that hosts share, a function for each. A function raises
AssertionError if its promise is broken.

`test_pruning.py` runs them over a store in memory, and `tests/system/stores/test_pruning.py` over real
servers.
"""

import asyncio
from itertools import count
from typing import Any

from table.config import default_terms
from table.storage.interface import MatchStopped, NewTable, TableRemoved
from table.storage.shared.backend import Walk
from table.storage.shared.lobby_subjects import TABLES, LobbySubjects
from table.storage.shared.match_subjects import subject_of
from table.storage.shared.pruning import MATCHES, PruneLimits
from table.storage.shared.store import SharedStore
from tests.integration.storage.calls import Game, claim, game, heard, put, rows
from tests.integration.storage.over_stores import StoreWorld
from tests.integration.storage.worlds import Case
from tests.support.table_stores.owners import KEY

PRUNING: list[Case] = []
ALL = PruneLimits(age=0.0)
HOUR = PruneLimits(age=3600.0)
LOBBY_ITEMS = 8  # items about tables, above which a host removes some


def promised(case: Case) -> Case:
    """Add a function to the suite."""
    PRUNING.append(case)
    return case


async def finish(there: SharedStore, match: Game, export: bool = True) -> None:
    """Store a whole match. `export`: write its log file."""
    assert await put(there, match.part(0, len(match.records))) == "done"
    if export:
        await written(there, match, 0)


async def written(there: SharedStore, match: Game, heads: int) -> None:
    """Write the log file of a match, of which the store has so many heads."""
    there.export(match.match_id, [record.head for record in match.records[heads:]], lambda: None)
    while any(row.match_id == match.match_id for row in await rows(there)):
        await asyncio.sleep(0.01)


async def prune(there: SharedStore, limits: PruneLimits) -> list[bytes]:
    """Prune by these limits, and return the matches that went."""
    looking = there.prune(limits)
    while await looking.turn(steps=3):
        pass
    assert len(looking.names) == looking.gone
    return [each.match_id for each in looking.names]


async def there_is(there: SharedStore, match: Game) -> bool:
    """Tell if a finished match can be read."""
    found = await heard(there.fetch, match.match_id)
    assert found in ([], match.records)
    return bool(found)


async def walked(walk: Walk) -> list[str]:
    """Return the subjects in order."""
    found = []
    while aged := await walk.next():
        found.append(aged.subject)
    return found


@promised
async def old_finished_matches_go_and_are_unknown_then(world: StoreWorld) -> None:
    """Nothing goes before its age. What is gone is whole gone, and can be neither read nor claimed."""
    there = await world.host("a")
    for seed in (1, 2):
        await finish(there, game(seed))
    assert await prune(there, HOUR) == []
    assert await there_is(there, game(1)) and await there_is(there, game(2))
    assert sorted(await prune(there, ALL)) == sorted([game(1).match_id, game(2).match_id])
    assert not await there_is(there, game(1)) and not await there_is(there, game(2))
    assert await claim(there, game(1).match_id) is None and await rows(there) == []
    assert await prune(there, ALL) == []


@promised
async def open_and_stopped_matches_stay_at_any_age(world: StoreWorld) -> None:
    """A match that runs, one whose log file is not written, and one that has stopped: they go on, or
    stay stopped.
    """
    there = await world.host("a")
    running, over, stopped, beginning = game(1), game(2), game(3), game(4)
    assert await put(there, running.part(0, 3)) == "done"
    await finish(there, over, export=False)
    for match, entries in ((stopped, len(stopped.records)), (beginning, 1)):
        assert await put(there, match.part(0, entries)) == "done"
        kept = await claim(there, match.match_id)
        assert kept is not None
        assert await put(there, MatchStopped(match.match_id, kept.claim)) == "done"
    ids = {match.match_id for match in (running, over, stopped, beginning)}
    for limits in (ALL, PruneLimits(size=0, kept=0.0)):
        assert await prune(there, limits) == []
    assert {match_id for match_id in ids if await notes(world, match_id)} == ids
    assert await put(there, running.part(3, 5, heads=0)) == "done"
    await written(there, over, 0)
    assert await there_is(there, over)
    assert await prune(there, ALL) == [over.match_id]
    assert await claim(there, stopped.match_id) is None


async def notes(world: StoreWorld, match_id: bytes) -> bool:
    """Tell if the store has anything of a match."""
    engine = world.engine("reader")
    await engine.open()
    try:
        return await engine.last(subject_of(match_id)) is not None
    finally:
        await engine.close()


@promised
async def match_whose_log_file_cannot_be_written_stays(world: StoreWorld) -> None:
    """It has all its heads; a host that claims it writes the file, and then it may go."""
    nowhere = SharedStore(world.engine("c"), "c", KEY, world.folder / "missing")
    await nowhere.start()
    match = game()
    assert await put(nowhere, match.part(0, len(match.records))) == "done"
    await heard(nowhere.export, match.match_id, [record.head for record in match.records])
    await nowhere.idle(60)
    assert await prune(nowhere, ALL) == []
    nowhere.close()
    await nowhere.closed()
    there = await world.host("a")
    assert await there_is(there, match) and await prune(there, ALL) == []
    assert await claim(there, match.match_id) is not None
    await written(there, match, len(match.records))
    assert await prune(there, ALL) == [match.match_id]


@promised
async def above_the_size_matches_go_that_began_first(world: StoreWorld) -> None:
    """Until the others take no more, and none that ended just now."""
    there = await world.host("a")
    for seed in (3, 1, 4, 2):
        await finish(there, game(seed))
    looking = there.prune(PruneLimits())
    assert not await looking.turn()
    held = looking.left
    assert held.subjects == 4 and held.size > 0
    assert await prune(there, PruneLimits(size=0)) == []
    assert await prune(there, PruneLimits(size=held.size, kept=0.0)) == []
    gone = await prune(there, PruneLimits(size=held.size * 6 // 10, kept=0.0))
    assert gone == [game(3).match_id, game(1).match_id]
    assert await there_is(there, game(4)) and await there_is(there, game(2))


@promised
async def hosts_that_prune_at_once_remove_what_one_would(world: StoreWorld) -> None:
    """Beside a match that goes on meanwhile."""
    one, two = await world.host("a"), await world.host("b")
    running = game(4)
    assert await put(one, running.part(0, 1)) == "done"
    for seed in (1, 2, 3):
        await finish(two, game(seed))
    gone = await asyncio.gather(prune(one, ALL), prune(two, ALL), prune(two, ALL))
    ids = [game(seed).match_id for seed in (1, 2, 3)]
    assert sorted(match_id for each in gone for match_id in each) == sorted(ids)
    assert await put(one, running.part(1, 4, heads=0)) == "done"
    assert [await there_is(one, game(seed)) for seed in (1, 2, 3)] == [False] * 3


@promised
async def look_that_breaks_off_is_made_up_for_by_the_next(world: StoreWorld) -> None:
    """A turn goes through so many items and no more."""
    there = await world.host("a")
    for seed in (1, 2, 3):
        await finish(there, game(seed))
    broken = there.prune(ALL)
    assert await broken.turn(steps=1)
    assert broken.gone == 1
    there = await world.restart("b")
    assert len(await prune(there, ALL)) == 2


@promised
async def survey_tells_what_would_go_and_removes_nothing(world: StoreWorld) -> None:
    there = await world.host("a")
    assert await put(there, game(4).part(0, 2)) == "done"
    for seed in (1, 2, 3):
        await finish(there, game(seed))
    looking = there.prune(HOUR)
    await looking.survey()
    assert looking.gone == 0 and looking.left.subjects == 4
    looking = there.prune(ALL)
    await looking.survey()
    assert (looking.gone, looking.left.subjects) == (3, 1)
    assert {each.match_id for each in looking.names} == {game(n).match_id for n in (1, 2, 3)}
    assert looking.gone_size + looking.left.size > 0
    assert await there_is(there, game(1))
    assert sorted(await prune(there, ALL)) == sorted(each.match_id for each in looking.names)


@promised
async def what_a_crash_has_left_of_a_match_goes_with_it(world: StoreWorld) -> None:
    """A host that dies when it has noted that the log file is written leaves a mark."""
    there, match = await world.host("a"), game()
    await finish(there, match)
    mark = f"o.{match.match_id.hex()}"
    engine = world.engine("reader")
    await engine.open()
    try:
        await engine.append(mark, 0, b"left")
        assert await prune(there, ALL) == [match.match_id]
        assert await engine.last(mark) is None
    finally:
        await engine.close()


@promised
async def subject_is_purged_up_to_the_item_that_was_looked_at(world: StoreWorld) -> None:
    """Whole if that is its newest one, and not at all otherwise. Other subjects stay."""
    engine = world.engine("a")
    await engine.open()
    try:
        one, two = f"{MATCHES}1.one", f"{MATCHES}1.two"
        first = await engine.append(one, 0, b"first")
        await engine.append(two, 0, b"other")
        second = await engine.append(one, first, b"second")
        assert await engine.purge(one, first) == 0
        assert (await walked(engine.oldest(MATCHES)))[0] == one
        newest = await engine.last_aged(one)
        assert newest is not None and newest.item.data == b"second" and 0 <= newest.age < 60
        assert await engine.purge(one, second) > 0
        assert await engine.last(one) is None and await engine.last_aged(one) is None
        assert await engine.purge(one, second) == 0
        assert set(await walked(engine.oldest(MATCHES))) == {two}
        assert (await engine.held(MATCHES)).subjects == 1
        assert await engine.last(two) is not None
    finally:
        await engine.close()


class CutShort:
    """An engine whose host dies with one of its requests."""

    def __init__(self, engine: Any) -> None:
        self._engine = engine
        self.left = 10**9  # requests

    def __getattr__(self, name: str) -> Any:
        asked = getattr(self._engine, name)
        if not asyncio.iscoroutinefunction(asked):
            return asked

        async def ask(*values: Any) -> Any:
            self.left -= 1
            if self.left < 0:
                raise TimeoutError("the host is dead")
            return await asked(*values)

        return ask


@promised
async def items_about_tables_that_went_are_trimmed(world: StoreWorld) -> None:
    """Whenever the host dies that does it, and though another one has not read any of them."""
    engines = [world.engine(name) for name in "abc"]
    for engine in engines:
        await engine.open()
    one, late, last = engines
    try:
        first = LobbySubjects(one, b"a" * 16, KEY, LOBBY_ITEMS)
        follower = LobbySubjects(late, b"b" * 16, KEY, LOBBY_ITEMS)
        await first.load()
        tables = {table.number: table for table in (await follower.load()).tables}
        follower.changed = lambda change: (
            tables.pop(change.number, None)
            if isinstance(change, TableRemoved)
            else tables.update({change.number: change})
        )
        stays = NewTable(3, default_terms(), b"c" * 32)
        for number in range(1, 13):
            assert await first.change(stays._replace(number=number))
            if number != stays.number:
                assert await first.change(TableRemoved(number))
        for left in count():
            dies = CutShort(one)
            dying = LobbySubjects(dies, b"a" * 16, KEY, LOBBY_ITEMS)
            await dying.load()
            dies.left = left
            try:
                done = await dying.trim()
            except TimeoutError:
                done = None
            kept = await LobbySubjects(last, b"d" * 16, KEY, LOBBY_ITEMS).load()
            assert (kept.tables, kept.last_number) == ([stays], 12)
            if done is not None:
                break
        for _ in range(2):
            await follower.trim()
        assert tables == {3: stays}
        items, number = 0, 0
        while item := await last.next(TABLES, number):
            items, number = items + 1, item.number
        assert items <= 2 * LOBBY_ITEMS
        again = LobbySubjects(last, b"d" * 16, KEY, LOBBY_ITEMS)
        await again.load()
        assert not await again.change(stays._replace(number=12))
        assert await again.change(stays._replace(number=13))
    finally:
        for engine in engines:
            await engine.close()

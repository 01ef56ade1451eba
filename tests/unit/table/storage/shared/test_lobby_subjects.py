"""A table's data in a store, other than its matches."""

import asyncio
from random import Random

import pytest

from protocol import wire
from protocol.errors import RemoteError
from protocol.match.terms import encode_terms
from table.config import default_terms
from table.storage.interface import NewAttestations, NewTable, TableRemoved
from table.storage.shared.lobby_subjects import TABLES, WORDS, LobbySubjects
from tests.support.table_stores.memory import MemoryEngine, Shared, in_no_time
from tests.support.table_stores.owners import KEY


def lobby(shared, writer=b"a"):
    return LobbySubjects(MemoryEngine(shared), writer * 16, KEY)


def test_stored_records_are_read_parents_first():
    async def work():
        shared = Shared()
        one = lobby(shared)
        await one.load()
        assert await one.change(
            NewAttestations(0, ((b"slot", b"word"),), ((b"parent", b"p"), (b"child", b"c")))
        )
        assert await one.change(
            NewAttestations(1, ((b"another", b"word"),), ((b"parent", b"p"), (b"youngest", b"y")))
        )
        assert (await lobby(shared, b"b").load()).ledger == (b"p", b"c", b"y")

    in_no_time(work())


def test_lobby_statements_larger_than_an_item_are_restored_whole():
    rows = [(b"%d" % each, bytes([each]) * 1500) for each in range(5)]
    slots = [(b"s%d" % each, bytes([each]) * 1500) for each in range(5)]

    async def work():
        shared = Shared()
        one = lobby(shared)
        await one.load()
        assert await one.change(NewAttestations(0, tuple(slots), tuple(rows)))
        assert await one.change(NewAttestations(5, ((b"slot", b"word"),), ()))
        assert not await one.change(NewAttestations(5, tuple(slots), tuple(rows)))
        kept = await lobby(shared, b"b").load()
        assert kept.words == (*(word for _, word in slots), b"word")
        assert kept.ledger == tuple(raw for _, raw in rows)
        shared.items = shared.items[:4]  # the host died between two items
        kept = await lobby(shared, b"c").load()
        assert (kept.words, len(kept.ledger)) == ((), 5)

    in_no_time(work())


class Stuck(MemoryEngine):
    """Store in which witness statements are never stored."""

    async def append(self, subject, after, data):
        return await (
            asyncio.Event().wait() if subject == WORDS else super().append(subject, after, data)
        )


def test_table_changes_do_not_wait_for_statements():
    async def work():
        one = LobbySubjects(Stuck(Shared()), b"a" * 16, KEY)
        await one.load()
        words = asyncio.create_task(one.change(NewAttestations(0, ((b"slot", b"word"),), ())))
        await asyncio.sleep(0.1)
        async with asyncio.timeout(60):
            assert await one.change(NewTable(1, default_terms(), b"c" * 32))
        words.cancel()

    in_no_time(work())


def table(number, creator=b"c"):
    return NewTable(number, default_terms(), creator * 32)


def written(number, after, creator=b"c"):
    """Write as another host."""
    return TABLES, wire.encode(
        [b"z" * 16, after, ["table", number, encode_terms(default_terms()), creator * 32, ""]]
    )


async def seen(one):
    """Return this host's tables, and the later changes that it reports."""
    kept = await one.load()
    tables = {each.number: each for each in kept.tables}

    def changed(change):
        if isinstance(change, TableRemoved):
            tables.pop(change.number, None)
        else:
            tables[change.number] = change

    one.changed = changed
    return tables


@pytest.mark.parametrize("another", (False, True))
@pytest.mark.parametrize("behind", (False, True))
def test_uncommitted_table_disappears(another, behind):
    """`another`: its number is reused; `behind`: by an item with another item after it."""

    async def work():
        shared = Shared()
        one, two = lobby(shared), lobby(shared, b"b")
        tables = await seen(one)
        await two.load()
        shared.items.append(written(1, 1))
        await one.follow()
        assert tables == {1: table(1)}
        shared.lead_anew()
        if another:
            assert await two.change(table(1, b"d"))
        if behind:
            assert await two.change(table(2))
        for _ in range(7):
            await one.follow()
            await asyncio.sleep(1)
        there = [table(1, b"d")] * another + [table(2)] * behind
        assert sorted(tables.values()) == there == (await lobby(shared, b"c").load()).tables

    in_no_time(work())


@pytest.mark.parametrize("another", (False, True))
def test_own_table_survives_loss_of_its_predecessor(another):
    async def work():
        shared = Shared()
        one, two = lobby(shared), lobby(shared, b"b")
        tables = await seen(one)
        await two.load()
        shared.items.append(written(1, 1))
        await one.follow()
        shared.lead_anew()
        if another:
            assert await two.change(table(1, b"d"))
        assert await one.change(table(2))
        there = [table(1, b"d")] * another + [table(2)]
        assert sorted(tables.values()) == there == (await lobby(shared, b"c").load()).tables

    in_no_time(work())


def test_emptied_store_is_not_reinitialised():
    async def work():
        shared = Shared()
        await lobby(shared).load()
        one = lobby(shared, b"b")
        tables = await seen(one)
        shared.items.append(written(1, 1))
        await one.follow()
        shared.lose(2)
        assert not await one.change(table(2))
        assert not shared.items and not tables

    in_no_time(work())


def test_lost_acknowledged_item_is_reported(caplog):
    async def work():
        shared = Shared()
        one = lobby(shared)
        await one.load()
        assert await one.change(table(1))
        shared.lose(1)
        assert not await one.change(table(2))
        assert (await lobby(shared, b"c").load()).tables == []
        assert await one.change(table(3))

    in_no_time(work())
    assert "lost what it had acknowledged" in caplog.text


class Losing(MemoryEngine):
    """Store that loses each acknowledged item at once, and all earlier ones."""

    async def append(self, subject, after, data):
        number = await super().append(subject, after, data)
        self.shared.lose(2)
        return number


def test_lost_acknowledged_item_blocks_nobody():
    async def work():
        shared = Shared()
        two = lobby(shared)
        await two.load()
        one = LobbySubjects(Losing(shared), b"b" * 16, KEY)
        await one.load()
        assert await two.change(table(1))
        await one.follow()
        async with asyncio.timeout(60):
            await one.change(table(2))
        assert not await two.change(table(3))
        assert await two.change(table(4))

    in_no_time(work())


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(40))
def test_all_hosts_converge_to_same_tables(seed):
    async def work():
        rng = Random(seed)
        shared = Shared(rng)
        ones = [lobby(shared, writer) for writer in (b"a", b"b", b"c")]
        seeing = [await seen(one) for one in ones]
        stood = set()
        shared.trouble = 0.15
        for number in range(1, 25):
            place = rng.randrange(3)
            if rng.random() < 0.3 and seeing[place]:
                change = TableRemoved(rng.choice(sorted(seeing[place])))
            else:
                change = table(number, b"%d" % rng.randrange(9))
            others = [one.follow() for one in ones if rng.random() < 0.7]
            done, *_ = await asyncio.gather(ones[place].change(change), *others)
            if done and isinstance(change, NewTable):
                stood.add(change)
            if done:
                assert (change.number in seeing[place]) is isinstance(change, NewTable)
        shared.trouble = 0.0
        for one in ones * 7:
            await one.follow()
            await asyncio.sleep(1)
        there = {each.number: each for each in (await lobby(shared, b"d").load()).tables}
        assert seeing == [there] * 3
        assert stood >= set(there.values())

    in_no_time(work())


class Lagging(MemoryEngine):
    """Store that lacks the newest items for a while, and counts the reads."""

    lags, asked = False, 0

    async def next(self, subject, after):
        self.asked += 1
        found = await super().next(subject, after)
        return None if self.lags else found


def test_lobby_table_survives_repeated_reads_from_lagging_store():
    async def work():
        shared = Shared()
        two, engine = lobby(shared), Lagging(shared)
        await two.load()
        one = LobbySubjects(engine, b"b" * 16, KEY)
        tables = await seen(one)
        assert await two.change(table(1))
        await one.follow()
        engine.lags = True
        for _ in range(50):
            await one.follow()
        assert tables == {1: table(1)}

    in_no_time(work())


def test_lobby_item_of_newer_program_hides_nothing_earlier():
    async def work():
        shared = Shared()
        two, engine = lobby(shared), Lagging(shared)
        await two.load()
        one = LobbySubjects(engine, b"b" * 16, KEY)
        tables = await seen(one)
        for number in range(1, 30):
            assert await two.change(table(number))
        shared.items.append((TABLES, wire.encode([b"z" * 16, 30, ["colour", 7]])))
        for _ in range(2):
            engine.asked = 0
            with pytest.raises(RemoteError):
                await one.follow()
        assert len(tables) == 29 and engine.asked <= 3

    in_no_time(work())


def test_lobby_write_lost_to_another_is_noticed():
    async def work():
        shared = Shared()
        one, two = lobby(shared), lobby(shared, b"b")
        tables = await seen(one)
        await two.load()
        assert await one.change(table(1))
        shared.lose(1)
        assert await two.change(table(1, b"d"))
        await one.follow()
        assert tables == {1: table(1, b"d")}

    in_no_time(work())


def test_leader_change_between_two_items_is_noticed():
    class Between(MemoryEngine):
        async def next(self, subject, after):
            found = await super().next(subject, after)
            if found is not None and found.number == 2 and self.shared.settled == 1:
                self.shared.lead_anew()
                assert await two.change(table(1, b"d")) and await two.change(table(2))
            return found

    async def work():
        nonlocal two
        shared = Shared()
        two = lobby(shared)
        await two.load()
        one = LobbySubjects(Between(shared), b"b" * 16, KEY)
        tables = await seen(one)
        shared.items.append(written(1, 1))
        await one.follow()
        assert tables == {1: table(1, b"d"), 2: table(2)}

    two = None
    in_no_time(work())

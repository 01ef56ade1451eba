"""What is said of tables in a store stays bounded, and no host loses what it needs by that."""

import asyncio
from contextlib import suppress
from random import Random

import pytest

from table.storage.interface import NewAttestations, NewTable, TableRemoved
from table.storage.shared.backend import Unanswered
from table.storage.shared.lobby_subjects import TABLES, LobbySubjects
from tests.support.table_stores.memory import MemoryEngine, Shared, in_no_time
from tests.support.table_stores.owners import KEY
from tests.unit.table.storage.shared.test_lobby_subjects import seen, table

ITEMS = 12  # above which a host removes some


def lobby(shared, writer=b"a", engine=MemoryEngine):
    return LobbySubjects(engine(shared), writer * 16, KEY, ITEMS)


async def come_and_go(one, first, count, stays=()):
    """Create so many tables, and remove all but some at once."""
    for number in range(first, first + count):
        assert await one.change(table(number))
        if number not in stays:
            assert await one.change(TableRemoved(number))


async def trimmed(one):
    """Have a host look twice: the first look says again what counts."""
    await one.trim()
    assert await one.trim()


def test_items_of_tables_that_went_are_removed_and_others_stay():
    async def work():
        shared = Shared()
        one, two = lobby(shared), lobby(shared, b"b")
        await one.load()
        tables = await seen(two)
        await come_and_go(one, 1, 40, stays=(3, 20))
        assert len(shared.of(TABLES)) == 79
        assert not await one.trim()
        assert len(shared.of(TABLES)) > 79  # the newest items are never all that there is
        assert await one.trim()
        assert len(shared.of(TABLES)) <= 2 * (2 + 2)
        assert not await one.trim()
        await two.follow()  # it had read the first item alone
        assert tables == {3: table(3), 20: table(20)}
        kept = await lobby(shared, b"c").load()
        assert kept.tables == [table(3), table(20)] and kept.last_number == 40

    in_no_time(work())


def test_number_of_a_table_that_went_is_never_given_again():
    async def work():
        shared = Shared()
        one, two = lobby(shared), lobby(shared, b"b")
        await one.load()
        numbers = []
        await two.load()
        two.changed = lambda change: numbers.append(change.number)
        await come_and_go(one, 1, 30)
        await trimmed(one)
        await two.follow()
        assert numbers == [30]  # a host that lagged behind hears of it
        for host in (two, lobby(shared, b"c")):
            await host.load()
            assert not await host.change(table(30, b"d"))
            assert not await host.change(table(7, b"d"))
        assert await two.change(table(31))

    in_no_time(work())


def test_lobby_stays_bounded_however_long_it_is_used():
    async def work():
        shared = Shared()
        one = lobby(shared)
        await one.load()
        longest = 0
        for number in range(1, 600, 4):
            await come_and_go(one, number, 4, stays=(1,))
            await one.trim()
            longest = max(longest, len(shared.of(TABLES)))
        assert longest <= 3 * ITEMS

    in_no_time(work())


def test_words_of_a_witness_stay():
    async def work():
        shared = Shared()
        one = lobby(shared)
        await one.load()
        for number in range(30):
            assert await one.change(NewAttestations(number, ((b"%d" % number, b"word"),), ()))
        await come_and_go(one, 1, 20)
        await trimmed(one)
        assert len((await lobby(shared, b"b").load()).words) == 30

    in_no_time(work())


class Refusing(MemoryEngine):
    """Store that lets nobody remove anything."""

    async def trim(self, subject, first):
        raise Unanswered


def test_store_that_withholds_the_right_gets_no_further_items():
    async def work():
        shared = Shared()
        one = lobby(shared, engine=Refusing)
        await one.load()
        await come_and_go(one, 1, 20, stays=(3,))
        await one.trim()
        with pytest.raises(Unanswered):
            await one.trim()
        there = len(shared.of(TABLES))
        for _ in range(5):
            assert not await one.trim()
        assert len(shared.of(TABLES)) == there

    in_no_time(work())


class Died(Exception):
    """The host has died."""


class Dying(MemoryEngine):
    """Store of a host that dies with a certain request, before or after it is done."""

    left = 10**9  # requests
    does = False  # the last one, too

    async def takes_time(self):
        self.left -= 1
        if self.left == 0 and not self.does:
            raise Died
        if self.left < 0:
            raise Died
        await super().takes_time()


@pytest.mark.parametrize("does", [False, True])
def test_host_that_dies_at_any_request_leaves_all_tables(does):
    async def work():
        for left in range(1, 120):
            shared = Shared()
            one = lobby(shared, engine=Dying)
            await one.load()
            await come_and_go(one, 1, 20, stays=(3, 11))
            engine = one._logs
            engine.left, engine.does = left, does
            died = False
            try:
                await trimmed(one)
            except Died:
                died = True
            for writer in (b"b", b"c"):
                other = lobby(shared, writer)
                kept = await other.load()
                assert kept.tables == [table(3), table(11)] and kept.last_number == 20
                for _ in range(3):
                    await other.trim()
            assert len(shared.of(TABLES)) <= 2 * ITEMS
            if not died:
                return
        raise AssertionError("it never came to the end")

    in_no_time(work())


@pytest.mark.parametrize("first", range(4, 40, 3))
def test_host_that_dies_after_another_one_leaves_all_tables(first):
    """The first may leave tables of which nothing is said behind its own beginning."""

    async def work():
        for second in range(1, 60, 2):
            shared = Shared()
            dying = [lobby(shared, writer, Dying) for writer in (b"a", b"b")]
            for one in dying:
                await one.load()
            await come_and_go(dying[0], 1, 14, stays=(3, 11))
            for one, left in zip(dying, (first, second), strict=True):
                one._logs.left = left
                with suppress(Died):
                    await one.trim()
                    await one.trim()
            assert (await lobby(shared, b"c").load()).tables == [table(3), table(11)]

    in_no_time(work())


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(60))
def test_hosts_that_trim_in_trouble_agree_on_all_tables(seed):
    """Answers are lost, leaders change, reads lag, several hosts trim at once."""

    async def work():
        rng = Random(seed)
        shared = Shared(rng)
        ones = [lobby(shared, writer) for writer in (b"a", b"b", b"c")]
        seeing = [await seen(one) for one in ones]
        stood, gone = {}, set()
        shared.trouble = 0.1

        async def trim(one):
            try:
                return await one.trim()
            except Unanswered:
                one._trims_from = 0.0
                return False

        for number in range(1, 70):
            place = rng.randrange(3)
            if rng.random() < 0.45 and seeing[place]:
                change = TableRemoved(rng.choice(sorted(seeing[place])))
            else:
                change = table(number, b"%d" % rng.randrange(9))
            others = [one.follow() for one in ones if rng.random() < 0.4]
            trims = [trim(one) for one in ones if rng.random() < 0.2]
            done, *_ = await asyncio.gather(ones[place].change(change), *trims, *others)
            if done and isinstance(change, NewTable):
                assert change.number not in gone
                stood[change.number] = change
            elif done:
                gone.add(change.number)
        shared.trouble = 0.0
        for one in ones * 7:
            await one.follow()
            await asyncio.sleep(1)
        kept = await lobby(shared, b"d").load()
        there = {each.number: each for each in kept.tables}
        assert seeing == [there] * 3
        assert stood.keys() - gone <= there.keys() and not there.keys() & gone
        assert kept.last_number >= max(stood.keys() | gone)
        for _ in range(2):
            await ones[0].trim()
        assert len(shared.of(TABLES)) <= max(2 * ITEMS, 4 * len(there) + 2)
        for one in ones:
            await one.follow()
        assert seeing == [there] * 3

    in_no_time(work())

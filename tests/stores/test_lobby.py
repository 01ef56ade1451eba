"""What a table has in a store beside its matches."""

import asyncio

from table.config import DEFAULT_TERMS
from table.room.storage import NewTable, NewWords
from table.stores.lobby import WORDS, Lobby
from tests.stores.memory import MemoryEngine, Shared, in_no_time
from tests.stores.owners import KEY


def lobby(shared, writer=b"a"):
    return Lobby(MemoryEngine(shared), writer * 16, KEY)


def test_records_come_back_parents_first():
    async def work():
        shared = Shared()
        one = lobby(shared)
        await one.load()
        assert await one.change(NewWords(0, ((b"slot", b"word"),), ((b"parent", b"p"), (b"child", b"c"))))
        assert await one.change(NewWords(1, ((b"another", b"word"),), ((b"parent", b"p"), (b"youngest", b"y"))))
        assert (await lobby(shared, b"b").load()).ledger == (b"p", b"c", b"y")

    in_no_time(work())


def test_words_larger_than_an_item_come_back_whole_and_after_their_records():
    rows = [(b"%d" % each, bytes([each]) * 1500) for each in range(5)]
    slots = [(b"s%d" % each, bytes([each]) * 1500) for each in range(5)]

    async def work():
        shared = Shared()
        one = lobby(shared)
        await one.load()
        assert await one.change(NewWords(0, tuple(slots), tuple(rows)))
        assert await one.change(NewWords(5, ((b"slot", b"word"),), ()))
        assert not await one.change(NewWords(5, tuple(slots), tuple(rows)))
        kept = await lobby(shared, b"b").load()
        assert kept.words == (*(word for _, word in slots), b"word")
        assert kept.ledger == tuple(raw for _, raw in rows)
        shared.items = shared.items[:4]  # the host died between two items
        kept = await lobby(shared, b"c").load()
        assert (kept.words, len(kept.ledger)) == ((), 5)

    in_no_time(work())


class Stuck(MemoryEngine):
    """Words take for ever."""

    async def append(self, subject, after, data):
        return await (asyncio.Event().wait() if subject == WORDS else super().append(subject, after, data))


def test_tables_wait_for_no_words():
    async def work():
        one = Lobby(Stuck(Shared()), b"a" * 16, KEY)
        await one.load()
        words = asyncio.create_task(one.change(NewWords(0, ((b"slot", b"word"),), ())))
        await asyncio.sleep(0.1)
        async with asyncio.timeout(60):
            assert await one.change(NewTable(1, DEFAULT_TERMS, b"c" * 32))
        words.cancel()

    in_no_time(work())

"""What a table has in a store beside its matches."""

from table.room.storage import NewWords
from table.stores.lobby import Lobby
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

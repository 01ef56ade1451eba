"""A store's background tasks after unforeseen errors."""

import asyncio

import pytest

from table.config import default_terms
from table.storage.interface import NewTable
from table.storage.shared.nats.engine import NatsEngine
from table.storage.shared.nats.store_address import parse_address
from table.storage.shared.postgres.engine import PostgresEngine
from table.storage.shared.store import SharedStore
from tests.support.table_stores.memory import MemoryEngine, Shared, in_no_time
from tests.support.table_stores.owners import KEY


class Odd(MemoryEngine):
    """Store whose first answer is an error that contains a secret."""

    odd = False

    async def beat(self):
        await super().beat()
        self._stumble()

    async def append(self, subject, after, data):
        self._stumble()
        return await super().append(subject, after, data)

    def _stumble(self):
        odd, self.odd = self.odd, False
        if odd:
            raise ValueError("secret")


def test_store_is_asked_again_after_any_error(tmp_path, caplog):
    async def work():
        store = SharedStore(engine := Odd(Shared()), "a", KEY, tmp_path)
        await store.start()
        engine.odd = True
        await asyncio.sleep(10)
        assert not engine.odd and store.silent() < 1
        store.close()
        await store.closed()

    in_no_time(work())
    assert "ValueError" in caplog.text and "secret" not in caplog.text


def test_failed_change_is_logged(tmp_path, caplog):
    async def work():
        store = SharedStore(engine := Odd(Shared()), "a", KEY, tmp_path)
        await store.start()
        await asyncio.sleep(0.1)
        engine.odd = True
        store.submit(NewTable(1, default_terms(), b"c" * 32), list, list)
        await asyncio.sleep(0.001)
        assert not engine.odd
        store.close()
        await store.closed()

    in_no_time(work())
    assert "not made" in caplog.text and "ValueError" in caplog.text and "secret" not in caplog.text


class OddNats(NatsEngine):
    """Store whose first read fails with an unforeseen error, and then works."""

    looked = 0

    async def _look(self):
        self.looked += 1
        if self.looked == 1:
            raise ValueError("secret")


class OddPostgres(PostgresEngine):
    looked, _look = 0, OddNats._look


@pytest.mark.parametrize("kind", (OddNats, OddPostgres))
def test_failed_read_stops_appends_until_next_read(kind, caplog):
    async def work():
        engine = kind(parse_address("nats://a") if kind is OddNats else "", "a", 10)
        engine._safe.set()
        checking = asyncio.create_task(engine._check())
        await asyncio.sleep(15)
        assert (engine.looked, engine._safe.is_set()) == (1, False)
        await asyncio.sleep(10)
        assert (engine.looked, engine._safe.is_set()) == (2, True)
        checking.cancel()

    in_no_time(work())
    assert "ValueError" in caplog.text and "secret" not in caplog.text

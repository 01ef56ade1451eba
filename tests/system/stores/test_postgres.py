"""Storage suite over a real database, and databases that are refused."""

import asyncio
from collections import deque
from collections.abc import Callable
from pathlib import Path

import pytest

from protocol.errors import LocalError
from table.storage.shared.backend import StoreBackend
from table.storage.shared.postgres.engine import PostgresEngine
from table.storage.shared.postgres.statements import NAMES
from tests.integration.storage.over_stores import StoreWorld
from tests.integration.storage.suite import SUITE
from tests.support.postgres import database
from tests.support.table_stores.memory import all_late, befallen

pytestmark = pytest.mark.process

EVERYTHING = "SELECT encode(data, 'hex') FROM fairdeal_items"


class FaultyPostgres(PostgresEngine):
    """Engine with faults at appends."""

    def __init__(self, address: str, host: str, befalls: deque[str]) -> None:
        super().__init__(address, host)
        self._befalls = befalls

    async def append(self, subject: str, after: int, data: bytes) -> int:
        return await befallen(
            self._befalls, lambda: super(FaultyPostgres, self).append(subject, after, data)
        )


class PostgresWorld(StoreWorld):
    """A real database, kept from one case to the next."""

    def __init__(self, folder: Path, address: str, read: Callable[[], bytes]) -> None:
        """Connect to a database. `read` returns all contents of its tables."""
        super().__init__(folder)
        self._address, self.contents = address, read  # type: ignore[method-assign]

    def engine(self, name: str) -> StoreBackend:
        return FaultyPostgres(self._address, name, self.befalls)

    async def _end(self) -> None:
        await all_late()
        await super()._end()


async def test_names_of_few_subjects_among_many_are_found_by_index():
    with database() as (address, sql):
        engine = PostgresEngine(address, "one")
        await engine.open()
        try:
            for subject in ("s.b", "s.a", "s-a", "t.a", "s"):
                await engine.append(subject, 0, b"x")
            sql("INSERT INTO fairdeal_ends SELECT 'm.' || n, 1 FROM generate_series(1, 20000) AS n")
            sql("ANALYZE fairdeal_ends")
            assert await engine.names("s.") == ["s.a", "s.b"]
            plan = sql("EXPLAIN " + NAMES.replace("%s", "'{}'").format("s.", "s/"))
            assert any("fairdeal_names" in line for line in plan)
            assert not any("Seq Scan" in line for line in plan)
        finally:
            await engine.close()


async def test_real_database_keeps_store_promises(tmp_path):
    with database() as (address, sql):
        for case in SUITE:
            await PostgresWorld(
                tmp_path, address, lambda: bytes.fromhex("".join(sql(EVERYTHING)))
            ).play(case)
            sql("TRUNCATE fairdeal_ends, fairdeal_items")


async def refused(address):
    with pytest.raises(LocalError) as caught:
        await PostgresEngine(address, "a").open()
    return caught.value.phrase.key


async def test_first_hosts_create_database_tables_together():
    with database() as (address, _):
        engines = [PostgresEngine(address, str(number)) for number in range(6)]
        await asyncio.gather(*(engine.open() for engine in engines))
        for engine in engines:
            await engine.close()


async def test_a_database_that_answers_before_its_disk_is_refused():
    with database() as (address, sql):
        for setting, key in (("synchronous_commit", "commit"), ("fsync", "fsync")):
            sql(f"ALTER SYSTEM SET {setting} = off")
            sql("SELECT pg_reload_conf()")
            while sql(f"SELECT current_setting('{setting}')") != ["off"]:
                await asyncio.sleep(0.01)
            assert await refused(address) == f"wrong.store.{key}"


async def test_missing_database_is_reported():
    assert await refused("postgresql://127.0.0.1:1/nothing") == "wrong.store.database"

"""Rows are removed from the store while hosts run. The hosts report it, and no number gets a second
head.
"""

import asyncio

import pytest

from table.storage.shared.match_subjects import subject_of
from tests.support.postgres_cluster import PostgresCluster
from tests.system.hosts.bots import Crowd
from tests.system.hosts.processes import world

pytestmark = [pytest.mark.process, pytest.mark.timeout(200)]

SECONDS = 150
ENTRIES = 20  # entries that players received before
NEWEST = """
DO $$
DECLARE
    newest bigint;
BEGIN
    SELECT number INTO newest FROM fairdeal_ends WHERE subject = '{0}' FOR UPDATE;  -- so that nothing is appended now
    DELETE FROM fairdeal_items WHERE subject = '{0}' AND number > newest - 3;
    UPDATE fairdeal_ends SET number = newest - 3 WHERE subject = '{0}';
END $$
"""


async def test_rows_removed_while_hosts_run_are_restored_or_hosts_stop(tmp_path):
    async with asyncio.timeout(SECONDS), world(tmp_path, 2, store="postgres") as there:
        assert isinstance(there.cluster, PostgresCluster)
        sql = there.cluster.nodes[0].sql
        crowd = Crowd(tmp_path / "players", there.ways, 0.01)
        playing = asyncio.create_task(crowd.play(1))
        try:
            while not any(len(heads) > ENTRIES for heads in crowd.recorder.sent.values()):
                await asyncio.sleep(0.02)
            crowd.enough.set()
            (match_id,) = crowd.recorder.sent
            await sql(NEWEST.format(subject_of(match_id)))
            await playing  # the players had what the store lacked
        finally:
            playing.cancel()
            await asyncio.gather(playing, return_exceptions=True)
        assert crowd.recorder.wrong == [] and len(crowd.ended) == 1
        assert any("the store has lost what it had acknowledged" in said for said in _said(there))
        await sql("TRUNCATE fairdeal_ends, fairdeal_items")
        while not all("no match goes on: The database has lost" in said for said in _said(there)):
            await asyncio.sleep(0.02)
        assert not any("Traceback" in said for said in _said(there))


def _said(there):
    """Return each host's error output."""
    return [host.errors.read_text() for host in there.hosts]

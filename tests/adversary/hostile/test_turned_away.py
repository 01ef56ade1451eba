"""Newcomers who are turned away hear why, and so does the log, once; others are let in."""

import asyncio
import logging

import pytest

from player.client.connection import connect
from protocol.codes import Code
from protocol.identity.keys import Identity
from protocol.limits import MAX_PER_ADDRESS
from table.manager.server import TableServer
from tests.support.tables import close_all, config, guest
from tests.support.wire_client import WireClient

pytestmark = pytest.mark.slow


class Nobody:
    """Listens to nothing."""

    def established(self, connection, table_key):
        """See `Listener`."""

    def received(self, payload):
        """See `Listener`."""


async def end_of(table: TableServer) -> Code | None:
    """Return the code with which a newcomer's connection ends."""
    rng = table.config.rng
    link = table.link
    made = await connect(link, Identity(rng.randbytes(32)), rng, link.fingerprint, Nobody())
    return await asyncio.wait_for(made.gone, 20)


@pytest.mark.parametrize(
    ("bounds", "code"),
    [
        ({"per_address": 1}, Code.TOO_MANY_HERE),
        ({"arrivals_per_address": (1, 0.001)}, Code.TOO_MANY_HERE),
        ({"connections": 1}, Code.TOO_MANY),
        ({"arrivals": (1, 0.001), "rare_arrivals": (0.5, 0.000001)}, Code.TOO_MANY),
    ],
)
async def test_newcomer_hears_whose_bound_it_is_and_log_once(tmp_path, caplog, bounds, code):
    with caplog.at_level(logging.WARNING):
        async with TableServer(config(tmp_path, bounds=bounds)) as table:
            ann = await guest(table, 1, "Ann")
            assert [await end_of(table) for _ in range(5)] == [code] * 5
            lines = [row for row in caplog.messages if row.startswith("turned away")]
            await close_all(ann)
    assert len(lines) == 1
    last = [row for row in caplog.messages if row.startswith("turned away")][-1]
    assert last.endswith("(4 since the last such line)")
    assert "127.0.0" not in caplog.text


async def test_sixty_fifth_player_behind_one_router_hears_why(tmp_path):
    async with TableServer(config(tmp_path, bounds={"half_open_per_address": 100})) as table:
        crowd = [await WireClient(table.link, 1000 + n).connect() for n in range(MAX_PER_ADDRESS)]
        while len(table.connections) < MAX_PER_ADDRESS:
            await asyncio.sleep(0.01)
        assert await end_of(table) is Code.TOO_MANY_HERE
        await close_all(*crowd)

"""Guests of a relay that flood the relay and the table: the others play on."""

import asyncio
import contextlib
import os

import pytest

from protocol import wire
from protocol.audit.verdict import Verdict, audit
from protocol.identity.address import Address
from tests.support.relays import relayed, stranger
from tests.support.tables import until
from tests.support.wire_client import play_match

OTHER = "127.0.0.2"
FLOOD = 12  # at once; all run in this process


async def flooder(address: Address) -> None:
    """Connect, send junk as fast as it goes, and come again."""
    junk = wire.encode_frame(os.urandom(400))
    while True:
        with contextlib.suppress(Exception):
            async with stranger(address, OTHER) as line:
                while True:
                    await line.send(junk)
                    await asyncio.sleep(0)  # `send` does not wait while there is room
        await asyncio.sleep(0)


async def sitter(address: Address) -> None:
    """Take a place, and say nothing."""
    while True:
        with contextlib.suppress(Exception):
            async with stranger(address, OTHER) as line:
                await line.wait_closed()
        await asyncio.sleep(0)


@pytest.mark.match
@pytest.mark.parametrize("hostile", [flooder, sitter])
async def test_hostile_address_locks_nobody_out(tmp_path, hostile):
    async with relayed(tmp_path) as (relay, table):
        address = table.relay_links[0].addresses[0]
        flood = [asyncio.create_task(hostile(address)) for _ in range(FLOOD)]
        await until(lambda: len(relay.connections) > FLOOD / 2)
        players = await play_match(table.relay_links[0], 2, seconds=60)
        assert audit(players[0].file).verdict is Verdict.CLEAN
        for task in flood:
            task.cancel()
        await asyncio.gather(*flood, return_exceptions=True)
        await until(lambda: len(relay.connections) == 1)

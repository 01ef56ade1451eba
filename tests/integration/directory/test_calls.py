"""A call to an address that was looked up elsewhere: over TCP, and over a WebSocket."""

import asyncio
from dataclasses import replace
from random import Random

import pytest

from player.client.connection import connect
from player.client.public_hosts import find_public_host
from protocol.errors import LocalError
from protocol.identity.address import Address
from protocol.identity.keys import Identity, fingerprint
from table.config import Ways
from table.manager.server import TableServer
from tests.support.errors import raises_text
from tests.support.tables import config


class Listener:
    """Who learns whose table answers."""

    def __init__(self) -> None:
        self.found = asyncio.get_running_loop().create_future()

    def established(self, connection, table_key) -> None:
        self.found.set_result(table_key)
        connection.close()

    def received(self, payload) -> None:
        """Nothing is said."""


@pytest.mark.parametrize("way", ["tcp", "websocket"])
async def test_name_is_called_where_it_was_found(tmp_path, way):
    async def find(address: Address) -> str:
        assert address.host == "table.invalid"
        return "127.0.0.1"

    ways = Ways(web=("127.0.0.1", 0))
    async with TableServer(config(tmp_path, ways=ways)) as table:
        link = table.link if way == "tcp" else table.web_link
        link = replace(link, host="table.invalid")
        listener = Listener()
        identity = Identity(b"i" * 32)
        line = await connect(link, identity, Random(1), link.fingerprint, listener, find=find)
        assert fingerprint(await listener.found) == link.fingerprint
        await line.gone


async def test_table_on_this_machine_is_not_called_from_a_list(tmp_path):
    async with TableServer(config(tmp_path)) as table:
        link = table.link
        with raises_text(LocalError, "no public address"):
            await connect(
                *(link, Identity(b"i" * 32), Random(1), link.fingerprint, Listener()),
                find=find_public_host,
            )
        assert not table.connections

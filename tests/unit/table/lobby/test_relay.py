"""A pipe through a table: a bounded session between two people, which the table neither reads nor
changes.
"""

import asyncio

import pytest

from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.limits import MAX_MESSAGE, PIPE_WINDOW
from protocol.messages.lobby import TRADE
from table.manager.server import TableServer
from tests.support.meeting import Heard, joined, relays
from tests.support.tables import close_all, config, guest, until


async def test_pipe_connects_two_people_with_known_keys(tmp_path):
    async with asyncio.timeout(120), TableServer(config(tmp_path)) as table:
        ann, bob = await relays(table.link, 1, 2)
        (to_bob, at_ann), (to_ann, at_bob) = await joined(ann, bob)
        assert at_ann.peer == bob.environment.identity.public
        assert at_bob.peer == ann.environment.identity.public
        to_bob.send(b"one")
        to_ann.send(b"two")
        assert await at_bob.until(1) == [b"one"]
        assert await at_ann.until(1) == [b"two"]
        to_bob.close()
        assert await to_ann.gone is None
        assert await to_bob.gone is None
        await until(lambda: not len(table.manager.chat.pipes))
        again = await joined(ann, bob)
        again[0][0].send(b"three")
        assert await again[1][1].until(1) == [b"three"]
        ann.close()
        bob.close()


async def test_pipe_data_above_window_arrives_in_order(tmp_path):
    fast = {"pipe_bytes": (1e9, 1e9), "pipe_bytes_in_all": (1e9, 1e9)}
    async with asyncio.timeout(120), TableServer(config(tmp_path, bounds=fast)) as table:
        ann, bob = await relays(table.link, 1, 2)
        (to_bob, _), (_, at_bob) = await joined(ann, bob)
        pieces = [
            bytes([number]) * MAX_MESSAGE for number in range(4 * PIPE_WINDOW // MAX_MESSAGE + 2)
        ]
        for piece in pieces:
            to_bob.send(piece)
        assert await at_bob.until(len(pieces)) == pieces
        ann.close()
        bob.close()


async def test_pipe_requires_consent_of_both(tmp_path):
    async with (
        asyncio.timeout(120),
        TableServer(config(tmp_path, bounds={"pipe_ask_seconds": 0.05})) as table,
    ):
        ann, bob = await relays(table.link, 1, 2)
        with pytest.raises(RemoteError) as refused:
            await ann.pipes.open(bob.environment.identity.public, TRADE, Heard())
        assert refused.value.code is Code.TOO_SLOW
        async with await guest(table, 3, "Cleo") as cleo:
            await cleo.send("send", bob.environment.identity.public, TRADE, b"unasked")
            await cleo.send("list")
            await cleo.expect("tables")  # the message was dropped
        assert not bob.pipes._standing
        ann.close()
        bob.close()


async def test_leaving_client_closes_pipes_for_peer(tmp_path):
    async with asyncio.timeout(120), TableServer(config(tmp_path)) as table:
        ann, bob = await relays(table.link, 1, 2)
        (_, _), (to_ann, _) = await joined(ann, bob)
        ann.close()
        assert await to_ann.gone is Code.CUT_OFF
        bob.close()
        await close_all()

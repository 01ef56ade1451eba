"""Address at which a connection is accepted and nothing answers."""

import asyncio
from random import Random

from player.cli.table_visits import play_at
from player.client.environment import Environment
from player.client.seat import Seat
from player.client.table_client import Plan
from player.ui.terminal.plain_screen import PlainScreen
from protocol.identity.keys import Identity, JoinLink


async def test_person_hears_that_nobody_has_answered_yet(tmp_path):
    heard, gone = asyncio.Event(), asyncio.Event()
    written = []

    def write(text: str) -> None:
        written.append(text)
        heard.set()

    async def wait(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while await reader.read(4096):
            pass
        writer.close()
        gone.set()

    server = await asyncio.start_server(wait, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        screen = PlainScreen({}, write=write)
        environment = Environment(Identity(b"z" * 32), Random(3), Seat, None, screen.hear)
        link = JoinLink.parse(f"fairdeal://127.0.0.1:{port}")
        visit = asyncio.create_task(play_at(link, environment, Plan("Zoe"), tmp_path, screen))
        await asyncio.wait_for(heard.wait(), 10)
        assert "".join(written).startswith(f"Nobody has answered at 127.0.0.1:{port} yet.")
        assert not visit.done()
        visit.cancel()
        await asyncio.wait({visit})
        await asyncio.wait_for(gone.wait(), 10)

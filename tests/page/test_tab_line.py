"""The way of a tab to a table (`web.tab.websocket`), in a real browser."""

import asyncio
from pathlib import Path

import pytest
from playwright.async_api import Browser
from websockets.asyncio.server import ServerConnection, serve

from tests.page.tab_storage import StorageTab, build_storage_page
from tests.page.tabs import web_server
from tests.support.ports import closed_port

pytestmark = pytest.mark.slow
CALL = """
from random import Random
import fairdeal_storage
from protocol.identity.keys import Identity, JoinLink
from web.tab.websocket import TabConnect
class Hearing:
    def established(self, connection, key): pass
    def received(self, payload): pass
call = TabConnect(fairdeal_storage, print)
connection = await call(JoinLink.parse("{link}"), Identity(bytes(32)), Random(1), None, Hearing())
connection.cut()
"""


async def test_call_of_a_link_goes_on_to_its_next_host(browser: Browser, tmp_path: Path) -> None:
    frames: asyncio.Queue[bytes | str] = asyncio.Queue()

    async def answer(connection: ServerConnection) -> None:
        async for frame in connection:
            frames.put_nowait(frame)

    build_storage_page(tmp_path)
    context = await browser.new_context()
    async with web_server(tmp_path) as site, serve(answer, "127.0.0.1", 0) as server:
        living = next(iter(server.sockets)).getsockname()[1]
        hosts = f"127.0.0.1:{closed_port()},127.0.0.1:{living}"
        tab = await StorageTab.open(await context.new_page(), site, archives=["program.zip"])
        await tab.call("take")
        await tab.python(CALL.format(link=f"fairdeal+ws://{hosts}/{'abcd' * 10}"))
        async with asyncio.timeout(60):
            assert await frames.get()
    await context.close()

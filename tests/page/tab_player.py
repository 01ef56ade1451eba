"""The player of a tab as a program for the conformance kit: `python -P -m tests.page.tab_player PAGE LINK
DATA`.

PAGE is the folder of the page, LINK the kit's, and DATA the folder where the browser keeps its files. A
browser shows the page, and is clicked through a match. It calls by WebSocket and the kit answers by
TCP, so all lines go through a bridge, which makes a message of each frame.
"""

import argparse
import asyncio
from contextlib import AsyncExitStack, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

from playwright.async_api import Page
from starlette.applications import Starlette
from starlette.staticfiles import StaticFiles
from websockets.asyncio.server import ServerConnection
from websockets.asyncio.server import serve as serve_websocket
from websockets.exceptions import ConnectionClosed

from net.http.server import ServerBounds, open_listener, serve
from protocol import wire
from protocol.identity.keys import JoinLink
from protocol.limits import MAX_FRAME
from tests.page.browser import find_chromium
from tests.page.tab_storage import browser_process
from tests.page.tabs import sit_down
from tests.page.test_playing import play_out
from tests.support.ports import free_port

PATIENCE = 240_000  # milliseconds
PORT = "port"  # file with the page's port: what a browser stores belongs to an address


async def bridge(port: int, caller: ServerConnection) -> None:
    """Pass a line on to a port of this machine."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)

    async def out() -> None:
        async for message in caller:
            writer.write(message if isinstance(message, bytes) else message.encode())
        writer.close()

    sending = asyncio.create_task(out())
    waiting = b""
    with suppress(ConnectionClosed, ConnectionError):
        while data := await reader.read(65536):
            waiting += data
            while len(waiting) >= wire.FRAME_HEADER:
                size = wire.frame_size(waiting)
                if size <= wire.FRAME_HEADER + MAX_FRAME and len(waiting) < size:
                    break  # the rest of a frame is still to come
                await caller.send(waiting[:size])
                waiting = waiting[size:]
    await caller.close()
    sending.cancel()


async def play(page: Page) -> None:
    """Sit down and play, again and again: the kit kills the program."""
    page.set_default_timeout(PATIENCE)
    begun = page.locator("#root h1").or_(page.locator(".match")).first
    if await page.locator("#name").is_enabled():
        await page.fill("#name", "Ann")
        await page.keyboard.press("Enter")
    await begun.wait_for()
    if not await page.locator(".match").count():
        await sit_down(page)
    await play_out(page)
    await page.get_by_role("button", name="Close").first.click()
    await asyncio.Event().wait()


async def main(folder: Path, link: JoinLink, data: Path) -> None:
    """Run server, bridges and browser until the program is killed."""
    kept = data / PORT
    port = int(kept.read_text()) if kept.exists() else free_port()
    kept.write_text(str(port))
    (data / "browser").mkdir(exist_ok=True)
    app = Starlette()
    app.mount("/", StaticFiles(directory=folder, html=True))
    async with AsyncExitStack() as stack:
        listener = open_listener(port)
        await stack.enter_async_context(serve(app, listener, (), ServerBounds(goodbye=0)))
        hosts = []
        for address in link.addresses:
            server = serve_websocket(
                partial(bridge, address.port), "127.0.0.1", 0, compression=None, max_size=None
            )
            sockets = (await stack.enter_async_context(server)).sockets
            hosts.append(("127.0.0.1", int(next(iter(sockets)).getsockname()[1])))
        (host, first), *others = hosts
        web = replace(link, host=host, port=first, other_hosts=tuple(others), web_scheme="ws")
        browser, _ = await stack.enter_async_context(
            browser_process(find_chromium(), data / "browser", new_session=False)
        )
        page = await browser.contexts[0].new_page()
        await page.goto(f"http://127.0.0.1:{port}/#{web}")
        await play(page)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("page", type=Path)
    parser.add_argument("link", type=JoinLink.parse)
    parser.add_argument("data", type=Path)
    asked = parser.parse_args()
    asyncio.run(main(asked.page, asked.link, asked.data))

"""A table sends a tab one huge message: the tab hangs up, and makes no copy of it."""

import asyncio
import shutil
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed

from net.http.server import ServerBounds, open_listener
from net.http.server import serve as serve_http
from tests.page.tab_storage import WAIT_SECONDS
from tests.page.tabs import built_page, open_tab
from tests.page.visits import Visits

pytestmark = pytest.mark.slow
HUGE = 100_000_000  # bytes
NOT_A_FRAME = 3007  # the code with which a tab hangs up
# Tells the test if something of that size is copied into the program's memory after the call.
STORAGE = f"""const set = Uint8Array.prototype.set;
globalThis.WebSocket = class extends WebSocket {{
  constructor(...given) {{
    super(...given);
    Uint8Array.prototype.set = function (from, ...place) {{
      if (from.length >= {HUGE}) fetch("copied", {{ method: "POST" }});
      return set.call(this, from, ...place);
    }};
  }}
}};
export async function openStorage(python) {{
  python.FS.mkdirTree("/data");
  return {{ dirty: () => false, flush: async () => undefined }};
}}
"""


async def test_huge_message_is_dropped_without_a_copy(visits: Visits, tmp_path: Path) -> None:
    shutil.copytree(built_page(), tmp_path / "page")
    (tmp_path / "page" / "storage.js").write_text(STORAGE)
    copied = asyncio.Event()
    codes: asyncio.Queue[int | None] = asyncio.Queue()

    async def copy(request: Request) -> Response:
        copied.set()
        return Response(status_code=204)

    async def table(connection: ServerConnection) -> None:
        await connection.recv()
        try:
            await connection.send((HUGE - 4).to_bytes(4, "big") + bytes(HUGE - 4))
            await connection.recv()
        except ConnectionClosed:
            codes.put_nowait(connection.close_code)

    files = StaticFiles(directory=tmp_path / "page", html=True)
    app = Starlette(routes=[Route("/copied", copy, methods=["POST"]), Mount("/", files)])
    listener = open_listener()
    async with (
        serve(table, "127.0.0.1", 0, compression=None) as server,
        serve_http(app, listener, (), ServerBounds(goodbye=0)),
    ):
        port = next(iter(server.sockets)).getsockname()[1]
        link = f"fairdeal+ws://127.0.0.1:{port}/fairdeal/{'abcd' * 10}"
        page = await open_tab(visits, f"http://127.0.0.1:{listener.getsockname()[1]}/", link)
        async with asyncio.timeout(WAIT_SECONDS):
            assert await codes.get() == NOT_A_FRAME
        # the tab goes on: it says what is wrong, and answers
        await page.locator("#root").get_by_role("heading").first.wait_for()
        await page.close()
    assert not copied.is_set()

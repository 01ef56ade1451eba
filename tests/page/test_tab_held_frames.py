"""Frames of a tab wait for its storage: nothing leaves before all files of its moment are stored, and
nothing at all after the storage has failed.
"""

import asyncio
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from websockets.asyncio.server import ServerConnection, serve

from net.http.server import ServerBounds, open_listener
from net.http.server import serve as serve_http
from tests.page.tab_storage import WAIT_SECONDS
from tests.page.tabs import built_page, open_tab
from tests.page.visits import Visits

pytestmark = pytest.mark.slow
# Files are never stored but with the leave of the test. A frame that does not wait for it is dropped,
# and the test is told.
STORAGE = """let stored = false;
const send = WebSocket.prototype.send;
WebSocket.prototype.send = function (...given) {
  if (stored) return send.apply(this, given);
  fetch("early", { method: "POST" });
};
export async function openStorage(python) {
  python.FS.mkdirTree("/data");
  const flush = async () => {
    const { ok } = await fetch("leave", { method: "POST" }); // a browser asks only one GET at a time
    if (!ok) throw Object.assign(new Error("taken over"), { name: "TakenOver" });
    stored = true;
  };
  return { dirty: () => true, flush };
}
"""


@dataclass
class Gate:
    """Storage and table of a test. `status` answers a question for leave, once `open` is set."""

    status: int = 204
    times: int = 0  # that leave has been asked for
    # leave has been asked for after the call
    asked: asyncio.Event = field(default_factory=asyncio.Event)
    early: asyncio.Event = field(default_factory=asyncio.Event)  # a frame has not waited
    open: asyncio.Event = field(default_factory=asyncio.Event)
    called: asyncio.Event = field(default_factory=asyncio.Event)  # the tab has called the table
    frames: "asyncio.Queue[bytes | str]" = field(default_factory=asyncio.Queue)

    async def leave(self, request: Request) -> Response:
        """Answer when the test wants it."""
        self.times += 1
        if self.called.is_set():
            self.asked.set()
        await self.open.wait()
        return Response(status_code=self.status)

    async def complain(self, request: Request) -> Response:
        """Note that a frame has not waited."""
        self.early.set()
        return Response(status_code=204)

    async def table(self, connection: ServerConnection) -> None:
        """Take in frames, and answer nothing."""
        self.called.set()
        async for frame in connection:
            self.frames.put_nowait(frame)


@asynccontextmanager
async def gated(folder: Path, gate: Gate) -> AsyncIterator[tuple[str, str]]:
    """Serve the page with such a storage. Yield its address, and a link."""
    shutil.copytree(built_page(), folder)
    (folder / "storage.js").write_text(STORAGE)
    files = StaticFiles(directory=folder, html=True)
    leave = Route("/leave", gate.leave, methods=["POST"])
    early = Route("/early", gate.complain, methods=["POST"])
    app = Starlette(routes=[leave, early, Mount("/", files)])
    listener = open_listener()
    async with (
        serve(gate.table, "127.0.0.1", 0) as server,
        serve_http(app, listener, (), ServerBounds(goodbye=0)),
    ):
        port = next(iter(server.sockets)).getsockname()[1]
        site = f"http://127.0.0.1:{listener.getsockname()[1]}/"
        try:
            yield site, f"fairdeal+ws://127.0.0.1:{port}/fairdeal/{'abcd' * 10}"
        finally:
            gate.open.set()


async def held_frame(gate: Gate) -> "asyncio.Task[bytes | str]":
    """Wait until the line asks for leave, before it sends any frame. Return the first frame to come."""
    frame = asyncio.create_task(gate.frames.get())
    asked = asyncio.create_task(gate.asked.wait())
    early = asyncio.create_task(gate.early.wait())
    await asyncio.wait([frame, asked, early], return_when=asyncio.FIRST_COMPLETED)
    assert asked.done() and not (frame.done() or early.done())
    early.cancel()
    return frame


async def test_frame_leaves_only_when_the_files_are_stored(visits: Visits, tmp_path: Path) -> None:
    gate = Gate()
    async with gated(tmp_path / "page", gate) as (site, link):
        page = await open_tab(visits, site, link)
        frame = await held_frame(gate)
        gate.open.set()
        assert await frame and not gate.early.is_set()
        await page.close()


async def test_answer_to_the_page_waits_for_the_storage(visits: Visits, tmp_path: Path) -> None:
    gate = Gate()
    async with gated(tmp_path / "page", gate) as (site, _):
        page = await open_tab(visits, site)
        await page.locator("#entry").wait_for(state="detached", timeout=WAIT_SECONDS * 1000)
        async with asyncio.timeout(WAIT_SECONDS):
            while gate.times < 2:  # for the answer, and for the files
                await asyncio.sleep(0.02)
        assert not await page.inner_text("#root")
        gate.open.set()
        await page.locator("#root").get_by_role("heading").first.wait_for()
        await page.close()


async def test_no_frame_leaves_after_the_storage_has_failed(visits: Visits, tmp_path: Path) -> None:
    gate = Gate(status=409)
    async with gated(tmp_path / "page", gate) as (site, link):
        page = await open_tab(visits, site, link)
        frame = await held_frame(gate)
        gate.open.set()
        await page.get_by_text("Another tab or window plays with your key now").wait_for()
        await page.close()
        assert not (frame.done() or gate.early.is_set())
        frame.cancel()
    visits.complaints = [line for line in visits.complaints if "409" not in line]

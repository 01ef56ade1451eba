"""The page over a MessagePort instead of HTTP, as it will run beside a program in a worker."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import repeat
from pathlib import Path
from random import Random
from typing import Any

import pytest
from playwright.async_api import Page
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from net.http.server import ServerBounds, open_listener, serve
from player.cli.table_visits import play_matches
from player.client.environment import Environment
from player.client.seat import Seat
from player.client.table_client import Plan
from player.ui.web.bundle import bundle, static
from player.ui.web.http.access import HEADERS
from player.ui.web.http.assets import KINDS, MATCH
from player.ui.web.page_messages import PageMessages
from player.ui.web.page_port import PagePort
from player.ui.web.page_screen import PageScreen
from protocol.audit.verdict import Verdict, audit
from protocol.games.registry import BUILT_IN
from protocol.i18n import english, labels
from table.manager.server import TableServer
from tests.page.program import ZOE, browsing
from tests.page.snapshots import shot
from tests.page.test_playing import MINE, play_out
from tests.page.visits import Visits
from tests.support.fake_table import FakeTable, listening
from tests.support.tables import config

FIRST = "stage.js"
# the other end of the channel is the test's; files cross to Python as `{"bytes": [...]}`
STAGE = {
    FIRST: 'import * as way from "./way.js";\nimport * as page from "./main.js";\n',
    "way.js": """import { usePort } from "./net.js";
const { port1, port2 } = new MessageChannel();
usePort(port1);
const plain = (key, value) => (value instanceof ArrayBuffer ? { bytes: [...new Uint8Array(value)] } : value);
const whole = (key, value) => (value?.bytes ? Uint8Array.from(value.bytes).buffer : value);
port2.addEventListener("message", ({ data }) => receive(JSON.stringify(data, plain)));
port2.start();
globalThis.postText = (text) => port2.postMessage(JSON.parse(text, whole));
""",
}


@asynccontextmanager
async def page_files() -> AsyncIterator[str]:
    """Serve the files of the page, and nothing else. Yield the address."""
    texts = {
        "": static("index.html"),
        "all.js": bundle(FIRST, lambda path: STAGE.get(path) or static(path)),
        "all.css": "".join(map(static, MATCH.styles)),
        "icon.svg": static("icon.svg"),
    }

    async def file(request: Request) -> Response:
        name = request.path_params.get("name", "")
        return Response(texts[name], media_type=KINDS[name.rpartition(".")[2] or "html"])

    listener = open_listener()
    routes = [Route("/", file), Route("/static/{name}", file)]
    async with serve(Starlette(routes=routes), listener, HEADERS, ServerBounds(goodbye=0)):
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/"


async def opened(visits: Visits, url: str, receive: Callable[[str], Any]) -> Page:
    """Open the page. `receive` gets what the page posts, as JSON."""
    page = await visits.open()
    await page.expose_function("receive", receive)
    await page.goto(url)
    return page


async def test_page_at_port_with_scripted_end_plays_one_move(visits: Visits):
    shown = shot("drawing")
    heard: asyncio.Queue[dict[str, Any]] = asyncio.Queue()

    async def post(**message: Any) -> None:
        await page.evaluate("text => postText(text)", json.dumps(message))

    async with asyncio.timeout(240), page_files() as url:
        page = await opened(visits, url, lambda text: heard.put_nowait(json.loads(text)))
        session = await heard.get()
        assert (session["name"], session["fields"]) == ("session", {"languages": "en-GB"})
        words = labels("en", area="page")
        await post(id=session["id"], value={"mode": "play", "language": "en", "labels": words})
        assert await heard.get() == {"subscribe": None}
        await post(event="snapshot", data=shown, mark="x-1-0")
        assert await heard.get() == {"read": "x-1-0"}
        await page.locator(MINE).first.click()
        choice = await heard.get()
        assert choice["name"] == "do" and choice["fields"]["serial"] == shown["serial"]
        offers = {offer["id"] for offer in shown["view"]["offers"]}
        assert choice["fields"]["offer"] in offers
        newest = shown | {"serial": shown["serial"] + 1, "status": "It is another's turn."}
        newest["view"] = shown["view"] | {"offers": []}
        refusal = {"code": "stale", "error": "Look again.", "snapshot": newest}
        await post(id=choice["id"], refusal=refusal)
        await page.wait_for_selector(".status:has-text('It is another')")
        await page.wait_for_selector(":text('Look again.')")
        assert await page.locator(MINE).count() == 0
        await post(event="ended", data={}, mark="x-1-1")
        await page.wait_for_selector("#program:has-text('has ended')")


@dataclass
class Bridge:
    """Page whose port leads to the program in this process."""

    page: Page
    asked: list[str]  # names of the page's requests
    http: list[str]  # addresses that the page has asked for since it was opened


@asynccontextmanager
async def bridged(visits: Visits, screen: PageScreen) -> AsyncIterator[Bridge]:
    """Open a page on this screen, without a server behind it."""
    sending: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
    port = PagePort(PageMessages(screen, BUILT_IN), sending.put_nowait)
    asked: list[str] = []

    def receive(text: str) -> None:
        message = json.loads(text, object_hook=with_bytes)
        asked.append(message.get("name", ""))
        port.receive(message)

    async def send(page: Page) -> None:
        while True:
            text = json.dumps(await sending.get(), default=lambda data: {"bytes": list(data)})
            await page.evaluate("text => postText(text)", text)

    async with asyncio.timeout(240), page_files() as url:
        page = await opened(visits, url, receive)
        bridge = Bridge(page, asked, [])
        page.on("request", lambda request: bridge.http.append(request.url))
        posting = asyncio.create_task(send(page))
        try:
            yield bridge
        finally:
            posting.cancel()
            port.close()


def with_bytes(value: dict[str, Any]) -> Any:
    """Return the bytes that are written as `{"bytes": [...]}`."""
    return bytes(value["bytes"]) if value.keys() == {"bytes"} else value


@pytest.mark.match
async def test_page_at_port_plays_a_match_without_http(visits: Visits, tmp_path: Path):
    log = tmp_path / "match.fairdeal"
    screen = PageScreen({}, english)
    environment = Environment(ZOE, Random(3), Seat, None, screen.hear)
    table = FakeTable(2, options={"target": 30})
    async with listening(table) as link, bridged(visits, screen) as bridge:
        page = bridge.page
        plans = repeat(Plan("Zoe", log=log))
        matches = asyncio.create_task(play_matches(link, environment, plans, tmp_path, screen))
        await play_out(page)
        assert "clean" in await page.inner_text(".badge")
        theirs = {"name": "x", "mimeType": "application/octet-stream", "buffer": log.read_bytes()}
        await page.click(".badge")
        await page.get_by_label("Compare with").set_input_files(theirs)
        await page.get_by_role("dialog").get_by_text("both copies").wait_for()
        async with page.expect_download() as saved:
            await page.get_by_role("button", name="Save the log").click()
        download = await saved.value
        assert download.suggested_filename == log.name
        assert Path(await download.path()).read_bytes() == log.read_bytes()
        assert {"session", "do", "compare", "log"} <= set(bridge.asked)
        assert not any("/api/" in address for address in bridge.http)
        await page.keyboard.press("Escape")
        await page.locator(".end button:not(.primary)").first.click()
        await matches
    assert audit(log.read_bytes()).verdict is Verdict.CLEAN


@pytest.mark.match
async def test_page_at_port_opens_a_table_in_the_lobby(visits: Visits, tmp_path: Path):
    screen = PageScreen({}, english)
    async with (
        TableServer(config(tmp_path / "table")) as table,
        bridged(visits, screen) as bridge,
    ):
        page = bridge.page
        playing = asyncio.create_task(browsing(tmp_path, screen, 0.05).play(table.link))
        await page.locator("summary", has_text="Open a table").click()
        await page.locator("summary", has_text="More choices").click()
        await page.get_by_label("points needed to win").fill("5")
        await page.get_by_label("points needed to win").press("Enter")
        await page.wait_for_selector("h1:has-text('Waiting for others')")
        assert dict(table.lobby.tables["table-1"].terms.game.options) == {"target": 5}
        await page.locator("summary", has_text="Invite").click()
        await page.wait_for_selector(".qr")
        await page.get_by_role("button", name="Leave").click()
        await page.wait_for_selector("h1:has-text('Tables')")
        assert {"lobby", "invitation", "leave"} <= set(bridge.asked)
        assert not any("/api/" in address for address in bridge.http)
        screen.stop()
        await playing

"""A page's server in the test's own process: the screen, a match, and requests as bytes."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import repeat
from pathlib import Path
from random import Random
from typing import Any

from net.http.server import ServerBounds
from player.cli.table_visits import play_matches
from player.client.environment import Environment
from player.client.loadouts import NO_OWNED_CARDS, Loadouts
from player.client.seat import Seat
from player.client.table_client import Plan
from player.ui.web.browser import Links
from player.ui.web.match_page import PageOptions, serve_screen
from player.ui.web.match_talk import MatchTalk
from player.ui.web.page_screen import PageScreen
from protocol.games.registry import BUILT_IN
from protocol.i18n import english
from protocol.identity.keys import Identity
from tests.support.fake_table import FakeTable, listening

ME = Identity(b"m" * 32)
PATIENT = ServerBounds(
    goodbye=60
    # seconds for pages on a busy machine to learn of the end; a page that has learnt of it is not
    # waited for
)


@dataclass
class Answer:
    """Answer of the server."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """Parse the body as JSON."""
        return json.loads(self.body)


@dataclass
class Served:
    """A screen with its server."""

    screen: PageScreen
    links: Links
    port: int
    came_back: bool = False  # pages of an earlier run may reconnect
    token: str = field(default="", repr=False)

    @property
    def ticket(self) -> str:
        """Return a new ticket."""
        return self.links.new().rpartition("=")[2]

    async def enter(self) -> Any:
        """Exchange a ticket for a token, and use it in all further requests. Return the answer."""
        answer = await self.post("session", {"ticket": self.ticket})
        self.token = answer.json["token"]
        return answer.json

    async def post(self, name: str, body: Any = None, **headers: str) -> Answer:
        """Send a POST of JSON, or of bytes as they are."""
        raw = body if isinstance(body, bytes) else json.dumps(body or {}).encode()
        return await self.request(f"POST /api/{name}", raw, **headers)

    async def get(self, name: str, **headers: str) -> Answer:
        """Send a GET."""
        return await self.request(f"GET /api/{name}", b"", **headers)

    async def request(self, what: str, body: bytes = b"", **headers: str) -> Answer:
        """Send a request as our page makes it, with `headers` changed. An empty value removes a
        header.
        """
        usual = {
            "host": f"127.0.0.1:{self.port}",
            "authorization": f"Bearer {self.token}" if self.token else "",
        }
        sent = usual | {"content-length": str(len(body)), "connection": "close"}
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        lines = [
            f"{what} HTTP/1.1",
            *(f"{name}: {value}" for name, value in sent.items() if value),
            "",
            "",
        ]
        return await self.raw("\r\n".join(lines).encode() + body)

    async def raw(self, request: bytes) -> Answer:
        """Send these bytes, and return the answer up to the end of the connection."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        try:
            writer.write(request)
            return parsed(await reader.read())
        finally:
            writer.close()

    @asynccontextmanager
    async def stream(self, last: str = "") -> AsyncIterator["Events"]:
        """Open the event stream as a page whose last event was `last`."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        more = f"last-event-id: {last}\r\n" if last else ""
        request = (
            f"GET /api/events HTTP/1.1\r\nhost: 127.0.0.1:{self.port}\r\nauthorization: Bearer "
            f"{self.token}\r\n"
        )
        writer.write(f"{request}{more}\r\n".encode())
        try:
            assert b"200" in await reader.readline()
            yield Events(reader)
        finally:
            writer.close()


@dataclass
class Events:
    """Events of a stream, in order."""

    reader: asyncio.StreamReader
    last: str = ""
    heard: list[tuple[str, Any]] = field(default_factory=list)

    async def next(self) -> tuple[str, Any]:
        """Return the name and the data of the next event."""
        found: dict[str, str] = {}
        while "data" not in found:
            line = (await self.reader.readuntil(b"\n")).decode().rstrip("\r\n")
            name, colon, rest = line.partition(": ")
            if colon and name in ("id", "event", "data"):
                found[name] = rest
        self.last = found["id"]
        self.heard.append((found["event"], json.loads(found["data"])))
        return self.heard[-1]

    async def until(self, wanted: Any) -> Any:
        """Skip to the first event with this name, or the first matching snapshot. Return its
        data.
        """
        while True:
            name, told = await self.next()
            if name == wanted or (callable(wanted) and name == "snapshot" and wanted(told)):
                return told


def parsed(raw: bytes) -> Answer:
    """Parse an answer."""
    head, _, body = raw.partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
    return Answer(int(first.split()[1]), headers, body)


@asynccontextmanager
async def serving(
    data: Path, bounds: ServerBounds = PATIENT, talk: MatchTalk | None = None, **options: Any
) -> AsyncIterator[Served]:
    """Serve a screen without a match. `talk`: what was said in matches before."""
    screen = PageScreen({}, english, talk=talk)
    made = PageOptions(BUILT_IN, data, bounds=bounds, **options)
    async with asyncio.timeout(240), serve_screen(made, screen) as (links, back):
        port = (
            int(links.new().partition("/#")[0].rpartition(":")[2]) if "name" not in options else 0
        )
        try:
            yield Served(screen, links, port, back)
        finally:
            screen.news.end()


@asynccontextmanager
async def playing(
    table: FakeTable,
    data: Path,
    name: str = "Zoe",
    loadouts: Loadouts = NO_OWNED_CARDS,
    talk: MatchTalk | None = None,
) -> AsyncIterator[tuple[Served, Path]]:
    """Serve a match at this table on a page, for a person with this name. Yield it with the path of
    its log.
    """
    log = data / "match.fairdeal"
    async with serving(data, talk=talk) as page, listening(table) as link:
        environment = Environment(ME, Random(3), Seat, None, page.screen.hear, loadouts=loadouts)
        plans = repeat(Plan(name, log=log))
        matches = asyncio.create_task(play_matches(link, environment, plans, data, page.screen))
        try:
            yield page, log
        finally:
            page.screen.stop()
            await matches

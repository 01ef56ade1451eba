"""Tabs among each other: they meet in the lobby, talk, open tables, watch, play again, and come back
after a lost line.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.async_api import Page

from protocol.identity.keys import JoinLink
from tests.page.tabs import bots, built_page, open_tab, sit_down, table, web_server
from tests.page.test_app_tables import say, take_all
from tests.page.test_playing import choose, play_out
from tests.page.visits import PHONE, Visits, sideways, violations
from tests.support.ports import closed_port

pytestmark = [pytest.mark.match, pytest.mark.process, pytest.mark.slow]
NIM = ("--game", "nim")
DOMINOES = ("--game", "block-dominoes", "--option", "target=30")


async def meet(page: Page) -> None:
    """Be seen by the others in the lobby."""
    await page.get_by_role("button", name="Meet the people here").click()


async def test_two_tabs_play_twice_while_a_third_watches(visits: Visits, tmp_path: Path) -> None:
    async with (
        web_server(built_page()) as site,
        table(tmp_path / "table", site, *NIM) as link,
    ):
        ann = await open_tab(visits, site, link)
        bob = await open_tab(visits, site, link, "Bob", size=PHONE)
        cleo = await open_tab(visits, site, link, "Cleo")
        await meet(ann)
        await meet(bob)
        await bob.wait_for_selector(".company li:has-text('Ann')")
        await say(bob, "hello <b>Ann</b>")
        await ann.wait_for_selector(".talk:has-text('Bob: hello <b>Ann</b>')")
        # a table of Ann's own
        await ann.locator("summary", has_text="Other tables").click()
        await ann.locator("summary", has_text="Open a table").click()
        await ann.get_by_label("Game", exact=True).select_option("matches")
        await ann.get_by_role("button", name="Open it and sit down").click()
        await ann.wait_for_selector("h1:has-text('Waiting for others')")
        await ann.locator(".company").get_by_role("button", name="Invite").click()
        await bob.wait_for_selector(".calls:has-text('Ann')")
        await bob.locator(".calls").get_by_role("button", name="Go there").click()
        await bob.wait_for_selector(".match")
        await cleo.locator(".tables").get_by_role("button", name="Watch").first.click()
        await cleo.wait_for_selector(".match")
        await take_all(ann, bob)
        await cleo.wait_for_selector(".end:not([hidden])")
        assert (await violations(ann), await sideways(bob)) == ([], "")
        await ann.get_by_role("button", name="Play again").click()
        await bob.wait_for_selector(".summons .calls:has-text('invites you to')")
        await bob.get_by_role("button", name="Play again").click()
        await ann.wait_for_selector(".match .end[hidden]", state="attached")
        await take_all(ann, bob)
        await bob.get_by_role("button", name="Back to the table").click()
        await bob.wait_for_selector("h1:has-text('Tables')")
        for page in (ann, bob, cleo):
            await page.close()  # before the table ends, which they would call again


class Line:
    """A line that can be cut: a port that passes bytes on to another one."""

    def __init__(self, port: int) -> None:
        self._port = port
        # both ends of each connection, by the task that passes it on
        self._connections: dict[asyncio.Task[None], list[asyncio.StreamWriter]] = {}
        self.called = 0  # how often somebody has called
        self.open = 0  # connections
        self.sent = 0  # bytes of the callers
        self.answers = asyncio.Event()  # clear: what the table sends is held back
        self.answers.set()

    async def _pass(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, counts: bool
    ) -> None:
        while data := await reader.read(65536):
            self.sent += len(data) * counts
            if not counts:
                await self.answers.wait()
            writer.write(data)
        writer.close()

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Pass a connection on, in both directions."""
        task = asyncio.current_task()
        assert task is not None
        self._connections[task] = [writer]
        self.called += 1
        try:
            await self._connect(reader, writer, self._connections[task])
        except ConnectionRefusedError:
            pass  # the table is down
        finally:
            for each in self._connections.pop(task):
                each.close()

    async def _connect(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        ends: list[asyncio.StreamWriter],
    ) -> None:
        there, back = await asyncio.open_connection("127.0.0.1", self._port)
        ends.append(back)
        self.open += 1
        try:
            await asyncio.gather(
                self._pass(reader, back, counts=True),
                self._pass(there, writer, counts=False),
                return_exceptions=True,
            )
        finally:
            self.open -= 1

    def cut(self) -> None:
        """Cut all connections."""
        for ends in self._connections.values():
            for writer in ends:
                writer.transport.abort()

    async def end(self) -> None:
        """Cut all connections, and wait until nothing of them is left."""
        self.answers.set()
        self.cut()
        await asyncio.gather(*self._connections, return_exceptions=True)


@asynccontextmanager
async def through_a_line(link: str) -> AsyncIterator[tuple[str, Line]]:
    """Yield a link that leads to the same table over a line, and the line."""
    parsed = JoinLink.parse(link)
    line = Line(parsed.port)
    server = await asyncio.start_server(line.answer, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    try:
        yield str(replace(parsed, port=port)), line
    finally:
        server.close()
        await line.end()


async def test_tab_calls_the_next_host_of_a_link(visits: Visits, tmp_path: Path) -> None:
    async with (
        web_server(built_page()) as site,
        table(tmp_path / "table", site, *NIM) as link,
    ):
        parsed = JoinLink.parse(link)
        living = ((parsed.host, parsed.port),)
        page = await open_tab(
            visits, site, str(replace(parsed, port=closed_port(), other_hosts=living))
        )
        await sit_down(page)
        await page.wait_for_selector("h1:has-text('Waiting for others')")
        await page.close()
    visits.complaints = [line for line in visits.complaints if "ERR_CONNECTION" not in line]


async def test_tab_comes_back_after_its_line_is_lost_in_a_match(
    visits: Visits, tmp_path: Path
) -> None:
    async with (
        web_server(built_page()) as site,
        table(tmp_path / "table", site, *DOMINOES) as link,
        through_a_line(link) as (cuttable, line),
        bots(link, tmp_path, "Bob"),
    ):
        page = await open_tab(visits, site, cuttable)
        await sit_down(page)
        assert await choose(page)
        before = line.called
        line.cut()
        await play_out(page)
        assert line.called > before
        assert "clean" in await page.inner_text(".badge")

"""The page with other ways to a match: by an own host name, without a table, by another person's
rules.
"""

import asyncio
import os
import re
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from player.storage.files import read_json
from player.ui.web.browser import WINDOWS
from player.ui.web.match_page import FILE
from protocol.audit.verdict import Verdict, audit
from tests.page.test_playing import OVER, play_out
from tests.page.visits import Visits, sideways, violations
from tests.support.between import pass_on
from tests.support.pages import serving
from tests.support.ports import free_port
from tests.system.test_write_a_game import PLUGIN, Place

ROOT = Path(__file__).parents[2]


@asynccontextmanager
async def running(
    *words: str, python: str | Path = sys.executable, folder: Path = ROOT
) -> AsyncIterator[asyncio.StreamReader]:
    """Run `fairdeal` with these arguments without a window system. Yield its output."""
    environ = {name: value for name, value in os.environ.items() if name not in WINDOWS}
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        python, "-Pum", "fairdeal", *words, cwd=folder, env=environ, stdin=pipe, stdout=pipe
    )
    assert process.stdout is not None
    try:
        async with asyncio.timeout(240):
            yield process.stdout
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def said(reader: asyncio.StreamReader, pattern: str) -> str:
    """Read up to this pattern, and return the matching text."""
    while line := (await reader.readline()).decode():
        if found := re.search(pattern, line):
            return found[0]
    raise AssertionError(f"it ended without {pattern}")


@asynccontextmanager
async def proxy(port: int, to: Path) -> AsyncIterator[None]:
    """Run a person's own proxy at this port. It passes all bytes to the page whose port is stored
    in this folder.
    """

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there = await asyncio.open_connection("127.0.0.1", read_json(to / FILE)["port"])
        await asyncio.gather(pass_on(reader, there[1]), pass_on(there[0], writer))

    async with await asyncio.start_server(connected, "127.0.0.1", port):
        yield


async def test_page_works_under_own_host_name(visits: Visits, tmp_path: Path):
    port = free_port()
    async with serving(tmp_path, name=f"evil.test:{port}") as page, proxy(port, tmp_path):
        link = page.links.new()
        assert link.startswith(f"https://evil.test:{port}/#t=")
        # the certificate is a matter of the proxy
        tab = await visits.open(link.replace("https", "http"))
        await tab.wait_for_selector("html[data-ready] main:has-text('Connecting')")
        page.screen.warn("Nearly there.")
        await tab.wait_for_selector("text=Nearly there.")
        assert (
            not page.screen.stopped
            and await tab.evaluate("location.href") == f"http://evil.test:{port}/"
        )
        await tab.close()
    visits.forgive("Cross-Origin-Opener-Policy")  # browsers respect this header on https only


@pytest.mark.process
async def test_page_plays_match_without_table(visits: Visits, tmp_path: Path):
    ann, bob = tmp_path / "ann", tmp_path / "bob"
    options = (
        "--game",
        "block-dominoes",
        "--target",
        "5",
        "--listen",
        f"127.0.0.1:{free_port()}",
        "--lang",
        "en",
    )
    async with running("invite", *options, "--web", "--name", "Ann", "--data", str(ann)) as host:
        found = [await said(host, r"(fairdeal-direct|http)://\S+") for _ in range(2)]
        link, url = sorted(found, key=lambda one: one.startswith("http"))
        async with running(
            "join", link, "--bot", "greedy", "--name", "Bob", "--data", str(bob)
        ) as guest:
            tab = await visits.open(url)
            await play_out(tab)
            assert "clean" in await tab.inner_text(".badge")
            await tab.close()
            await said(guest, "Verdict: no cheating found")
            await said(host, "Verdict: no cheating found")
    (log,) = ann.rglob("*.fairdeal")
    assert audit(log.read_bytes()).verdict is Verdict.CLEAN


@pytest.mark.process
async def test_match_against_bots_is_replayed_on_its_page(visits: Visits, tmp_path: Path):
    words = ("play", "nim", "--pace", "0", "--name", "Zoe", "--web", "--lang", "en")
    async with running(*words, "--data", str(tmp_path)) as zoe:
        tab = await visits.open(await said(zoe, r"http://\S+"))
        mine = ".heaps button:not([aria-disabled='true'])"
        await play_out(tab, mine)
        await tab.locator(".end").get_by_role("button", name="Replay").click()
        await tab.wait_for_selector("aside .good")
        assert "Zoe" in await tab.locator("#whose option:checked").inner_text()  # whichever seat
        assert (await violations(tab), await sideways(tab)) == ([], "")
        await tab.get_by_role("button", name="Back to the match").click()
        assert "Score: " in await tab.inner_text(".lines")
        await tab.get_by_role("button", name="Play again").click()
        await tab.wait_for_selector(".end[hidden]", state="attached")
        await tab.close()


@pytest.mark.process
async def test_foreign_rules_are_drawn_by_region(visits: Visits, tmp_path: Path):
    place = await asyncio.to_thread(Place, tmp_path)
    words = (
        "play",
        "high-card",
        *PLUGIN,
        "--target",
        "3",
        "--pace",
        "0",
        "--name",
        "Zoe",
        "--web",
        "--lang",
        "en",
    )
    async with running(
        *words, "--logs", str(tmp_path / "logs"), python=place.python, folder=tmp_path
    ) as zoe:
        tab = await visits.open(await said(zoe, r"http://\S+"))
        await tab.wait_for_selector(".generic .region")
        await play_out(tab, "#hand [data-fits], .offers button")
        assert "clean" in await tab.inner_text(".badge") and await tab.locator(OVER).count()
        await tab.close()

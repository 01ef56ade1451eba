"""The page by keyboard only, from the lobby to the end of a match, without obstacles."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from playwright.async_api import Page

from bots.dominoes import greedy_bot
from bots.poker import sensible_bot
from bots.registry import Bot
from player.ui.web.page_screen import PageScreen
from protocol.audit.verdict import Verdict, audit
from protocol.i18n import english
from protocol.identity.keys import Identity
from protocol.match.clock import Allowance
from protocol.match.terms import make_terms
from protocol.options import OptionList, Selection
from table.manager.server import TableServer
from tests.page.program import browsing, served
from tests.page.visits import DESKTOP, PHONE, Visits, sideways, violations
from tests.support.play import play
from tests.support.tables import config

pytestmark = pytest.mark.match
TABS = 60  # more than any sequence of Tab needs
TO_DO = ".which:not([hidden]) button, .hand [data-fits], .offers button, .end:not([hidden])"
LETTERS = {"draw": "d", "pass": "p", "check": "c", "call": "c", "fold": "f"}
FOCUSED = (
    "document.activeElement.matches('button, summary') ? document.activeElement.innerText : ''"
)


async def walk_to(page: Page, text: str) -> None:
    """Press Tab until an element with this text has the focus."""
    for _ in range(TABS):
        await page.keyboard.press("Tab")
        if text in await page.evaluate(FOCUSED):
            return
    raise AssertionError(f"no way to {text!r} by the tab key")


async def choose(page: Page) -> bool:
    """Make one choice by keys. Return False if there can be no more."""
    await page.wait_for_selector(TO_DO)
    if await page.locator(".end:not([hidden])").count():
        return False
    if await page.locator(".hand [data-fits]").count():
        await page.keyboard.press("h")
        await page.keyboard.press("Home")
        while not await page.evaluate("document.activeElement.hasAttribute('data-fits')"):
            await page.keyboard.press("ArrowRight")
        keys = ["Enter", *(["Enter"] if "both" in await page.evaluate(FOCUSED) else [])]
    else:
        kinds = await page.locator(".offers [data-kind]").evaluate_all(
            "all => all.map((one) => one.dataset.kind)"
        )
        keys = [letter for kind, letter in LETTERS.items() if kind in kinds][:1]
        if not keys:  # an ordinary button
            await walk_to(page, await page.locator(".offers button").first.inner_text())
            keys = ["Enter"]
    serial = await page.locator(".log li, .log p").count()
    async with page.expect_response("**/api/do"):
        for key in keys:
            await page.keyboard.press(key)
    await page.wait_for_selector(
        f".end:not([hidden]), :is(.log li, .log p) >> nth={serial}", state="attached"
    )
    return True


async def fine(page: Page, where: str) -> None:
    """Check that axe finds no error, and nothing is outside the window."""
    assert (await violations(page), await sideways(page)) == ([], ""), where


@asynccontextmanager
async def zoe(visits: Visits, table: TableServer, data: Path, **how: object) -> AsyncIterator[Page]:
    """Open Zoe's page with the tables of this manager."""
    screen = PageScreen({}, english)
    async with served(screen) as url:
        playing = asyncio.create_task(browsing(data, screen, 0.05).play(table.link))
        page = await visits.open(url, **how)
        await page.wait_for_selector("li.panel")
        try:
            yield page
        finally:
            screen.stop()
            await playing


@pytest.mark.parametrize(
    ("game", "options", "dealing", "bot", "size", "dark"),
    (
        ("draw-dominoes", (("hand", 2), ("target", 1)), "layered", greedy_bot, DESKTOP, True),
        ("texas-holdem", (("hands", 1),), "verified", sensible_bot, PHONE, False),
    ),
    ids=("dominoes", "poker"),
)
async def test_match_by_keys_runs_from_lobby_to_end(
    visits: Visits,
    tmp_path: Path,
    game: str,
    options: OptionList,
    dealing: str,
    bot: Bot,
    size,
    dark,
):
    terms = make_terms(Selection(game, options), Selection(dealing), Allowance().options(), 2)
    settings = replace(config(tmp_path / "table"), terms=terms)
    async with (
        TableServer(settings) as table,
        zoe(visits, table, tmp_path / "zoe", size=size, dark=dark) as page,
    ):
        await fine(page, "lobby")
        await walk_to(page, "Sit down")
        await page.keyboard.press("Enter")
        await page.wait_for_selector("h1:has-text('Waiting for others')")
        await fine(page, "waiting")
        identity = Identity(Random(3).randbytes(32))
        other = asyncio.create_task(play(table.link, identity, "Ann", bot, rng=Random(4)))
        await page.wait_for_selector(TO_DO)
        await fine(page, "match")
        await walk_to(page, "checked")
        await page.keyboard.press("Enter")
        await page.wait_for_selector("dialog[open]")
        await fine(page, "badge")
        await page.keyboard.press("Escape")
        while await choose(page):
            """And on."""
        await fine(page, "over")
        assert (await other).verdict is Verdict.CLEAN
        (log,) = (tmp_path / "zoe" / "logs").glob("*.fairdeal")
        assert audit(log.read_bytes()).verdict is Verdict.CLEAN
        await walk_to(page, "No, thanks")
        await page.keyboard.press("Enter")
        await page.wait_for_selector("#program:not([hidden]), .end:not(:has(button))")

"""Trades between people at one table, in tabs and in programs. Whatever happens to a tab or to the table,
each card is with one person, and what was signed can be finished.
"""

import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from playwright.async_api import Page

from tests.page.homes import home
from tests.page.tabs import TableProgram, built_page, open_tab, table, web_server
from tests.page.test_tab_company import Line, meet, through_a_line
from tests.page.visits import PHONE, Visits, sideways, violations
from tests.support.collectors import STATE
from tests.support.terminal import at_terminal

pytestmark = [
    pytest.mark.match,
    pytest.mark.process,
    pytest.mark.slow,
    pytest.mark.timeout(900),  # two tabs of 20 MB, loaded again and again
]
PATIENCE = 240_000  # milliseconds for any step on a busy machine
NIM = ("--game", "nim")
FIRST = 15  # cards in the first packs that a person makes
OWN = ".trays ~ .panel li .card"  # cards that can be laid on the table
THEIRS = ".trays section:has(h2:text-is('They give')) .card"
MET = "[role=status]:has-text('The other person is here')"
SIGNED = "[role=status]:has-text('These cards are reserved')"
ASKED = ".proposal .danger:has-text('Sign'), .proposal .primary:has-text('Sign')"
END = "End this trade"


async def go(page: Page, way: str) -> None:
    """Go a way of the bar."""
    await page.locator(".bar").get_by_role("button", name=way, exact=True).click()


async def section(page: Page, name: str) -> None:
    """Go to a section of the cards."""
    await go(page, "Cards")
    await page.click(f"[data-view={name}]")
    await page.wait_for_selector(f"[data-view={name}][aria-current]")


async def make_cards(page: Page) -> None:
    """Make first cards."""
    page.set_default_timeout(PATIENCE)
    await section(page, "binder")
    await page.get_by_role("button", name="Make the 50 Elements").click()
    await page.wait_for_selector(".pack .wrapper")


async def has_cards(page: Page, count: int) -> None:
    """Wait until the binder has this many cards."""
    await section(page, "binder")
    await page.wait_for_selector(f"text=Cards: {count}.")


async def join(page: Page, link: str) -> None:
    """Go to a table, and be seen there."""
    await go(page, "Join")
    await page.fill("#link", link)
    await page.keyboard.press("Enter")
    await meet(page)


async def ask(page: Page, whom: str) -> None:
    """Ask somebody in the lobby to trade."""
    person = page.locator(".guests li", has_text=whom)
    await person.get_by_role("button", name="Trade cards").click()


async def agree(page: Page) -> None:
    """Accept to trade."""
    await page.locator(".summons").get_by_role("button", name="Trade cards").click()


async def met(*pages: Page) -> None:
    """Wait until each sees the other in the trade."""
    for page in pages:
        await page.wait_for_selector(MET)


async def lay(page: Page, other: Page) -> None:
    """Give one card. The other one sees it."""
    await page.locator(OWN).first.click()
    await other.wait_for_selector(THEIRS)


async def sign(page: Page) -> None:
    """Say yes to the trade that is shown."""
    await page.locator(ASKED).click()


async def propose(one: Page, other: Page) -> None:
    """Both give a card. One proposes that, and says yes."""
    await lay(one, other)
    await lay(other, one)
    await one.get_by_role("button", name="Propose this trade").click()
    await sign(one)


async def end(page: Page) -> None:
    """End the trade, and go to the table."""
    await page.get_by_role("button", name=END).click()
    await page.locator("dialog[open] .danger").click()


async def traded(*pages: Page) -> None:
    """Wait until each has got a card, and check that none is lost or doubled."""
    for page in pages:
        await page.wait_for_selector(".got .card")
    for page in pages:
        await has_cards(page, FIRST)
        await page.click("[data-view=trade]")
        assert not await page.locator(
            "h2:has-text('Trades that wait for an answer'):visible"
        ).count()


@asynccontextmanager
async def two_tabs(
    visits: Visits, site: str, link: str, other_link: str = ""
) -> AsyncIterator[tuple[Page, Page]]:
    """Open tabs of Ann and Bob, who have cards and trade with each other at a table. Bob comes by
    `other_link`.
    """
    ann = await open_tab(visits, site)
    bob = await open_tab(visits, site, name="Bob", size=PHONE)
    for page in (ann, bob):
        await make_cards(page)
    await join(ann, link)
    await join(bob, other_link or link)
    await ask(ann, "Bob")
    await agree(bob)
    await met(ann, bob)
    yield ann, bob


async def test_two_tabs_trade_through_the_table_and_go_back_there(
    visits: Visits, tmp_path: Path
) -> None:
    async with (
        web_server(built_page()) as site,
        table(tmp_path / "table", site, *NIM) as link,
        two_tabs(visits, site, link) as (ann, bob),
    ):
        await propose(ann, bob)
        for page in (ann, bob):
            assert (await violations(page), await sideways(page)) == ([], "")
        await sign(bob)
        await traded(ann, bob)
        await end(ann)
        await bob.wait_for_selector("[role=status]:has-text('the other person has left')")
        await bob.reload()  # it does not go on with a trade that is over
        await section(bob, "trade")
        await bob.get_by_text("go to a table where").wait_for()
        await join(bob, link)
        for page, other in ((ann, "Bob"), (bob, "Ann")):
            await page.wait_for_selector(f".company li:has-text('{other}')")


async def test_trade_survives_a_reload_at_every_step(visits: Visits, tmp_path: Path) -> None:
    async with (
        web_server(built_page()) as site,
        table(tmp_path / "table", site, *NIM) as link,
        through_a_line(link) as (over_line, line),
        two_tabs(visits, site, link, over_line) as (ann, bob),
    ):
        await ann.reload()
        await met(ann)
        await lay(ann, bob)
        await bob.reload()
        await met(bob, ann)
        await propose(ann, bob)
        await bob.wait_for_selector(ASKED)
        await ann.reload()
        await met(ann, bob)
        await first_signature(ann, bob, line)
        await ann.reload()
        line.cut()
        line.answers.set()
        await bob.wait_for_selector("[role=status]:has-text('that you have not answered')")
        await bob.reload()
        await bob.wait_for_selector("[role=status]:has-text('that you have not answered')")
        await sign(bob)
        await traded(ann, bob)
        for page in (ann, bob):
            await page.reload()
            await has_cards(page, FIRST)


async def first_signature(ann: Page, bob: Page, line: Line) -> None:
    """Have both agree to a trade that Ann signs. Her signature is held back on Bob's line."""
    await propose(ann, bob)
    await bob.wait_for_selector(ASKED)
    line.answers.clear()
    await sign(bob)
    await ann.wait_for_selector(SIGNED)


@asynccontextmanager
async def killed_table(
    visits: Visits, site: str, data: Path
) -> AsyncIterator[tuple[TableProgram, Page, Page]]:
    """Kill a table where Ann and Bob trade. She has signed by then, and he has not got that."""
    program = TableProgram(data, site, *NIM)
    try:
        link = await program.start()
        async with (
            through_a_line(link) as (over_line, line),
            two_tabs(visits, site, link, over_line) as (ann, bob),
        ):
            await first_signature(ann, bob, line)
            await program.end(signal.SIGKILL)
            line.cut()
            line.answers.set()
            yield program, ann, bob
    finally:
        await program.end(signal.SIGTERM)


async def test_trade_goes_on_when_a_killed_table_comes_back(visits: Visits, tmp_path: Path) -> None:
    async with (
        web_server(built_page()) as site,
        killed_table(visits, site, tmp_path / "table") as (program, ann, bob),
    ):
        for page in (ann, bob):
            await page.wait_for_selector("[role=status]:has-text('connection is lost')")
        await program.start()
        await traded(ann, bob)


async def test_trade_at_a_table_that_is_gone_ends_at_another_one(
    visits: Visits, tmp_path: Path
) -> None:
    async with (
        web_server(built_page()) as site,
        table(tmp_path / "other", site, *NIM) as another,
        killed_table(visits, site, tmp_path / "table") as (_, ann, bob),
    ):
        for page in (ann, bob):
            await end(page)
            await page.wait_for_selector("text=No table answers this page")
        await section(ann, "trade")
        waiting = ann.locator("section:has(> h2:has-text('Trades that wait for an answer'))")
        await waiting.get_by_text("at any table or by a link").wait_for()
        for page in (ann, bob):
            await join(page, another)
        await ask(bob, "Ann")
        await agree(ann)
        await sign(bob)
        await traded(ann, bob)


async def test_tab_says_what_it_cannot_and_opens_a_file_of_cards(
    visits: Visits, tmp_path: Path
) -> None:
    async with web_server(built_page()) as site:
        ann = await open_tab(visits, site)
        await make_cards(ann)
        for name, told in (("trade", "go to a table where"), ("shops", "take your profile")):
            await ann.click(f"[data-view={name}]")
            await ann.get_by_text(told).wait_for()
            assert (await violations(ann), await sideways(ann)) == ([], "")
        assert not await ann.locator("#trade-link:visible, #shop-link:visible").count()
        await ann.click("[data-view=binder]")
        async with ann.expect_download() as saving:
            await ann.get_by_role("button", name="Save a file of my cards").click()
        file = tmp_path / "ann.cards"
        await (await saving.value).save_as(file)
        bob = await open_tab(visits, site, name="Bob")
        await section(bob, "binder")
        await bob.set_input_files("input[type=file]", file)
        await bob.get_by_text("ann.cards").first.wait_for()


async def test_tab_trades_with_the_app_of_another_person(
    visits: Visits, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(STATE, str(tmp_path / "state"))
    async with (
        web_server(built_page()) as site,
        table(tmp_path / "table", site, *NIM) as link,
        home(visits, tmp_path / "bob", name="Bob") as bob,
    ):
        ann = await open_tab(visits, site)
        for page in (ann, bob):
            await make_cards(page)
            await join(page, link)
        # Bob waits for a match, and gives his seat up for the trade
        await bob.locator(".tables").get_by_role("button", name="Sit down").click()
        await bob.wait_for_selector("h1:has-text('Waiting for others')")
        await ask(ann, "Bob")
        await agree(bob)
        await met(ann, bob)
        await propose(bob, ann)
        await ann.wait_for_selector(ASKED)
        await ann.reload()
        await met(ann, bob)
        await propose(bob, ann)
        await sign(ann)
        await traded(ann, bob)


async def test_tab_trades_with_a_person_at_a_terminal(
    visits: Visits, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(STATE, str(tmp_path / "state"))
    words = ("--name", "Tim", "--data", tmp_path / "Tim", "--lang", "en", "--trade")
    async with (
        web_server(built_page()) as site,
        table(tmp_path / "table", site, *NIM) as link,
        at_terminal("-m", "fairdeal", "lobby", link, *words) as terminal,
    ):
        ann = await open_tab(visits, site)
        await make_cards(ann)
        await join(ann, link)
        await ask(ann, "Tim")
        await terminal.until("wants to trade")
        terminal.type("1")
        await met(ann)
        # a gift
        await ann.locator(OWN).first.click()
        await ann.get_by_role("button", name="Propose this trade").click()
        await sign(ann)
        await terminal.until("yes")
        terminal.type("yes\r")
        await ann.wait_for_selector("[role=status]:has-text('Both of you have signed')")
        await has_cards(ann, FIRST - 1)

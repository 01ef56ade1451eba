"""Trades of tabs whose browsers are killed. The trade is finished or undone on both sides, and each
card is with one person.
"""

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.async_api import Page

from player.cards.card_files import read_cards
from player.cards.collection import CardRecords, read_all, sort_parents_first
from protocol.ledger.bundle import CardBundle
from tests.page.tab_storage import browser_process, kill_group
from tests.page.tabs import PATIENCE, built_page, table, web_server
from tests.page.test_tab_company import Line, through_a_line
from tests.page.test_tab_trades import (
    ASKED,
    FIRST,
    MET,
    NIM,
    agree,
    ask,
    end,
    first_signature,
    has_cards,
    join,
    lay,
    make_cards,
    met,
    propose,
    section,
    sign,
)

pytestmark = [
    pytest.mark.match,
    pytest.mark.process,
    pytest.mark.slow,
    pytest.mark.timeout(900),  # two browsers that start again and again, each with 20 MB
]
UNANSWERED = "[role=status]:has-text('that you have not answered')"
FINISHED = "[role=status]:has-text('The cards have changed hands')"


class Person:
    """A person with a browser of their own, which is killed and started again with its data."""

    def __init__(self, chromium: str, data: Path, site: str, name: str) -> None:
        data.mkdir()
        self._chromium = chromium
        self._data = data
        self._site = site
        self._name = name
        self._running = AsyncExitStack()
        self._group = 0
        self.page: Page

    async def start(self) -> None:
        """Start the browser, and begin."""
        process = browser_process(self._chromium, self._data)
        browser, self._group = await self._running.enter_async_context(process)
        self.page = await browser.contexts[0].new_page()
        self.page.set_default_timeout(PATIENCE)
        await self.page.goto(self._site)
        await self.page.fill("#name", self._name)
        await self.page.keyboard.press("Enter")

    async def kill(self) -> None:
        """Kill all processes of the browser at once."""
        kill_group(self._group)
        await self._running.aclose()

    async def start_again(self) -> None:
        """Start the killed browser, and go to the trade that it has stored."""
        await self.start()
        await section(self.page, "trade")

    async def reserved(self) -> bool:
        """Check whether a card is in a trade that waits for an answer."""
        await has_cards(self.page, FIRST)
        return not await self.page.locator("text=reserved: 0").count()

    async def end(self) -> None:
        """End the browser, if it runs."""
        await self._running.aclose()


@dataclass
class Trade:
    """A trade of Ann and Bob. Each has a line to the table."""

    ann: Person
    bob: Person
    her_line: Line
    his_line: Line
    her_link: str
    his_link: str

    async def begin(self) -> None:
        """Ann asks, and Bob accepts."""
        await ask(self.ann.page, "Bob")
        await agree(self.bob.page)

    async def met(self) -> None:
        """Wait until each sees the other."""
        await met(self.ann.page, self.bob.page)

    async def propose(self) -> None:
        """Both give a card. Ann says yes to that, and Bob is asked."""
        await propose(self.ann.page, self.bob.page)
        await self.bob.page.wait_for_selector(ASKED)

    async def sign_first(self) -> None:
        """Ann signs. Her signature is held back on Bob's line."""
        await first_signature(self.ann.page, self.bob.page, self.his_line)

    async def start_again(self, *killed: Person) -> None:
        """Start killed browsers, with lines that hold nothing back."""
        for line in (self.her_line, self.his_line):
            line.cut()
            line.answers.set()
        for person in killed:
            await person.start_again()

    async def settle(self, started: Person) -> None:
        """See the trade to its end after a browser was started again."""
        await started.page.wait_for_selector(f"{MET}, {UNANSWERED}, {FINISHED}")
        if await self.ann.reserved():
            await section(self.ann.page, "trade")
            finished = asyncio.create_task(self.ann.page.wait_for_selector(FINISHED))
            asked = asyncio.create_task(self.bob.page.wait_for_selector(UNANSWERED))
            await asyncio.wait({finished, asked}, return_when=asyncio.FIRST_COMPLETED)
            if asked.done():
                await sign(self.bob.page)
            await finished
            asked.cancel()


@asynccontextmanager
async def trade_of(chromium: str, data: Path) -> AsyncIterator[Trade]:
    """Bring two people with first cards to a table, where they see each other."""
    async with (
        web_server(built_page()) as site,
        table(data / "table", site, *NIM) as link,
        through_a_line(link) as (her_link, her_line),
        through_a_line(link) as (his_link, his_line),
        AsyncExitStack() as running,
    ):
        ann, bob = (Person(chromium, data / name, site, name) for name in ("Ann", "Bob"))
        for person, way in ((ann, her_link), (bob, his_link)):
            running.push_async_callback(person.end)
            await person.start()
            await make_cards(person.page)
            await join(person.page, way)
        yield Trade(ann, bob, her_line, his_line, her_link, his_link)


async def file_of_cards(person: Person, path: Path) -> CardBundle:
    """Save the file that proves whose the person's cards are."""
    await section(person.page, "binder")
    async with person.page.expect_download() as saving:
        await person.page.get_by_role("button", name="Save a file of my cards").click()
    await (await saving.value).save_as(path)
    return read_cards(path.read_bytes(), path.name)


def known_cards(raws: Iterable[bytes]) -> CardRecords:
    """Return what these records prove."""
    records, refused = read_all(raws)
    known = CardRecords(records=sort_parents_first(records.values()))
    known.view.update()
    assert (refused, known.view.alarms) == ([], ())
    return known


async def check_cards(trade: Trade, folder: Path) -> int:
    """Check that nothing waits for an answer, that both have the same trades, and that whoever sees
    the cards of both knows 15 of each. Return the number of trades.
    """
    files = list[tuple[bytes, ...]]()
    for person in (trade.ann, trade.bob):
        await has_cards(person.page, FIRST)
        await person.page.wait_for_selector("text=reserved: 0")
        files.append((await file_of_cards(person, folder / "cards")).raws)
        await person.page.click("[data-view=trade]")
        waiting = person.page.locator("h2:has-text('Trades that wait for an answer'):visible")
        assert not await waiting.count()
    known = known_cards({*files[0], *files[1]})
    assert [len(held) for held in known.view.holdings.values()] == [FIRST, FIRST]
    assert [known_cards(file).view.live for file in files] == [known.view.live] * 2
    return len(known.view.live)


async def test_trade_is_finished_though_browsers_are_killed_at_every_step(
    chromium: str, tmp_path: Path
) -> None:
    async with trade_of(chromium, tmp_path) as trade:
        ann, bob = trade.ann, trade.bob
        await trade.begin()
        await trade.met()
        await ann.kill()
        await trade.start_again(ann)
        await trade.met()
        await lay(ann.page, bob.page)
        await bob.kill()
        await trade.start_again(bob)
        await trade.met()
        for killed in (ann, bob):
            await trade.propose()
            await killed.kill()
            await trade.start_again(killed)
            await trade.met()
        await trade.sign_first()
        await ann.kill()
        await bob.kill()
        await trade.start_again(ann, bob)
        await bob.page.wait_for_selector(UNANSWERED)
        await bob.kill()
        await trade.start_again(bob)
        await bob.page.wait_for_selector(UNANSWERED)
        trade.her_line.answers.clear()
        await sign(bob.page)
        await bob.page.wait_for_selector(FINISHED)
        await ann.kill()
        await bob.kill()
        await trade.start_again(ann, bob)
        await ann.page.wait_for_selector(FINISHED)
        assert await check_cards(trade, tmp_path) == 1


async def test_trade_is_undone_though_both_browsers_are_killed(
    chromium: str, tmp_path: Path
) -> None:
    async with trade_of(chromium, tmp_path) as trade:
        ann, bob = trade.ann, trade.bob
        await trade.begin()
        await trade.met()
        await trade.sign_first()
        await ann.kill()
        await trade.start_again(ann)
        await bob.page.wait_for_selector(UNANSWERED)
        trade.her_line.answers.clear()
        await bob.page.locator(".proposal").get_by_role("button", name="No", exact=True).click()
        await bob.page.wait_for_selector(".proposal", state="detached")
        await ann.kill()
        await bob.kill()
        await trade.start_again(ann, bob)
        await ann.page.wait_for_selector("[role=status]:has-text('your cards are free again')")
        assert await check_cards(trade, tmp_path) == 0


@pytest.mark.parametrize("killed", ["ann", "bob"])
async def test_trade_ends_though_a_browser_is_killed_at_the_signature(
    chromium: str, tmp_path: Path, killed: str
) -> None:
    async with trade_of(chromium, tmp_path) as trade:
        await trade.begin()
        await trade.met()
        await trade.propose()
        await sign(trade.bob.page)
        person: Person = getattr(trade, killed)
        await person.kill()  # the first signature is made, stored, sent, answered, or none of it
        await trade.start_again(person)
        await trade.settle(person)
        assert await check_cards(trade, tmp_path) <= 1


async def test_killed_person_is_met_again_at_the_table(chromium: str, tmp_path: Path) -> None:
    async with trade_of(chromium, tmp_path) as trade:
        ann, bob = trade.ann, trade.bob
        await ask(ann.page, "Bob")
        await bob.page.wait_for_selector(".summons")
        trade.her_line.answers.clear()
        await agree(bob.page)
        await bob.page.wait_for_selector("[role=status]:has-text('Waiting for Ann')")
        await ann.kill()
        await trade.start_again(ann)
        await ann.page.get_by_text("go to a table where").wait_for()
        await bob.page.wait_for_selector("[role=status]:has-text('You have not met Ann')")
        await end(bob.page)
        await join(ann.page, trade.her_link)
        await join(bob.page, trade.his_link)
        await trade.begin()
        await trade.met()
        assert await check_cards(trade, tmp_path) == 0

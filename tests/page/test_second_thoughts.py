"""Second thoughts in real matches: the log has exactly the moves that were confirmed, or marked
ahead and then on offer.
"""

from pathlib import Path

import pytest
from playwright.async_api import Page

from player.client.seat import Seat
from protocol.audit.verdict import Verdict, audit
from protocol.match.log import decode_entry
from protocol.match.log_reader import LogReader
from tests.page.test_playing import MINE, OVER
from tests.page.visits import Visits, no_more
from tests.support.fake_table import FakeTable
from tests.support.pages import playing

pytestmark = pytest.mark.match
CONFIRM = ".float.confirm"
AHEAD = ".float.ahead"
WHICH = ".which:not([hidden]) button"
MARKABLE = "#hand .held[aria-pressed='false']:not([data-fits])"
ALL_IN = "dialog[open] .danger"
KEEP = "value => localStorage.setItem('match confirm', value)"


class SlowTable(FakeTable):
    """Table whose bot makes no move until a test says so."""

    held = True

    def bot_step(self, seat: Seat, reader: LogReader) -> bool:
        """Do what needs no thought at once, and move when it is time."""
        assert self.live is not None
        if not self.held:
            return super().bot_step(seat, reader)
        for record in self.live.records[reader.log.next_number :]:
            reader.feed(record.entry, record.head)
        post = None if reader.over else seat.respond(reader.match)
        if post is not None:
            self.live.offer(seat.entry(reader.log, post), seat.number)
        return post is not None

    def move(self) -> None:
        """Let the bot move once it is its turn."""
        self.held = False
        self.go_on(self.connections[-1])
        self.held = True


def own_moves(table: FakeTable) -> int:
    """Count the moves of our seat."""
    assert table.live is not None
    entries = [decode_entry(record.entry) for record in table.live.records]
    return sum(entry.kind == "move" and entry.author == 0 for entry in entries)


async def drop_tour(tab: Page) -> None:
    """Decline the tour if it is offered."""
    if await tab.locator(".welcome").is_visible():
        await tab.get_by_role("button", name="Not needed").click()


@pytest.mark.parametrize("game", ["block-dominoes", "texas-holdem"])
async def test_match_with_second_clicks_logs_each_choice_once(
    visits: Visits, tmp_path: Path, game: str
):
    options = {"target": 20} if game == "block-dominoes" else {"hands": 1}
    table = FakeTable(2, game=game, dealing="verified", options=options)
    async with playing(table, tmp_path) as (page, log):
        tab = await visits.open(page.links.new())
        await tab.evaluate(KEEP, "again")
        while True:
            await tab.wait_for_selector(f"{MINE}, {OVER}")
            if await tab.locator(OVER).count():
                break
            await drop_tour(tab)
            before = own_moves(table)
            await tab.locator(MINE).first.click()
            await tab.wait_for_selector(f"{CONFIRM}:not([hidden]), {WHICH}, {ALL_IN}")
            if await tab.locator(ALL_IN).count():
                turn = await tab.get_attribute("html", "data-ready")
                await tab.locator(ALL_IN).click()
                await tab.wait_for_selector(f'html:not([data-ready="{turn}"])')
                continue
            if await tab.locator(WHICH).count():
                await tab.locator(WHICH).first.click()
            await tab.wait_for_selector(f"{CONFIRM}:not([hidden])")
            await tab.keyboard.press("Escape")
            assert own_moves(table) == before
            await tab.locator(f"{WHICH}, {MINE}").first.click()
            if not await tab.locator(CONFIRM).is_visible():
                await tab.locator(WHICH).first.click()
            turn = await tab.get_attribute("html", "data-ready")
            assert own_moves(table) == before
            await tab.get_by_role("button", name="Send now").click()
            await tab.wait_for_selector(f'html:not([data-ready="{turn}"])')
            assert own_moves(table) == before + 1
        await no_more(tab)
    assert audit(log.read_bytes()).verdict is Verdict.CLEAN


async def test_marked_tiles_are_moves_only_when_they_fit(visits: Visits, tmp_path: Path):
    table = SlowTable(2, game="block-dominoes", dealing="verified", options={"target": 20})
    sent = dropped = 0
    async with playing(table, tmp_path) as (page, log):
        tab = await visits.open(page.links.new())
        while True:
            await tab.wait_for_selector(f"{MINE}, {WHICH}, {MARKABLE}, {OVER}")
            if await tab.locator(OVER).count():
                break
            await drop_tour(tab)
            turn = await tab.get_attribute("html", "data-ready")
            other = f'html:not([data-ready="{turn}"])'
            if await tab.locator(f"{WHICH}, {MINE}").count():
                await tab.locator(f"{WHICH}, {MINE}").first.click()
                await tab.wait_for_selector(f"{other}, {WHICH}")
                continue
            before = own_moves(table)
            await tab.locator(MARKABLE).first.click()
            await tab.wait_for_selector("#hand [data-ahead]")
            assert own_moves(table) == before
            table.move()
            await tab.wait_for_selector(other)
            await tab.wait_for_selector("#hand:not(:has([data-ahead]))", state="attached")
            if "Nothing was sent" in await tab.locator(AHEAD).inner_text():
                dropped += 1
                assert own_moves(table) == before
            elif own_moves(table) > before:
                sent += 1
        await no_more(tab)
    assert audit(log.read_bytes()).verdict is Verdict.CLEAN
    assert sent and dropped

"""From the lobby to a match: a person's program, a table and a browser, with nothing replaced."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from playwright.async_api import Page

from bots.random_bot import random_bot
from player.cards.storage.ledger_store import LedgerStore
from player.cards.storage.named_decks import NamedDeck
from player.client.table_client import Plan
from player.ui.web.page_screen import PageScreen
from protocol.i18n import english
from protocol.identity.keys import Identity
from protocol.match.clock import Allowance
from protocol.match.terms import make_terms
from protocol.options import Selection
from table.manager.server import TableServer
from tests.page.program import ZOE, browsing, served
from tests.page.visits import DESKTOP, PHONE, Visits, sideways, violations
from tests.support.play import play
from tests.support.tables import config, until

pytestmark = pytest.mark.match


@asynccontextmanager
async def lobby(
    visits: Visits, table: TableServer, data: Path, look_seconds: float = 0.05
) -> AsyncIterator[Page]:
    """Open Zoe's page with the tables of this manager."""
    screen = PageScreen({}, english)
    async with served(screen) as url:
        playing = asyncio.create_task(browsing(data, screen, look_seconds).play(table.link))
        page = await visits.open(url)
        await page.wait_for_selector("li.panel")
        try:
            yield page
        finally:
            screen.stop()
            await playing


@asynccontextmanager
async def others(table: TableServer, *names: str) -> AsyncIterator[None]:
    """Let others take seats there, without ever moving."""
    rngs = [Random(name) for name in names]
    people = zip(names, rngs, strict=True)
    tasks = [
        asyncio.create_task(play(table.link, Identity(rng.randbytes(32)), name, None, rng=rng))
        for name, rng in people
    ]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)


async def test_arriving_players_appear_and_joining_players_play(visits: Visits, tmp_path: Path):
    async with (
        TableServer(config(tmp_path / "table")) as table,
        lobby(visits, table, tmp_path / "zoe") as page,
    ):
        assert "0 of 2 seats are taken" in await page.inner_text("li.panel")
        async with others(table, "Ann"):
            await page.wait_for_selector("li.panel:has-text('1 of 2 seats are taken: Ann')")
            await page.get_by_role("button", name="Sit down").click()
            await page.wait_for_selector("#hand button")
            assert "Ann" in await page.inner_text(".match")


async def test_creator_of_table_waits_for_others(visits: Visits, tmp_path: Path):
    async with (
        TableServer(config(tmp_path / "table")) as table,
        lobby(visits, table, tmp_path / "zoe") as page,
    ):
        await page.locator("summary", has_text="Open a table").click()
        await page.locator("summary", has_text="More choices").click()
        await page.get_by_label("points needed to win").fill("5")
        await page.get_by_label("points needed to win").press("Enter")
        await page.wait_for_selector("h1:has-text('Waiting for others')")
        made = table.lobby.tables["table-1"]
        assert dict(made.terms.game.options) == {"target": 5} and len(made.waiting) == 1
        await page.locator("summary", has_text="Invite").click()
        await page.wait_for_selector(".qr")
        assert await page.input_value("#invitation-link") == str(table.link)
        await page.get_by_role("button", name="Leave").click()
        await page.wait_for_selector("h1:has-text('Tables')")  # back in the list of tables
        await page.wait_for_selector("main:has-text('You left')")


async def test_seat_lost_meanwhile_returns_to_lobby_with_reason(visits: Visits, tmp_path: Path):
    async with (
        TableServer(config(tmp_path / "table")) as table,
        lobby(visits, table, tmp_path / "zoe", look_seconds=60) as page,
        others(table, "Ann", "Bob"),
    ):
        await until(lambda: table.lobby.tables["main"].room)
        await page.get_by_role("button", name="Sit down").click()
        await page.wait_for_selector("main:has-text('wait for its end')")
        await page.get_by_role("button", name="Watch").wait_for()


async def test_spectator_sees_backs_and_badge_and_no_actions(visits: Visits, tmp_path: Path):
    async with (
        TableServer(config(tmp_path / "table")) as table,
        others(table, "Ann", "Bob"),
        lobby(visits, table, tmp_path / "zoe") as page,
    ):
        await page.get_by_role("button", name="Watch").click()
        await page.wait_for_selector(".match:has-text('checked')")
        assert await page.locator("#hand button:visible, .offers button:visible").count() == 0
        assert await page.get_by_role("button", name="Sit").count() == 0
        assert {"Ann", "Bob"} <= set((await page.inner_text(".match")).split())


async def test_lobby_switches_manager_and_reports_missing_one(visits: Visits, tmp_path: Path):
    async with (
        TableServer(config(tmp_path / "one")) as one,
        TableServer(config(tmp_path / "other", seats=3)) as other,
        lobby(visits, one, tmp_path / "zoe") as page,
    ):
        field = page.get_by_label("The link of another table")
        await field.fill("fairdeal://127.0.0.1:1")
        await field.press("Enter")
        await page.wait_for_selector("main:has-text('127.0.0.1:1')")
        # the tables that were there
        await page.wait_for_selector("li.panel:has-text('of 2 seats')")
        await field.fill(str(other.link))
        await field.press("Enter")
        await page.wait_for_selector("li.panel:has-text('of 3 seats')")


SEEDLINGS = "<b>Seedlings"


@pytest.mark.parametrize("size", [PHONE, DESKTOP], ids=["phone", "desktop"])
async def test_match_uses_own_deck_from_lobby(
    visits: Visits, tmp_path: Path, size: tuple[int, int]
):
    """The deck is chosen when joining or opening a table, and cards are drawn from this deck."""
    data, me = tmp_path / "zoe", ZOE.public
    data.mkdir()
    with closing(LedgerStore(data, me, None)) as store:
        store.decks.make(NamedDeck("Few", "element-duel", False, (0,)))
        store.decks.make(NamedDeck(SEEDLINGS, "element-duel", False, (0,) * 10))
    duel = make_terms(Selection("element-duel"), Selection("verified"), Allowance().options(), 2)
    settings = replace(config(tmp_path / "table"), terms=duel)
    async with TableServer(settings) as table, lobby(visits, table, data) as page:
        await page.set_viewport_size({"width": size[0], "height": size[1]})
        assert "as they come with fairdeal" in await page.inner_text("li.panel")
        deck = page.locator("li.panel").get_by_label("Deck")
        assert SEEDLINGS in (offered := await deck.locator("option").all_inner_texts())
        assert "Few" not in offered
        await page.locator("li.panel .deck summary").click()
        await page.wait_for_selector("li.panel .deck li:has-text('a deck has 10 cards')")
        assert (await violations(page), await sideways(page)) == ([], "")
        await deck.select_option(SEEDLINGS)
        if size == PHONE:
            await page.get_by_role("button", name="Sit down").click()
        else:
            await page.locator("summary", has_text="Open a table").click()
            await page.get_by_label("Game", exact=True).select_option("element-duel")
            form = page.locator("#deck")
            await form.select_option("Few")
            await page.wait_for_selector("form .wrong:has-text('a deck has 10 cards')")
            assert await page.get_by_role("button", name="Open it and sit down").count() == 0
            await form.select_option(SEEDLINGS)
            assert (await violations(page), await sideways(page)) == ([], "")
            await page.get_by_role("button", name="Open it and sit down").click()
        await page.wait_for_selector("h1:has-text('Waiting for others')")
        where = "main" if size == PHONE else "table-1"
        rng, plan = Random(5), Plan("Ann", table_id=where)
        identity = Identity(rng.randbytes(32))
        ann = asyncio.create_task(play(table.link, identity, "Ann", random_bot, rng=rng, plan=plan))
        await page.wait_for_selector("#hand [data-fits]")
        names = await page.locator("#hand button .sr").evaluate_all(
            "all => all.map((one) => one.textContent)"
        )
        assert len(names) == 4 and all("Seedling" in name for name in names)
        ann.cancel()
        await asyncio.wait([ann])

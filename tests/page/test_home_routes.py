"""Ways of Home in the address: Back, Forward, a page that is loaded anew, and strange addresses."""

from pathlib import Path

import pytest
from playwright.async_api import Page

from tests.page.homes import MINE, ROUTES, home, play_nim, route
from tests.page.visits import Visits

pytestmark = [pytest.mark.match, pytest.mark.process]


async def at(page: Page, way: str) -> None:
    """Wait for the address of a way."""
    await page.wait_for_function("(way) => location.hash === `#/${way}`", arg=way)


async def on(page: Page, name: str) -> None:
    """Wait until a way of Home is drawn, marked in the bar, and in the address."""
    await page.wait_for_selector(f".home {ROUTES[name]}", state="attached")
    await page.wait_for_selector(f".bar [aria-current=page][data-route={name.lower()}]")
    await at(page, name.lower())


async def begin_nim(page: Page) -> None:
    """Begin a match of Nim from Play."""
    await route(page, "Play")
    await page.locator("[data-game=nim]").get_by_role("button", name="Play").click()
    await page.wait_for_selector(MINE)
    await at(page, "match")


async def test_back_and_forward_go_between_ways(visits: Visits, tmp_path: Path):
    async with home(visits, tmp_path) as page:
        await on(page, "Home")
        for name in ("History", "Profile"):
            await route(page, name)
            await on(page, name)
        await page.go_back()
        await on(page, "History")
        await page.go_back()
        await on(page, "Home")
        await page.go_forward()
        await on(page, "History")


async def test_page_loaded_anew_keeps_its_way(visits: Visits, tmp_path: Path):
    async with home(visits, tmp_path) as page:
        assert "t=" not in page.url
        await route(page, "History")
        await page.reload()
        await on(page, "History")
        await begin_nim(page)
        await page.reload()
        await page.wait_for_selector(".match .heaps")
        await at(page, "match")


async def test_back_from_match_asks_and_leads_home(visits: Visits, tmp_path: Path):
    async with home(visits, tmp_path) as page:
        await begin_nim(page)
        await page.go_back()
        await page.locator("dialog[open]").get_by_role("button", name="No").click()
        await at(page, "match")
        assert await page.locator(".match .heaps").count() == 1
        await page.go_back()
        await page.locator("dialog[open] .primary").click()
        await on(page, "Play")
        await page.go_forward()  # nothing is opened by an address: Home lists the match instead
        await on(page, "Home")
        await page.get_by_role("button", name="Continue").click()
        await page.wait_for_selector(MINE)
        await play_nim(page)


async def test_back_from_replay_leads_to_history(visits: Visits, tmp_path: Path):
    async with home(visits, tmp_path) as page:
        await begin_nim(page)
        await play_nim(page)
        await route(page, "History")
        await page.locator(".logs").get_by_role("button", name="Replay").click()
        await page.wait_for_selector("input[type=range]")
        await at(page, "replay")
        await page.go_back()
        await on(page, "History")


@pytest.mark.parametrize(
    "fragment",
    [
        "#/play/nim",
        "#/constructor",
        "#/match",
        "#/replay",
        "#/cards",
        "#open=replay",
        "#/__proto__",
        "#//x",
    ],
)
async def test_strange_address_chooses_nothing(visits: Visits, tmp_path: Path, fragment: str):
    async with home(visits, tmp_path) as page:
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        await page.evaluate("(to) => { location.hash = to; }", fragment)
        await page.wait_for_function("/^#\\/(home|history)$/.test(location.hash)")
        await page.wait_for_selector(".home h1")
        changing = ("/open", "/home", "/profile")
        assert [url for url in asked if url.endswith(changing)] == []


async def test_strange_link_asks_before_it_leaves_a_replay(visits: Visits, tmp_path: Path):
    async with home(visits, tmp_path) as page:
        await begin_nim(page)
        await play_nim(page)
        await route(page, "History")
        await page.locator(".logs").get_by_role("button", name="Replay").click()
        await page.wait_for_selector("input[type=range]")
        await page.evaluate("() => { location.hash = '#/profile'; }")
        await page.locator("dialog[open]").get_by_role("button", name="No").click()
        await at(page, "replay")
        await page.evaluate("() => { location.hash = '#/profile'; }")
        await page.locator("dialog[open] .danger").click()
        await on(page, "Profile")


async def test_wrong_ticket_does_not_shut_an_open_page_out(visits: Visits, tmp_path: Path):
    async with home(visits, tmp_path) as page:
        await begin_nim(page)
        async with page.expect_event("domcontentloaded"):
            await page.evaluate("() => { location.hash = '#t=wrong'; }")
        await page.wait_for_selector(".match .heaps")
        await at(page, "match")
        visits.forgive("403")

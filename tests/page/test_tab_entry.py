"""The first page of a tab: where its link leads, who could change the program, and what to do where
the program cannot begin or go on.
"""

import asyncio
import shutil
from pathlib import Path
from urllib.parse import unquote

import pytest
from playwright.async_api import Page, Route

from protocol.identity.keys import JoinLink
from tests.page.tabs import built_page, open_tab, table, web_server
from tests.page.visits import PHONE, Visits, sideways, violations

pytestmark = [pytest.mark.process, pytest.mark.slow]
FINGERPRINT = "abcd" * 10
OTHER = "efgh" * 10
WEB_LINK = f"fairdeal+ws://table.test:7500/fairdeal/{FINGERPRINT}"
SECURE = "https://play.test/"


# what a browser complains of: Chromium by its own words, Firefox by others or by the page's alone
NO_CALL = ("WebSocket connection", "can’t establish a connection", "was interrupted while")
MISSING = ("404", "error: Error")


async def forget(visits: Visits, page: Page, *parts: str) -> None:
    """Close a page, and forget what it has complained of. A worker's complaints may never arrive."""
    await page.close()
    visits.complaints = [
        line for line in visits.complaints if not any(part in line for part in parts)
    ]


async def test_page_of_another_origin_is_told_the_way_in(visits: Visits, tmp_path: Path) -> None:
    async with (
        web_server(built_page()) as site,
        table(tmp_path, "https://elsewhere.test") as link,
    ):
        page = await open_tab(visits, site, link)
        told = page.get_by_text("No table answers this page")
        await told.wait_for()
        assert f"--ws-origin {site.rstrip('/')}" in await told.inner_text()
        assert await violations(page) == []
        await forget(visits, page, *NO_CALL)


async def test_link_without_web_address_is_refused_and_the_page_goes_on(visits: Visits) -> None:
    async with web_server(built_page()) as site:
        page = await open_tab(visits, site, f"fairdeal://table.test:7500/{FINGERPRINT}")
        await page.get_by_text("leads to no table that a browser can call").wait_for()
        await page.get_by_role("alert").get_by_text("its link has no web address").wait_for()
        assert await page.is_enabled("#name")


async def test_link_that_is_none_is_refused_with_its_form(visits: Visits) -> None:
    async with web_server(built_page()) as site:
        page = await open_tab(visits, site, "table.test")
        await page.get_by_role("alert").get_by_text("fairdeal://").wait_for()


async def test_name_that_nobody_can_have_is_refused(visits: Visits) -> None:
    async with web_server(built_page()) as site:
        page = await open_tab(visits, site, WEB_LINK, name="\u202e")
        await page.get_by_role("alert").get_by_text("name").wait_for()


async def test_page_over_https_says_which_tables_it_cannot_call(visits: Visits) -> None:
    page = await visits.open(size=PHONE)

    async def fulfil(route: Route) -> None:
        path = route.request.url.removeprefix(SECURE).partition("#")[0]
        await route.fulfill(path=built_page() / (path or "index.html"))

    await page.context.route(f"{SECURE}**", fulfil)
    await page.goto(f"{SECURE}#{WEB_LINK}")
    await page.get_by_text("The table at table.test:7500 has not.").wait_for()
    await page.get_by_text("Whoever runs play.test could change it").wait_for()
    assert (await violations(page), await sideways(page)) == ([], "")


async def test_link_shows_table_and_fingerprint_before_anything_is_loaded(visits: Visits) -> None:
    async with web_server(built_page()) as site:
        page = await visits.open(f"{site}#{WEB_LINK}")
        assert await page.inner_text("dd >> nth=0") == "table.test:7500"
        assert await page.inner_text(".fingerprint") == " ".join(["abcd"] * 10)
        assert await page.get_by_text("comes from your own machine").count()
        # what a guest does comes first, and all of it is in view
        name, where = [await page.locator(part).bounding_box() for part in ("#name", ".leads")]
        assert name and where and name["y"] < where["y"]
        assert (await violations(page), await sideways(page)) == ([], "")
        # the program loads meanwhile, and says so if the page is closed in the middle of it
        await page.get_by_text("The program is loaded.").wait_for()


@pytest.mark.parametrize(
    "link",
    [
        f"ws://table.test:7500/{OTHER}/{FINGERPRINT}",  # the first is a part of the path
        f"ws://table.test:7500/fairdeal/{OTHER}/{FINGERPRINT}",
        f"WS://Table.Test:7500,other.test/{FINGERPRINT}/{'a' * 32}",
        f"%20ws://table.test:7500/fairdeal/{FINGERPRINT}.",
    ],
)
async def test_link_shows_the_fingerprint_that_the_program_takes(visits: Visits, link: str) -> None:
    taken = JoinLink.parse(f"fairdeal+{link.replace('%20', '')}").fingerprint
    async with web_server(built_page()) as site:
        page = await visits.open(f"{site}#{link}")
        assert (await page.inner_text(".fingerprint")).replace(" ", "") == taken
        assert (await page.inner_text("dd >> nth=0")).lower().startswith("table.test:7500")


@pytest.mark.parametrize(
    "link",
    [
        f"ws://%0Atable.test:7500/{FINGERPRINT}",
        f"ws://%E2%80%8Btable.test:7500/{FINGERPRINT}",
        f"ws://x fairdeal+ws://table.test:7500/{FINGERPRINT}",
        f"http://other.test/#ws://table.test:7500/{FINGERPRINT}",
    ],
)
async def test_link_within_another_text_is_neither_shown_nor_taken(
    visits: Visits, link: str
) -> None:
    text = unquote(link)
    assert JoinLink.parse(text if text.startswith("http") else f"fairdeal+{text}")
    async with web_server(built_page()) as site:
        page = await open_tab(visits, site, link)
        await page.get_by_text("leads to no table that a browser can call").wait_for()
        await page.get_by_role("alert").get_by_text("has something around it").wait_for()
        assert await page.locator(".fingerprint").count() == 0


async def test_page_within_another_page_starts_nothing(visits: Visits, tmp_path: Path) -> None:
    async with web_server(built_page()) as site, web_server(tmp_path) as elsewhere:
        (tmp_path / "index.html").write_text(
            f'<!doctype html><link rel="icon" href="data:,"><iframe src="{site}"></iframe>'
        )
        page = await visits.open(elsewhere)
        _, frame = page.frames
        await frame.get_by_text("within another page").wait_for()
        assert await frame.evaluate("indexedDB.databases()") == []
        assert page.workers == []
        await forget(visits, page, "within another page")


async def test_table_that_never_answers_is_given_up(visits: Visits) -> None:
    callers = []
    silent = await asyncio.start_server(
        lambda reader, writer: callers.append(writer), "127.0.0.1", 0
    )
    port = silent.sockets[0].getsockname()[1]
    async with web_server(built_page()) as site, silent:
        page = await open_tab(visits, site, f"ws://127.0.0.1:{port}/{FINGERPRINT}")
        await page.get_by_text("No table answers this page").wait_for()
        await forget(visits, page, *NO_CALL)
        for caller in callers:
            caller.close()


async def test_program_that_cannot_be_loaded_is_said_with_a_next_step(
    visits: Visits, tmp_path: Path
) -> None:
    shutil.copytree(built_page(), tmp_path / "page")
    (tmp_path / "page" / "program.zip").unlink()
    async with web_server(tmp_path / "page") as site:
        page = await visits.open(f"{site}#{WEB_LINK}")
        await page.get_by_role("alert").get_by_text("could not be loaded").wait_for()
        assert await page.get_by_role("button", name="Load the page again").is_enabled()
        assert await violations(page) == []
        await forget(visits, page, *MISSING)


async def test_browser_without_script_is_told(visits: Visits) -> None:
    async with web_server(built_page()) as site:
        page = await visits.open(site, java_script_enabled=False)
        assert "needs JavaScript" in await page.inner_text("noscript")

"""Directories on Join: a real directory, a real table that reports itself, and a real web server."""

from functools import partial
from pathlib import Path
from random import Random
from time import time

import pytest

from player.client.connection import connect
from player.client.directory_list import read_list
from player.storage.own_language import store_language
from player.ui.web.home.directory_requests import Directories
from protocol.directory.table_list import decode_list, encode_list
from table.config import Ways
from table.manager.server import TableServer
from tests.page.homes import home, route
from tests.page.visits import PHONE, Visits, sideways, violations
from tests.support.directories import ANN, BOB, DIRECTORY, anything, directory, report, web_server
from tests.support.tables import config, until

pytestmark = [pytest.mark.match, pytest.mark.process]
PANEL = "[data-tables=directories]"


def of_this_machine(data: Path, looked_at: list[str] | None = None) -> Directories:
    """Read lists as the app does, and call also tables of this machine. `looked_at` gets the hosts
    that are looked at before they are called.
    """

    async def find(address) -> str:
        if looked_at is not None:
            looked_at.append(address.host)
        return address.host

    async def read(link):
        return await read_list(link, data, time())

    return Directories(read, partial(connect, find=find), may_call=anything, rng=Random(1))


async def add(page, link) -> None:
    """Add a directory by keyboard."""
    await route(page, "Join")
    await page.get_by_label("Link of a directory").fill(str(link))
    await page.keyboard.press("Enter")


@pytest.mark.parametrize("language", ["en", "de"])
async def test_person_sits_down_at_a_listed_table(visits: Visits, tmp_path: Path, language: str):
    data = tmp_path / "zoe"
    looked_at: list[str] = []
    german = language == "de"
    data.mkdir()
    store_language(data, language)
    async with directory(tmp_path / "directory") as server:
        ways = Ways(directories=(server.link,))
        async with TableServer(config(tmp_path / "table", ways=ways)) as table:
            file = server.config.file
            await until(lambda: decode_list(file.read_bytes()).reports)
            with web_server(file.read_bytes) as link:
                async with home(
                    visits, data, directories=of_this_machine(data, looked_at), size=PHONE
                ) as page:
                    await page.locator(".bar [data-route=join]").click()
                    await page.fill("#directory", str(link))
                    await page.keyboard.press("Enter")
                    row = page.locator(f"{PANEL} .listed li")
                    await row.wait_for()
                    seats = "0 Plätze besetzt" if german else "0 seats taken"
                    assert seats in await row.inner_text()
                    assert f"127.0.0.1:{table.link.port}" in await row.inner_text()
                    assert (await violations(page), await sideways(page)) == ([], "")
                    # it shows where it leads, and a no calls nobody
                    name = "Setz mich irgendwohin" if german else "Seat me anywhere"
                    anywhere = page.get_by_role("button", name=name)
                    await anywhere.focus()
                    await page.keyboard.press("Enter")
                    asks = page.locator("dialog[open]")
                    assert f"127.0.0.1:{table.link.port}" in await asks.inner_text()
                    assert await violations(page) == []
                    await page.keyboard.press("Escape")
                    assert not table.connections and not looked_at
                    await page.keyboard.press("Enter")
                    await asks.locator(".danger").press("Enter")
                    await page.wait_for_selector("li.panel")
                    assert table.connections and set(looked_at) == {"127.0.0.1"}


async def test_list_is_filtered_sorted_and_searched(visits: Visits, tmp_path: Path):
    now = int(time())
    times = {"number": now, "expires": now + 900}
    ann = report(ANN, name="Corner", games=("nim",), taken=1, free=2, **times)
    bob = report(BOB, name="Attic", games=("draw-dominoes",), taken=0, free=9, **times)
    encoded = encode_list([ann, bob], 7, now + 900, DIRECTORY)
    with web_server(lambda: encoded) as link:
        async with home(visits, tmp_path, directories=of_this_machine(tmp_path)) as page:
            await add(page, link)
            rows = page.locator(f"{PANEL} .listed li strong")
            await page.wait_for_function(
                "() => document.querySelectorAll('.listed li').length === 2"
            )
            # where somebody is goes first
            assert await rows.all_inner_texts() == ["Corner", "Attic"]
            await page.get_by_label("Sort by").select_option("name")
            await page.wait_for_selector(".listed li:first-child:has-text('Attic')")
            await page.get_by_label("Search by name").fill("CORN")
            await page.wait_for_function(
                "() => document.querySelectorAll('.listed li').length === 1"
            )
            assert await rows.all_inner_texts() == ["Corner"]
            await page.get_by_label("Search by name").fill("")
            await page.get_by_label("Game", exact=True).select_option("draw-dominoes")
            await page.wait_for_selector(".listed li:only-child:has-text('Attic')")
        # it is kept, and can be removed
        async with home(visits, tmp_path, directories=of_this_machine(tmp_path)) as page:
            await route(page, "Join")
            await page.get_by_role("button", name="Show the tables of").click()
            await page.wait_for_selector(".listed li")
            await page.get_by_role("button", name="Remove http").click()
            await page.locator(f"{PANEL} li").first.wait_for(state="detached")


async def test_list_older_than_the_last_is_refused_aloud(visits: Visits, tmp_path: Path):
    now = int(time())
    newest = [encode_list([], 7, now + 900, DIRECTORY)]
    with web_server(lambda: newest[0]) as link:
        async with home(visits, tmp_path, directories=of_this_machine(tmp_path)) as page:
            await add(page, link)
            await page.wait_for_selector(f"{PANEL}:has-text('No table fits.')")
            newest[0] = encode_list([], 6, now + 900, DIRECTORY)
            await page.get_by_role("button", name="Show the tables of").click()
            await page.wait_for_selector(".wrong:has-text('shows an old list: number 6')")
            visits.forgive("422")


async def test_table_of_this_machine_is_not_called_from_a_list(visits: Visits, tmp_path: Path):
    now = int(time())
    home_table = report(address="127.0.0.1:7500", number=now, expires=now + 900)
    encoded = encode_list([home_table], 7, now + 900, DIRECTORY)
    with web_server(lambda: encoded) as link:
        async with home(visits, tmp_path) as page:
            await add(page, link)
            await page.wait_for_selector(".listed li:has-text('It is not called from here')")
            assert await page.locator(".listed button").count() == 0
            await page.get_by_role("button", name="Seat me anywhere").click()
            await page.wait_for_selector(".wrong:has-text('No table in the list fits')")
            visits.forgive("422")

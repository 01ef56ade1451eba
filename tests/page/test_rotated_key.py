"""A table whose key was rotated, on the page of the app and in a tab: the page asks, and follows
after a yes only. Tables are real processes.
"""

import json
import shutil
import signal
from pathlib import Path

import pytest
from playwright.async_api import Page, expect

from player.storage.known_tables import KnownTables
from player.storage.own_language import store_language
from player.storage.own_name import store_name
from protocol.identity.keys import JoinLink
from tests.page.homes import home
from tests.page.tabs import TableProgram, built_page, open_tab, web_server
from tests.page.visits import PHONE, Visits, sideways, violations
from tests.system.test_key_rotation import House, visit
from tests.system.test_table_command import table_command

pytestmark = [pytest.mark.match, pytest.mark.process]


def question(page: Page):
    return page.get_by_role("dialog")


async def join(page: Page, link: object) -> None:
    """Go to a table by its link."""
    await page.locator(".bar [data-route=join]").click()
    await page.fill("#link", str(link))
    await page.keyboard.press("Enter")


async def made(place: Path, data: Path) -> tuple[House, JoinLink]:
    """Make a table whose key has committed, and let the person visit it."""
    house = House(place)
    async with house.opened() as link:
        await house.commit()
    async with house.opened():
        assert (await visit(link, data))[0] == 0
    store_name(data, "Zoe")
    return house, link


@pytest.mark.parametrize(
    ("language", "asks", "yes", "no", "refused", "invite", "look"),
    [
        ("en", "Follow to the new key?", "Yes", "No", "Visit the table again", "Invite", {}),
        (
            "de",
            "Dem neuen",
            "Ja",
            "Nein",
            "noch einmal an den Tisch",
            "Einladen",
            {"size": PHONE},
        ),
    ],
)
async def test_app_asks_and_follows_after_yes_only(
    visits: Visits, tmp_path: Path, language, asks, yes, no, refused, invite, look
):
    data = tmp_path / "zoe"
    house, link = await made(tmp_path, data)
    await house.rotate()
    store_language(data, language)
    async with house.opened() as new, home(visits, data, **look) as page:
        await join(page, link)
        dialog = question(page)
        await expect(dialog).to_contain_text(asks)
        for fingerprint in (link.fingerprint, new.fingerprint):
            await expect(dialog).to_contain_text(fingerprint)
        assert (await violations(page), await sideways(page)) == ([], "")
        await dialog.get_by_role("button", name=no, exact=True).click()
        await page.wait_for_selector(f".home:has-text('{refused}')")
        assert KnownTables(data).expected(link) == link.fingerprint
        await join(page, link)
        await expect(question(page)).to_contain_text(asks)
        # whoever goes away has not confirmed, and is asked no more
        await page.go_back()
        await page.wait_for_selector(".home")
        await expect(question(page)).to_have_count(0)
        await join(page, link)
        await expect(question(page)).to_contain_text(asks)
        # a page that is loaded anew is asked again
        await page.reload()
        await expect(question(page)).to_contain_text(asks)
        await question(page).get_by_role("button", name=yes, exact=True).click()
        await page.wait_for_selector(".tables li.panel")
        await expect(question(page)).to_have_count(0)
        assert KnownTables(data).expected(link) == new.fingerprint
        # whom the person invites gets the new key
        await page.locator("summary", has_text=invite).click()
        await expect(page.locator("#invitation-link")).to_have_value(str(new))


async def test_person_seen_in_the_lobby_follows_when_the_table_is_back(
    visits: Visits, tmp_path: Path
):
    data = tmp_path / "zoe"
    house, link = await made(tmp_path, data)
    async with home(visits, data) as page:
        async with house.opened():
            await join(page, link)
            await page.get_by_role("button", name="Meet the people here").click()
            await page.wait_for_selector(".company:has-text('Nobody else is here.')")
        await house.rotate()
        async with house.opened() as new:
            await question(page).get_by_role("button", name="Yes", exact=True).click()
            await expect(question(page)).to_have_count(0)
            await page.wait_for_selector(".company:has-text('Nobody else is here.')")
            assert KnownTables(data).expected(link) == new.fingerprint


async def test_app_follows_nobody_after_two_statements(visits: Visits, tmp_path: Path):
    data = tmp_path / "zoe"
    house, link = await made(tmp_path, data)
    thief = House(tmp_path / "thief", house.port)
    thief.data.mkdir(parents=True)
    shutil.copy(house.data / "identity.key", thief.data)
    await thief.commit()
    await thief.rotate()
    async with thief.opened(), home(visits, data) as page:
        await join(page, link)
        await page.wait_for_selector(".home:has-text('This program follows neither')")
        await expect(question(page)).to_have_count(0)
    await house.rotate()
    async with house.opened(), home(visits, data) as page:
        await join(page, link)
        await page.wait_for_selector(".home:has-text('This program follows neither')")


@pytest.mark.slow
async def test_tab_asks_and_follows_after_yes(visits: Visits, tmp_path: Path):
    data = tmp_path / "table"
    next_key = tmp_path / "next.key"
    async with web_server(built_page()) as site:
        program = TableProgram(data, site, "--game", "nim")
        try:
            link = await program.start()
            page = await open_tab(visits, site, link, "Zoe")
            await page.wait_for_selector(".tables li.panel")
            await program.end(signal.SIGTERM)
            assert (await table_command(data, "next-key", str(next_key)))[0] == 0
            await program.start()
            await join(page, link)
            await page.wait_for_selector(".tables li.panel")
            await program.end(signal.SIGTERM)
            code, said, _ = await table_command(data, "rotate", "--next", str(next_key), "--json")
            assert code == 0
            await program.start()
            await join(page, link)
            await expect(question(page)).to_contain_text(json.loads(said)["new"])
            await question(page).get_by_role("button", name="Yes", exact=True).click()
            await page.wait_for_selector(".tables li.panel")
            await expect(question(page)).to_have_count(0)
        finally:
            await program.end(signal.SIGTERM)

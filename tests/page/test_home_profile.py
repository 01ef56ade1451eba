"""Profile in a browser: looks that are kept, the key with its picture and its passphrase."""

from pathlib import Path
from random import Random

import pytest
from playwright.async_api import Page

from player.storage.identity_file import load_identity, read_keyfile
from player.storage.settings import FILE, read_settings
from protocol.identity.keyfile import Cost
from protocol.limits import MIN_KEYFILE_MEMORY
from table.manager.server import TableServer
from tests.page.homes import ROUTES, home, route
from tests.page.visits import DESKTOP, PHONE, Visits, sideways, violations
from tests.support.tables import config

pytestmark = [pytest.mark.match, pytest.mark.process]
CHEAP = Cost(1, MIN_KEYFILE_MEMORY)
GROUND = "getComputedStyle(document.body).backgroundColor"
STORED = "[...Object.values({...localStorage}), ...Object.values({...sessionStorage})].join()"
FIELDS = "[...document.querySelectorAll('[type=password]')].map((field) => field.value).join('')"


async def ground(page: Page) -> str:
    """Return the colour of the page's ground."""
    return str(await page.evaluate(GROUND))


async def test_looks_count_at_once_and_on_the_next_page(visits: Visits, tmp_path: Path):
    async with home(visits, tmp_path) as page:
        await route(page, "Profile")
        light = await ground(page)
        accent = "getComputedStyle(document.documentElement).getPropertyValue('--accent')"
        green = await page.evaluate(accent)
        for name, value in (("theme", "dark"), ("colour", "purple"), ("text", "150")):
            await page.select_option(f"#own-{name}", value)
        await page.select_option("#own-packs", "two")
        await page.select_option("#own-sound", "off")
        await page.wait_for_selector("text=Saved.")
        dark = await ground(page)
        assert dark != light
        assert await page.evaluate(accent) != green
    assert read_settings(tmp_path) == {
        "theme": "dark",
        "colour": "purple",
        "text": 150,
        "packs": "two",
        "sound": "off",
    }
    async with home(visits, tmp_path) as page:
        assert await ground(page) == dark
        assert await page.evaluate("document.documentElement.style.fontSize") == "150%"
        assert await page.evaluate("localStorage.getItem('sound')") == "off"
    async with home(visits, tmp_path, dark=True) as page:
        await route(page, "Profile")
        await page.select_option("#own-theme", "light")
        assert await ground(page) == light
        await page.select_option("#own-theme", "system")
        assert await ground(page) == dark


async def test_choice_of_a_match_is_kept(visits: Visits, tmp_path: Path):
    async with home(visits, tmp_path) as page:
        await page.evaluate("localStorage.setItem('sound', 'hidden')")
        async with page.expect_response("**/api/settings"):
            await page.evaluate("document.body.click()")
    assert read_settings(tmp_path) == {"sound": "hidden"}


async def test_broken_settings_are_the_usual_ones(visits: Visits, tmp_path: Path):
    (tmp_path / FILE).write_text('{"theme": "dark", "evil": "<b>"}', "utf-8")
    async with home(visits, tmp_path) as page:
        await route(page, "Profile")
        assert await page.locator("#own-theme").input_value() == "system"


@pytest.mark.parametrize("colour", ["blue", "purple", "red", "ochre", "teal"])
@pytest.mark.parametrize("theme", ["light", "dark"])
async def test_colours_are_readable(visits: Visits, tmp_path: Path, colour: str, theme: str):
    (tmp_path / FILE).write_text(f'{{"theme": "{theme}", "colour": "{colour}"}}', "utf-8")
    async with home(visits, tmp_path) as page:
        await route(page, "Profile")
        assert await violations(page) == []


@pytest.mark.parametrize("size", [PHONE, DESKTOP], ids=["phone", "desktop"])
async def test_profile_with_key_is_accessible_in_large_text(
    visits: Visits, tmp_path: Path, size: tuple[int, int]
):
    load_identity(tmp_path, b"right", Random(1), CHEAP)
    (tmp_path / FILE).write_text('{"text": 200}', "utf-8")
    async with home(visits, tmp_path, size=size) as page:
        for name in ROUTES:
            await route(page, name)
            await page.wait_for_selector("text=Loading", state="detached")
            assert (await violations(page), await sideways(page)) == ([], "")
        await route(page, "Profile")
        await page.get_by_role("button", name="Unlock").click()
        await page.wait_for_selector("dialog[open]")
        assert await violations(page) == []


async def test_picture_is_the_same_for_the_same_key(visits: Visits, tmp_path: Path):
    pictures = set()
    for folder, seed in (("one", 1), ("two", 1), ("three", 2)):
        load_identity(tmp_path / folder, None, Random(seed))
        async with home(visits, tmp_path / folder) as page:
            await route(page, "Profile")
            pictures.add(await page.locator(".profile .identicon").inner_html())
    assert len(pictures) == 2


async def test_key_is_unlocked_in_the_page_before_a_table(visits: Visits, tmp_path: Path):
    load_identity(tmp_path / "zoe", b"right", Random(1), CHEAP)
    async with (
        TableServer(config(tmp_path / "table")) as table,
        home(visits, tmp_path / "zoe") as page,
    ):
        await route(page, "Join")
        await page.fill("#link", str(table.link))
        await page.keyboard.press("Enter")
        await page.fill("#unlock", "wrong")
        await page.keyboard.press("Enter")
        await page.wait_for_selector("dialog .wrong:has-text('passphrase is wrong')")
        assert await page.evaluate(FIELDS) == ""
        await page.fill("#unlock", "right")
        await page.keyboard.press("Enter")  # at once: perhaps too soon
        await page.wait_for_selector(
            "li.panel:has-text('0 of 2 seats'), dialog .wrong:has-text('Wait a second')"
        )
        if await page.locator("dialog[open]").count():
            await page.wait_for_timeout(1_000)  # the bound on attempts, by the clock
            await page.fill("#unlock", "right")
            await page.keyboard.press("Enter")
        await page.wait_for_selector("li.panel:has-text('0 of 2 seats')")
        assert "right" not in await page.evaluate(STORED)
        visits.forgive("422")
        await route(page, "Profile")
        await page.wait_for_selector("text=This program has it until it ends")


async def test_dialog_that_is_closed_opens_nothing(visits: Visits, tmp_path: Path):
    load_identity(tmp_path, b"right", Random(1), CHEAP)
    async with home(visits, tmp_path) as page:
        await route(page, "Join")
        await page.fill("#link", "fairdeal://127.0.0.1:1")
        await page.keyboard.press("Enter")
        await page.fill("#unlock", "right")
        await page.keyboard.press("Escape")
        await page.wait_for_selector("#unlock", state="detached")
        assert await page.locator(".home #link").count() == 1
        visits.forgive("422")


async def test_passphrase_is_set_and_removed_in_the_page(visits: Visits, tmp_path: Path):
    load_identity(tmp_path, None, Random(1))
    async with home(visits, tmp_path) as page:
        await route(page, "Profile")
        await page.fill("#key-new", "one")
        await page.fill("#key-again", "other")
        await page.get_by_role("button", name="Set passphrase").click()
        await page.wait_for_selector("text=The two new passphrases differ")
        assert await page.evaluate(FIELDS) == ""
        await page.fill("#key-new", "one")
        await page.fill("#key-again", "one")
        await page.keyboard.press("Enter")
        await page.wait_for_selector("text=Your key has a new passphrase")
        file = read_keyfile(tmp_path)
        assert file is not None and file.protected
        await page.fill("#key-old", "one")
        await page.get_by_role("button", name="Remove passphrase").click()
        await page.locator("dialog[open] .danger").click()
        await page.wait_for_selector("text=Your key has no passphrase any more")
        assert "one" not in (await page.evaluate(STORED)).split(",")
    file = read_keyfile(tmp_path)
    assert file is not None and not file.protected


async def test_all_ways_are_gone_by_keyboard(visits: Visits, tmp_path: Path):
    async with home(visits, tmp_path) as page:
        await page.locator(".bar button").first.focus()
        for name, shown in list(ROUTES.items())[:-1]:
            await page.keyboard.press("Tab")
            if await page.evaluate("document.activeElement.dataset.route") == "cards":
                await page.keyboard.press("Tab")  # they are no route of Home
            focused = await page.evaluate("document.activeElement.textContent")
            assert focused == name
            await page.keyboard.press("Enter")
            await page.wait_for_selector(f".home {shown}", state="attached")
            assert await page.evaluate("document.activeElement.matches('h1')")
            bar = page.locator(".bar").get_by_role("button", name=name, exact=True)
            await bar.focus()

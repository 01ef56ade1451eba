"""Memory of a tab as a person meets it: a second tab, and the profile out of the browser and in."""

from pathlib import Path
from random import Random

import pytest
from playwright.async_api import BrowserContext, Page, expect

from player.cli.profile_command import main
from player.storage.identity_file import load_identity
from protocol.identity.keyfile import Cost
from protocol.identity.keys import fingerprint
from protocol.limits import MIN_KEYFILE_MEMORY
from tests.page.tabs import built_page, web_server
from tests.page.visits import PHONE, Visits, sideways

pytestmark = [pytest.mark.process, pytest.mark.slow]
SECRET = "a long secret"
START = 240_000  # milliseconds until the program is there, on a machine with much else to do


def program_profile(data: Path, file: Path) -> str:
    """Make a profile in a folder, and carry it into a file. Return its fingerprint."""
    name = fingerprint(load_identity(data, None, Random(1)).public)
    secret = data.parent / "secret"
    secret.write_text(SECRET)
    words = ["export", str(file), "--data", str(data), "--passphrase-file", str(secret)]
    assert main(words, Cost(1, MIN_KEYFILE_MEMORY)) == 0
    return name


async def at_home(page: Page, name: str = "Ann") -> None:
    """Begin without a link."""
    await page.fill("#name", name)
    await page.keyboard.press("Enter")
    await page.locator("#root").get_by_role("heading").first.wait_for()


async def fresh(context: BrowserContext, site: str) -> Page:
    """Open the page in a new tab of the same browser, up to its question."""
    page = await context.new_page()
    await page.goto(site)
    return page


async def panel(page: Page) -> None:
    """Open the panel about what the browser keeps."""
    waits = page.get_by_text("The program looks what is there")
    await waits.wait_for(state="detached", timeout=START)
    if not await page.evaluate("document.querySelector('.keep').open"):
        await page.get_by_text("What this browser keeps").click()


async def saved(page: Page, title: str, target: Path) -> None:
    """Save the profile into a file by the form with this title."""
    form = page.locator(".keep details").filter(has_text=title)
    await form.locator("summary").click()
    await form.get_by_label("Passphrase of the file").fill(SECRET)
    await form.get_by_label("The same passphrase again").fill(SECRET)
    async with page.expect_download() as coming:
        await form.get_by_role("button").click()
    await (await coming.value).save_as(target)


async def bring(page: Page, file: Path, *, secret: str = SECRET, unused: bool = False) -> None:
    """Bring a profile from a file."""
    form = page.locator(".keep details").filter(has_text="Bring my profile")
    if not await form.get_by_label("File of the profile").is_visible():
        await form.locator("summary").click()
    await form.get_by_label("File of the profile").set_input_files(file)
    await form.get_by_label("Passphrase of the file").fill(secret)
    await form.get_by_label("I have saved this file here").set_checked(unused)
    await form.get_by_role("button", name="Bring my profile").click()


async def test_second_tab_asks_before_it_plays_and_the_first_stops(visits: Visits) -> None:
    async with web_server(built_page()) as site:
        first = await visits.open(site)
        await at_home(first)
        second = await fresh(first.context, site)
        await second.get_by_text("Only one can play at a time").wait_for()
        await second.get_by_role("button", name="Play here").click()
        await first.get_by_text("Another tab or window plays with your key now").wait_for()
        await at_home(second)
        # the same person: the name is the one that was stored
        await second.close()


async def test_profile_goes_from_program_to_browser_to_browser_and_back(
    visits: Visits, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    file = tmp_path / "me.profile"
    home = tmp_path / "home"
    name = program_profile(home, file)
    async with web_server(built_page()) as site:
        old = await visits.open(site)
        context = old.context
        await panel(old)
        await bring(old, file)
        await old.get_by_text("Your profile is here now").wait_for()
        await expect(old.get_by_text("Your key has no passphrase")).to_be_visible()
        await expect(old.get_by_text("private window all is deleted")).to_be_visible()
        await saved(old, "Take my profile to another device", file)
        await old.get_by_text("You took your profile away").wait_for()
        assert await old.is_disabled("#name")
        await old.close()
        again = await fresh(context, site)
        await again.get_by_text("You took your profile away").wait_for()
        assert await again.is_disabled("#name")
        # lost on the way: the same once more
        await saved(again, "Save the file again", file)

        other = await visits.open(site)
        await panel(other)
        await bring(other, file, secret="wrong")
        await other.get_by_text("The passphrase is wrong").wait_for()
        await bring(other, file)
        await other.get_by_text("Your profile is here now").wait_for()
        await saved(other, "Take my profile to another device", tmp_path / "back.profile")
        await other.get_by_text("You took your profile away").wait_for()

        await bring(again, file)
        await again.get_by_text("tick the box above").wait_for()
        await bring(again, file, unused=True)
        await again.get_by_text("Your profile is here now").wait_for()
        assert await again.is_enabled("#name")
        await again.close()
    words = ["--data", str(home), "--passphrase-file", str(tmp_path / "secret")]
    assert main(["import", str(tmp_path / "back.profile"), *words]) == 0
    assert fingerprint(load_identity(home, None, Random(1)).public) == name


async def test_backup_of_a_tab_leaves_it_playing(visits: Visits, tmp_path: Path) -> None:
    program_profile(tmp_path / "home", tmp_path / "me.profile")
    async with web_server(built_page()) as site:
        page = await visits.open(site, size=PHONE)
        await panel(page)
        await bring(page, tmp_path / "me.profile")
        await page.get_by_text("Your profile is here now").wait_for()
        await saved(page, "Save a backup", tmp_path / "safe.profile")
        await page.get_by_text("The backup has been saved").wait_for()
        assert not await sideways(page)
        await at_home(page)
    assert (tmp_path / "safe.profile").read_bytes().startswith(b"fairdeal profile 1\nkind backup\n")


async def test_panel_waits_for_no_answer_to_a_question_of_the_browser(visits: Visits) -> None:
    """Firefox asks the person whether the page may store for good."""
    async with web_server(built_page()) as site:
        page = await visits.open()
        await page.context.add_init_script(
            "if (navigator.storage)"  # an empty page has none in Firefox
            " navigator.storage.persist = () => new Promise((answer) => (globalThis.answer = answer));"
        )
        await page.goto(site)
        await panel(page)
        await page.get_by_text("The browser has not promised").wait_for()
        await page.evaluate("answer(true)")
        await page.get_by_text("The browser has promised").wait_for()

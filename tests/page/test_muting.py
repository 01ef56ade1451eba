"""Muting by key in the app: from a match, until Profile lifts it; and a report for the host."""

from pathlib import Path

import pytest

from player.storage.identity_file import read_keyfile
from player.storage.mute_list import MuteList
from tests.page.homes import home, route
from tests.page.test_app_tables import join, open_table, person
from tests.page.visits import Visits, violations

pytestmark = [pytest.mark.match, pytest.mark.process]


async def test_person_in_a_match_is_muted_and_reported(visits: Visits, tmp_path: Path):
    async with (
        person(visits, tmp_path / "ann", "Ann") as ann,
        person(visits, tmp_path / "bob", "Bob") as bob,
    ):
        link = await open_table(ann)
        await join(bob, link)
        await bob.get_by_role("button", name="Meet the people here").click()
        await ann.get_by_role("button", name="Sit down", exact=True).click()
        await bob.get_by_role("button", name="Sit down", exact=True).last.click()
        for page in (ann, bob):
            await page.wait_for_selector(".match .heaps")
        await bob.locator("#say").fill("pay me")
        await bob.keyboard.press("Enter")
        heard = ann.locator(".panel.talk [role=log] p", has_text="pay me")
        await heard.wait_for()
        own = bob.locator(".panel.talk [role=log] p", has_text="pay me")
        await own.wait_for()  # who speaks sees it, too
        await ann.get_by_text("Mute", exact=True).click()
        await ann.locator(".panel.talk").get_by_role("button", name="Bob").click()
        await heard.wait_for(state="hidden")
        await ann.locator(".seats .to-person").first.click()
        report = ann.locator("dialog[open]").get_by_role("button", name="Report to the host")
        assert await violations(ann) == []
        async with ann.expect_download() as saving:
            await report.click()
        text = Path(await (await saving.value).path()).read_text("utf-8")
        key = read_keyfile(tmp_path / "bob")
        assert key is not None and key.fingerprint in text and "pay me" in text
        assert list(MuteList(tmp_path / "ann").names()) == [key.fingerprint]


async def test_profile_lists_muted_people_and_lifts(visits: Visits, tmp_path: Path):
    MuteList(tmp_path).add(b"b" * 32, "Bob")
    async with home(visits, tmp_path) as page:
        await route(page, "Profile")
        await page.wait_for_selector("[data-muted] li:has-text('Bob')")
        assert await violations(page) == []
        await page.get_by_role("button", name="Hear Bob again").click()
        await page.wait_for_selector("[data-muted]:has-text('You hear everybody.')")
    assert MuteList(tmp_path).names() == {}

"""A table that was restored from a backup, on the page of the app: the page says why a match cannot go
on, and drops it after a yes only. The table is a real process.
"""

from pathlib import Path

import pytest
from playwright.async_api import expect

from player.storage.own_language import store_language
from player.storage.own_name import store_name
from tests.page.homes import home
from tests.page.test_rotated_key import join, question
from tests.page.visits import PHONE, Visits, sideways, violations
from tests.system.test_host import program
from tests.system.test_restored_table import leave_unfinished, unfinished
from tests.system.test_table_command import table_command

pytestmark = [pytest.mark.match, pytest.mark.process]
WORDS = {
    "en": (
        *("restored the table from a backup", "Give the match up?", "Yes", "No"),
        *("The match is kept", "The match is dropped", "Back to the table"),
    ),
    "de": (
        *("aus einer Sicherung wiederhergestellt", "Die Partie aufgeben?", "Ja", "Nein"),
        *("Die Partie bleibt", "Die Partie ist aufgegeben", "Zurück zum Tisch"),
    ),
}


@pytest.mark.parametrize("language", WORDS)
async def test_app_says_why_and_drops_the_match_after_yes(
    visits: Visits, tmp_path: Path, language: str
) -> None:
    why, asks, yes, no, kept, dropped, back = WORDS[language]
    data, backup, again = tmp_path / "zoe", tmp_path / "a.backup", tmp_path / "again"
    async with program(tmp_path / "table") as (_, link):
        await leave_unfinished(link, data)
        assert (await table_command(tmp_path / "table", "backup", str(backup)))[0] == 0
    assert (await table_command(again, "restore", str(backup)))[0] == 0
    store_name(data, "Zoe")
    store_language(data, language)
    look = {"size": PHONE} if language == "de" else {}
    async with program(again) as (_, link):
        async with home(visits, data, **look) as page:
            await join(page, link)
            await expect(question(page)).to_contain_text(asks)
            assert (await violations(page), await sideways(page)) == ([], "")
            await question(page).get_by_role("button", name=no, exact=True).click()
            await page.wait_for_selector(f".match:has-text('{why}')")
            await page.wait_for_selector(f".match:has-text('{kept}')")
        assert unfinished(data)
        async with home(visits, data, **look) as page:
            await join(page, link)
            await question(page).get_by_role("button", name=yes, exact=True).click()
            await page.wait_for_selector(f".match:has-text('{dropped}')")
            assert not unfinished(data)
            await page.get_by_role("button", name=back).click()
            await page.wait_for_selector(".tables li.panel")

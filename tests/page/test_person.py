"""A person's card, what a spectator is told, and the keys of one game."""

import pytest
from playwright.async_api import Page

from tests.page.snapshots import ended, shot
from tests.page.stage import show, staged
from tests.page.tables import TABLES, busiest
from tests.page.test_at_once import ready
from tests.page.test_at_once import shot as raced
from tests.page.visits import PHONE, Visits, violations

SEAT = "dialog[open]"


async def focused(page: Page) -> str:
    """Return the text of the focused element."""
    return str(await page.evaluate("document.activeElement.textContent"))


async def keys(page: Page) -> list[str]:
    """Return the keys that the dialog lists."""
    await page.keyboard.press("?")
    found = await page.locator(".keys dt").all_inner_texts()
    await page.keyboard.press("Escape")
    return [" ".join(one.split()) for one in found]


@pytest.mark.parametrize("size", [(1280, 800), PHONE], ids=["laptop", "phone"])
async def test_name_of_a_seat_opens_the_person(visits: Visits, size: tuple[int, int]):
    page = await staged(visits, size=size, answers=lambda name, body: {"blocks": [], "none": "-"})
    shown = shot("holdem")
    await show(page, shown)
    seat = shown["view"]["seats"][4]
    await page.get_by_role("button", name="Not needed").click()  # the tour
    await page.locator(".seats").get_by_role("button", name=seat["name"]).click()
    card = page.get_by_role("dialog", name="Who this is")
    told = await card.inner_text()
    known = shown["people"][4]["known"]
    assert all(part in told for part in (seat["name"], seat["fingerprint"], known, "5, violet"))
    assert await card.locator(".identicon").count() == 1
    for word in shown["view"]["trust"]["roster"].split("-"):
        assert word in told
    assert await violations(page) == []
    await page.keyboard.press("Escape")
    assert seat["name"] in await focused(page)


async def test_own_name_opens_the_own_card_by_key(visits: Visits):
    page = await staged(visits)
    shown = shot("holdem")
    await show(page, shown)
    own = shown["view"]["seats"][shown["view"]["you"]]
    await page.locator(".own .to-person").focus()
    await page.keyboard.press("Enter")
    told = await page.locator(SEAT).inner_text()
    assert own["fingerprint"] in told and "what the others see of you" in told


async def test_focus_stays_on_a_name_while_the_seat_changes(visits: Visits):
    page = await staged(visits)
    await show(page, shot("holdem"))
    await page.locator(".seats .to-person").nth(1).focus()
    name = await focused(page)
    await show(page, shot("waiting"))
    assert await focused(page) == name


@pytest.mark.parametrize("shown", ["dominoes", "holdem", "long", "spectator"])
async def test_fingerprints_are_in_badge_and_card_alone(visits: Visits, shown: str):
    page = await staged(visits)
    await show(page, shot(shown))
    for seat in shot(shown)["view"]["seats"]:
        found = page.get_by_text(seat["fingerprint"])
        assert (
            await found.count()
            == await page.locator(".checks").get_by_text(seat["fingerprint"]).count()
        )


async def test_person_who_has_gone_by_the_end_keeps_a_card(visits: Visits):
    page = await staged(visits)
    await show(page, ended("draw layered"))
    await page.locator(".seats .to-person").first.click()
    assert await page.locator(SEAT).is_visible()


async def test_spectator_is_told_first_and_why_talk_is_empty(visits: Visits):
    page = await staged(visits, size=PHONE)
    await show(page, shot("spectator"))
    told = page.locator(".watching")
    assert "not playing" in await told.inner_text()
    box, table = await told.bounding_box(), await page.locator(".table").bounding_box()
    assert box and table and box["y"] < table["y"]
    await page.locator(".fold").click()
    assert "nobody hears you" in await page.locator(".panel.talk").inner_text()
    assert not await page.locator("#say").is_visible()
    assert await violations(page) == []


KEYS = {
    "dominoes": {"L R", "P", "D", "← →", "Enter", "Shift ← →", "Esc", "H", "/", "?"},
    "holdem": {"F", "C", "R", "A", "S M", "← →", "Enter", "Shift ← →", "Esc", "H", "/", "?"},
    "spectator": {"/", "?"},
}


@pytest.mark.parametrize("name", KEYS)
async def test_help_lists_keys_of_this_game_alone(visits: Visits, name: str):
    page = await staged(visits, answers=lambda *_: {"game": "x", "blocks": [], "none": "-"})
    await show(page, shot(name))
    assert set(await keys(page)) == KEYS[name]


async def test_keys_of_piles_are_listed_only_where_they_do_something(visits: Visits):
    page = await staged(visits, answers=lambda *_: {"game": "x", "blocks": [], "none": "-"})
    await show(page, raced(ready()))
    assert {"1 – 5 0", "Space"} <= set(await keys(page))
    assert not {"P", "D", "F", "L R"} & set(await keys(page))
    for name in [name for name in TABLES if name.split()[0] in {"element-duel", "nim"}]:
        await show(page, busiest(name).snapshot)
        assert not {"1 – 5 0", "Space", "P", "D", "1 – 9", "F"} & set(await keys(page))
    await show(page, busiest("connect-four 2").snapshot)
    assert "1 – 9" in await keys(page)


async def test_block_game_lists_no_key_for_drawing(visits: Visits):
    page = await staged(visits, answers=lambda *_: {"game": "x", "blocks": [], "none": "-"})
    await show(page, busiest("block-dominoes 2").snapshot)
    found = await keys(page)
    assert "P" in found and "D" not in found

"""Tour of the match screen: offered once, walked by keys, and never in the way of a choice."""

import pytest
from playwright.async_api import Page, expect

from tests.page.snapshots import ended, shot
from tests.page.stage import asked, show, staged
from tests.page.visits import DESKTOP, PHONE, Visits, sideways, violations

OFFER = ".welcome"
INSIDE = "document.querySelector('dialog.tour').contains(document.activeElement)"


async def step(page: Page) -> tuple[str, str]:
    """Return the heading of the step, and the class of the part that it points at."""
    pointed = await page.locator("[data-pointed]").all()
    assert len(pointed) == 1
    return (
        await page.locator(".tour h3").inner_text(),
        await pointed[0].get_attribute("class") or await pointed[0].inner_text(),
    )


@pytest.mark.parametrize(("size", "dark"), [(DESKTOP, False), (PHONE, True)])
async def test_tour_is_walked_by_keyboard_alone(visits: Visits, size: tuple[int, int], dark: bool):
    page = await staged(visits, size=size, dark=dark)
    await show(page, shot("dominoes"))
    assert await violations(page) == []
    await page.get_by_role("button", name="Show me around").focus()
    await page.keyboard.press("Enter")
    parts = []
    for _ in range(4):
        parts.append(await step(page))
        assert await violations(page) == [] and await sideways(page) == ""
        box, tour = await page.locator("[data-pointed]").bounding_box(), None
        tour = await page.locator(".tour").bounding_box()
        assert box and tour
        apart = tour["y"] >= box["y"] + box["height"] or box["y"] >= tour["y"] + tour["height"]
        assert apart, parts
        await page.keyboard.press("Enter")
    assert [title for title, _ in parts] == [
        "Whose turn it is",
        "What you can do",
        "What was checked",
        "Rules",
    ]
    assert "status" in parts[0][1] and "own" in parts[1][1]
    await expect(page.locator("dialog[open], [data-pointed]")).to_have_count(0)
    await page.wait_for_selector(".own:focus-within")
    assert await asked(page) == []


async def test_focus_stays_inside_and_escape_skips(visits: Visits):
    page = await staged(visits)
    await show(page, shot("dominoes"))
    await page.get_by_role("button", name="Show me around").click()
    for key in ["Tab"] * 6 + ["Shift+Tab"] * 6:
        await page.keyboard.press(key)
        on = await page.evaluate("document.activeElement.tagName")
        assert on == "BODY" or await page.evaluate(INSIDE), on  # the browser's own bar has it
    await page.keyboard.press("Escape")
    await expect(page.locator("dialog[open], [data-pointed]")).to_have_count(0)
    await show(page, shot("holdem"))
    assert not await page.locator(OFFER).is_visible()


async def test_declined_tour_is_not_offered_again_and_stands_in_rules(visits: Visits):
    page = await staged(visits, answers=lambda *_: {"game": "x", "blocks": [], "none": "None."})
    await show(page, shot("dominoes"))
    await page.get_by_role("button", name="Not needed").click()
    await show(page, shot("holdem"))
    assert not await page.locator(OFFER).is_visible()
    await page.keyboard.press("?")
    await (
        page.get_by_role("dialog", name="Rules").get_by_role("button", name="A short tour").click()
    )
    assert (await step(page))[0] == "Whose turn it is"


async def test_offer_is_not_in_the_way_of_a_choice(visits: Visits):
    page = await staged(visits)
    await show(page, shot("drawing"))
    assert await page.locator(OFFER).is_visible()
    await page.keyboard.press("d")
    assert await asked(page) == [["choose", "draw"]]


async def test_offer_ends_with_the_first_match_and_not_for_spectators(visits: Visits):
    page = await staged(visits)
    await show(page, shot("spectator"))
    assert not await page.locator(OFFER).is_visible()
    await show(page, shot("dominoes"))
    assert await page.locator(OFFER).is_visible()
    over = ended("draw layered", stage="over")
    over["view"] = {**over["view"], "match": shot("dominoes")["view"]["match"]}
    await show(page, over)
    await show(page, shot("holdem"))
    assert not await page.locator(OFFER).is_visible()


async def test_spectator_has_no_step_about_an_own_hand(visits: Visits):
    page = await staged(visits, answers=lambda *_: {"game": "x", "blocks": [], "none": "None."})
    await show(page, shot("spectator"))
    await page.keyboard.press("?")
    await page.get_by_role("button", name="A short tour").click()
    assert "1 of 3" in await page.locator(".tour").inner_text()

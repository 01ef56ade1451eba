"""Second thoughts: a choice can be taken back before anything is sent, or needs a second press."""

from typing import Any

import pytest
from playwright.async_api import Page

from tests.page.snapshots import shot
from tests.page.stage import asked, show, staged
from tests.page.test_at_once import ready
from tests.page.test_at_once import shot as raced
from tests.page.visits import PHONE, Visits, violations

Json = dict[str, Any]
BOX = ".float.confirm"
PREFER = "value => localStorage.setItem('match confirm', value)"


async def thinking(visits: Visits, way: str, shown: Json, **how: Any) -> Page:
    """Open a page whose person wants second thoughts this way, with a clock that tests move."""
    page = await staged(visits, has_touch=False, **how)
    await page.clock.install(time=0)
    await page.clock.pause_at(60_000)
    await page.evaluate(PREFER, way)
    await show(page, shown)
    return page


async def sent(page: Page) -> list[list[Any]]:
    """Return the page's requests, while its clock stands still."""
    found: list[list[Any]] = await page.evaluate("Promise.resolve().then(() => asked)")
    return found


def later(shown: Json, **more: Any) -> Json:
    """Return a copy of a snapshot that comes after it, with another view."""
    return {**shown, "serial": shown["serial"] + 1, "view": {**shown["view"], **more}}


async def test_choice_taken_back_sends_nothing(visits: Visits):
    page = await thinking(visits, "back", shot("drawing"))
    await page.keyboard.press("d")
    assert await page.locator(BOX).is_visible()
    await page.clock.run_for(1200)
    assert await sent(page) == []
    await page.get_by_role("button", name="Take back").click()
    await page.clock.run_for(9000)
    assert await sent(page) == [] and not await page.locator(BOX).is_visible()


async def test_choice_not_taken_back_is_sent_once(visits: Visits):
    page = await thinking(visits, "back", shot("drawing"))
    await page.keyboard.press("d")
    assert await sent(page) == []
    await page.clock.run_for(1600)
    assert await sent(page) == [["choose", "draw"]]
    await page.clock.run_for(9000)
    assert await sent(page) == [["choose", "draw"]]


async def test_second_press_sends_once_and_double_click_does_not(visits: Visits):
    page = await thinking(visits, "again", shot("drawing"))
    button = page.locator(".offers [data-kind='draw']")
    await button.dblclick()
    await page.clock.run_for(60_000)
    assert await sent(page) == []
    await button.click()
    assert await sent(page) == [["choose", "draw"]]
    await button.click()
    assert await sent(page) == [["choose", "draw"]]


@pytest.mark.parametrize("way", ["back", "again"])
async def test_enter_confirms_and_escape_takes_back(visits: Visits, way: str):
    page = await thinking(visits, way, shot("drawing"))
    await page.keyboard.press("d")
    await page.keyboard.press("Escape")
    await page.clock.run_for(9000)
    assert await sent(page) == []
    await page.keyboard.press("d")
    await page.keyboard.press("Enter")
    assert await sent(page) == [["choose", "draw"]]


async def test_another_choice_replaces_the_waiting_one(visits: Visits):
    page = await thinking(visits, "back", shot("holdem"))
    await page.get_by_role("button", name="check", exact=True).click()
    await page.locator(".wager button.primary").click()
    assert "Bet" in await page.locator(f"{BOX} p").inner_text()
    await page.clock.run_for(9000)
    ((_, kind, amount),) = await sent(page)
    assert kind == "bet" and amount > 0


@pytest.mark.parametrize("way", ["back", "again"])
async def test_end_of_turn_sends_nothing_late(visits: Visits, way: str):
    shown = shot("drawing")
    page = await thinking(visits, way, shown)
    await page.keyboard.press("d")
    turn = {**shown["view"]["turns"][0], "since": shown["view"]["turns"][0]["since"] + 2}
    await show(page, later(shown, turns=[turn]))
    await page.get_by_role("alert").get_by_text("Nothing was sent").wait_for()
    await page.clock.run_for(9000)
    assert await sent(page) == []


async def test_number_of_waiting_choice_may_become_another_offer(visits: Visits):
    shown = shot("dominoes")
    page = await thinking(visits, "back", shown)
    await page.get_by_role("button", name="5-3 fits right").click()
    offers = shown["view"]["offers"]
    wanted = next(one for one in offers if "5-3" in one["label"])
    others = [{**one, "id": (one["id"] + 1) % len(offers)} for one in reversed(offers)]
    await show(page, later(shown, offers=others))
    await page.clock.run_for(1600)
    (offer,) = await page.evaluate("sentOffers")
    assert offer == next(one for one in others if one["action"] == wanted["action"])
    assert offer["id"] != wanted["id"]


async def test_offer_that_goes_while_it_waits_is_not_sent(visits: Visits):
    shown = shot("dominoes")
    page = await thinking(visits, "back", shown)
    await page.get_by_role("button", name="5-3 fits right").click()
    others = [one for one in shown["view"]["offers"] if "5-3" not in one["label"]]
    await show(page, later(shown, offers=others))
    await page.clock.run_for(9000)
    assert await sent(page) == []


async def test_lost_program_sends_nothing_that_waits(visits: Visits):
    shown = shot("drawing")
    page = await thinking(visits, "back", shown)
    await page.keyboard.press("d")
    await show(page, {**later(shown), "away": True})
    await page.clock.run_for(9000)
    assert await sent(page) == []


async def test_where_all_act_at_once_nothing_waits(visits: Visits):
    page = await thinking(visits, "again", raced(ready()))
    await page.keyboard.press(" ")
    assert len(await sent(page)) == 1 and not await page.locator(BOX).is_visible()


async def test_short_rest_of_turn_leaves_no_time_to_wait(visits: Visits):
    shown = shot("drawing")
    turn = {**shown["view"]["turns"][0], "ends": 30_000, "waited": 28_000, "extensions": 0}
    page = await thinking(visits, "back", later(shown, turns=[turn]))
    await page.keyboard.press("d")
    assert await sent(page) == [["choose", "draw"]]


async def test_all_chips_are_asked_about_once(visits: Visits):
    page = await thinking(visits, "back", shot("holdem"))
    await page.keyboard.press("a")
    await page.get_by_role("dialog", name="All in").get_by_role("button", name="All in").click()
    await page.wait_for_function("asked.length > 0")
    assert len(await sent(page)) == 1


async def test_touch_has_a_moment_and_a_mouse_none(visits: Visits):
    for how, waits in (
        ({"has_touch": True, "is_mobile": True}, True),
        ({"has_touch": False}, False),
    ):
        page = await staged(visits, size=PHONE, **how)
        await show(page, shot("drawing"))
        await page.locator(".offers [data-kind='draw']").click()
        assert await page.locator(BOX).is_visible() == waits


async def test_choice_before_sending_is_set_in_menu(visits: Visits):
    page = await staged(visits)
    await show(page, shot("drawing"))
    await page.get_by_role("button", name="Menu").click()
    await page.get_by_label("Before a choice is sent").select_option("again")
    await page.keyboard.press("Escape")
    await page.keyboard.press("d")
    assert await asked(page) == []
    assert await violations(page) == []

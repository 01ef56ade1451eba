"""Use of the match screen: by clicks and by keys alone, without loss of focus, and without
accidental moves.
"""

import pytest
from playwright.async_api import Page

from tests.page.snapshots import both_ends, exchanging, found, on_the_flop, shot, stuck, waiting
from tests.page.stage import asked, show, staged
from tests.page.visits import Visits

LETTERS = "PDFCRALH"
COUNTING = """() => {
  globalThis.heard = 0;
  globalThis.AudioContext = class extends AudioContext { constructor() { super(); heard++; } };
}"""


async def focused(page: Page) -> str:
    """Return the text of the focused element."""
    return str(await page.evaluate("document.activeElement.textContent"))


async def test_hand_is_selected_by_arrows_and_played_by_enter(visits: Visits):
    page = await staged(visits)
    await show(page, shot("dominoes"))
    await page.keyboard.press("Tab")
    await page.keyboard.press("Enter")  # the link to the hand
    # the part of the address that links of the program use
    assert await page.evaluate("location.hash") == ""
    await page.keyboard.press("ArrowRight")
    assert "3-1" in await focused(page) and "fits both" in await focused(page)
    await page.keyboard.press("ArrowRight")
    await page.keyboard.press("Enter")  # this tile fits nowhere
    assert await asked(page) == []
    await page.keyboard.press("ArrowRight")
    assert "5-3" in await focused(page) and "fits right" in await focused(page)
    await page.keyboard.press("Enter")
    await page.keyboard.press("End")
    assert "6-0" in await focused(page)
    await page.keyboard.press("Home")
    await page.keyboard.press("L")
    assert await asked(page) == [["choose", "play"], ["choose", "play"]]


async def test_a_tile_that_fits_both_ends_asks(visits: Visits):
    page = await staged(visits)
    await show(page, shot("dominoes"))
    await page.get_by_role("button", name="3-1 fits both").click()
    question = page.get_by_role("group", name="Which end?")
    assert await question.get_by_role("button").all_inner_texts() == [
        "3-1 on the left",
        "3-1 on the right",
    ]
    await page.keyboard.press("Escape")
    assert not await question.is_visible() and "3-1" in await focused(page)
    await page.keyboard.press("Enter")
    await page.keyboard.press("R")
    assert await asked(page) == [["choose", "play"]]
    await show(page, shot("drawing"))
    assert not await question.is_visible()


async def test_keys_do_only_offered_actions(visits: Visits):
    page = await staged(visits)
    await show(page, shot("drawing"))
    for key in "PFCRA":
        await page.keyboard.press(key)
    assert await asked(page) == []
    await page.keyboard.press("d")
    assert await asked(page) == [["choose", "draw"]]


async def test_letter_shortcuts_are_text_in_fields_and_can_be_disabled(visits: Visits):
    page = await staged(visits)
    await show(page, shot("drawing"))
    await page.locator("#say").focus()
    await page.keyboard.type(LETTERS.lower() + "/?")
    assert await page.locator("#say").input_value() == LETTERS.lower() + "/?"
    assert await asked(page) == []
    await page.get_by_role("button", name="Menu").click()
    await page.get_by_label("Keys play without").uncheck()
    await page.keyboard.press("Escape")
    await page.locator("body").click(position={"x": 2, "y": 2})
    for key in LETTERS + "/?":
        await page.keyboard.press(key)
    assert await asked(page) == [] and await page.locator("dialog[open]").count() == 0


async def test_cards_are_toggled_and_put_away_together(visits: Visits):
    page = await staged(visits)
    await show(page, shot("exchange"))
    cards = page.locator(".hand button")
    assert await page.get_by_role("button", name="keep all").is_visible()
    for at in (3, 0, 2):
        await cards.nth(at).click()
    await cards.nth(2).click()
    assert [await card.get_attribute("aria-pressed") for card in await cards.all()] == [
        *("true", "false", "false", "true", "false")
    ]
    await show(page, found("five-card-draw verified", exchanging, serial=2))
    await page.get_by_role("button", name="exchange 2").click()
    assert await asked(page) == [["choose", "exchange", 0, 3]]


async def test_typed_text_and_scroll_position_survive_updates(visits: Visits):
    page = await staged(visits)
    await show(page, shot("holdem"))
    amount = page.get_by_role("spinbutton")
    await amount.fill("57")
    await show(page, found("six", on_the_flop, serial=2, status="Something else."))
    assert await amount.input_value() == "57"
    assert await amount.evaluate("field => field === document.activeElement")
    await page.locator("#say").fill("good lu")
    await show(page, shot("waiting"))
    assert await page.locator("#say").input_value() == "good lu"
    assert await page.locator("#say").evaluate("field => field === document.activeElement")


async def test_focus_stays_near_hand_when_focused_card_goes(visits: Visits):
    page = await staged(visits)
    await show(page, shot("holdem"))
    await page.get_by_role("button", name="check", exact=True).focus()
    await show(page, shot("waiting"))
    assert await page.evaluate("document.activeElement.id") == "hand"


async def test_check_or_fold_ahead_is_dropped_when_anything_changes(visits: Visits):
    page = await staged(visits)
    tick = page.get_by_label("Check or fold")
    await show(page, shot("waiting"))
    await tick.check()
    await show(page, found("six", waiting, serial=2))
    assert await tick.is_checked()
    raised = found("six", waiting)
    raised["view"]["seats"][2]["game"]["bet"] = 40
    await show(page, raised)
    assert not await tick.is_checked()
    await tick.check()
    turn = found("six", waiting)
    turn["view"]["seats"][2]["game"]["bet"] = 40
    turn["view"]["turns"][0]["seat"] = turn["view"]["you"]
    turn["view"]["offers"] = [
        {**shot("holdem")["view"]["offers"][0], "kind": kind} for kind in ("fold", "call")
    ]
    await show(page, turn)
    assert await asked(page) == [["choose", "fold"]]
    assert not await tick.is_visible()


async def test_all_chips_and_leaving_are_asked_about(visits: Visits):
    page = await staged(visits)
    await show(page, shot("holdem"))
    await page.keyboard.press("a")
    await page.get_by_role("dialog", name="All in").get_by_role("button", name="No").click()
    assert await asked(page) == []
    await page.keyboard.press("a")
    await page.get_by_role("dialog", name="All in").get_by_role("button", name="All in").click()
    assert await asked(page) == [["choose", "bet", 198]]
    await page.get_by_role("button", name="Menu").click()
    await page.get_by_role("button", name="Resign").click()
    await page.keyboard.press("Escape")
    assert len(await asked(page)) == 1
    await page.get_by_role("button", name="Menu").click()
    await page.get_by_role("button", name="Resign").click()
    await page.get_by_role("dialog", name="Resign").get_by_role("button", name="Resign").click()
    assert (await asked(page))[1:] == [["leave"]]


async def test_confirmed_action_is_not_done_on_another_turn(visits: Visits):
    page = await staged(visits)
    await show(page, shot("holdem"))
    await page.keyboard.press("a")
    later = found("six", on_the_flop, serial=2)
    later["view"]["turns"][0]["since"] += 9
    await show(page, later)
    await page.get_by_role("dialog", name="All in").get_by_role("button", name="All in").click()
    assert await asked(page) == []


async def test_a_choice_is_sent_once(visits: Visits):
    page = await staged(visits)
    await show(page, shot("drawing"))
    await page.evaluate(
        "() => { globalThis.answering = new Promise((done) => { globalThis.answer = done; }); }"
    )
    await page.keyboard.press("d")
    await page.keyboard.press("d")
    await page.evaluate("answer()")
    assert await asked(page) == [["choose", "draw"]]


async def test_next_turn_does_not_wait_for_a_pending_answer(visits: Visits):
    page = await staged(visits)
    await show(page, shot("drawing"))
    await page.evaluate(
        "() => { globalThis.answering = new Promise((done) => { globalThis.answer = done; }); }"
    )
    await page.keyboard.press("d")
    turn = found("line", stuck, serial=2)
    turn["view"]["turns"][0]["since"] += 2
    await show(page, turn)
    await page.keyboard.press("d")
    await page.keyboard.press("d")
    assert await asked(page) == [["choose", "draw"]] * 2
    await page.evaluate("answer()")
    assert await asked(page) == [["choose", "draw"]] * 2


async def test_refusal_of_program_is_shown(visits: Visits):
    page = await staged(visits)
    await show(page, shot("drawing"))
    await page.evaluate("globalThis.refusal = 'Too late.'")
    await page.keyboard.press("d")
    await page.get_by_role("alert").get_by_text("Too late.").wait_for()


async def test_without_a_connection_nothing_is_on_offer(visits: Visits):
    page = await staged(visits)
    await show(page, shot("away"))
    assert (
        await page.get_by_role("status").first.inner_text() == "No connection to the table, 12 s."
    )
    assert await page.locator(".hand [aria-disabled=false]").count() == 0


async def test_page_prompt_accepts_terminal_commands(visits: Visits):
    page = await staged(visits)
    await show(page, shot("dominoes"))
    await page.keyboard.press("/")
    await page.keyboard.type("5-3 right")
    await page.keyboard.press("Enter")
    await page.get_by_role("log", name="Answers").get_by_text("It takes note.").wait_for()
    await page.keyboard.press("ArrowUp")
    assert await page.locator("#command").input_value() == "5-3 right"
    assert await asked(page) == [["command", "5-3 right"]]


async def test_title_shows_the_turn(visits: Visits):
    page = await staged(visits)
    await show(page, shot("waiting"))
    assert (await page.title()).startswith("Waiting for Cleo")
    await show(page, shot("holdem"))
    assert (await page.title()).startswith("Your turn")


@pytest.mark.parametrize("sound", ["off", "on", "hidden"])
async def test_sounds_are_on_until_the_person_turns_them_off(visits: Visits, sound: str):
    page = await staged(visits)
    await page.evaluate(COUNTING)
    await show(page, shot("waiting"))
    await page.get_by_role("button", name="Menu").click()
    assert await page.get_by_label("Sounds").input_value() == "on"
    assert await page.evaluate("heard") == 0
    if sound != "on":
        await page.get_by_label("Sounds").select_option(sound)
    await page.keyboard.press("Escape")
    await show(page, shot("holdem"))
    assert await page.evaluate("heard") == (sound == "on")


async def test_another_match_starts_with_empty_screen(visits: Visits):
    page = await staged(visits)
    await show(page, shot("holdem"))
    await show(page, found("line", both_ends))
    assert await page.locator(".hand button").count() == 5
    assert await page.get_by_role("spinbutton").count() == 0

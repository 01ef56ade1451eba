"""Rules in a browser: a dialog with real pictures, one click or `?` away, in a match and in the
lobby.
"""

from json import dumps, loads
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Page

from player.presenter.match_data import rules_data
from protocol.games.registry import BUILT_IN
from protocol.i18n import load_translator
from protocol.match.clock import Allowance
from protocol.match.match_rules import MatchRules
from protocol.match.terms import make_terms
from protocol.options import Selection
from table.manager.server import TableServer
from tests.page.snapshots import shot
from tests.page.stage import show, staged
from tests.page.test_from_lobby import lobby, others
from tests.page.test_lobby import WAITING, Program
from tests.page.visits import DESKTOP, NARROW, PHONE, Visits, sideways, violations
from tests.support.tables import config

WITH_SHEET = [spec for spec in BUILT_IN.specs.values() if spec.sheet]
DIALOG = "dialog[open]"
READ = f"{DIALOG} .rules h3"
# what the pictures of each game are made of, and how many there are at least
PICTURES = {
    "block-dominoes": (".still .tile, .lies .standing", 6),
    "draw-dominoes": (".still .tile, .lies .standing", 6),
    "texas-holdem": (".lies .card", 59),
    "five-card-draw": (".lies .card", 60),
    "omaha": (".lies .card", 59),
    "ligretto": (".lies .colour", 8),
    "matches": (".still .thing", 20),
    "nim": (".still .thing", 16),
    "hexapawn": (".still .man", 8),
    "connect-four": (".still .man", 11),
}


def sheet_of(name: str, language: str = "en", **options: int | str) -> dict[str, Any]:
    """Return the rules of a game as the program sends them."""
    spec = BUILT_IN.specs[name]
    game = Selection(name, tuple(options.items()))
    terms = make_terms(game, spec.dealing, Allowance().options(), spec.default_seats)
    return rules_data(MatchRules(terms), load_translator(language))


def answering(name: str, language: str = "en") -> Any:
    """Return the program's answers, with the rules of this game."""

    def answer(request: str, body: dict[str, Any]) -> Any:
        assert (request, body) == ("rules", {})
        return sheet_of(name, language)

    return answer


async def opened(page: Page) -> None:
    """Press `?` and wait for the rules."""
    await page.keyboard.press("?")
    await page.wait_for_selector(READ)


@pytest.mark.parametrize(
    ("size", "dark", "language"),
    [(DESKTOP, False, "en"), (PHONE, True, "de"), (NARROW, False, "de")],
    ids=["desktop", "phone, dark", "narrow"],
)
@pytest.mark.parametrize("spec", WITH_SHEET, ids=lambda spec: spec.name)
async def test_rules_are_shown_with_pictures_and_fit(visits: Visits, spec, size, dark, language):
    answers = answering(spec.name, language)
    page = await staged(visits, size=size, dark=dark, language=language, answers=answers)
    await show(page, shot("dominoes"))
    await opened(page)
    assert await violations(page) == []
    assert await sideways(page) == ""
    inside = await page.eval_on_selector(DIALOG, "one => one.scrollWidth - one.clientWidth")
    assert inside <= 0
    if spec.name in PICTURES:
        what, least = PICTURES[spec.name]
        pictures = page.locator(f"{DIALOG} .rules").locator(what)
        assert await pictures.count() >= least
        for box in await pictures.evaluate_all(
            "all => all.map(one => one.getBoundingClientRect()).map(box => [box.width, box.height])"
        ):
            assert min(box) > 5
    else:
        cards = page.locator(f"{DIALOG} .rules .lies .card")
        # the moves of the intruder are words, and all other games by rule files have cards
        assert bool(await cards.count()) is (spec.name != "intruder")


async def test_rules_button_and_key_open_and_close_by_keyboard(visits: Visits):
    page = await staged(visits, answers=answering("nim"))
    await show(page, shot("dominoes"))
    button = page.get_by_role("button", name="Rules", exact=True)
    await button.focus()
    await page.keyboard.press("Enter")
    await page.wait_for_selector(READ)
    assert await page.locator(f"{DIALOG} h3").first.inner_text() == "Goal"
    await page.keyboard.press("Escape")
    await page.wait_for_selector(DIALOG, state="detached")
    assert await button.evaluate("one => one === document.activeElement")
    await opened(page)
    dialog = page.get_by_role("dialog", name="Rules")
    assert "Take the last one of all." in await dialog.inner_text()
    assert "Keys" in await dialog.inner_text()
    await page.keyboard.press("Escape")


async def test_pieces_of_rules_have_names_for_screen_readers(visits: Visits):
    page = await staged(visits, answers=answering("texas-holdem"))
    await show(page, shot("holdem"))
    await opened(page)
    rows = page.locator(f"{DIALOG} .rules dl")
    assert await rows.first.locator("dt").first.inner_text() == "a royal flush"
    names = await rows.first.locator("dd").first.locator(".sr").all_text_contents()
    assert names[0] == "ace of spades"
    await page.keyboard.press("Escape")


async def test_rules_that_cannot_be_read_say_why(visits: Visits):
    page = await staged(visits)
    await show(page, shot("dominoes"))
    await page.keyboard.press("?")
    await page.wait_for_selector(f"{DIALOG} [role=alert]:not(:empty)")
    visits.forgive("422")
    none = {"game": "mau-mau", "blocks": [], "none": "There are none."}
    page = await staged(visits, answers=lambda name, body: none)
    await show(page, shot("dominoes"))
    await page.keyboard.press("?")
    await page.wait_for_selector(f"{DIALOG} .rules:has-text('There are none.')")


async def test_pictures_of_rules_leave_the_board_as_it_was(visits: Visits):
    page = await staged(visits, answers=answering("connect-four"))
    await show(page, shot("dominoes"))
    before = await page.locator(".arena").inner_html()
    await opened(page)
    await page.keyboard.press("Escape")
    assert await page.locator(".arena").inner_html() == before


async def test_lobby_shows_rules_of_tables_and_of_the_form(visits: Visits):
    program = Program()
    page = await staged(visits, answers=program.answer)
    await show(page, program.snapshot())
    await opened(page)  # of the first table
    assert "Get rid of your tiles" in await page.inner_text(DIALOG)
    assert await violations(page) == []
    await page.keyboard.press("Escape")
    poker = page.locator("li.panel").nth(1).get_by_role("button", name="Rules")
    await poker.click()
    await page.wait_for_selector(f"{READ}:has-text('Showdown')")
    assert "the small blind of 2, the next one the big blind of 4" in await page.inner_text(DIALOG)
    await page.keyboard.press("Escape")
    await page.get_by_text("Open a table of your own").click()
    await page.locator("summary", has_text="More choices").click()
    await page.get_by_label("Game", exact=True).select_option("connect-four")
    await page.get_by_label("columns of the board").fill("9")
    await page.get_by_label("columns of the board").press("Tab")
    await page.wait_for_selector("#options-height[max='6']")
    form = page.locator("details.panel", has_text="Open a table of your own")
    await form.get_by_role("button", name="Rules").click()
    await page.wait_for_selector(f"{DIALOG} .rules:has-text('It has 9 columns of')")


async def test_rules_can_be_read_while_others_are_to_come(visits: Visits):
    page = await staged(visits, answers=answering("ligretto"))
    await show(page, WAITING)
    await opened(page)
    assert "There are no turns" in await page.inner_text(DIALOG)


@pytest.mark.match
async def test_program_sends_the_rules_of_its_match(visits: Visits, tmp_path: Path):
    async with (
        TableServer(config(tmp_path / "table")) as table,
        lobby(visits, table, tmp_path / "zoe") as page,
    ):
        await opened(page)
        assert "Get rid of your tiles" in await page.inner_text(DIALOG)
        await page.keyboard.press("Escape")
        async with others(table, "Ann"):
            await page.get_by_role("button", name="Sit down").click()
            await page.wait_for_selector("#hand button")
            await opened(page)
            assert "Get rid of your tiles" in await page.inner_text(DIALOG)
            assert await violations(page) == []


async def test_figures_of_a_sheet_are_no_tables_and_show_all_words(visits: Visits):
    sheet = dumps(sheet_of("element-duel"))
    unpictured = loads(sheet.replace('"earth"', '"stone"'))
    page = await staged(visits, answers=lambda name, body: unpictured)
    await show(page, shot("dominoes"))
    await opened(page)
    style = "(all, name) => all.map(one => getComputedStyle(one)[name])"
    rows = page.locator(f"{DIALOG} .rules dl")
    assert set(await rows.evaluate_all(style, "backgroundColor")) == {"rgba(0, 0, 0, 0)"}
    card = page.locator(f"{DIALOG} .rules .card", has_text="Mountain").first
    words = card.locator("text")
    assert await words.all_text_contents() == ["5", "Mountain", "stone"]
    assert "none" not in await words.evaluate_all(style, "display")

"""Boards of games without hidden pieces: drawings, texts and choices; whole matches by clicks and
by keys.
"""

from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Page

from protocol.audit.verdict import Verdict, audit
from protocol.i18n import english
from protocol.view.encoding import encode_with_sentences
from protocol.view.text import phrase_renderer
from tests.page.snapshots import snapshot
from tests.page.stage import asked, show, staged
from tests.page.visits import DESKTOP, NARROW, PHONE, Visits, no_more, sideways, violations
from tests.support.fake_table import FakeTable
from tests.support.game_trees import open_game
from tests.support.guest_games.offline_match import until_playing, written
from tests.support.offline import make_offline
from tests.support.pages import playing
from tests.support.views import NAMES, position

Json = dict[str, Any]
OVER = ".end:not([hidden])"
FREE = ".column[aria-disabled='false'], .pawns [data-goes], button.thing"
DRAW = """async (view) => {
  const { drawBoard } = modules["boards/index.js"];
  const choose = (offer, ...numbers) => (globalThis.chosen = [offer.id, ...numbers]);
  document.getElementById("root").replaceChildren(drawBoard(view, { offers: view.offers, choose, asked: null }));
}"""
LABELS = "all => all.map((one) => one.getAttribute('aria-label'))"


def shot(name: str, moves: int, you: int | None = None, **options: int | str) -> Json:
    """Make a snapshot after this many moves, always the middle choice, for the seat to act, for
    `you`, or for a spectator (−1).
    """
    match = make_offline(2, 1, name, options, dealing="none")
    until_playing(match)
    for _ in range(moves):
        now = match.live.match
        legal = now.setup.game.legal(now.game, now.game.to_act, ())
        match.live.offer(written(match, now.game.to_act, legal[len(legal) // 2]), now.game.to_act)
    seat = match.live.match.game.to_act if you is None else you
    return snapshot(match.live.match, None if seat < 0 else seat, ())


def seen(name: str, *actions: tuple, seat: int | None = None, **options: int | str) -> Json:
    """Make the view of a position for the seat to act, or for another."""
    game = open_game(name, **options)
    state = game.opening(0)
    for action in actions:
        state = game.apply(state, state.to_act, action)
    view = position(game, state, state.to_act if seat is None else seat)
    found: Json = encode_with_sentences(view, phrase_renderer(english, NAMES))
    return found


LOOKS = {
    "connect-four": shot("connect-four", 9),
    "connect-four wide": shot("connect-four", 5, width=12, height=4),
    "connect-four high": shot("connect-four", 5, width=4, height=15),
    "popout": shot("connect-four", 6, popout="yes"),
    "hexapawn": shot("hexapawn", 2, width=9, height=9),
    "nim": shot("nim", 2, rows="1-3-5-7-20-20-1-1-1-20"),
    "matches": shot("matches", 3, n=100, misere="yes"),
    "matches looked on": shot("matches", 3, -1, n=100),
}


@pytest.mark.parametrize(("size", "dark"), [(DESKTOP, False), (PHONE, True), (NARROW, False)])
async def test_every_board_fits_and_axe_finds_nothing(
    visits: Visits, size: tuple[int, int], dark: bool
):
    page = await staged(visits, size=size, dark=dark)
    for name, looks in LOOKS.items():
        await show(page, looks)
        assert (name, await violations(page), await sideways(page)) == (name, [], "")


async def test_a_stone_falls_where_one_clicks_or_types(visits: Visits):
    page = await staged(visits)
    view = seen("connect-four", ("drop", 2), ("drop", 2), width=4, height=4)
    await page.evaluate(DRAW, view)
    columns = page.locator(".column")
    assert await columns.evaluate_all(LABELS) == [
        "column 1, empty",
        "column 2, empty",
        "column 3, from below: Ann, Bob",
        "column 4, empty",
    ]
    await columns.nth(3).click()
    assert await page.evaluate("chosen") == [3]
    await page.keyboard.press("ArrowLeft")
    await page.keyboard.press("Enter")
    assert await page.evaluate("chosen") == [2]
    assert await page.locator(".column [tabindex='0'], .column[tabindex='0']").count() == 1


async def test_own_stone_is_popped_by_click_or_keys(visits: Visits):
    page = await staged(visits)
    moves = [("drop", column) for column in (2, 2, 0, 1)]
    view = seen("connect-four", *moves, width=4, height=4, popout="yes")
    await page.evaluate(DRAW, view)
    bottoms = page.locator("button.bottom")
    assert await bottoms.evaluate_all(LABELS) == ["take out of column 1", "take out of column 3"]
    assert await page.locator(".spot").count() == 16
    await bottoms.nth(1).click()
    chosen = await page.evaluate("chosen")
    assert view["offers"][chosen[0]]["action"] == ["pop", 2]
    for key in ("ArrowUp", "ArrowLeft", "ArrowLeft", "ArrowDown", "Enter"):
        await page.keyboard.press(key)
    chosen = await page.evaluate("chosen")
    assert view["offers"][chosen[0]]["action"] == ["pop", 0]
    await page.locator(".column").nth(2).click()
    chosen = await page.evaluate("chosen")
    assert view["offers"][chosen[0]]["action"] == ["drop", 2]


async def test_nobodys_turn_has_no_stones_to_pop(visits: Visits):
    page = await staged(visits)
    moves = [("drop", 0), ("drop", 1)]
    await page.evaluate(DRAW, seen("connect-four", *moves, seat=1, popout="yes"))
    assert await page.locator("button.bottom").count() == 0
    await page.evaluate(DRAW, seen("connect-four", *moves))
    assert await page.locator("button.bottom").count() == 0


async def test_a_number_plays_its_column_in_the_match(visits: Visits):
    page = await staged(visits)
    await show(page, LOOKS["connect-four"])
    await page.keyboard.press("7")
    assert [name for name, *_ in await asked(page)] == ["choose"]


async def test_a_full_column_is_no_choice(visits: Visits):
    page = await staged(visits)
    await page.evaluate(DRAW, seen("connect-four", *[("drop", 1)] * 4, width=4, height=4))
    column = page.locator(".column").nth(1)
    assert await column.get_attribute("aria-disabled") == "true"
    await column.click(force=True)
    assert await page.evaluate("globalThis.chosen ?? null") is None


async def test_the_newest_stone_is_marked_and_then_the_line(visits: Visits):
    page = await staged(visits)
    moves = [("drop", column) for column in (0, 0, 1, 1, 2, 2, 3)]
    for count in (4, 5):
        await page.evaluate(DRAW, seen("connect-four", *moves[:count]))
    assert await page.locator(".marked").count() == 1
    await page.evaluate(DRAW, seen("connect-four", *moves))
    assert await page.locator(".marked").count() == 4
    assert await page.locator(".marked .first").count() == 4


async def test_a_pawn_is_chosen_and_then_its_goal(visits: Visits):
    page = await staged(visits)
    view = seen("hexapawn", ("move", 1, 4))
    await page.evaluate(DRAW, view)
    cells = page.locator(".pawns button")
    labels = await cells.evaluate_all(LABELS)
    assert labels == [
        "c1: Ann",
        "b1: free",
        "a1: Ann",
        "c2: free",
        "b2: Ann",
        "a2: free",
        "c3: Bob",
        "b3: Bob",
        "a3: Bob",
    ]
    await page.locator("[aria-label='a3: Bob']").click()
    assert await page.locator("[data-goal]").evaluate_all(LABELS) == ["a3xb2", "a3-a2"]
    await page.keyboard.press("Escape")
    assert await page.locator("[data-goal]").count() == 0
    await page.keyboard.press("Enter")
    await page.keyboard.press("ArrowUp")
    await page.keyboard.press("Enter")
    chosen = await page.evaluate("chosen")
    assert view["offers"][chosen[0]]["action"] == ["move", 6, 3]


async def test_a_pawn_that_has_one_goal_goes_there(visits: Visits):
    page = await staged(visits)
    await page.evaluate(DRAW, seen("hexapawn"))
    await page.locator("[aria-label='b1: Ann']").click()
    assert await page.evaluate("chosen") == [1]


async def test_click_on_thing_takes_all_from_there(visits: Visits):
    page = await staged(visits)
    await page.evaluate(DRAW, seen("nim", ("take", 3, 2)))
    assert await page.locator(".heap").evaluate_all(LABELS) == [
        "row 1: 1 left",
        "row 2: 3 left",
        "row 3: 5 left",
        "row 4: 5 left",
    ]
    third = page.locator(".heap").nth(2).locator("button")
    assert await third.evaluate_all(LABELS) == [
        f"take {count} from row 3" for count in (5, 4, 3, 2, 1)
    ]
    await third.nth(1).click()
    assert await page.evaluate("chosen") == [2, 4]
    for key in ("ArrowUp", "ArrowUp", "Enter"):
        await page.keyboard.press(key)
    assert await page.evaluate("chosen") == [0, 1]


async def test_of_matches_only_three_can_be_taken(visits: Visits):
    page = await staged(visits)
    await page.evaluate(DRAW, seen("matches", n=10))
    assert await page.locator("button.thing").evaluate_all(LABELS) == ["take 3", "take 2", "take 1"]
    assert "take it and all after it" in await page.locator(".heaps").inner_text()


async def by_clicks(tab: Page) -> None:
    """Take the first choice by a click."""
    await tab.locator(FREE).first.click()
    if await tab.locator("[data-goal]").count():
        await tab.locator("[data-goal]").first.click()


async def by_keys(tab: Page) -> None:
    """Take the first choice by keys, after the key for the board."""
    await tab.keyboard.press("h")
    for way in ("ArrowUp", "ArrowRight", "ArrowDown", "ArrowLeft"):
        for _ in range(12):
            if await tab.evaluate(f'document.activeElement.matches("{FREE}")'):
                break
            await tab.keyboard.press(way)
    await tab.keyboard.press("Enter")
    if await tab.locator("[data-goal]").count():
        await tab.locator("[data-goal]").first.focus()
        await tab.keyboard.press("Enter")


WHOLE = [
    ("hexapawn", {}, by_clicks),
    ("matches", {"n": 7}, by_clicks),
    ("connect-four", {}, by_keys),
    ("connect-four", {"popout": "yes"}, by_clicks),
    ("nim", {}, by_keys),
]


@pytest.mark.match
@pytest.mark.parametrize(("game", "options", "move"), WHOLE)
async def test_open_game_match_is_played_on_page(
    visits: Visits, tmp_path: Path, game: str, options: Json, move: Any
):
    table = FakeTable(2, game=game, dealing="none", options=options)
    async with playing(table, tmp_path) as (page, log):
        tab = await visits.open(page.links.new())
        while True:
            await tab.wait_for_selector(f"{FREE}, {OVER}")
            if await tab.locator(OVER).count():
                break
            turn = await tab.get_attribute("html", "data-ready")
            await move(tab)
            await tab.wait_for_selector(f'html:not([data-ready="{turn}"])')
        assert "clean" in await tab.inner_text(".badge")
        await no_more(tab)
    assert audit(log.read_bytes()).verdict is Verdict.CLEAN


async def test_a_hint_is_shown_and_goes_with_its_turn(visits: Visits):
    page = await staged(visits)
    now = LOOKS["connect-four"]
    await show(page, now)
    for name, why in (("Hint", False), ("Show me why", True)):
        await page.get_by_role("button", name=name).click()
        await page.wait_for_selector(".hints .told p")
        assert (await asked(page))[-1] == ["hint", why]
        assert await page.inner_text(".hints .told") == "It takes note."
        assert await violations(page) == []
    view = now["view"]
    turns = [{**turn, "since": turn["since"] + 2} for turn in view["turns"]]
    await show(page, {**now, "serial": now["serial"] + 1, "view": {**view, "turns": turns}})
    assert await page.inner_text(".hints .told") == ""


HINTED = """all => all.map((one) => {
  const name = one.querySelector(".number")?.textContent ?? one.getAttribute("aria-label");
  return `${one.dataset.hint} ${name}`;
})"""


async def test_hint_marks_its_move_on_the_board(visits: Visits):
    page = await staged(visits)
    expected = {
        "hexapawn": ["to a2", "from a1"],
        "connect-four": ["to 3"],
        "nim": ["from take 2 from row 2", "from take 1 from row 2"],
    }
    for game, marks in expected.items():
        now = LOOKS[game]
        offer = now["view"]["offers"][{"connect-four": 2, "nim": 1}.get(game, 0)]
        move = [*offer["action"], *([2] if offer["amount"] else [])]
        await show(page, now)
        await page.evaluate("move => { globalThis.answer = { move }; }", move)
        await page.get_by_role("button", name="Hint").click()
        await page.wait_for_selector("[data-hint]")
        assert await page.locator("[data-hint]").evaluate_all(HINTED) == marks
        assert await violations(page) == []
        view = now["view"] | {"offers": [], "turns": []}
        await show(page, {**now, "serial": now["serial"] + 1, "view": view})
        assert await page.locator("[data-hint]").count() == 0
    await page.evaluate("globalThis.answer = {}")


async def test_seat_not_to_move_gets_no_hint(visits: Visits):
    page = await staged(visits)
    waiting = next(
        looks for seat in (0, 1) if not (looks := shot("hexapawn", 2, seat))["view"]["offers"]
    )
    for looks in (shot("hexapawn", 2, -1), waiting):
        await show(page, looks)
        assert not await page.locator(".hints").is_visible()


async def test_focus_returns_to_heaps_after_others_move(visits: Visits):
    page = await staged(visits)
    await page.evaluate(DRAW, seen("nim", rows="2-2"))
    await page.locator("button.thing").last.focus()
    await page.evaluate(DRAW, seen("nim", ("take", 0, 1), seat=0, rows="2-2"))
    assert await page.locator("button.thing").count() == 0
    await page.evaluate(DRAW, seen("nim", ("take", 0, 1), ("take", 1, 1), rows="2-2"))
    await page.wait_for_selector("button.thing:focus")


async def test_pending_hint_is_shown(visits: Visits):
    page = await staged(visits)
    await page.evaluate("""async () => {
      const { hints } = modules["match/offers.js"];
      const made = hints({ hint: () => new Promise(() => {}) }, (act) => void act());
      made.draw({ offers: [{}], turns: [{ seat: 0, since: 1 }], you: 0, trust: { dealing: "none" }, seats: [{}, {}] });
      document.getElementById("root").replaceChildren(made.node);
      made.node.querySelector("button").click();
    }""")
    assert "Looking ahead" in await page.inner_text(".told")

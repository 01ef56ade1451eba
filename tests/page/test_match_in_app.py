"""Match in the app, under its bar: the end of a hand is seen, and the board keeps its place."""

import asyncio
import re
from pathlib import Path

import pytest
from playwright.async_api import Page

from tests.page.homes import home, route
from tests.page.test_match_room import HIDDEN
from tests.page.visits import PHONE, Visits, sideways

LAPTOP = (1280, 800)
LARGE = (2560, 1440)
SEEN = ".result, .result button, .own .self, .own .held, .bar button"
RESTING = ".result[data-rest]"
OVER = ".end:not([hidden])"
# takes the first choice that does not end the hand at once; where the board lay just before, or "end", or nothing
ACT = """() => {
  if (document.querySelector(".result[data-rest], .end:not([hidden])")) return "end";
  if (!document.querySelector(".status[data-own]")) return "";
  const kinds = ["check", "call", "pass", "draw", "muck"];
  const pick = document.querySelector(".which:not([hidden]) button") ?? document.querySelector(".hand .held[data-fits]")
    ?? [...document.querySelectorAll(".stones .column[aria-disabled=false]")].at(globalThis.turn++ % 7)
    ?? [...document.querySelectorAll(".offers button")].find(({ dataset }) => kinds.includes(dataset.kind));
  const { left, top, width, height } = document.querySelector(".arena > :first-child").getBoundingClientRect();
  pick?.click();
  return pick ? [left, top, width, height].map(Math.round).join(" ") : "";
}"""
# keeps what is shown of the cards that meet
DUELS = """() => {
  globalThis.duels = [];
  const news = document.querySelector(".news");
  const texts = (selector) => [...news.querySelectorAll(selector)].map((node) => node.textContent.trim());
  const clicks = () => getComputedStyle(news).pointerEvents;
  const lines = () => texts("p:not(.why)");
  const told = () => ({ cards: texts(".lies"), sums: texts("figcaption"), lines: lines(), clicks: clicks() });
  const look = () => news.hidden || duels.push(told());
  new MutationObserver(look).observe(news, { attributes: true, attributeFilter: ["hidden"] });
}"""
# how high the page is in the second after the cards met
HIGH = """async () => {
  const high = [];
  for (let frame = 0; frame < 30; frame++) {
    await new Promise((drawn) => requestAnimationFrame(drawn));
    high.push(document.documentElement.scrollHeight);
  }
  return [Math.min(...high), Math.max(...high)];
}"""
CUT = """() => [...document.querySelectorAll(".zones .lies")].filter((card) => {
  if (!card.checkVisibility()) return false;
  const [own, table] = [card, card.closest(".zones")].map((node) => node.getBoundingClientRect());
  return own.top < table.top || own.bottom > table.bottom + 1;
}).length"""
SIZES = pytest.mark.parametrize("size", [PHONE, LAPTOP, LARGE], ids=["phone", "laptop", "large"])
PATIENCE = 90  # seconds
pytestmark = [pytest.mark.match, pytest.mark.process]


async def begun(page: Page, game: str) -> None:
    """Begin a match from Home, in which the tour is not offered any more."""
    await page.evaluate("localStorage.setItem('match tour', 'seen'); globalThis.turn = 0")
    await route(page, "Play")
    await page.locator(f"[data-game={game}]").get_by_role("button", name="Play").click()
    await page.wait_for_selector(".match .arena > :first-child")


async def played(page: Page, moves: int) -> list[str]:
    """Make so many moves, or all until a hand ends. Return where the board was at each of them."""
    boxes = []
    while len(boxes) < moves:
        box = await page.evaluate(ACT)
        if box == "end":
            break
        if box:
            boxes.append(box)
        await page.wait_for_timeout(50)
    return boxes


@SIZES
@pytest.mark.parametrize("game", ["texas-holdem", "block-dominoes"])
async def test_end_of_a_hand_is_covered_by_nothing(
    visits: Visits, tmp_path: Path, game: str, size: tuple[int, int]
):
    async with home(visits, tmp_path, size=size) as page:
        await begun(page, game)
        async with asyncio.timeout(PATIENCE):
            while not await page.locator(RESTING).count():
                # a busy machine may miss the end of a hand, and of the last one too
                if await page.locator(OVER).count():
                    await begun(page, game)
                await played(page, 60)
        assert await page.evaluate(HIDDEN, SEEN) == []
        assert await sideways(page) == ""
        await page.get_by_role("button", name="Go on").click()
        await page.wait_for_selector(".result:not([data-rest])", state="attached")


@pytest.mark.parametrize("size", [PHONE, LAPTOP], ids=["phone", "laptop"])
@pytest.mark.parametrize("game", ["connect-four", "block-dominoes", "texas-holdem"])
async def test_board_keeps_size_and_place_between_turns(
    visits: Visits, tmp_path: Path, game: str, size: tuple[int, int]
):
    async with home(visits, tmp_path, size=size) as page:
        await begun(page, game)
        # each part takes its room when it first needs it; from the second turn on it has it
        _, first, *boxes = await played(page, 5)
        assert {*boxes} == {first}


@pytest.mark.parametrize("size", [PHONE, LAPTOP], ids=["phone", "laptop"])
async def test_cards_that_meet_are_seen_over_the_board(
    visits: Visits, tmp_path: Path, size: tuple[int, int]
):
    async with home(visits, tmp_path, size=size) as page:
        await begun(page, "element-duel")
        await page.evaluate(DUELS)
        async with asyncio.timeout(PATIENCE):
            while not await page.evaluate("duels.length"):
                await played(page, 1)
        duel, *_ = await page.evaluate("duels")
        assert len(duel["cards"]) == 2 and all(duel["cards"])
        # the sums end in the numbers that the log names
        log = duel["lines"][-1]
        ends = {one.rpartition("= ")[2] for one in duel["sums"]}
        assert len(duel["sums"]) == 2 and ends == set(
            re.findall(r"\d+½?|½", log.partition(": ")[2])
        )
        assert duel["lines"] == [log]
        assert duel["clicks"] == "none"
        # the board stays where it is while something lies over it
        assert await page.evaluate(HIGH) == [size[1], size[1]]
        await page.wait_for_selector(".news", state="hidden")


@pytest.mark.parametrize("size", [PHONE, LAPTOP], ids=["phone", "laptop"])
async def test_all_cards_of_two_rows_lie_within_the_table(
    visits: Visits, tmp_path: Path, size: tuple[int, int]
):
    async with home(visits, tmp_path, size=size) as page:
        await begun(page, "element-duel")
        async with asyncio.timeout(PATIENCE):
            for _ in range(4):
                assert await page.evaluate(CUT) == 0
                await played(page, 1)


async def test_preview_goes_with_the_card_that_is_played(visits: Visits, tmp_path: Path):
    async with home(visits, tmp_path, size=LAPTOP) as page:
        await begun(page, "element-duel")
        card = page.locator(".hand .held[data-fits]").nth(1)
        await card.hover()
        await page.get_by_role("tooltip").wait_for()
        await card.click()
        await page.wait_for_selector(".below .strip:not(.far) .lies[data-card]")
        assert await page.evaluate(HIGH) == [LAPTOP[1], LAPTOP[1]]
        assert await page.get_by_role("tooltip").count() == 0

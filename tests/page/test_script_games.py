"""Games by rule files on the page: places of cards, descriptions of cards, and actions on them."""

from functools import cache
from itertools import pairwise
from typing import Any

import pytest

from bots.random_bot import random_bot
from protocol.match.state import MatchStage
from tests.page.snapshots import snapshot
from tests.page.stage import asked, show, staged
from tests.page.tables import timeline
from tests.page.visits import DESKTOP, NARROW, PHONE, Visits, sideways, violations
from tests.support.offline import make_offline

pytestmark = pytest.mark.page
Json = dict[str, Any]
TABLET = (768, 1024)
WIDTHS = "all => all.map((one) => one.getBoundingClientRect().width)"
SHOWN = (
    "all => all.filter((one) => one.checkVisibility()).map((one) => "
    "one.querySelector('bdi').textContent)"
)
CAPTIONS = ".zones .region > figcaption"


def shot(game: str, entries: int) -> Json:
    """Make a snapshot after this many entries, at the next choice of the first seat."""
    match = make_offline(2, 3, game, {}, {"leavers": "threshold"}, dealing="verified")
    match.bots = (random_bot,) * 2
    seat, reader = match.seats[0], match.readers[0]
    while sum(match.step(each) for each in match.seats):
        match.catch_up(reader)
        if (
            reader.match.next_number >= entries
            and reader.match.stage is MatchStage.PLAYING
            and seat.choices(reader.match)
        ):
            return snapshot(reader.match, 0, seat.held(reader.match))
    raise LookupError(game)


@cache
def duel() -> Json:
    return shot("element-duel", 90)


@cache
def mau() -> Json:
    return shot("mau-mau", 60)


def hostile(found: Json) -> Json:
    """Make the same board by a hostile rule file."""
    view = found["view"] | {
        "board": dict(found["view"]["board"]),
        "hand": [dict(card) for card in found["view"]["hand"]],
    }
    bad = "<img src=x onerror=alert(1)>" + "W" * 4000
    for card in view["hand"]:
        card.update(
            faces=[bad, "\u2067" + bad, 10**18],
            values=[[bad, bad], ["דניאלה 7", "3 בן־דוד"]],
            marks=[[bad, 10**18]],
        )
    regions = [
        region | {"name": bad, "pieces": [view["hand"][0], *region["pieces"]]}
        for region in view["board"]["regions"]
    ]
    view["board"]["regions"] = regions
    return found | {"view": view}


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("size", [DESKTOP, TABLET, NARROW])
async def test_page_fits_and_is_accessible(visits: Visits, size: tuple[int, int], dark: bool):
    page = await staged(visits, size=size, dark=dark)
    for found in (duel(), mau()):
        await show(page, found)
        await page.locator("#hand button").first.focus()
        assert await sideways(page) == "" and await violations(page) == []


async def test_script_table_puts_own_rows_below_and_others_above(
    visits: Visits,
):
    page = await staged(visits, size=DESKTOP)
    await show(page, duel())
    assert await page.locator(CAPTIONS).evaluate_all(SHOWN) == [
        "discards",
        "hand",
        "deck",
        "row",
        "row",
        "deck",
        "discards",
    ]
    tops = await page.locator(CAPTIONS).evaluate_all(
        "all => all.map((one) => one.getBoundingClientRect().top)"
    )
    assert max(tops[:4]) < min(tops[4:])
    # the cards that face each other are the largest; what is farther lies beside them, or behind
    widths = [
        max(await page.locator(where).evaluate_all(WIDTHS))
        for where in (".strip:not(.far) .lies", ".strip.far .lies")
    ]
    assert widths[0] > 1.8 * widths[1]
    await page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    await show(page, duel())
    tops = await page.locator(".strip:not(.unseen)").evaluate_all(
        "all => all.map((one) => one.getBoundingClientRect().top)"
    )
    assert tops == sorted(tops) and len(set(tops)) >= 4
    assert await page.locator("h1").inner_text() == "Element duel"
    # whose rules these are stands behind the badge, not on the board
    assert "as they come with fairdeal" not in await page.locator(".zones").inner_text()
    await page.locator(".badge").click()
    assert "as they come with fairdeal" in await page.locator(".checks").inner_text()


async def test_script_table_on_narrow_screen_shows_all_rows(visits: Visits):
    page = await staged(visits, size=PHONE)
    await show(page, duel())
    assert len(await page.locator(CAPTIONS).evaluate_all(SHOWN)) == 7
    board = await page.locator(".zones").bounding_box()
    for region in await page.locator(".zones .region").all():
        box = await region.bounding_box()
        assert board and box and box["y"] + box["height"] <= board["y"] + board["height"]


async def test_script_card_tells_all_values_to_pointer_and_keys(visits: Visits):
    page = await staged(visits, size=DESKTOP)
    await show(page, duel())
    values = dict(duel()["view"]["hand"][0]["values"])
    await page.locator("#hand button").first.hover()
    for told in (values["element"], str(values["strength"])):
        assert told in await page.get_by_role("tooltip").inner_text()
    await page.locator("#hand button").first.focus()
    await page.keyboard.press("Escape")
    assert await page.get_by_role("tooltip").count() == 0
    await page.locator(".zones [data-card]").first.focus()
    assert "strength" in await page.get_by_role("tooltip").inner_text()
    await page.keyboard.press("ArrowDown")
    assert await page.evaluate("document.activeElement.dataset.card") is not None


async def test_script_card_is_played_by_click_keys_and_buttons(visits: Visits):
    page = await staged(visits, size=DESKTOP)
    await show(page, mau())
    await page.locator("#hand button[data-fits]").first.click()
    await page.locator("#hand button[data-fits]").first.press("Enter")
    await page.get_by_role("button", name="Draw").click()
    assert [what[:2] for what in await asked(page)] == [
        ["choose", "play"],
        ["choose", "play"],
        ["choose", "draw"],
    ]


async def test_script_card_with_several_actions_asks_which(
    visits: Visits,
):
    page = await staged(visits, size=DESKTOP)
    board = duel()["view"]["board"]
    own = next(
        region for region in board["regions"] if region["seat"] == 0 and region["kind"] == "row"
    )
    card = own["pieces"][0]["index"]
    offer = duel()["view"]["offers"][0]
    offers = [
        offer | {"id": at, "kind": kind, "label": kind, "piece": card, "action": [kind]}
        for at, kind in enumerate(("turn", "burn"))
    ]
    await show(page, duel() | {"view": duel()["view"] | {"offers": offers}})
    await page.locator(f".zones [data-card='{card}']").press("Enter")
    await page.keyboard.press("Tab")
    await page.keyboard.press("Enter")
    assert [what[:2] for what in await asked(page)] == [["choose", "burn"]]


@pytest.mark.parametrize("size", [DESKTOP, PHONE])
async def test_script_names_are_plain_text_within_width(visits: Visits, size: tuple[int, int]):
    page = await staged(visits, size=size)
    await show(page, hostile(duel()))
    await page.locator("#hand button").first.focus()
    assert await page.locator("img").count() == 0 and await sideways(page) == ""
    box = await page.get_by_role("tooltip").bounding_box()
    assert box is not None and box["x"] >= 0 and box["x"] + box["width"] <= size[0]


async def test_duel_shows_the_wheel_and_no_empty_strip_below_cards(visits: Visits):
    page = await staged(visits, size=DESKTOP)
    await show(page, duel())
    told = await page.locator(".wheel").get_attribute("aria-label")
    assert told is not None and "Strong: wood against fire" in told
    assert await page.locator(".wheel .sign").count() == 12
    assert not await page.locator(".hand .fits:visible").count()
    await show(page, mau())
    assert await page.locator(".wheel").count() == 0


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
@pytest.mark.parametrize("language", ["en", "de"])
async def test_wheel_is_seen_whole(visits: Visits, size: tuple[int, int], language: str):
    page = await staged(visits, size=size, language=language)
    await show(page, duel())
    inside = """wheel => {
      const range = document.createRange();
      range.selectNodeContents(wheel);
      const all = [range, wheel, wheel.closest(".zones")];
      const [text, pill, board] = all.map((one) => one.getBoundingClientRect());
      const within = (one, other) => one.left >= other.left && one.right <= other.right
        && one.top >= other.top && one.bottom <= other.bottom;
      return text.width > 0 && text.left - pill.left >= 8 && within(text, pill) && within(pill, board);
    }"""
    assert await page.locator(".wheel").evaluate(inside)


async def test_cards_of_hand_say_what_they_beat(visits: Visits):
    page = await staged(visits, size=DESKTOP)
    await show(page, duel())
    row = next(
        region
        for region in duel()["view"]["board"]["regions"]
        if region["seat"] == 1 and region["kind"] == "row"
    )
    front = dict(row["pieces"][0]["values"])["element"]
    told = await page.locator("#hand .beats").all_inner_texts()
    assert told and all(one.strip().startswith("beats ") for one in told)
    marked = await page.locator("#hand .beats[data-strong]").all_inner_texts()
    assert [one.strip() for one in marked] == [f"beats {front} × 2"]


MET = """entry => {
  const say = (text) => shown.deed({ entry, author: null, kind: "news", text });
  say("Bob turns up Clay Golem (earth 3), and behind it Phoenix (fire 5).");
  say("You turn up Bell (metal 3), and behind it Siege Engine (metal 5).");
  say("Duel 1: Bob wins by 6 to 3.");
}"""
COVERED = """() => {
  const news = document.querySelector(".news").getBoundingClientRect();
  const rows = [...document.querySelectorAll(".zones .region.row .lies")];
  const over = (one) => one.right > news.left && one.left < news.right
    && one.bottom > news.top && one.top < news.bottom;
  return rows.filter((one) => over(one.getBoundingClientRect())).length;
}"""
# what happened before a page is no news: until a second has passed
SETTLED = """async () => {
  const begin = performance.now();
  while (performance.now() < begin + 1001) await new Promise(requestAnimationFrame);
}"""


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
async def test_met_cards_leave_rows_in_sight_and_say_why(visits: Visits, size: tuple[int, int]):
    def away(shown: Json) -> int:
        regions = shown["view"]["board"]["regions"]
        return sum(len(one["pieces"]) for one in regions if one["kind"] == "pile")

    shown = timeline("element-duel 2", 30)
    before, after = next(
        (one, other) for one, other in pairwise(shown) if away(other) >= away(one) + 2
    )
    page = await staged(visits, size=size)
    await show(page, before)
    await page.evaluate(SETTLED)
    await show(page, after)
    await page.evaluate(MET, after["view"]["number"])
    assert await page.locator(".news").is_visible()
    assert await page.evaluate(COVERED) == 0
    seats, board = [await page.locator(one).bounding_box() for one in (".seats", ".arena")]
    assert seats and board and seats["y"] + seats["height"] <= board["y"]
    assert await page.locator(".news .why").all_inner_texts() == ["fire beats earth: × 2"]
    ended = after["view"] | {"ending": "Bob has won.", "offers": [], "turns": []}
    await show(page, after | {"view": ended, "stage": "over"})
    assert not await page.locator(".news").is_visible()


LAPTOP = (1280, 800)


def without_words(regions: list[Json]) -> list[Json]:
    return [one for one in regions if one["kind"] != "counter" or one["seat"] is not None]


@pytest.mark.parametrize("table", ["mau-mau 2", "mau-mau-shared 2", "crazy-eights 4"])
async def test_pile_is_large_and_stays_where_it_is(visits: Visits, table: str):
    page = await staged(visits, size=LAPTOP)
    shown = timeline(table, 8)[-1]
    view = shown["view"]
    view = view | {"board": view["board"] | {"regions": without_words(view["board"]["regions"])}}
    await show(page, shown | {"view": view})
    pile, board = page.locator(".centre .lies").first, page.locator(".zones")
    box, room = await pile.bounding_box(), await board.bounding_box()
    assert box and room and box["height"] >= 0.29 * room["height"]
    overflow = "one => one.scrollHeight - one.clientHeight"
    assert await board.evaluate(overflow) == 0
    # a word of the rules comes and goes
    counter = {"kind": "counter", "pieces": [], "count": 1, "seat": None, "row": None}
    word = counter | {"name": "this turn", "text": "a card was drawn: lay one, or end the turn"}
    told = view["board"] | {"regions": [*view["board"]["regions"], word]}
    await show(page, shown | {"serial": 99, "view": view | {"board": told}})
    assert await page.locator(".centre .tag", has_text="a card was drawn").is_visible()
    assert await pile.bounding_box() == pytest.approx(box, abs=0.1)
    assert await board.evaluate(overflow) == 0


async def test_seat_with_nothing_on_the_table_has_no_pill_there(visits: Visits):
    page = await staged(visits, size=LAPTOP)
    await show(page, timeline("crazy-eights 4", 8)[-1])
    assert await page.locator(".zones .below").count() == 0
    assert len(await page.locator(".zones .of-seat").all()) == 3
    assert "hand" not in await page.locator(".zones .opposite").inner_text()

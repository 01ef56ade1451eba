"""Cards on the table with pictures, and large under a pointer, a long press or the focus."""

from typing import Any

import pytest
from playwright.async_api import Page

from tests.page.stage import asked, show, staged
from tests.page.tables import busiest
from tests.page.visits import DESKTOP, PHONE, Visits, violations

LOADED = """async () => Promise.all([...document.querySelectorAll("image[href]")].map(async (one) => {
  const answer = await fetch(one.getAttribute("href"));
  return answer.ok && (await answer.text()).startsWith("<svg");
}))"""
OWN = """() => modules["boards/field/art.js"].paintFrom(null, async (digest) =>
  digest === "ab" ? "/elements/fire-10.svg" : Promise.reject(new Error("not here")))"""
BACK = """() => modules["boards/field/art.js"].paintFrom("/elements/")"""
TOUCH = """(kind) => {
  const card = document.querySelector("#hand [data-card]");
  const event = { bubbles: true, cancelable: true, pointerType: "touch" };
  card.dispatchEvent(new PointerEvent(kind, event));
  if (kind === "pointerup") card.click();
}"""


def owned(image: str | None, **known: Any) -> Any:
    """Make a duel in which every card of the hand is somebody's, with this picture. `known`: what
    the person's program knows of the creator.
    """
    found = busiest("element-duel 2").snapshot
    origin = {"creator": "made-up-key1", "image": image, **known}
    hand = [card | {"owned": origin} for card in found["view"]["hand"]]
    return found | {"view": found["view"] | {"hand": hand}}


async def opened(visits: Visits, **how: Any) -> Page:
    page = await staged(visits, **how)
    await show(page, busiest("element-duel 2").snapshot)
    return page


async def test_cards_with_an_element_have_pictures_that_exist(visits: Visits):
    page = await opened(visits, size=DESKTOP)
    loaded = await page.evaluate(LOADED)
    assert len(loaded) >= 6 and all(loaded)
    assert await page.locator("#hand .art").count() == 4
    assert await violations(page) == []


async def test_page_in_a_file_asks_for_no_picture(visits: Visits):
    page = await staged(visits)
    await page.evaluate("() => modules['boards/field/art.js'].paintFrom(null)")
    await show(page, busiest("element-duel 2").snapshot)
    assert await page.locator("image").count() == 0
    assert "Old Oak" in (await page.locator("#hand").text_content() or "")
    await page.evaluate(BACK)


WHOLE = """(piece) => {
  const place = (node) => node.getBoundingClientRect();
  const [card, art] = [place(piece), place(piece.querySelector(".art image"))];
  const badges = [...piece.querySelectorAll("circle.disc")].map(place);
  const unit = art.width / 250;
  return [piece.querySelector(".art").getAttribute("viewBox"),
    art.left >= card.left && art.right <= card.right && art.top >= card.top && art.bottom <= card.bottom,
    ...badges.map((badge, at) => {
      const away = Math.hypot(badge.left + badge.width / 2 - art.left - unit * [34, 216][at],
        badge.top + badge.height / 2 - art.top - unit * 34);
      return away + 24 * unit <= badge.width / 2 + 1;
    })];
}"""


async def test_strip_of_elements_keeps_its_ends_free(visits: Visits):
    page = await opened(visits, size=DESKTOP)
    ends = "(strip) => ['paddingLeft', 'paddingRight'].map((end) => parseFloat(getComputedStyle(strip)[end]))"
    assert min(await page.locator(".wheel").evaluate(ends)) >= 8


@pytest.mark.parametrize("size", [PHONE, DESKTOP], ids=["phone", "desktop"])
async def test_picture_on_the_table_is_whole_and_has_each_badge_once(
    visits: Visits, size: tuple[int, int]
):
    page = await opened(visits, size=size)
    for piece in await page.locator("#hand svg.piece").all():
        assert await piece.evaluate(WHOLE) == ["0 0 250 350", True, True, True]


@pytest.mark.parametrize(("image", "shown"), [("ab", 4), ("cd", 0), (None, 0)])
async def test_owned_card_shows_its_own_picture_if_it_is_here(
    visits: Visits, image: str | None, shown: int
):
    page = await staged(visits)
    await page.evaluate(OWN)
    await show(page, owned(image))
    await page.evaluate("() => new Promise((done) => setTimeout(done))")
    assert await page.locator("#hand image[href='/elements/fire-10.svg']").count() == shown
    await page.evaluate(BACK)


async def test_pointer_shows_a_card_large_with_values_and_creator(visits: Visits):
    page = await staged(visits, size=DESKTOP)
    await show(page, owned(None))
    card = page.locator("#hand button").first
    await card.hover()
    large = page.get_by_role("tooltip").locator("svg.piece")
    small, wide = await card.locator("svg.piece").bounding_box(), await large.bounding_box()
    assert small and wide and wide["width"] > 1.4 * small["width"]
    text = await page.get_by_role("tooltip").inner_text()
    assert "strength" in text and "element" in text and "made-up-key1" in text
    await page.mouse.move(0, 0)
    assert await page.get_by_role("tooltip").count() == 0


@pytest.mark.parametrize(
    ("name", "trusted", "told"),
    [
        ("Mia", True, "Mia, trusted"),
        ("Mia", False, "Mia, not trusted"),
        ("Mia", None, "Mia"),
        (None, None, "made-up-key1"),
    ],
)
async def test_creator_is_named_with_the_mark_of_this_person(
    visits: Visits, name: str | None, trusted: bool | None, told: str
):
    page = await staged(visits, size=DESKTOP)
    await show(page, owned(None, name=name, trusted=trusted))
    card = page.locator("#hand button").first
    assert await card.locator(".trust").count() == (trusted is not None)
    assert told in (await card.text_content() or "")
    await card.hover()
    text = await page.get_by_role("tooltip").inner_text()
    assert told in text and "made-up-key1" in text
    await page.mouse.move(0, 0)
    assert await violations(page) == []


async def test_long_press_shows_a_card_and_does_not_play_it(visits: Visits):
    page = await opened(visits, size=PHONE)
    await page.evaluate(TOUCH, "pointerdown")
    await page.get_by_role("tooltip").wait_for()
    box = await page.get_by_role("tooltip").bounding_box()
    assert box and box["x"] >= 0 and box["x"] + box["width"] <= PHONE[0] and box["y"] >= 0
    await page.evaluate(TOUCH, "pointerup")
    assert await asked(page) == []
    await page.evaluate(TOUCH, "pointerdown")
    await page.evaluate(TOUCH, "pointerup")
    assert [what[:2] for what in await asked(page)] == [["choose", "play"]]

"""Room on the match screen: at every game, up to its most seats, a player sees the own hand and all
choices without scrolling; the board uses the rest of the window.
"""

import pytest
from playwright.async_api import Page

from tests.page.gallery import LAPTOP, LARGE, Picture, draw, index
from tests.page.stage import staged
from tests.page.tables import LARGEST, TABLES
from tests.page.visits import PHONE, Visits, sideways, violations

CHOICES = (
    ".own .self, .own .held, .own :is(button, input), .mine .lies, .arena [role=button], "
    ".arena button:not([aria-disabled=true])"
)
# parts that a person cannot see at once: outside of the window, or with their middle under another
HIDDEN = """(where) => [...document.querySelectorAll(where)]
  .filter((one) => one.checkVisibility())
  .filter((one) => {
    const { left, top, right, bottom } = one.getBoundingClientRect();
    if (left < 0 || top < 0 || right > innerWidth || bottom > innerHeight) return true;
    const there = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
    return !there || !(one.contains(there) || there.contains(one) || there.closest("label"));
  })
  .map((one) => `${one.className} ${one.textContent} ${JSON.stringify(one.getBoundingClientRect())}`)"""
SHARE = """() => {
  const { width, height } = document.querySelector(".arena > :first-child").getBoundingClientRect();
  return (width * height) / (innerWidth * innerHeight);
}"""
WIDTHS = "all => all.map((one) => one.getBoundingClientRect().width)"


async def resize(page: Page, size: tuple[int, int]) -> None:
    await page.set_viewport_size({"width": size[0], "height": size[1]})


@pytest.mark.parametrize("name", TABLES)
async def test_hand_and_choices_are_seen_without_scrolling(visits: Visits, name: str):
    page = await staged(visits)
    for size in (PHONE, LAPTOP, LARGE):
        await resize(page, size)
        await draw(page, name)
        assert await page.locator(CHOICES).count() > 0
        assert (size, await page.evaluate(HIDDEN, CHOICES)) == (size, [])
        assert await sideways(page) == ""


@pytest.mark.parametrize("name", LARGEST.values())
async def test_folded_side_opens_over_board_and_hides_no_choice(visits: Visits, name: str):
    page = await staged(visits, size=PHONE)
    await draw(page, name)
    fold = page.get_by_role("button", name="Log")
    assert await fold.get_attribute("aria-expanded") == "false"
    heard = 0 if TABLES[name].seats == 1 else 1  # remarks of others that came while it was folded
    assert ("1" in await fold.inner_text()) == heard
    await fold.click()
    assert await page.locator("#say").is_visible() and "1" not in await fold.inner_text()
    assert await page.evaluate(HIDDEN, ".own .held, .own :is(button, input)") == []
    await page.locator("#say").press("Escape")
    assert not await page.locator("#say").is_visible()
    assert await fold.evaluate("node => node === document.activeElement")


async def test_side_on_a_wide_screen_stays_as_left(visits: Visits):
    page = await staged(visits, size=LAPTOP)
    await draw(page, "nim 2")
    before = await page.evaluate(SHARE)
    await page.get_by_role("button", name="Log").click()
    assert not await page.locator("#say").is_visible()
    assert await page.evaluate(SHARE) > before
    await draw(page, "matches 2")
    assert not await page.locator("#say").is_visible()


@pytest.mark.parametrize("name", LARGEST.values())
async def test_board_uses_the_window_and_grows_with_it(visits: Visits, name: str):
    page = await staged(visits)
    for size, least in ((LAPTOP, 0.2), (LARGE, 0.3)):
        await resize(page, size)
        await draw(page, name)
        assert (size, await page.evaluate(SHARE) > least) == (size, True)


@pytest.mark.parametrize("name", [LARGEST["texas-holdem"], "mau-mau-shared 2", "element-duel 2"])
async def test_cards_of_hand_and_board_grow_with_the_window(visits: Visits, name: str):
    page = await staged(visits)
    widths = []
    for size in (LAPTOP, LARGE):
        await resize(page, size)
        await draw(page, name)
        found = [
            await page.locator(where).evaluate_all(WIDTHS)
            for where in ("#hand svg", ".arena .piece.card")
        ]
        widths.append([max(some) for some in found])
    small, large = widths
    assert large[0] > 1.4 * small[0] and large[1] > 1.4 * small[1]


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("name", LARGEST.values())
async def test_every_game_passes_axe_and_fits_at_double_size(visits: Visits, name: str, dark: bool):
    page = await staged(visits, size=PHONE, dark=dark)
    await draw(page, name)
    assert await violations(page) == []
    await resize(page, LAPTOP)
    assert await violations(page) == []
    await page.evaluate("document.documentElement.style.fontSize = '200%'")
    for size in (PHONE, LAPTOP):
        await resize(page, size)
        assert (size, await sideways(page)) == (size, "")


def test_gallery_index_shows_every_picture():
    pictures = [
        Picture(name, PHONE, dark) for name in ("nim 2", "omaha 9") for dark in (False, True)
    ]
    shown = index(("nim 2", "omaha 9"), pictures)
    assert all(shown.count(f'src="{one.file}"') == 1 for one in pictures)
    assert len({one.file for one in pictures}) == 4

"""Ten at a felt, the most that a table has, on a telephone and on a laptop."""

import pytest
from playwright.async_api import Page

from tests.page.snapshots import Json, found, on_the_flop
from tests.page.stage import show, staged
from tests.page.visits import PHONE, Visits, sideways, violations

LAPTOP = (1280, 800)
SIZES = pytest.mark.parametrize("size", [PHONE, LAPTOP], ids=["phone", "laptop"])
APP_BAR = 46  # pixels of the ways of the app above a match
OWN = (".hand", ".made", ".acts")


async def played(visits: Visits, size: tuple[int, int], **more: bool) -> tuple[Page, Json]:
    """Show the flop at a table of ten, as somebody sees it who may raise; or a spectator."""
    shown = found("ten", on_the_flop, **more)
    page = await staged(visits, size=size)
    await show(page, shown)
    return page, shown


async def rectangles(page: Page, selector: str) -> list[dict[str, float]]:
    """Return the rectangles of all matches."""
    found_boxes = [await one.bounding_box() for one in await page.locator(selector).all()]
    return [dict(one) for one in found_boxes if one is not None]


def apart(one: dict[str, float], other: dict[str, float]) -> bool:
    """Check that two rectangles have no point in common."""
    return (
        one["x"] + one["width"] <= other["x"]
        or other["x"] + other["width"] <= one["x"]
        or one["y"] + one["height"] <= other["y"]
        or other["y"] + other["height"] <= one["y"]
    )


@SIZES
async def test_ten_seats_fit_the_width_and_overlap_nowhere(visits: Visits, size: tuple[int, int]):
    page, shown = await played(visits, size)
    names = [seat["name"] for seat in shown["view"]["seats"]]
    own = names.pop(shown["view"]["you"])
    assert len(names) == 9
    assert sorted(await page.locator(".seats .name").all_inner_texts()) == sorted(names)
    assert await page.locator(".own .name").inner_text() == f"{own} (you)"
    assert await sideways(page) == "" and await violations(page) == []
    # the own hand is not among them: it may stay in sight while the rest is scrolled
    boxes = [one for name in (".seats > .seat", ".arena") for one in await rectangles(page, name)]
    assert len(boxes) == 10
    assert all(apart(a, b) for at, a in enumerate(boxes) for b in boxes[:at])
    assert all(one["x"] >= 0 and one["x"] + one["width"] <= size[0] for one in boxes)


@SIZES
async def test_one_of_ten_reaches_own_hand_and_every_choice(visits: Visits, size: tuple[int, int]):
    page, _ = await played(visits, size)
    for selector in OWN:
        assert await page.locator(selector).is_visible(), selector
    for choice in await page.locator(".acts button").all():
        # waits until it lies under no other element, and scrolls if it must
        await choice.click(trial=True)


async def test_own_panel_among_ten_leaves_the_board_free(visits: Visits):
    width, height = PHONE
    page, _ = await played(visits, (width, height - APP_BAR))
    await page.get_by_role("button", name="Not needed").click()
    (felt,), (own,) = await rectangles(page, ".felt"), await rectangles(page, ".own")
    assert apart(felt, own) and own["y"] + own["height"] <= height - APP_BAR
    lines = await rectangles(page, ".felt > *")
    assert all(one["y"] + one["height"] <= felt["y"] + felt["height"] for one in lines)


async def test_one_of_ten_sees_hand_and_choices_on_a_laptop(visits: Visits):
    page, _ = await played(visits, LAPTOP)
    for selector in OWN:
        (box,) = await rectangles(page, selector)
        assert box["y"] >= 0 and box["y"] + box["height"] <= LAPTOP[1], selector


@SIZES
async def test_spectator_sees_all_ten_seats_apart(visits: Visits, size: tuple[int, int]):
    page, _ = await played(visits, size, watching=True)
    boxes = await rectangles(page, ".seats > .seat")
    assert len(boxes) == 10 and await sideways(page) == ""
    assert all(apart(a, b) for at, a in enumerate(boxes) for b in boxes[:at])

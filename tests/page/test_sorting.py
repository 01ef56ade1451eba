"""Order of the own hand: what is drawn first has still the numbers that the program gave it."""

from typing import Any

import pytest
from playwright.async_api import Page

from tests.page.snapshots import exchanging, found, shot
from tests.page.stage import asked, show, staged
from tests.page.tables import busiest
from tests.page.visits import PHONE, Visits, violations

Json = dict[str, Any]
RANKS = "23456789TJQKA"
KEYS = "all => all.map((one) => Number(one.dataset.key))"


async def drawn(page: Page) -> list[int]:
    """Return the numbers of the pieces in the hand, as they are drawn."""
    return list(await page.locator("#hand .held").evaluate_all(KEYS))


def dealt(shown: Json) -> list[int]:
    """Return the numbers of the pieces as the program sent them."""
    return [piece["index"] for piece in shown["view"]["hand"]]


async def order(page: Page, way: str) -> None:
    """Choose an order by the button."""
    for _ in range(4):
        if await page.locator(".sort").get_attribute("data-way") == way:
            return
        await page.locator(".sort").click()
    raise AssertionError(f"no order {way}")


async def test_cards_are_sorted_by_suit_by_number_and_as_dealt(visits: Visits):
    shown = shot("exchange")
    faces = {piece["index"]: piece["faces"] for piece in shown["view"]["hand"]}
    page = await staged(visits)
    await show(page, shown)
    assert await drawn(page) == dealt(shown)
    await order(page, "suit")
    suits = [faces[index][1] for index in await drawn(page)]
    assert suits == sorted(suits, key="shcd".index)
    await order(page, "number")
    ranks = [RANKS.index(faces[index][0]) for index in await drawn(page)]
    assert ranks == sorted(ranks)
    await order(page, "dealt")
    assert await drawn(page) == dealt(shown)
    assert await violations(page) == []


async def test_tiles_are_sorted_by_their_sum(visits: Visits):
    page = await staged(visits)
    await show(page, shot("dominoes"))
    await order(page, "number")
    faces = {piece["index"]: piece["faces"] for piece in shot("dominoes")["view"]["hand"]}
    sums = [sum(faces[index]) for index in await drawn(page)]
    assert sums == sorted(sums)


@pytest.mark.parametrize("way", ["suit", "number"])
async def test_cards_put_away_keep_the_numbers_of_the_program(visits: Visits, way: str):
    shown = shot("exchange")
    page = await staged(visits)
    await show(page, shown)
    await order(page, way)
    picked = (await drawn(page))[:2]
    for index in picked:
        await page.locator(f"#hand [data-key='{index}']").click()
    await show(page, found("five-card-draw verified", exchanging, serial=2))
    await page.get_by_role("button", name="exchange 2").click()
    places = sorted(dealt(shown).index(index) for index in picked)
    assert await asked(page) == [["choose", "exchange", *places]]


async def test_sorted_tile_plays_itself(visits: Visits):
    shown = shot("dominoes")
    page = await staged(visits)
    await show(page, shown)
    await order(page, "number")
    for number in range(len(await drawn(page))):
        button = page.locator("#hand .held").nth(number)
        if "fits right" in await button.inner_text():
            await button.click()
            (sent,) = await page.evaluate("sentOffers")
            assert sent["piece"] == int(await button.get_attribute("data-key") or -1)
            return
    raise AssertionError("no tile fits right")


async def test_cards_of_rule_files_are_sorted_by_their_values(visits: Visits):
    shown = busiest("crazy-eights 2").snapshot
    values = {piece["index"]: dict(piece["values"]) for piece in shown["view"]["hand"]}
    page = await staged(visits)
    await show(page, shown)
    await order(page, "suit")
    suits = [values[index]["suit"] for index in await drawn(page)]
    assert suits == sorted(suits, key=["spades", "hearts", "clubs", "diamonds"].index)


async def test_keys_move_a_piece_and_focus_goes_with_it(visits: Visits):
    shown = shot("exchange")
    page = await staged(visits)
    await show(page, shown)
    first, second, *others = dealt(shown)
    await page.locator("#hand .held").first.focus()
    await page.keyboard.press("Shift+ArrowRight")
    assert await drawn(page) == [second, first, *others]
    assert await page.evaluate("Number(document.activeElement.dataset.key)") == first
    await page.keyboard.press("Shift+End")
    assert await drawn(page) == [second, *others, first]
    await show(page, found("five-card-draw verified", exchanging, serial=2))
    assert await drawn(page) == [second, *others, first]
    assert await page.locator(".sort").get_attribute("data-way") == "own"


@pytest.mark.parametrize("size", [(1100, 760), PHONE], ids=["desktop", "phone"])
async def test_dragged_card_moves_and_is_not_played(visits: Visits, size: tuple[int, int]):
    shown = shot("dominoes")
    page = await staged(visits, size=size)
    await show(page, shown)
    numbers = dealt(shown)
    dragged = page.locator("#hand [data-fits]").first
    index = int(await dragged.get_attribute("data-key") or -1)
    target = next(number for number in reversed(numbers) if number != index)
    one, other = await dragged.bounding_box(), None
    other = await page.locator(f"#hand [data-key='{target}']").bounding_box()
    assert one and other
    await page.mouse.move(one["x"] + one["width"] / 2, one["y"] + one["height"] / 2)
    await page.mouse.down()
    await page.mouse.move(other["x"] + other["width"] / 2, other["y"] + 20, steps=8)
    await page.mouse.up()
    moved = [number for number in numbers if number != index]
    assert await drawn(page) == [
        *moved[: numbers.index(target)],
        index,
        *moved[numbers.index(target) :],
    ]
    assert await asked(page) == [] and not await page.locator(".which").is_visible()
    await page.locator(f"#hand [data-key='{index}']").click()
    assert await asked(page) or await page.locator(".which").is_visible()


async def test_order_is_kept_for_each_game(visits: Visits):
    page = await staged(visits)
    await show(page, shot("dominoes"))
    await order(page, "number")
    await show(page, shot("exchange"))
    assert await page.locator(".sort").get_attribute("data-way") == "dealt"
    await show(page, shot("dominoes"))
    assert await page.locator(".sort").get_attribute("data-way") == "number"

"""Moves marked ahead: sent exactly when the program offers them, and dropped with a word otherwise."""

from typing import Any

import pytest
from playwright.async_api import Page

from protocol.match.seat_view import view_of
from protocol.match.state import MatchStage
from protocol.view.view import View
from tests.page.snapshots import moments, shot, snapshot
from tests.page.stage import asked, show, staged
from tests.page.tables import busiest
from tests.page.visits import PHONE, Visits, violations

Json = dict[str, Any]
BOX = ".float.ahead"


def pair(name: str, wanted: Any) -> tuple[Json, Json]:
    """Return a snapshot while another seat is to act, and the seat's next one with offers in the
    same deal.
    """
    before: dict[int, Json] = {}
    for moment in moments(name):
        if moment.after.stage is not MatchStage.PLAYING:
            continue
        for seat, hand in moment.hands.items():
            view = view_of(moment.after, seat, hand)
            acting = [turn.seat for turn in view.turns]
            if view.hand and not view.offers and acting and seat not in acting:
                before[seat] = snapshot(moment.after, seat, hand)
            elif view.offers and seat in before:
                first = before.pop(seat)
                same = first["view"]["board"]["hand"] == getattr(view.board, "hand", 0)
                if same and wanted(view):
                    return first, snapshot(moment.after, seat, hand, serial=2)
    raise LookupError(name)


def tiles(view: View, ways: int) -> set[int]:
    """Return the tiles that can be laid in this many ways."""
    return {piece.index for piece in view.hand if len(piece.offers) == ways}


def some(view: View) -> bool:
    """Check that tiles fit in no way, in one and in two."""
    return bool(tiles(view, 0) and tiles(view, 1))


def ways(shown: Json, count: int) -> int:
    """Return a tile of a hand that can be laid in this many ways."""
    return next(
        int(piece["index"])
        for piece in shown["view"]["hand"]
        if sum(one["piece"] == piece["index"] for one in shown["view"]["offers"]) == count
    )


def held(page: Page, piece: int) -> Any:
    """Return the button of a piece in the hand."""
    return page.locator(f"#hand [data-key='{piece}']")


async def test_marked_tile_is_sent_when_offered(visits: Visits):
    before, turn = pair("line", some)
    page = await staged(visits)
    await show(page, before)
    piece = ways(turn, 1)
    await held(page, piece).click()
    assert await held(page, piece).get_attribute("data-ahead") == ""
    assert "next" in await held(page, piece).inner_text()
    assert await page.locator(BOX).is_visible() and await asked(page) == []
    assert await violations(page) == []
    await show(page, turn)
    (sent,) = await page.evaluate("sentOffers")
    assert sent["piece"] == piece and not await page.locator(BOX).is_visible()
    await show(page, {**turn, "serial": 3})
    assert len(await asked(page)) == 1


async def test_marked_tile_without_an_offer_is_dropped_with_a_word(visits: Visits):
    before, turn = pair("line", some)
    page = await staged(visits)
    await show(page, before)
    await held(page, ways(turn, 0)).click()
    await show(page, turn)
    assert await asked(page) == []
    assert "Nothing was sent" in await page.locator(BOX).inner_text()
    assert await page.locator("#hand [data-ahead]").count() == 0


async def test_tile_that_fits_both_ends_is_not_sent(visits: Visits):
    before, turn = pair("line", lambda view: bool(tiles(view, 2)))
    page = await staged(visits)
    await show(page, before)
    await held(page, ways(turn, 2)).click()
    await show(page, turn)
    assert await asked(page) == [] and "more than one way" in await page.locator(BOX).inner_text()


async def test_reused_offer_number_sends_nothing_else(visits: Visits):
    before, turn = pair("line", some)
    page = await staged(visits)
    await show(page, before)
    piece = ways(turn, 1)
    await held(page, piece).click()
    offers = turn["view"]["offers"]
    number = next(one["id"] for one in offers if one["piece"] == piece)
    other = {"kind": "pass", "action": ["pass"], "piece": None, "place": None, "label": "pass"}
    lying = [{**offers[0], **other, "id": number}]
    await show(page, {**turn, "view": {**turn["view"], "offers": lying}})
    assert await asked(page) == []
    swapped = [{**one, "id": len(offers) - 1 - at} for at, one in enumerate(offers)]
    await show(page, before)
    await held(page, piece).click()
    await show(page, {**turn, "view": {**turn["view"], "offers": swapped}})
    (sent,) = await page.evaluate("sentOffers")
    assert sent["piece"] == piece and sent["id"] == next(
        one["id"] for one in swapped if one["piece"] == piece
    )


@pytest.mark.parametrize("change", ["deal", "face", "away", "match"])
async def test_mark_goes_with_deal_piece_and_connection(visits: Visits, change: str):
    before, turn = pair("line", some)
    page = await staged(visits)
    await show(page, before)
    piece = ways(turn, 1)
    await held(page, piece).click()
    other = {**turn, "view": {**turn["view"]}}
    if change == "deal":
        other["view"]["board"] = {**turn["view"]["board"], "hand": 7}
    elif change == "face":
        other["view"]["hand"] = [{**one, "faces": [9, 9]} for one in turn["view"]["hand"]]
    elif change == "match":
        other["view"]["match"] = "another"
    else:
        await show(page, {**before, "away": True})
    await show(page, other)
    assert await asked(page) == []


async def test_mark_is_removed_by_click_button_and_escape(visits: Visits):
    before, turn = pair("line", some)
    page = await staged(visits, size=PHONE)
    await show(page, before)
    piece = ways(turn, 1)
    await held(page, piece).click()
    await held(page, piece).click()
    assert not await page.locator(BOX).is_visible()
    await held(page, piece).click()
    await page.get_by_role("button", name="Remove").click()
    await held(page, piece).focus()
    await page.keyboard.press("Enter")
    assert await page.locator(BOX).is_visible()
    await page.keyboard.press("Escape")
    assert not await page.locator(BOX).is_visible()
    await show(page, turn)
    assert await asked(page) == []


async def test_column_is_marked_by_key_and_by_click(visits: Visits):
    turn = busiest("connect-four 2").snapshot
    wait = {**turn, "view": {**turn["view"], "offers": [], "turns": others_turn(turn)}}
    page = await staged(visits)
    await show(page, wait)
    await page.keyboard.press("2")
    assert await page.locator(".column[data-ahead]").count() == 1
    await page.locator(".column").nth(3).click()
    assert await page.locator(".column").nth(3).get_attribute("aria-pressed") == "true"
    await show(page, {**turn, "serial": 2})
    (sent,) = await page.evaluate("sentOffers")
    assert sent["place"] == 3


async def test_nothing_is_marked_while_own_choice_is_under_way(visits: Visits):
    turn = shot("dominoes")
    page = await staged(visits)
    await show(page, {**turn, "view": {**turn["view"], "offers": []}})
    await page.locator("#hand .held").first.dispatch_event("click")
    assert not await page.locator(BOX).is_visible()


async def test_rule_file_names_a_card_by_the_kind_seen_before(visits: Visits):
    turn = busiest("crazy-eights 2").snapshot
    wait = {**turn, "view": {**turn["view"], "offers": [], "turns": others_turn(turn)}}
    page = await staged(visits)
    await show(page, wait)
    piece = turn["view"]["offers"][0]["piece"]
    await held(page, piece).dispatch_event("click")
    assert not await page.locator(BOX).is_visible()  # nobody has seen what a card is for here
    await show(page, turn)
    await show(page, {**wait, "serial": 2})
    await held(page, piece).click()
    await show(page, {**turn, "serial": 3})
    (sent,) = await page.evaluate("sentOffers")
    assert (sent["kind"], sent["piece"]) == ("lay", piece)


async def test_marking_ahead_can_be_switched_off(visits: Visits):
    before, turn = pair("line", some)
    page = await staged(visits)
    await show(page, before)
    await page.get_by_role("button", name="Menu").click()
    await page.get_by_label("Mark your next move").uncheck()
    await page.keyboard.press("Escape")
    await show(page, {**before, "serial": 2})
    await held(page, ways(turn, 1)).dispatch_event("click")
    assert not await page.locator(BOX).is_visible()


def others_turn(shown: Json) -> list[Json]:
    """Return the turns of a snapshot as if another seat were to act."""
    return [{**one, "seat": 1 - shown["view"]["you"]} for one in shown["view"]["turns"]]

"""Game of the intruder on a page: knowledge next to the strands, and an attack by clicks."""

from pathlib import Path

import pytest

from protocol.audit.verdict import Verdict, audit
from tests.page.snapshots import snapshot
from tests.page.stage import show, staged
from tests.page.visits import DESKTOP, NARROW, PHONE, Visits, no_more, sideways, violations
from tests.support.fake_table import FakeTable
from tests.support.guest_games.offline_match import until_playing, written
from tests.support.offline import make_offline
from tests.support.pages import playing
from tests.unit.verification.game.test_game import LOWE

OFFERS = [
    "Strand 1: Alice (a) begins as A with you (i)",
    "Strand 2: Bob (b) begins as B with Alice (a)",
    "To Bob (b), strand 2: {NA(1),a}pk(b)",
    "To Alice (a), strand 1: {NA(1),NB(2)}pk(a)",
]

PROTOCOLS = {"needham-schroeder": LOWE[:3], "session": [("run", 1, "a", "b"), ("run", 2, "b", "a")]}


def after(moves, **options):
    match = make_offline(1, 1, "intruder", options, dealing="none")
    until_playing(match)
    for move in moves:
        match.live.offer(written(match, 0, move), 0)
    return snapshot(match.live.match, 0, ())


@pytest.mark.parametrize(("size", "dark"), [(DESKTOP, False), (PHONE, True), (NARROW, False)])
async def test_intruder_page_fits_and_is_accessible(
    visits: Visits, size: tuple[int, int], dark: bool
):
    page = await staged(visits, size=size, dark=dark)
    for protocol, moves in PROTOCOLS.items():
        await show(page, after(moves, protocol=protocol))
        assert (protocol, await violations(page), await sideways(page)) == (protocol, [], "")


async def test_intruder_knowledge_stands_beside_strands(visits: Visits):
    page = await staged(visits, size=DESKTOP)
    await show(page, after(LOWE[:3]))
    known, strand = (
        page.locator(".region", has_text="What the intruder knows"),
        page.locator(".region", has_text="Strand 2, role B"),
    )
    assert "NA(1)" in await known.inner_text() and "inv(pk(a))" not in await known.inner_text()
    said = "Bob (b) with Alice (a), has sent {NA(1),NB(2)}pk(a), waits for {NB(2)}pk(b)"
    assert said in await strand.inner_text()
    beside, left = await known.bounding_box(), await strand.bounding_box()
    assert beside and left and beside["x"] >= left["x"] + left["width"]


@pytest.mark.parametrize("size", [DESKTOP, PHONE])
async def test_table_begins_at_its_top_and_knowledge_is_in_sight(
    visits: Visits, size: tuple[int, int]
):
    page = await staged(visits, size=size)
    await show(page, after(LOWE[:2]))
    board = await page.locator(".generic").bounding_box()
    top = await page.locator(".region").evaluate_all(
        "all => Math.min(...all.map((one) => one.getBoundingClientRect().top))"
    )
    known = await page.locator(".mine .region").bounding_box()
    assert board and known and top >= board["y"]
    assert known["y"] + known["height"] <= board["y"] + board["height"]
    assert await page.locator(".mine li").all_inner_texts() == [
        "inv(pk(i))",
        "pk",
        "{NA(1),a}pk(i)",
        "NA(1)",
    ]


async def test_newcomer_is_told_a_first_step_and_broken_goal_is_marked(visits: Visits):
    page = await staged(visits, size=DESKTOP)
    await show(page, after([]))
    step = "Strand 1: Alice (a) begins as A with you (i)"
    assert f"Try first: “{step}”" in await page.inner_text(".status")
    assert await page.get_by_role("button", name=step, exact=True).count() == 1
    colour = "all => all.map((one) => getComputedStyle(one).backgroundColor)"
    goals = page.locator(".region.counter")
    assert len(set(await goals.evaluate_all(colour))) == 1
    await show(page, after(LOWE[:4]))
    found = await goals.evaluate_all(colour)
    assert found[1] != found[0] and found == [found[0], found[1], found[0], found[0]]


async def test_names_of_choices_are_explained(visits: Visits):
    page = await staged(visits, size=DESKTOP)
    await show(page, after(LOWE[:1]))
    choices = " ".join(await page.locator(".offers button").all_inner_texts())
    assert "_of_i" not in choices and "NI" in choices and "Carol (c)" in choices
    legend = await page.locator(".region", has_text="How to read this").inner_text()
    assert "Carol (c)" in legend and "NI, KI and XI" in legend


@pytest.mark.match
async def test_man_in_the_middle_attack_works_by_clicks(visits: Visits, tmp_path: Path):
    table = FakeTable(1, game="intruder", dealing="none", options={})
    async with playing(table, tmp_path) as (page, log):
        tab = await visits.open(page.links.new())
        for offer in OFFERS:
            await tab.get_by_role("button", name=offer, exact=True).click()
        await tab.wait_for_selector(".end:not([hidden])")
        assert "Broken: NB secret between A,B." in await tab.inner_text("body")
        await no_more(tab)
    found = audit(log.read_bytes())
    assert (
        found.verdict is Verdict.CLEAN
        and found.reader.match.setup.game.winner(found.reader.match.game) == 0
    )

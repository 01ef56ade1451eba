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
    "Strand 1: let a begin as A with i",
    "Strand 2: let b begin as B with a",
    "To strand 2, B: {NA(1),a}pk(b)",
    "To strand 1, A: {NA(1),NB(2)}pk(a)",
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
        page.locator(".region", has_text="Strand 2, B"),
    )
    assert "NA(1)" in await known.inner_text() and "inv(pk(a))" not in await known.inner_text()
    assert (
        "b with a, has sent {NA(1),NB(2)}pk(a), waits for {NB(2)}pk(b)" in await strand.inner_text()
    )
    beside, left = await known.bounding_box(), await strand.bounding_box()
    assert beside and left and beside["x"] >= left["x"] + left["width"]


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

"""Sentences of the match screen: what a turn asks for, why a piece cannot be played, and how a match
ended.
"""

from copy import deepcopy

import pytest

from tests.page.snapshots import OVER, ended, shot
from tests.page.stage import asked, show, staged, tell
from tests.page.tables import LARGEST, busiest, timeline
from tests.page.visits import PHONE, Visits, sideways

CARDS = "The first without cards wins."
TILES = "The first without tiles wins the hand."
GOALS = {  # in the header of each game whose board does not say it
    "block-dominoes": TILES,
    "draw-dominoes": TILES,
    "texas-holdem": "The most chips at the end win.",
    "five-card-draw": "Exchange cards once. The most chips at the end win.",
    "omaha": "Exactly two cards of your hand count. The most chips at the end win.",
    "ligretto": "Empty your stock: whoever does first ends the round.",
    "connect-four": "Four in a line win.",
    "hexapawn": "Reach the other side, or leave the other player no move.",
    "intruder": "Carry the messages as you like, and break a goal.",
    "element-duel": "Seven won duels win.",
    "mau-mau": CARDS,
    "mau-mau-shared": CARDS,
    "crazy-eights": CARDS,
    "nim": "Whoever takes the last one wins.",
    "matches": "Whoever takes the last one wins.",
}
UNFIT = ".unfit:not([hidden])"
CUT = """(node) => node.scrollWidth > node.clientWidth || node.scrollHeight > node.clientHeight
  || getComputedStyle(node).textOverflow === "ellipsis\""""


async def test_tile_that_fits_nowhere_is_refused_with_the_ends(visits: Visits):
    page = await staged(visits)
    await show(page, shot("dominoes"))
    assert "Your turn: lay a tile that fits" in await page.locator(".top .status").inner_text()
    await page.locator(".hand .held:not([data-fits])").first.click(force=True)
    ends = shot("dominoes")["view"]["board"]["ends"]
    told = await page.locator(UNFIT).inner_text()
    assert "cannot be played now" in told and all(str(end) in told for end in ends)
    assert await asked(page) == []
    await show(page, shot("dominoes") | {"serial": 2})
    assert await page.locator(UNFIT).count() == 0


async def test_end_names_winner_and_keeps_path_folded(visits: Visits):
    page = await staged(visits)
    await show(page, ended("draw layered", you=None, again=False, **OVER))
    told = await page.locator(".end").inner_text()
    assert "won · checked, nobody cheated" in told
    assert "Verdict" not in told and ".fairdeal" not in told
    await page.locator(".end summary").click()
    assert ".fairdeal" in await page.locator(".end").inner_text()


async def test_own_leaving_is_called_no_broken_rule(visits: Visits):
    page = await staged(visits)
    over = ended("draw layered", stage="over")
    fault = {
        "seat": over["view"]["you"],
        "entry": 9,
        "code": "left",
        "text": "Ann left",
        "section": "1",
    }
    lines = ["Verdict: rules were broken: Ann (seat 1) in entry 9"]
    view = over["view"] | {"winners": []}
    await show(
        page, over | {"view": view, "faults": [fault], "verdict": {"clean": False, "lines": lines}}
    )
    told = await page.locator(".end").inner_text()
    assert "You left the match" in told and "broken" not in told


async def test_goal_of_the_game_is_on_every_table(visits: Visits):
    page = await staged(visits)
    for game, name in LARGEST.items():
        await show(page, timeline(name, 1)[0])
        assert await page.locator(".goal").inner_text() == GOALS[game]
        assert not await page.locator(".connection").is_visible()


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("name", [*LARGEST.values(), "five-card-draw 2"])
async def test_line_that_says_what_to_do_is_whole_on_a_phone(
    visits: Visits, name: str, language: str
):
    page = await staged(visits, size=PHONE, language=language)
    shown = busiest(name).snapshot
    await show(page, shown)
    status = page.locator(".top .status")
    assert await status.inner_text() and not await status.evaluate(CUT)
    assert await sideways(page) == ""
    # a shorter line leaves as much room, so that the board stays where it is
    height = "node => node.getBoundingClientRect().height"
    before = await page.locator(".top").evaluate(height)
    view = shown["view"] | {"turns": [], "offers": []}
    await show(page, shown | {"view": view, "serial": 2, "status": "."})
    assert await page.locator(".top").evaluate(height) == before


async def test_end_against_bots_speaks_of_no_people_and_replays(visits: Visits):
    page = await staged(visits)
    over = deepcopy(shot("over"))
    over["view"]["trust"]["saved"] = "/home/ann b/nim.fairdeal"
    end = page.locator(".end")
    for bots in (False, True):
        await show(page, over | {"bots": bots})
        text = await end.inner_text()
        assert ("same people" in text) != bots
        assert ".fairdeal" not in text
        await end.get_by_role("button", name="Replay").click()
        assert await end.get_by_role("button", name="Play again").count() == 1


async def test_end_of_poker_names_the_own_place(visits: Visits):
    page = await staged(visits)
    over = deepcopy(shot("holdem")) | OVER
    view = over["view"]
    you = view["you"]
    view["winners"] = [(you + 1) % 6]

    async def told(*chips: int) -> str:
        for at, count in enumerate(chips):  # the own seat first
            view["seats"][(you + at) % 6]["game"]["score"] = count
        await show(page, over)
        return await page.locator(".end").inner_text()

    assert "You came 4th of 6." in await told(50, 300, 100, 90, 40, 20)
    assert "You came 2nd of 6." in await told(100, 300, 90, 80, 40, 20)
    assert "You came 3rd of 6." in await told(95, 300, 100, 80, 40, 20)
    assert "You came 6th of 6." in await told(0, 300, 100, 80, 40, 20)
    assert "You came" not in await told(0, 300, 100, 80, 40, 0)  # nobody knows who was out first
    view["winners"] = [you]
    assert "You came" not in await told(300, 50, 100, 80, 40, 20)


async def test_minor_move_is_left_out_of_what_happened(visits: Visits):
    page = await staged(visits)
    await show(page, shot("holdem"))
    flip = {"entry": 7, "author": 1, "kind": "move", "text": "Bob flips.", "minor": True}
    lay = {"entry": 8, "author": 1, "kind": "move", "text": "Bob lays red 1."}
    await tell(page, [flip, lay])
    assert await page.locator(".panel.log .lines").inner_text() == "Bob lays red 1."

"""Home in a browser: from the start of the program to a match, and back by every way."""

import asyncio
import os
import sys
from pathlib import Path

import pytest

from player.storage.files import sole_player
from player.storage.own_language import store_language
from player.storage.own_name import read_name
from player.ui.web.browser import WINDOWS
from protocol.audit.verdict import Verdict, audit
from table.manager.server import TableServer
from tests.page.homes import MINE, ROUTES, home, play_nim, route
from tests.page.visits import DESKTOP, PHONE, Visits, sideways, violations
from tests.support.tables import config

ROOT = Path(__file__).parents[2]
LONG_AGO = 1_000_000_000  # seconds since 1970
pytestmark = [pytest.mark.match, pytest.mark.process]


async def test_home_plays_again_and_replays(visits: Visits, tmp_path: Path):
    async with home(visits, tmp_path) as page:
        await route(page, "Play")
        await page.locator("[data-game=nim]").get_by_role("button", name="Play").click()
        await page.wait_for_selector(".match .heaps")
        await play_nim(page)
        await page.get_by_role("button", name="Play again").click()
        await page.wait_for_selector(".end[hidden]", state="attached")
        await play_nim(page)
        await page.locator(".ways-on").get_by_role("button", name="Home").click()
        await page.wait_for_selector(".home .ways")
        assert await page.get_by_role("button", name="Continue").count() == 0
        await route(page, "History")
        await page.wait_for_selector(".logs li >> nth=1")
        await page.wait_for_selector(".logs li:has-text('clean') >> nth=1")
        await page.locator(".logs").get_by_role("button", name="Replay").first.click()
        await page.wait_for_selector("input[type=range]")
        await route(page, "Home")
    logs = list((tmp_path / "play").glob("*.fairdeal"))
    assert [audit(log.read_bytes()).verdict for log in logs] == [Verdict.CLEAN] * 2


@pytest.mark.parametrize("game", ["intruder", "element-duel", "texas-holdem"])
async def test_game_opens_with_usual_number_of_bots(visits: Visits, tmp_path: Path, game: str):
    async with home(visits, tmp_path) as page:
        await route(page, "Play")
        await page.locator(f"[data-game={game}]").get_by_role("button", name="Play").click()
        await page.wait_for_selector(".match")


async def test_match_against_bots_is_played_by_chosen_options(visits: Visits, tmp_path: Path):
    async with home(visits, tmp_path) as page:
        assert "checks that nobody cheats" in await page.locator(".home .about").inner_text()
        tile = page.locator("[data-game=block-dominoes]")
        await tile.locator("summary").first.click()
        target = tile.get_by_label("points needed to win")
        await target.fill("20000")
        await target.press("Tab")
        await tile.locator(".wrong:has-text('10000')").wait_for()
        await target.fill("37")
        await target.press("Tab")
        await tile.locator(".wrong").wait_for(state="detached")
        assert (await violations(page), await sideways(page)) == ([], "")
        await tile.get_by_role("button", name="Play").click()
        await page.wait_for_selector(".arena:has-text('to 37')")


async def test_choices_have_words_and_rare_ones_are_folded(visits: Visits, tmp_path: Path):
    places = "all => all.map((one) => one.getBoundingClientRect().top)"
    async with home(visits, tmp_path) as page:
        await route(page, "Play")
        tile = page.locator("[data-game=texas-holdem]")
        await tile.locator("summary").first.click()
        fields = tile.locator(".field").filter(visible=True)
        await fields.first.wait_for()
        assert await fields.locator("label").all_text_contents() == [
            "hands to play",
            "chips each player begins with",
            "the big blind",
        ]
        labels = await fields.locator("label").evaluate_all(places)
        boxes = await fields.locator("input").evaluate_all(places)
        assert all(above + 10 < below for above, below in zip(labels, boxes, strict=True))
        await tile.locator(".rare summary").click()
        words = await tile.locator(".rare option").all_text_contents()
        assert "Always to a player" in words and "priced" not in words and "moving" not in words
        assert (await violations(page), await sideways(page)) == ([], "")


async def test_german_ways_fit_a_telephone_in_a_match(visits: Visits, tmp_path: Path):
    store_language(tmp_path, "de")
    async with home(visits, tmp_path, size=PHONE) as page:
        await page.locator("[data-game=nim]").get_by_role("button", name="Spielen").click()
        await page.wait_for_selector(MINE)
        bar = page.locator(".bar")
        assert "Partien" in await bar.inner_text()
        assert await bar.evaluate("node => node.scrollWidth <= node.clientWidth")


async def test_dominoes_against_bots_say_how_long_they_take(visits: Visits, tmp_path: Path):
    async with home(visits, tmp_path) as page:
        tile = page.locator("[data-game=block-dominoes]")
        length = tile.get_by_label("Length")
        chosen = length.locator("option:checked")
        assert await chosen.inner_text() == "short: 25 points, about 8 hands"
        await tile.get_by_label("bots").select_option("3")
        assert await chosen.inner_text() == "usual: 100 points, about 13 hands"
        assert await page.locator("[data-game=nim]").get_by_label("Length").count() == 0
        await tile.get_by_label("bots").select_option("1")
        assert await sideways(page) == ""
        await tile.locator("summary").click()
        assert await tile.get_by_label("points needed to win").input_value() == "25"
        assert not await length.is_visible()
        await tile.get_by_role("button", name="Play").click()
        await page.wait_for_selector(".arena:has-text('to 25 points')")


async def test_home_continues_match_left_behind(visits: Visits, tmp_path: Path):
    async with home(visits, tmp_path) as page:
        await route(page, "Play")
        await page.locator("[data-game=nim]").get_by_role("button", name="Play").click()
        await page.wait_for_selector(MINE)
        await page.locator(".bar").get_by_role("button", name="Home").click()
        asked = page.locator("dialog[open]")
        assert "others wait" not in await asked.inner_text()  # they are bots
        assert await asked.locator(".danger").count() == 0
        await asked.get_by_role("button", name="Pause").click()
        await page.wait_for_selector(".home section:has-text('Nim, against bots')")
        assert (await violations(page), await sideways(page)) == ([], "")
    (log,) = (tmp_path / "play").glob("*.fairdeal")
    os.utime(log, (LONG_AGO, LONG_AGO))
    async with home(visits, tmp_path) as page:
        # when it was last played, not when it is listed
        assert "2001" in await page.locator(".continued li").inner_text()
        await page.get_by_role("button", name="Continue").click()
        await page.wait_for_selector(".match .heaps")
        await play_nim(page)
        await page.locator(".ways-on").get_by_role("button", name="Other game").click()
        await page.wait_for_selector("[data-game=nim]")
        await page.locator(".home .continued[hidden]").wait_for(state="attached")
    assert len(list((tmp_path / "play").glob("*.fairdeal"))) == 1


@pytest.mark.parametrize(
    ("answer", "same"), [("Continue", True), ("Begin a new match", False)], ids=["on", "new"]
)
async def test_game_that_was_begun_asks_whether_to_begin_another(
    visits: Visits, tmp_path: Path, answer: str, same: bool
):
    def matches() -> set[str]:
        found = (tmp_path / "play" / "unfinished").glob("*/*/you/matches/*.json")
        return {path.name for path in found}

    async with home(visits, tmp_path) as page:
        begin = page.locator("[data-game=nim]").get_by_role("button", name="Play")
        await begin.click()
        await page.wait_for_selector(MINE)
        earlier = matches()
        await page.locator(".bar").get_by_role("button", name="Home").click()
        await page.locator("dialog[open] .primary").click()
        await page.wait_for_selector(".continued li")
        await begin.click()
        asked = page.locator("dialog[open]")
        assert "a match of Nim, and it is not over" in await asked.inner_text()
        assert await violations(page) == []
        await asked.get_by_role("button", name=answer).click()
        await page.wait_for_selector(MINE)
        assert len(matches()) == 1 and (matches() == earlier) == same


async def test_name_is_asked_once_before_first_match(visits: Visits, tmp_path: Path):
    async with home(visits, tmp_path, name=None) as page:
        begin = page.locator("[data-game=nim]").get_by_role("button", name="Play")
        await begin.click()
        await page.wait_for_selector("dialog[open] #first-name")
        assert await violations(page) == []
        await page.keyboard.press("Escape")
        assert await page.locator(".match").count() == 0 and read_name(tmp_path) is None
        await begin.click()
        await page.fill("#first-name", "Zoe")
        await page.keyboard.press("Enter")
        await page.wait_for_selector(".match:has-text('Zoe')")
        assert read_name(tmp_path) == "Zoe"
        await page.locator(".bar").get_by_role("button", name="Home").click()
        await page.locator("dialog[open] .primary").click()
        await begin.click()
        await page.wait_for_selector(".match .heaps, dialog[open] .primary")
        # nobody is asked for a name; of a match that has begun it is asked whether to continue
        if await page.locator("dialog[open] .primary").count():
            assert await page.locator("#first-name").count() == 0
            await page.locator("dialog[open] .primary").click()
        await page.wait_for_selector(".match .heaps")


async def test_unfinished_match_is_dropped_from_home(visits: Visits, tmp_path: Path):
    async with home(visits, tmp_path) as page:
        await page.locator("[data-game=nim]").get_by_role("button", name="Play").click()
        await page.wait_for_selector(MINE)
        await page.locator(".bar").get_by_role("button", name="Home").click()
        await page.locator("dialog[open] .primary").click()
        await page.get_by_role("button", name="Drop").click()
        await page.locator("dialog[open] .danger").click()
        await page.wait_for_selector(".continued[hidden]", state="attached")


async def test_home_joins_table_and_remembers_it(visits: Visits, tmp_path: Path):
    async with (
        TableServer(config(tmp_path / "table")) as table,
        home(visits, tmp_path / "zoe") as page,
    ):
        await route(page, "Join")
        await page.fill("#link", "nonsense")
        await page.keyboard.press("Enter")
        await page.wait_for_selector(".home .wrong:has-text('This is not a table')")
        visits.forgive("422")
        await page.fill("#link", f" <{table.link}> ")
        await page.keyboard.press("Enter")
        await page.wait_for_selector("li.panel:has-text('0 of 2 seats')")
        await route(page, "Join")
        await page.locator("[data-tables=visited] li").get_by_role("button").click()
        await page.wait_for_selector("li.panel:has-text('0 of 2 seats')")
        await page.get_by_role("button", name="Sit down", exact=True).last.click()
        await page.wait_for_selector("h1:has-text('Waiting for others')")
        await page.locator(".bar").get_by_role("button", name="History").click()
        await page.locator("dialog[open] .danger").click()
        await page.wait_for_selector(".home .logs", state="attached")


async def test_home_reports_what_could_not_be_opened(visits: Visits, tmp_path: Path):
    async with home(visits, tmp_path) as page:
        await route(page, "Join")
        await page.fill("#link", "fairdeal://127.0.0.1:1")
        await page.keyboard.press("Enter")
        await page.wait_for_selector(".home .wrong:has-text('No table answers at 127.0.0.1:1')")
        assert await page.input_value("#link") == "fairdeal://127.0.0.1:1"
        await page.get_by_role("button", name="Try again").click()
        await page.wait_for_selector(".home .wrong:has-text('No table answers at 127.0.0.1:1')")
        assert (await violations(page), await sideways(page)) == ([], "")
        await page.get_by_role("button", name="Back to Home").click()
        await page.wait_for_selector("[data-game=nim]")
        await route(page, "Join")
        with sole_player(tmp_path):  # another program plays from this folder
            await page.fill("#link", "fairdeal://127.0.0.1:1")
            await page.keyboard.press("Enter")
            await page.wait_for_selector(f".home .wrong:has-text('{tmp_path.name}')")
        await route(page, "Home")


async def test_home_keeps_name_and_language(visits: Visits, tmp_path: Path):
    async with home(visits, tmp_path) as page:
        await route(page, "Profile")
        await page.fill("#own-name", "Zoe")
        await page.get_by_role("button", name="Save").click()
        await page.wait_for_selector("text=Saved.")
        assert read_name(tmp_path) == "Zoe"
        await page.select_option("#own-language", "de")
        await page.get_by_role("button", name="Save").click()
        await page.wait_for_selector("html[lang=de] .bar:has-text('Spielen')")
    async with home(visits, tmp_path) as page:
        await page.wait_for_selector("html[lang=de] .bar:has-text('Spielen')")


@pytest.mark.parametrize("size", [PHONE, DESKTOP], ids=["phone", "desktop"])
async def test_home_is_accessible_on_every_route(
    visits: Visits, tmp_path: Path, size: tuple[int, int]
):
    async with home(visits, tmp_path, size=size) as page:
        for name in ROUTES:
            await route(page, name)
            await page.wait_for_selector("text=Loading", state="detached")
            assert (await violations(page), await sideways(page)) == ([], "")


async def test_home_is_played_by_keyboard(visits: Visits, tmp_path: Path):
    async with home(visits, tmp_path) as page:
        await page.locator(".bar button").first.focus()
        await page.keyboard.press("Tab")
        await page.keyboard.press("Enter")
        await page.wait_for_selector("[data-game=nim] .primary")
        focused = "document.activeElement.matches('[data-game=nim] .primary')"
        for _ in range(80):
            if await page.evaluate(focused):
                break
            await page.keyboard.press("Tab")
        await page.keyboard.press("Enter")
        await page.wait_for_selector(".match .heaps")


async def test_started_app_prints_link_to_home(visits: Visits, tmp_path: Path):
    environ = {name: value for name, value in os.environ.items() if name not in WINDOWS}
    program = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "fairdeal", "app", "--data", str(tmp_path)),
        cwd=ROOT,
        env=environ,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
    )
    assert program.stdout is not None
    try:
        said = (await program.stdout.readline()).decode()
        page = await visits.open(said.split()[-1])
        await page.wait_for_selector(".home .ways")
    finally:
        program.terminate()
        assert await program.wait() == 0
    await page.wait_for_selector("#program:not([hidden])")
    # nobody answers the page any more
    visits.complaints = [line for line in visits.complaints if "CONNECTION_REFUSED" not in line]

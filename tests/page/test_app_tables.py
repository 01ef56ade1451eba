"""Tables in the app: one person opens a table, another comes by its link. They talk, play, and go on
together. Tables and bots are real processes.
"""

import asyncio
import os
import re
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import psutil
import pytest
from playwright.async_api import Page, expect

from fairdeal.app_tables import AppTables
from player.storage.own_name import store_name
from player.ui.web.browser import WINDOWS
from protocol.audit.verdict import Verdict, audit
from protocol.games.registry import BUILT_IN
from protocol.identity.keys import JoinLink
from table.manager.server import TableServer
from tests.page.homes import home
from tests.page.test_home import MINE, ROOT, route
from tests.page.visits import PHONE, Visits, sideways, violations
from tests.support.site_folder import packages_with_page
from tests.support.tables import config, until

pytestmark = [pytest.mark.match, pytest.mark.process]


@asynccontextmanager
async def person(visits: Visits, data: Path, name: str, **how: object) -> AsyncIterator[Page]:
    """Run the app of a person, and open its page."""
    data.mkdir()
    store_name(data, name)
    async with home(visits, data, tables=AppTables(BUILT_IN, (), data), **how) as page:
        yield page


async def open_table(page: Page, game: str = "nim") -> str:
    """Open a table for this computer from the page, and return its link."""
    await route(page, "Play")
    await page.locator("summary", has_text="Play with other people").click()
    await page.select_option("#table-game", game)
    await page.select_option("#table-reach", "near")
    await page.get_by_role("button", name="Open a table", exact=True).click()
    await page.wait_for_selector(".share[data-link]")
    return await page.input_value("#invitation")


async def join(page: Page, link: str) -> None:
    """Go to a table by its link."""
    await route(page, "Join")
    await page.fill("#link", link)
    await page.keyboard.press("Enter")
    await page.wait_for_selector("li.panel:has-text('seats are taken')")


async def say(page: Page, text: str) -> None:
    """Say something to all in the lobby."""
    await page.get_by_label("Say something to all").fill(text)
    await page.keyboard.press("Enter")


async def take_all(*pages: Page) -> None:
    """Take matches, whosever turn it is, until the match is over for all."""
    while not all([await page.locator(".end:not([hidden])").count() for page in pages]):
        for page in pages:
            mine = page.locator(MINE)
            if await mine.count():
                await mine.last.click(timeout=5_000)
        await pages[0].wait_for_timeout(50)


async def test_two_people_meet_talk_play_and_go_on_together(visits: Visits, tmp_path: Path):
    async with (
        person(visits, tmp_path / "ann", "Ann") as ann,
        person(visits, tmp_path / "bob", "Bob", size=PHONE) as bob,
    ):
        link = await open_table(ann)
        await ann.wait_for_selector("main:has-text('Only this computer can reach this link.')")
        await ann.wait_for_selector(".company:has-text('Nobody else is here.')")
        await join(bob, link)
        assert await bob.inner_text("h1") == "Ann's table"
        assert await bob.locator(".tables h2").all_inner_texts() == ["Nim"]
        assert await bob.locator(".company .guests li").count() == 0
        await bob.get_by_role("button", name="Meet the people here").click()
        await bob.wait_for_selector(".company li:has-text('Ann')")
        await ann.wait_for_selector(".company li:has-text('Bob')")
        await say(bob, "hello <b>Ann</b>")
        await ann.wait_for_selector(".talk:has-text('Bob: hello <b>Ann</b>')")
        await ann.wait_for_selector(".company:has-text('and so does the table')")
        for page in (ann, bob):
            assert (await violations(page), await sideways(page)) == ([], "")
        await ann.get_by_role("button", name="Sit down", exact=True).click()
        await ann.wait_for_selector("h1:has-text('Waiting for others')")
        await say(bob, "I come")
        await ann.wait_for_selector(".talk:has-text('I come')")  # also while one waits
        await ann.locator(".company").get_by_role("button", name="Invite").click()
        await bob.wait_for_selector(".summons:has-text('Ann'):has-text('invites you to Nim')")
        assert (await violations(ann), await violations(bob)) == ([], [])
        await bob.locator(".summons").get_by_role("button", name="Go there").click()
        await take_all(ann, bob)
        assert not await ann.locator("#say").is_visible()  # one talk, with the people
        await bob.get_by_role("button", name="People here").click()
        await say(bob, "well played")
        await ann.wait_for_selector(".company .talk:has-text('well played')")
        assert (await violations(ann), await sideways(bob)) == ([], "")
        await ann.get_by_role("button", name="Other game, same people").click()
        await ann.wait_for_selector("#invite-1:checked")
        await expect(ann.get_by_label("Game", exact=True)).to_be_in_viewport()
        await ann.get_by_label("Game", exact=True).select_option("matches")
        await ann.get_by_label("Quick: 30 seconds a move").check()
        await ann.wait_for_selector("form:has-text('30 seconds')")
        assert (await violations(ann), await sideways(ann)) == ([], "")
        await ann.get_by_role("button", name="Open it and sit down").click()
        await bob.wait_for_selector(".summons .calls:has-text('invites you to')")
        await bob.locator(".summons").get_by_role("button", name="Go there").click()
        await take_all(ann, bob)
        # the table has gone with its match: the first one opens another, and the other one comes
        await ann.get_by_role("button", name="Play again").click()
        await bob.wait_for_selector(".summons .calls:has-text('invites you to')")
        await bob.get_by_role("button", name="Play again").click()
        await ann.wait_for_selector(".match .end[hidden]", state="attached")
        await take_all(ann, bob)
        await bob.get_by_role("button", name="Back to the table").click()
        await bob.wait_for_selector('h1:has-text("Ann\'s table")')
        await ann.get_by_role("button", name="Replay", exact=True).click()
        await ann.wait_for_selector("input[type=range]")
    for name in ("ann", "bob"):
        logs = list((tmp_path / name / "logs").glob("*.fairdeal"))
        assert [audit(log.read_bytes()).verdict for log in logs] == [Verdict.CLEAN] * 3


BOARD = """() => {
  const [board, own] = [".arena", ".own"].map((one) => document.querySelector(one).getBoundingClientRect());
  return { high: Math.min(board.bottom, own.top) - board.top, below: own.bottom - innerHeight };
}"""


async def test_board_stays_in_view_when_match_is_over(visits: Visits, tmp_path: Path):
    async with (
        person(visits, tmp_path / "ann", "Ann", size=(1280, 800)) as ann,
        person(visits, tmp_path / "bob", "Bob", size=PHONE) as bob,
    ):
        await join(bob, await open_table(ann, "draw-dominoes"))
        for page in (ann, bob):
            await page.get_by_role("button", name="Sit down", exact=True).click()
        for page in (ann, bob):
            await page.wait_for_selector(".hand .held")
        await bob.get_by_role("button", name="Menu").click()
        await bob.locator("dialog[open] .danger").click()
        await bob.locator("dialog[open] .danger").last.click()
        for page in (ann, bob):
            await page.wait_for_selector(".end:not([hidden])")
            found = await page.evaluate(BOARD)
            assert found["high"] > 200 and found["below"] <= 0, found
            # people and their talk are one panel beside the board, or one press away
            assert await page.locator(".company").is_visible() is (page is ann)
            assert (await violations(page), await sideways(page)) == ([], "")
        await bob.get_by_role("button", name="People here").click()
        await bob.get_by_role("button", name="Meet the people here").click()
        await ann.wait_for_selector(".company li:has-text('Bob')")


@pytest.mark.parametrize("first", ["follow", "again"])
async def test_other_game_with_unseen_partner_ends_at_one_table(
    visits: Visits, tmp_path: Path, first: str
):
    async with (
        person(visits, tmp_path / "ann", "Ann") as ann,
        person(visits, tmp_path / "bob", "Bob", size=PHONE) as bob,
    ):
        await join(bob, await open_table(ann))
        for page in (ann, bob):
            await page.get_by_role("button", name="Sit down", exact=True).click()
        await take_all(ann, bob)
        if first == "again":  # Bob waits at the old game already
            await bob.get_by_role("button", name="Play again").click()
            await bob.wait_for_selector("h1:has-text('Waiting for others')")
        await ann.get_by_role("button", name="Other game, same people").click()
        await ann.get_by_label("Game", exact=True).select_option("matches")
        await ann.get_by_role("button", name="Open it and sit down").click()
        asked = bob.locator(".summons").filter(has_text="now Matches? (1 of 2 are there)")
        await asked.wait_for()
        assert "Ann" in await asked.inner_text() and "play again" not in await asked.inner_text()
        assert (await violations(bob), await sideways(bob)) == ([], "")
        await asked.get_by_role("button", name="Sit down").click()
        await take_all(ann, bob)
        assert await bob.inner_text("h1") == "Matches"


async def test_bot_is_added_and_sent_away(visits: Visits, tmp_path: Path):
    async with person(visits, tmp_path / "ann", "Ann") as ann:
        await open_table(ann, "crazy-eights")
        await ann.locator("summary", has_text="Other tables").click()
        await ann.locator("summary", has_text="Open a table of your own").click()
        await ann.get_by_label("Game", exact=True).select_option("crazy-eights")
        await ann.get_by_label("Seats", exact=True).fill("3")
        await ann.get_by_label("Seats", exact=True).press("Enter")
        await ann.wait_for_selector("h1:has-text('Waiting for others')")
        await ann.get_by_role("button", name="Add a bot").click()
        await ann.wait_for_selector(".people:has-text('(bot)')")
        bots = [
            each for each in psutil.Process().children(recursive=True) if "--bot" in each.cmdline()
        ]
        assert len(bots) == 1
        await ann.get_by_role("button", name="Leave").click()
        await ann.wait_for_selector("h1:has-text('Your table')")
        await until(lambda: not bots[0].is_running())
        await ann.get_by_role("button", name="Sit down", exact=True).click()
        await ann.get_by_role("button", name="Add a bot").click()
        await ann.wait_for_selector(".match:has-text('(bot)')")


async def test_visited_tables_say_who_is_there_when_asked(visits: Visits, tmp_path: Path):
    async with person(visits, tmp_path / "ann", "Ann") as ann:
        async with TableServer(config(tmp_path / "table")) as table:
            await join(ann, str(table.link))
            await route(ann, "Join")
            row = ann.locator("[data-tables=visited] li")
            await row.wait_for()
            assert "answers" not in await row.inner_text()
            async with person(visits, tmp_path / "bob", "Bob") as bob:
                await join(bob, str(table.link))
                await bob.locator(".tables").get_by_role("button", name="Sit down").click()
                await bob.wait_for_selector("h1:has-text('Waiting for others')")
                await ann.get_by_role("button", name="See who is there").click()
                await ann.wait_for_selector("li:has-text('1 open'):has-text('there: Bob')")
        await ann.get_by_role("button", name="See who is there").click()
        await ann.wait_for_selector("li:has-text('does not answer')")
        assert (await violations(ann), await sideways(ann)) == ([], "")


async def test_guests_are_given_a_page_if_one_is_installed(
    visits: Visits, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    packages = packages_with_page(tmp_path)
    async with (
        person(visits, tmp_path / "ann", "Ann") as ann,
        person(visits, tmp_path / "bob", "Bob", size=PHONE) as bob,
    ):
        await open_table(ann)
        await ann.locator("summary", has_text="QR code").click()
        assert "Install fairdeal" in await ann.input_value("#message")
        assert "is not installed here" in await ann.inner_text(".share")
        await route(ann, "Play")
        await ann.get_by_role("button", name="Close your table").click()
        await ann.locator("dialog[open] .danger").click()
        monkeypatch.syspath_prepend(packages)
        monkeypatch.setenv("PYTHONPATH", os.pathsep.join((str(ROOT), str(packages))))
        given = await open_table(ann)
        link = JoinLink.parse(given)
        assert link.page.startswith("http://127.0.0.1:") and given in await ann.input_value(
            "#message"
        )
        assert "Install" not in await ann.input_value("#message")
        served = await visits.browser.new_page()
        assert (await served.goto(link.page)).ok
        await served.close()
        await ann.locator("summary", has_text="QR code").click()
        assert (await violations(ann), await sideways(ann)) == ([], "")
        # the program of a guest who has fairdeal takes the same link
        await join(bob, given)
        await ann.locator(".change > summary").click()
        await ann.select_option("#own-game", "matches")
        await ann.get_by_role("button", name="Change my table").click()
        await bob.wait_for_selector("h2:has-text('Matches')")
        assert await ann.input_value("#invitation") == given


async def test_own_table_stays_open_at_home_until_closed(visits: Visits, tmp_path: Path):
    async with person(visits, tmp_path / "ann", "Ann", size=PHONE) as ann:
        link = await open_table(ann)
        await route(ann, "Play")
        await ann.wait_for_selector("#own-link")
        assert await ann.input_value("#own-link") == link
        assert (await violations(ann), await sideways(ann)) == ([], "")
        await ann.get_by_role("button", name="Go to your table").click()
        await ann.wait_for_selector("li.panel:has-text('seats are taken')")
        await route(ann, "Play")
        await ann.get_by_role("button", name="Close your table").click()
        await ann.locator("dialog[open] .danger").click()
        await ann.locator("summary", has_text="Play with other people").wait_for()
        assert not [each for each in psutil.Process().children() if "host" in each.cmdline()]


async def test_killed_app_ends_its_table_and_bots(visits: Visits, tmp_path: Path):
    store_name(tmp_path, "Ann")
    program = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "fairdeal", "app", "--data", str(tmp_path)),
        cwd=ROOT,
        env={name: value for name, value in os.environ.items() if name not in WINDOWS},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
    )
    assert program.stdout is not None
    try:
        said = (await program.stdout.readline()).decode()
        page = await visits.open(said.split()[-1])
        await page.wait_for_selector(".bar")
        await open_table(page, "crazy-eights")
        await page.get_by_role("button", name="Sit down", exact=True).click()
        await page.get_by_role("button", name="Add a bot").click()
        await page.wait_for_selector(".match:has-text('(bot)')")
        children = psutil.Process(program.pid).children(recursive=True)
        assert len([each for each in children if "fairdeal.child" in each.cmdline()]) == 2
    finally:
        program.kill()
        await program.wait()
    await until(lambda: not any(each.is_running() for each in children))
    await page.wait_for_selector("#program:not([hidden])")
    await page.close()  # it calls the program again and again, and complains each time
    visits.forgive("ERR_")


SIZES = [(390, 844), (1280, 800)]


async def bottom(page: Page, *selectors: str) -> float:
    """Return the lowest edge of these elements on a page that has not been scrolled."""
    await page.evaluate("scrollTo(0, 0)")
    boxes = [await page.locator(selector).first.bounding_box() for selector in selectors]
    assert all(boxes), selectors
    return max(box["y"] + box["height"] for box in boxes if box)


@pytest.mark.parametrize("size", SIZES, ids=["phone", "desktop"])
async def test_link_and_seat_are_reached_without_scrolling(
    visits: Visits, tmp_path: Path, size: tuple[int, int]
):
    async with (
        person(visits, tmp_path / "ann", "Ann", size=size) as ann,
        person(visits, tmp_path / "bob", "Bob", size=size) as bob,
    ):
        link = await open_table(ann, "texas-holdem")
        await ann.wait_for_selector("#join-0")
        assert await bottom(ann, ".share button", "#join-0") <= size[1]
        share, who = ".share .row button", ".tables li p"
        assert await bottom(ann, share) < await bottom(ann, who) < await bottom(ann, "#join-0")
        await join(bob, link)
        said = await bob.locator(".tables li").first.inner_text()
        assert "Texas hold'em" in said and "0 of 2 seats" in said
        assert "Nobody else can see your hand" in said and "Clock" not in said
        assert await bottom(bob, "#join-0") <= size[1]
        for page in (ann, bob):
            assert (await violations(page), await sideways(page)) == ([], "")


async def test_own_table_plays_another_game_at_same_link(visits: Visits, tmp_path: Path):
    async with (
        person(visits, tmp_path / "ann", "Ann") as ann,
        person(visits, tmp_path / "bob", "Bob") as bob,
    ):
        link = await open_table(ann)
        await join(bob, link)
        await ann.locator(".change > summary").click()
        await ann.select_option("#own-game", "crazy-eights")
        await ann.fill("#own-seats", "99")
        await ann.press("#own-seats", "Tab")
        await ann.wait_for_selector(".change:has-text('Seats')[open] .wrong:has-text('2 to')")
        assert await ann.input_value("#own-seats") == "99"
        await ann.fill("#own-seats", "3")
        await ann.press("#own-seats", "Tab")
        await ann.get_by_role("button", name="Change my table").click()
        await ann.wait_for_selector("h2:has-text('Your table: Crazy eights')")
        await ann.wait_for_selector(".tables:has-text('0 of 3 seats')")
        await bob.wait_for_selector("h2:has-text('Crazy eights')")
        assert await ann.input_value("#invitation") == link


async def test_continue_opens_own_table_and_brings_bot_back(visits: Visits, tmp_path: Path):
    async with person(visits, tmp_path / "ann", "Ann") as ann:
        await open_table(ann, "matches")
        await ann.get_by_role("button", name="Sit down", exact=True).click()
        await ann.get_by_role("button", name="Add a bot").click()
        await ann.wait_for_selector(".match:has-text('(bot)')")
    async with home(
        visits, tmp_path / "ann", tables=AppTables(BUILT_IN, (), tmp_path / "ann")
    ) as ann:
        row = ann.locator(".continued li")
        await row.filter(has_text="(bot)").wait_for()
        assert (
            "Matches with" in await row.inner_text() and "fairdeal://" not in await row.inner_text()
        )
        await row.get_by_role("button", name="Continue").click()
        await ann.wait_for_selector(".match")
        await take_all(ann)
    (log,) = (tmp_path / "ann" / "logs").glob("*.fairdeal")
    assert audit(log.read_bytes()).verdict is Verdict.CLEAN


async def test_person_who_is_sent_away_is_named(visits: Visits, tmp_path: Path):
    async with (
        person(visits, tmp_path / "ann", "Ann") as ann,
        person(visits, tmp_path / "bob", "Bob") as bob,
    ):
        await join(bob, await open_table(ann))
        await bob.get_by_role("button", name="Meet the people here").click()
        await ann.get_by_role("button", name="Send away").click()
        await ann.wait_for_selector("dialog[open]:has-text('Bob\u2069 away from your table?')")


async def test_person_who_is_sent_away_is_told_and_let_back_in(visits: Visits, tmp_path: Path):
    async with (
        person(visits, tmp_path / "ann", "Ann") as ann,
        person(visits, tmp_path / "bob", "Bob", size=PHONE) as bob,
    ):
        link = await open_table(ann)
        await join(bob, link)
        await bob.get_by_role("button", name="Meet the people here").click()
        await ann.get_by_role("button", name="Send away").click()
        await ann.locator("dialog[open] .danger").click()
        told = "main:has-text('The host has sent you away from this table')"
        await bob.wait_for_selector(told)
        # neither a seat nor people are offered
        assert await bob.get_by_role("button", name="Sit down", exact=True).count() == 0
        assert not await bob.locator(".company").is_visible()
        assert "Connected" not in await bob.inner_text("main")
        assert (await violations(bob), await sideways(bob)) == ([], "")
        # who comes by the link again is told as soon as a seat is asked for
        await join(bob, link)
        await bob.get_by_role("button", name="Sit down", exact=True).click()
        await bob.wait_for_selector(told)
        sent = ann.locator(".sent-away li")
        await sent.filter(has_text="Bob").wait_for()
        assert "Sent away until" in await sent.inner_text()
        assert re.search("([a-z2-7]{4}-){3}[a-z2-7]{4}", await sent.inner_text())
        assert (await violations(ann), await sideways(ann)) == ([], "")
        await sent.get_by_role("button", name="Let back in").click()
        await sent.wait_for(state="detached")
        await bob.get_by_role("button", name="Try again").click()
        await bob.get_by_role("button", name="Sit down", exact=True).click()
        await bob.wait_for_selector("h1:has-text('Waiting for others')")


async def test_waiting_page_names_its_game_and_seat_is_left_without_pause(
    visits: Visits, tmp_path: Path
):
    async with person(visits, tmp_path / "ann", "Ann") as ann:
        await open_table(ann, "crazy-eights")
        await ann.locator(".change > summary").click()
        box = ann.locator(".change .paces input").first
        await box.wait_for()
        label = ann.locator(".change .paces label").first
        left, right = await box.bounding_box(), await label.bounding_box()
        assert left and right and right["x"] - left["x"] < 60
        await ann.get_by_role("button", name="Sit down", exact=True).click()
        await ann.wait_for_selector("main:has-text('You play Crazy eights.')")
        await ann.locator(".bar").get_by_role("button", name="Play", exact=True).click()
        await ann.wait_for_selector("dialog[open]:has-text('No match has begun here.')")


async def test_number_of_seats_without_choice_has_no_range(visits: Visits, tmp_path: Path):
    async with person(visits, tmp_path / "ann", "Ann") as ann:
        await open_table(ann, "connect-four")
        await ann.locator(".change > summary").click()
        await ann.wait_for_selector("#own-seats")
        assert await ann.inner_text("#own-seats-range") == ""


async def test_own_bots_play_again(visits: Visits, tmp_path: Path):
    async with person(visits, tmp_path / "ann", "Ann") as ann:
        await open_table(ann, "matches")
        await ann.get_by_role("button", name="Sit down", exact=True).click()
        await ann.get_by_role("button", name="Add a bot").click()
        await ann.wait_for_selector(".match:has-text('(bot)')")
        await take_all(ann)
        await ann.get_by_role("button", name="Play again").click()
        await ann.wait_for_selector(".match .end[hidden]", state="attached")
        await ann.wait_for_selector(".match:has-text('(bot)')")

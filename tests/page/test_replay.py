"""Replay of a log on a page that the person's own program serves."""

from itertools import count
from pathlib import Path

import pytest
from playwright.async_api import Page, expect

from bots.random_bot import random_bot
from player.ui.web.replay.serving import LogFile, ReplayRequests
from player.ui.web.replay.single import single_page
from protocol.audit.history import MatchHistory
from protocol.audit.replay_frames import replay_data, replay_frame
from protocol.games.registry import BUILT_IN
from protocol.i18n import english, load_translator
from protocol.match.log_file import MAGIC, encode_record
from protocol.match.seat_view import view_of
from tests.page.program import replayed
from tests.page.stage import staged
from tests.page.test_single_page import HANDS, at, go, log_of
from tests.page.test_single_page import opened as as_file
from tests.page.visits import PHONE, Visits, sideways, violations
from tests.support.log_files import clean, forked, played
from tests.support.offline import NAMES, make_offline

pytestmark = pytest.mark.match
MOTIONS = """() => {
  globalThis.motions = 0;
  const animate = Element.prototype.animate;
  Element.prototype.animate = function (...how) {
    motions += 1;
    return animate.apply(this, how);
  };
}"""


def requests_of(data: bytes, other: bytes | None = None, **more) -> ReplayRequests:
    """Make the handlers for a log, and for another copy of it."""
    copy = None if other is None else LogFile("bob.fairdeal", other)
    return ReplayRequests(LogFile("ann.fairdeal", data), BUILT_IN, english, copy, **more)


async def opened(visits: Visits, link: str, **more) -> Page:
    """Open the page of a link."""
    page = await visits.open(link, **more)
    await page.wait_for_selector("html[data-ready]", state="attached")
    return page


async def test_served_replay_shows_knowledge_of_seat(visits: Visits, tmp_path):
    data = log_of("holdem verified")
    history = MatchHistory(data).read()
    folded = next(step.number for step in history.steps if step.entry.kind == "move")
    async with replayed(requests_of(data)) as link:
        page = await opened(visits, link)
        await go(page, folded)
        await page.select_option("#whose", "0")
        await page.wait_for_selector("text=were never opened")
        assert await page.locator(HANDS).count() == 2, "two backs"
        assert "page.replay" not in await page.inner_text("body")
        async with page.expect_download() as download:
            await page.get_by_role("button", name="Save the log").click()
        saved = await download.value
        await saved.save_as(tmp_path / saved.suggested_filename)
        assert (tmp_path / "ann.fairdeal").read_bytes() == data


@pytest.mark.parametrize(
    ("size", "share", "touch"), [((1280, 800), 0.45, False), (PHONE, 0.35, True)]
)
async def test_board_of_a_replay_is_large_and_above_the_controls(
    visits: Visits, size: tuple[int, int], share: float, touch: bool
):
    box = """(node) => {
      const { top, bottom, height } = node.getBoundingClientRect();
      return { top, bottom, height };
    }"""
    async with replayed(requests_of(log_of("holdem verified"))) as link:
        page = await opened(visits, link, size=size, has_touch=touch, is_mobile=touch)
        board = await page.locator(".arena > :first-child").evaluate(box)
        controls = await page.locator(".scrubber").evaluate(box)
        assert board["height"] > share * size[1]
        assert board["bottom"] <= controls["top"] + 1 and controls["bottom"] <= size[1]
        buttons = await page.locator(".scrubber button").evaluate_all(f"all => all.map({box})")
        assert len(buttons) == 7 and len({one["top"] for one in buttons}) == 1
        assert await page.locator(".by-keys").is_visible() is not touch
        assert (await violations(page), await sideways(page)) == ([], "")


async def test_served_replay_has_the_rules_of_its_match(visits: Visits):
    async with replayed(requests_of(log_of("holdem verified"))) as link:
        page = await opened(visits, link)
        await page.get_by_role("button", name="Rules", exact=True).click()
        rules = page.get_by_role("dialog", name="Rules")
        await rules.get_by_role("heading", name="Showdown").wait_for()
        assert await rules.locator(".lies .card").count() > 50


@pytest.mark.parametrize(("motion", "moves"), [("no-preference", True), ("reduce", False)])
async def test_step_moves_pieces_and_a_jump_does_not(visits: Visits, motion: str, moves: bool):
    data = log_of("holdem verified")
    history = MatchHistory(data).read()
    first, *_ = [step.number for step in history.steps if step.entry.kind == "move"]
    async with replayed(requests_of(data)) as link:
        page = await opened(visits, link, reduced_motion=motion)
        await page.evaluate(MOTIONS)
        await go(page, first)
        assert await page.evaluate("motions") == 0
        await page.keyboard.press("ArrowRight")
        await at(page, first + 1)
        assert (await page.evaluate("motions") > 0) is moves


async def test_long_log_is_shown_during_reading(visits: Visits):
    data = log_of("draw layered more hands")
    # each call of the clock takes so long
    requests = requests_of(data, clock=count(step=0.005).__next__)
    async with replayed(requests) as link:
        page = await opened(visits, link)
        last = len(MatchHistory(data).read().steps) - 1
        await page.wait_for_selector(f".where:has-text(' of {last}')")
        await page.keyboard.press("End")
        await at(page, last)
        await page.wait_for_selector("aside:has-text('entries: nobody cheated')")
        assert requests.history.is_complete


LONG = """async ([data, frame, entries, piece]) => {
  const { drawReplay } = modules["replay/screen.js"];
  const kinds = ["deal", "move", "result", "clock", "left", "fault"];
  const text = (entry) => (entry % 1000 ? `Entry ${entry}.` : "<img src=x onerror=alert(1)>".repeat(2000));
  let read = 0;
  globalThis.pieces = [];
  const more = new Promise((go) => (globalThis.goOn = go));
  const load = async (known = 0) => {
    if (known) await more;
    read = Math.min(entries, read + piece);
    const mark = (entry) => ({ entry, kind: kinds[entry % 6], text: text(entry) });
    const marks = Array.from({ length: read - known }, (_, at) => mark(known + at));
    pieces.push(marks.length);
    return { ...data, entries, read, whole: read === entries, marks };
  };
  const at = (entry) => ({ ...frame, entry: { ...frame.entry, number: entry } });
  await drawReplay(document.getElementById("root"), { load, frame: async (entry) => at(entry), save() {} });
}"""


async def test_replay_of_hundred_thousand_entries_loads_by_pieces(visits: Visits):
    """Each entry is sent once. Only near marks are drawn, and jumps work from each to the next."""
    history = MatchHistory(clean()).read()
    data = replay_data(history, 1, [], english)
    page = await staged(visits)
    await page.evaluate(LONG, [data, replay_frame(history, 40, None, english), 100_000, 20_000])
    assert "20000" in await page.inner_text(".status")
    await page.evaluate("goOn()")
    await page.wait_for_selector(".status:empty", state="attached")
    assert await page.evaluate("pieces") == [20_000] * 5
    await page.keyboard.press("End")
    await at(page, 99_999)
    await page.keyboard.press("Shift+ArrowLeft")
    await at(page, 99_998)
    assert await page.locator(".marks [aria-current]").get_attribute("data-entry") == "99998"
    await page.keyboard.press("Home")
    await at(page, 0)
    assert (
        await page.locator(".marks button").count() <= 450
        and await page.locator(".ticks i").count() <= 5 * 401
    )
    assert await page.locator("img").count() == 0


async def test_two_heads_convicting_table_are_shown_together(visits: Visits):
    async with replayed(requests_of(clean(), forked(played(), 4))) as link:
        page = await opened(visits, link, size=PHONE)
        heads = page.locator(".heads")
        assert "table" in await heads.locator("p").first.inner_text()
        assert await heads.locator("code").count() == 4
        first, other = await heads.locator("tr >> nth=1").locator("code").all_inner_texts()
        assert first != other and len(first) == len(other) == 64
        assert await violations(page) == []
        assert await sideways(page) == ""


async def test_request_for_missing_entry_is_refused(visits: Visits):
    async with replayed(requests_of(log_of("block false pass"))) as link:
        page = await opened(visits, link)
        token = await page.evaluate("sessionStorage.getItem('fairdeal token')")
        asking = """([path, token]) => fetch(path, {headers: {Authorization: `Bearer ${token}`}})
            .then((answer) => answer.status)"""
        for query, status in (
            ("entry=0&seat=none", 200),
            ("entry=0&seat=2", 200),
            ("entry=99999&seat=none", 404),
            ("entry=0&seat=3", 400),
            ("entry=0&seat=-1", 400),
            ("entry=0&seat=", 400),
            ("entry=-1&seat=none", 400),
            ("entry=0", 400),
        ):
            assert await page.evaluate(asking, [f"/api/frame?{query}", token]) == status, query
        assert await page.evaluate(asking, ["/api/replay", "another"]) == 401
    visits.forgive("status of 4")


async def test_page_reports_ended_program(visits: Visits):
    async with replayed(requests_of(log_of("block false pass"))) as link:
        page = await opened(visits, link)
    await page.keyboard.press("End")
    await page.wait_for_selector("[role=alert]:has-text('The program')")
    visits.forgive("ERR_CONNECTION_REFUSED")


def test_next_viewer_may_choose_another_language():
    requests = requests_of(log_of("draw layered"))
    requests.read()
    in_english = requests.marks
    requests.say_in(load_translator("de"))
    requests.read()
    assert (
        in_english[0]["text"] == "Dealing hand 1."
        and requests.marks[0]["text"] == "Runde 1 wird gegeben."
    )
    assert [mark["entry"] for mark in requests.marks] == [mark["entry"] for mark in in_english]


def duel() -> bytes:
    """Make the log of an element duel by bots."""
    match = make_offline(2, 3, "element-duel", {}, {"leavers": "threshold"}, dealing="verified")
    match.bots = (random_bot,) * 2
    while sum(map(match.step, match.seats)):
        """And on."""
    return MAGIC + b"".join(
        encode_record(record.entry, record.head) for record in match.live.records
    )


async def test_replay_of_rule_file_game_shows_first_to_last_card(visits: Visits, tmp_path: Path):
    data = duel()
    history = MatchHistory(data).read()
    begun = next(step.number for step in history.steps if getattr(step.after.game, "lies", ()))
    last, middle = len(history.steps) - 1, len(history.steps) // 2
    page = await as_file(visits, tmp_path, single_page(data, "duel.fairdeal"), size=PHONE)
    for entry in (begun, *range(begun, last, 25), last):
        await go(page, entry)
        assert await page.locator(".zones .region").count() == 8
    await go(page, middle)
    lie = history.steps[middle].after
    hands = [view_of(lie, seat).seats[seat].game.held for seat in (0, 1)]
    names = page.locator(HANDS)
    for whose, held in (("none", 0), ("0", hands[0]), ("1", hands[1]), ("all", sum(hands))):
        await page.select_option("#whose", whose)
        shown = [NAMES[seat] for seat in (0, 1) if hands[seat] and whose in (str(seat), "all")]
        await expect(page.locator(".hands strong")).to_have_text(shown)
        await expect(names).to_have_count(held)
        told = await names.locator(".sr").all_inner_texts()
        assert not any(name.strip("#").isdecimal() for name in told)
    assert any(name != "face down" for name in told)
    await page.locator("summary", has_text="How it is dealt").click()
    await expect(page.locator(".matrix thead th")).to_have_count(21)
    heads = await page.locator(".matrix thead th").all_inner_texts()
    assert len(heads) == 21 and len(set(heads)) == 21, "a place and a card are not called alike"
    assert await sideways(page) == "" and await violations(page) == []

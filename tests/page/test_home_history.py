"""History in a browser: results, filters, statistics, files to save, and files from elsewhere."""

from base64 import b64encode
from pathlib import Path

import pytest
from playwright.async_api import Page

from player.storage.own_name import store_name
from protocol.audit.verdict import Verdict, audit
from tests.page.homes import MINE, home, route
from tests.page.visits import PHONE, Visits, sideways, violations
from tests.support.log_files import clean, first_records, played
from tests.support.offline import make_offline

pytestmark = [pytest.mark.match, pytest.mark.process]
DROP = """([name, text, count]) => {
  const bytes = Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
  const data = new DataTransfer();
  for (let at = 0; at < count; at += 1) data.items.add(new File([bytes], name));
  const tell = (kind) => document.querySelector("body").dispatchEvent(
    new DragEvent(kind, { dataTransfer: data, bubbles: true, cancelable: true }));
  return [tell("dragover"), tell("drop")];
}"""


async def drop(page: Page, name: str, data: bytes, count: int = 1) -> None:
    """Drop a file on the page. The browser does not go away to it."""
    assert await page.evaluate(DROP, [name, b64encode(data).decode(), count]) == [False, False]


def fill(data: Path) -> None:
    """Put three matches against bots, one of them unfinished, into the folder of Ann."""
    store_name(data, "Ann")
    folder = data / "play"
    folder.mkdir()
    poker = make_offline(2, 1, "texas-holdem", {"hands": 2}, dealing="commutative")
    poker.play()
    (folder / "poker.fairdeal").write_bytes(poker.file())
    (folder / "tiles.fairdeal").write_bytes(clean())
    (folder / "cut.fairdeal").write_bytes(first_records(clean(), 8))


async def test_history_has_results_statistics_and_filters(visits: Visits, tmp_path: Path):
    fill(tmp_path)
    async with home(visits, tmp_path, size=PHONE) as page:
        await route(page, "History")
        await page.wait_for_selector(".statistics tbody tr >> nth=1")
        assert await page.locator(".statistics tbody tr").count() == 2
        won = 0 in played().live.match.winners
        tiles = page.locator("[data-log='play/tiles.fairdeal']")
        assert await tiles.get_attribute("data-result") == ("won" if won else "lost")
        cut = page.locator("[data-log='play/cut.fairdeal']")
        assert await cut.get_attribute("data-result") == "dropped"
        assert await cut.get_by_role("button", name="Continue").count() == 0
        own, other = played().live.match.scores
        told = f"{'Won' if won else 'Lost'} {own} : {other}"
        assert await tiles.locator(".headline .tag").inner_text() == told
        assert await cut.locator(".headline .tag").inner_text() == "Dropped"
        assert (await violations(page), await sideways(page)) == ([], "")
        await page.select_option("#history-game", "block-dominoes")
        assert await page.locator(".logs > li").count() == 2
        numbers = await page.locator(".statistics tbody tr").first.inner_text()
        assert numbers.split("\t")[1:4] == ["1", str(int(won)), str(int(not won))]
        assert await page.locator(".statistics tbody").count() == 2  # by game, and by opponent
        await page.select_option("#history-person", label="Bots")
        assert await page.locator(".logs > li").count() == 2
        await tiles.get_by_role("button", name="Check").click()
        await tiles.get_by_text("clean: Ann won").wait_for()
        # one's own log is seen from one's own seat, and its verdict is a sentence without keys
        await tiles.get_by_role("button", name="Replay").click()
        await page.wait_for_selector("aside .good:has-text('Ann won')")
        assert await page.input_value("#whose") == "0"
        verdict = await page.locator("aside .good").inner_text()
        assert "nobody cheated" in verdict and "(" not in verdict


async def test_history_continues_a_match_and_tells_of_own_leaving(visits: Visits, tmp_path: Path):
    async with home(visits, tmp_path) as page:
        await route(page, "Play")
        await page.locator("[data-game=nim]").get_by_role("button", name="Play").click()
        await page.wait_for_selector(MINE)
        await page.locator(".bar").get_by_role("button", name="History").click()
        await page.locator("dialog[open] .primary").click()
        row = page.locator(".logs > li")
        await row.get_by_text("Unfinished").wait_for()
        assert (await violations(page), await sideways(page)) == ([], "")
        await row.get_by_role("button", name="Continue").click()
        await page.wait_for_selector(MINE)
        await page.get_by_role("button", name="Menu").click()
        await page.locator("dialog[open] .danger").click()
        await page.locator("dialog[open] .danger").last.click()
        await page.wait_for_selector(".end:not([hidden])")
        await route(page, "History")
        await row.get_by_text("You left").wait_for()
        assert await row.get_by_role("button", name="Continue").count() == 0


async def test_replay_of_a_paused_match_shows_the_own_hand(visits: Visits, tmp_path: Path):
    held = "all => all.map((one) => one.textContent.trim()).sort()"
    async with home(visits, tmp_path) as page:
        await route(page, "Play")
        tile = page.locator("[data-game=block-dominoes]")
        await tile.get_by_role("button", name="Play").click()
        await page.wait_for_selector(".hand .held[data-fits]")
        hand = await page.locator(".hand .held .sr").evaluate_all(held)
        await page.locator(".bar").get_by_role("button", name="History").click()
        await page.locator("dialog[open] .primary").click()
        row = page.locator(".logs > li")
        await row.get_by_role("button", name="Replay").click()
        told = page.locator("aside .muted", has_text="You paused here. Continue it from Home.")
        await told.wait_for()
        assert await page.locator("aside .bad").count() == 0
        await page.get_by_role("button", name="To the end").click()
        await page.wait_for_selector(".hands .shown .sr")
        assert await page.locator(".hands .shown .sr").evaluate_all(held) == hand
        assert await page.locator(".hands .muted").count() == 0
        # without what is stored of the seat nobody knows the hand
        await route(page, "Home")
        await page.locator(".continued").get_by_role("button", name="Drop").click()
        await page.locator("dialog[open] .danger").click()
        await page.wait_for_selector(".continued[hidden]", state="attached")
        await route(page, "History")
        await row.get_by_role("button", name="Replay").click()
        await page.locator("aside .muted", has_text="You dropped this match here").wait_for()


async def test_log_is_saved_as_file_and_for_other_programs(visits: Visits, tmp_path: Path):
    fill(tmp_path)
    async with home(visits, tmp_path) as page:
        await route(page, "History")
        poker = page.locator("[data-log='play/poker.fairdeal']")
        async with page.expect_download() as saving:
            await poker.get_by_role("button", name="Save the log").click()
        saved = Path(await (await saving.value).path()).read_bytes()
        assert saved == (tmp_path / "play" / "poker.fairdeal").read_bytes()
        for name, part in (("PokerStars", "PokerStars Hand"), ("PHH", "variant")):
            async with page.expect_download() as saving:
                await poker.get_by_role("button", name=f"Save as {name}").click()
            text = Path(await (await saving.value).path()).read_text("utf-8")
            assert part in text
        tiles = page.locator("[data-log='play/tiles.fairdeal']")
        assert await tiles.get_by_role("button", name="Save as").count() == 0


async def test_dropped_log_is_shown_and_not_kept(visits: Visits, tmp_path: Path):
    async with home(visits, tmp_path) as page:
        await drop(page, "match.fairdeal", clean())
        await page.wait_for_selector("input[type=range]")
        await page.wait_for_selector("text=nobody cheated")
        await page.go_back()
        await route(page, "History")
        await page.wait_for_selector("text=No matches yet")
        await page.set_input_files(
            ".content input[type=file]",
            {"name": "x.fairdeal", "mimeType": "", "buffer": clean()},
        )
        await page.wait_for_selector("input[type=range]")
    kept = [path for path in tmp_path.rglob("*") if path.suffix == ".fairdeal"]
    assert kept == []


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("a.zip", b"PK\x03\x04 and more", "a.zip is compressed (zip)"),
        ("page.html", b"<!doctype html><p>", "page.html is a web page"),
        ("notes.txt", b"hello", "notes.txt cannot be shown. unreadable: this file is not the log"),
        ("empty", b"", "empty cannot be shown. incomplete"),
        ("<b>\u202etxt", b"?", "<b>"),
    ],
)
async def test_file_that_is_no_log_says_why(
    visits: Visits, tmp_path: Path, name: str, data: bytes, said: str
):
    async with home(visits, tmp_path) as page:
        await drop(page, name, data)
        wrong = page.locator(".ways-bar .wrong")
        await wrong.filter(has_text=said).wait_for()
        visits.forgive("422")
        assert await wrong.locator("*").count() == 0
        await page.wait_for_selector(".home .ways")


async def test_damaged_log_is_shown_as_far_as_it_can_be_read(visits: Visits, tmp_path: Path):
    whole = clean()
    damaged = whole[: len(whole) // 2] + bytes(99)
    assert audit(damaged).verdict is Verdict.UNREADABLE
    async with home(visits, tmp_path) as page:
        await drop(page, "damaged.fairdeal", damaged)
        await page.wait_for_selector("input[type=range]")
        await page.wait_for_selector("aside .bad:has-text('unreadable')")


async def test_two_files_at_once_are_refused(visits: Visits, tmp_path: Path):
    async with home(visits, tmp_path) as page:
        await drop(page, "match.fairdeal", clean(), 2)
        await page.wait_for_selector("text=Drop one file at a time.")


async def test_large_file_is_read_like_an_audit(visits: Visits, tmp_path: Path):
    whole = clean()
    async with home(visits, tmp_path, most_file=len(whole) + 1) as page:
        await drop(page, "match.fairdeal", whole + bytes(1 << 20))
        await page.wait_for_selector("input[type=range]")
        await page.wait_for_selector("text=the whole match is here")


async def test_file_dropped_on_match_asks_before_it_is_left(visits: Visits, tmp_path: Path):
    async with home(visits, tmp_path) as page:
        await route(page, "Play")
        await page.locator("[data-game=nim]").get_by_role("button", name="Play").click()
        await page.wait_for_selector(".match .heaps")
        await drop(page, "match.fairdeal", clean())
        question = await page.wait_for_selector("dialog[open]")
        await page.locator("dialog[open]").get_by_role("button", name="No").click()
        await page.wait_for_function("(question) => !question.isConnected", arg=question)
        assert await page.locator(".match .heaps").count() == 1
        await drop(page, "match.fairdeal", clean())
        await page.locator("dialog[open] .primary").click()
        await page.wait_for_selector("input[type=range]")
        await page.go_back()
        await page.wait_for_selector(".home")


async def test_reading_of_many_logs_shows_its_progress(visits: Visits, tmp_path: Path):
    fill(tmp_path)
    async with home(visits, tmp_path) as page:
        some = {"read": 1, "total": 3, "left_out": 0, "results": [], "statistics": None}
        await page.route("**/api/results", lambda asked: asked.fulfill(json=some))
        await route(page, "History")
        await page.wait_for_selector("text=1 of 3 logs read")
        assert await page.locator("progress").get_attribute("max") == "1"
        assert await violations(page) == []
        await page.unroute_all(behavior="wait")
        await page.wait_for_selector(".statistics")
        await page.wait_for_selector("progress", state="hidden")

"""Page of a match in a single file, opened without a network."""

from functools import cache
from pathlib import Path

import pytest
from playwright.async_api import Page

from player.ui.web.replay.single import single_page as page_of
from protocol.audit.history import MatchHistory
from protocol.audit.verdict import audit
from protocol.i18n import PSEUDO
from protocol.match.log_file import MAGIC, encode_record
from tests.golden.play import rest_of, started
from tests.golden.scenarios import SCENARIOS
from tests.page.visits import DESKTOP, NARROW, PHONE, Visits, sideways, violations
from tests.support.guest_games.offline_match import GUESTS, guest_match, until_playing
from tests.support.offline import NAMES
from tests.support.race import Favours, Race, Way

pytestmark = pytest.mark.match
single_page = cache(page_of)  # some logs are used many times
HANDS = ".hands .shown > span"


def log_of(scenario: str) -> bytes:
    """Return the log of a golden match."""
    match, _ = started(SCENARIOS[scenario])
    for _ in rest_of(match):
        pass
    return MAGIC + b"".join(
        encode_record(record.entry, record.head) for record in match.live.records
    )


@pytest.fixture(scope="module")
def draw() -> bytes:
    """A clean match."""
    return log_of("draw layered")


@pytest.fixture(scope="module")
def lied() -> bytes:
    """Return a match in which a seat broke a rule."""
    return log_of("block false pass")


async def opened(visits: Visits, folder: Path, page: str, **more) -> Page:
    """Open a page as a file in a browser without a network."""
    path = folder / "match.html"
    path.write_text(page, "utf-8")
    shown = await visits.open(path.as_uri(), offline=True, **more)
    await shown.wait_for_selector("html[data-ready]", state="attached")
    return shown


@pytest.mark.parametrize("size", [DESKTOP, PHONE])
async def test_fairness_of_simultaneous_seats_is_a_table(
    visits: Visits, tmp_path: Path, size
) -> None:
    match = guest_match("scuffle", 4)
    until_playing(match)
    race = Race(match, [Way()] * 4, Favours(take=lambda seat: 0.3 * (seat == 1))).run()
    page = await opened(
        visits, tmp_path, page_of(race.match.file(), "scuffle", games=GUESTS), size=size
    )
    late = audit(race.match.file(), GUESTS).fairness.seats[1].late
    rows = page.locator("table.numbers tbody tr")
    assert await rows.count() == 4
    assert (await rows.nth(1).inner_text()).split()[::2][:2] == ["Bob", str(late)]
    assert "a table that favours somebody" in await page.locator("aside").inner_text()
    assert not await sideways(page)


async def at(page: Page, entry: int) -> None:
    """Wait until this entry is shown."""
    await page.wait_for_selector(f"section h2:text-is('Entry {entry}')")


async def go(page: Page, entry: int) -> None:
    """Move the slider to an entry."""
    await page.locator("input[type=range]").fill(str(entry))
    await at(page, entry)


async def test_single_page_scrubs_by_keys_and_changes_seat(
    visits: Visits, tmp_path: Path, draw: bytes
):
    history = MatchHistory(draw).read()
    page = await opened(visits, tmp_path, single_page(draw, "m.fairdeal"))
    last, moves = (
        len(history.steps) - 1,
        [step.number for step in history.steps if step.entry.kind == "move"],
    )
    await page.keyboard.press("End")
    await at(page, last)
    await page.keyboard.press("ArrowLeft")
    await at(page, last - 1)
    await page.keyboard.press("Home")
    await at(page, 0)
    await page.keyboard.press("ArrowRight")
    await at(page, 1)
    await page.keyboard.press("Shift+ArrowRight")  # the beginning of the deal
    await page.keyboard.press("Shift+ArrowRight")
    await at(page, moves[0])
    assert await page.locator(HANDS).count() == 0, "who looks on sees none"
    for seat in (0, 2):
        await page.select_option("#whose", str(seat))
        hand = history.hand(moves[0], seat)
        await page.wait_for_selector(f".hands bdi:text-is('{NAMES[seat]}')")
        await page.wait_for_selector(f"{HANDS} >> nth={len(hand) - 1}", state="attached")
        assert await page.locator(HANDS).count() == len(hand)
    await page.select_option("#whose", "all")
    await page.wait_for_selector(".hands .row >> nth=2")
    assert await page.locator(".hands .row").count() == 3


async def test_single_page_plays_and_shows_marks(visits: Visits, tmp_path: Path, draw: bytes):
    page = await opened(visits, tmp_path, single_page(draw, "m.fairdeal"))
    deal = page.get_by_role("button", name="Dealing hand 1.")
    await deal.click()
    entry = int(await deal.get_attribute("data-entry"))
    await at(page, entry)
    assert await deal.get_attribute("aria-current") == "step"
    await page.select_option("#speed", "5")
    await page.get_by_role("button", name="Play", exact=True).click()
    await page.wait_for_selector(
        f"section h2:not(:text-is('Entry {entry}')):text-matches('Entry [0-9]+')"
    )
    await page.get_by_role("button", name="Pause").click()
    assert await page.get_by_role("button", name="Play", exact=True).count() == 1


async def test_the_teaching_view(visits: Visits, tmp_path: Path, draw: bytes):
    page = await opened(visits, tmp_path, single_page(draw, "m.fairdeal"))
    await page.locator(".teach summary").click()
    await go(page, 0)
    await page.wait_for_selector("text=Nothing is being dealt at this entry.")
    history = MatchHistory(draw).read()
    hop = next(step.number for step in history.steps if step.entry.kind == "hop")
    await go(page, hop)
    assert await page.locator(".moving").count() == 1
    rows = await page.locator(".matrix tbody tr").count()
    assert rows == 4 and await page.locator(".matrix tbody td").count() == 4 * 28
    assert "A sealed envelope goes from" in await page.inner_text(".lesson")
    first = next(
        step.number for step in history.steps if step.entry.kind == "move" and step.entry.body[1]
    )
    await go(page, first)
    assert await page.locator(".matrix .public").count() == 4, "the tile that was played, for all"
    assert await page.locator(".matrix .sealed .sr").first.text_content() == "sealed"


async def test_a_fault_is_explained(visits: Visits, tmp_path: Path, lied: bytes):
    page = await opened(visits, tmp_path, single_page(lied, "m.fairdeal"))
    mark = page.locator(".marks [data-kind=fault]").first
    await mark.click()
    fault = page.locator("section.fault")
    await fault.wait_for()
    text = await fault.inner_text()
    assert (
        "the seat passed although it could have played" in text
        and "false_pass" in text
        and "section 11.12" in text
    )
    await page.locator("main summary").first.click()
    assert "action" in await page.inner_text("main .fields")
    assert await violations(page) == []


async def test_the_log_can_be_saved(visits: Visits, tmp_path: Path, draw: bytes):
    page = await opened(visits, tmp_path, single_page(draw, "m.fairdeal"))
    assert "made by the person who sent it" in await page.inner_text(".note")
    async with page.expect_download() as download:
        await page.get_by_role("button", name="Save the log").click()
    saved = await download.value
    assert saved.suggested_filename == "m.fairdeal"
    assert Path(await saved.path()).read_bytes() == draw


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda data: data[:-10], "incomplete"),
        (lambda data: data[:-200] + bytes([data[-200] ^ 1]) + data[-199:], "unreadable"),
        (lambda data: b"no log", "this file is not the log of a match"),
    ],
    ids=["cut short", "damaged", "no log"],
)
async def test_single_page_of_unreadable_log_says_why(visits, tmp_path, draw, spoil, words):
    page = await opened(visits, tmp_path, single_page(spoil(draw), "m.fairdeal"))
    assert words in await page.inner_text("aside")
    assert await violations(page) == []


async def test_page_of_fault_with_unreadable_end_keeps_verdict(visits, tmp_path, lied):
    page = await opened(visits, tmp_path, single_page(lied + bytes(4), "m.fairdeal"))
    lines = await page.locator("aside .panel >> nth=0").locator("p").all_inner_texts()
    assert lines[0].startswith("fault: ") and lines[-1].startswith("Nothing after entry")
    assert not any("unreadable" in line for line in lines)
    assert await violations(page) == []


async def test_the_policy_stops_every_other_script_and_every_request(
    visits: Visits, tmp_path: Path, draw: bytes
):
    page = single_page(draw, "m.fairdeal")
    added = (
        "<script>document.title = 'theirs'</script><img src=http://127.0.0.1:1/x alt=x><p "
        "onclick=x>x</p>"
    )
    shown = await opened(
        visits, tmp_path, page.replace('<div id="root">', f'{added}<div id="root">')
    )
    assert "theirs" not in await shown.title()
    visits.forgive("Content Security Policy")


@pytest.mark.parametrize(
    ("size", "dark", "language"),
    [(DESKTOP, False, "en"), (PHONE, True, "de"), (NARROW, False, PSEUDO)],
)
async def test_single_page_is_accessible(
    visits: Visits, tmp_path: Path, draw: bytes, size, dark, language
):
    page = await opened(
        visits, tmp_path, single_page(draw, "m.fairdeal", (language,)), size=size, dark=dark
    )
    await page.locator(".teach summary").click()
    for key in ("End", "Shift+ArrowLeft", "Shift+ArrowLeft"):
        await page.keyboard.press(key)
    await page.select_option("#whose", "all")
    await page.wait_for_selector(f"{HANDS} >> nth=0", state="attached")
    found = [
        line for line in await violations(page) if language != PSEUDO or "html-lang" not in line
    ]
    assert found == []
    assert await sideways(page) == ""


@pytest.mark.parametrize("language", ["en", "de"])
async def test_file_has_the_rules_of_its_match(
    visits: Visits, tmp_path: Path, draw: bytes, language
):
    page = await opened(visits, tmp_path, single_page(draw, "match", (language,)))
    await page.keyboard.press("?")
    dialog = page.locator("dialog[open]")
    await dialog.locator("h3").first.wait_for()
    assert ("Vorrat" if language == "de" else "stock") in await dialog.inner_text()
    assert await dialog.locator(".still .tile").count() > 2
    assert await violations(page) == []
    assert await sideways(page) == ""


async def test_file_that_is_no_log_has_no_rules(visits: Visits, tmp_path: Path):
    page = await opened(visits, tmp_path, single_page(b"no log", "match"))
    assert not await page.get_by_role("button", name="Rules", exact=True).is_visible()

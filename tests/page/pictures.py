"""Pictures of the page for README and docs: `scripts/run tests.page.pictures [FOLDER]` makes them.

The page's own modules draw fixed matches. Fonts differ between machines, so no test compares
pixels.
"""

import asyncio
import sys
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.async_api import Page, async_playwright

from player.ui.web.replay.single import single_page
from protocol.audit.history import MatchHistory
from protocol.match.log_file import MAGIC, encode_record
from tests.golden.play import rest_of, started
from tests.golden.scenarios import SCENARIOS
from tests.page.browser import find_chromium
from tests.page.collectors import album, collector
from tests.page.modules import served_modules
from tests.page.snapshots import shot, story
from tests.page.stage import show, staged, tell
from tests.page.visits import DESKTOP, FLAGS, PHONE, Shared, Visits

FIGURES = Path(__file__).parents[2] / "docs" / "figures"
MOST_BYTES = 150_000  # limit for a picture, because people clone the repository
TALL = (1100, 920)
BINDER = (760, 540)  # small, because pictures of faces compress badly
PART = {"page-teaching": ".teach"}  # the part of the page that is shown
Size = tuple[int, int]


async def match(visits: Visits, name: str, told: str, size: Size, dark: bool = False) -> Page:
    """Show a match as one seat sees it, with its log and some table talk."""
    page = await staged(visits, size=size, dark=dark)
    snapshot = shot(name)
    await show(page, snapshot)
    await tell(page, story(told, snapshot["view"]["number"], snapshot["view"]["you"]))
    await page.evaluate("shown.said({seat: 0, text: 'Good luck, everybody!'})")
    return page


async def replay(visits: Visits, folder: Path, move: int) -> Page:
    """Show a replay at a move, with the deal of the hand, as a single file."""
    played, _ = started(SCENARIOS["draw layered"])
    for _ in rest_of(played):
        """To the end."""
    raw = MAGIC + b"".join(
        encode_record(record.entry, record.head) for record in played.live.records
    )
    path = folder / "draw.html"
    path.write_text(single_page(raw, "draw.fairdeal"), "utf-8")
    moves = [step.number for step in MatchHistory(raw).read().steps if step.entry.kind == "move"]
    page = await visits.open(path.as_uri(), size=TALL)
    path.unlink()
    await page.locator("input[type=range]").fill(str(moves[move]))
    await page.wait_for_selector(f"section h2:text-is('Entry {moves[move]}')")
    await page.select_option("#whose", "all")
    await page.wait_for_selector(".hands .shown > span")
    await page.locator(".teach summary").click()
    await page.wait_for_selector(".matrix")
    await page.evaluate("document.activeElement.blur()")
    await page.evaluate("scrollTo(0, 0)")
    return page


async def cards(visits: Visits, folder: Path, until: AsyncExitStack) -> Page:
    """Show a binder with the fifty element cards."""
    data = until.enter_context(TemporaryDirectory(dir=folder))
    person = until.enter_context(collector(Path(data)))
    _, link = await until.enter_async_context(album(person))
    page = await visits.open(link, size=BINDER)
    await page.wait_for_selector(".face.painted img")
    await page.wait_for_function(
        "[...document.images].every((image) => image.complete && image.naturalWidth)"
    )
    return page


# each keeps its context open until the picture is taken
PICTURES: dict[str, Callable[[Visits, Path, AsyncExitStack], Awaitable[Page]]] = {
    "page-cards": cards,
    "page-dominoes": lambda visits, folder, until: match(visits, "dominoes", "line", DESKTOP),
    "page-poker": lambda visits, folder, until: match(visits, "holdem", "six", DESKTOP),
    "page-phone-dark": lambda visits, folder, until: match(
        visits, "dominoes", "line", PHONE, dark=True
    ),
    "page-replay": lambda visits, folder, until: replay(visits, folder, 12),
    "page-teaching": lambda visits, folder, until: replay(visits, folder, 12),
}


async def take(visits: Visits, name: str, folder: Path) -> Path:
    """Make one picture."""
    path = folder / f"{name}.png"
    async with AsyncExitStack() as until:
        page = await PICTURES[name](visits, folder, until)
        await (page.locator(PART[name]) if name in PART else page).screenshot(path=path)
    return path


async def main(folder: Path) -> None:
    """Make all pictures."""
    async with async_playwright() as playwright, served_modules() as modules:
        browser = await playwright.chromium.launch(executable_path=find_chromium(), args=FLAGS)
        visits = Visits(browser, Shared(modules))
        for name in PICTURES:
            path = await take(visits, name, folder)
            print(f"{path}: {path.stat().st_size} bytes")
        await visits.close()
        await browser.close()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]) if sys.argv[1:] else FIGURES))

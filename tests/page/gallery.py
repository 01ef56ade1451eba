"""Pictures of the match page of every game, side by side: `scripts/gallery [FOLDER]` makes them.

The page's own modules draw matches between bots (`tests.page.tables`). People judge the pictures; no
test compares pixels.
"""

import argparse
import asyncio
from collections.abc import Iterable
from html import escape
from pathlib import Path
from typing import NamedTuple

from playwright.async_api import Page, async_playwright

from tests.page.browser import find_chromium
from tests.page.modules import served_modules
from tests.page.stage import show, staged, tell
from tests.page.tables import TABLES, busiest
from tests.page.visits import FLAGS, PHONE, Shared, Visits

FOLDER = Path(__file__).parents[2] / "build" / "gallery"
LAPTOP = (1280, 800)
LARGE = (2560, 1440)
SIZES = (PHONE, LAPTOP, LARGE)
HEAD = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Gallery</title>
<style>body { font: 1rem system-ui; margin: 1rem; background: #888; }
img { height: 26rem; vertical-align: top; margin: .25rem; }</style><h1>Match page of every game</h1>
"""


class Picture(NamedTuple):
    """A picture of a table."""

    table: str
    size: tuple[int, int]
    dark: bool

    @property
    def file(self) -> str:
        """Return the name of the picture's file."""
        width, height = self.size
        light = "dark" if self.dark else "light"
        return f"{self.table.replace(' ', '-')}-{width}x{height}-{light}.png"


def index(tables: Iterable[str], pictures: Iterable[Picture]) -> str:
    """Return a document with all pictures, a row for each table."""
    files = {name: [one.file for one in pictures if one.table == name] for name in tables}
    rows = (
        f"<h2>{escape(name)}</h2><p>"
        + "".join(f'<a href="{file}"><img src="{file}" alt="{file}"></a>' for file in found)
        for name, found in files.items()
    )
    return HEAD + "\n".join(rows)


async def draw(page: Page, name: str) -> None:
    """Show a table with its log and a remark of the next seat."""
    moment = busiest(name)
    await show(page, moment.snapshot)
    await tell(page, moment.told)
    view = moment.snapshot["view"]
    neighbour = (view["you"] + 1) % len(view["seats"])
    await page.evaluate("seat => shown.said({seat, text: 'Good luck, everybody!'})", neighbour)


async def take(page: Page, picture: Picture, folder: Path) -> None:
    """Take one picture of the part of the page that is seen without scrolling."""
    width, height = picture.size
    await page.set_viewport_size({"width": width, "height": height})
    await page.emulate_media(color_scheme="dark" if picture.dark else "light")
    await page.wait_for_load_state("networkidle")
    await page.screenshot(path=folder / picture.file)


async def main(folder: Path, tables: list[str], sizes: list[tuple[int, int]]) -> None:
    """Make all pictures and the index."""
    folder.mkdir(parents=True, exist_ok=True)
    pictures = [
        Picture(name, size, dark) for name in tables for size in sizes for dark in (False, True)
    ]
    async with async_playwright() as playwright, served_modules() as modules:
        browser = await playwright.chromium.launch(executable_path=find_chromium(), args=FLAGS)
        visits = Visits(browser, Shared(modules))
        page = await staged(visits)
        for name in tables:
            await draw(page, name)
            for picture in pictures:
                if picture.table == name:
                    await take(page, picture, folder)
        await browser.close()
    (folder / "index.html").write_text(index(tables, pictures), "utf-8")
    print(f"{folder / 'index.html'}: {len(pictures)} pictures")


def _size(text: str) -> tuple[int, int]:
    width, height = text.split("x")
    return int(width), int(height)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="scripts/gallery")
    parser.add_argument("folder", nargs="?", type=Path, default=FOLDER)
    parser.add_argument("--game", action="append", help="only this game (default: all)")
    parser.add_argument("--size", action="append", type=_size, help="390x844 (default: three)")
    given = parser.parse_args()
    chosen = [name for name, one in TABLES.items() if one.game in (given.game or [one.game])]
    asyncio.run(main(given.folder, chosen, given.size or list(SIZES)))

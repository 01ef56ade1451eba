"""Work of a frame while pieces move: `scripts/frames` prints it for tables of four seats.

A real browser draws the snapshots of a match one after another, and shows the motions of each to
their end. Chromium's trace says how much processor time the page's main thread needs for each
frame: script, style, layout and paint. Other programs on the machine make that time only a little
longer.
"""

import argparse
import asyncio
import json
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from math import ceil
from typing import Any

from playwright.async_api import Browser, Page, async_playwright

from tests.page.browser import find_chromium
from tests.page.modules import served_modules
from tests.page.snapshots import Json
from tests.page.stage import show, staged
from tests.page.tables import timeline_of, usual_table
from tests.page.visits import FLAGS, Shared, Visits

SIZE = (1280, 800)
GAMES = ("texas-holdem", "draw-dominoes", "ligretto", "mau-mau-shared", "crazy-eights")
SEATS = 4
MOMENTS = 60  # of a match
CATEGORIES = ["toplevel", "devtools.timeline"]
# Each snapshot is drawn in a frame of its own; then frames pass while something moves.
MEASURE = """async (snapshots) => {
  const frame = (act = () => {}) => new Promise((done) => requestAnimationFrame(() => done(act())));
  const moves = ({ playState }) => playState === "running";
  for (const snapshot of snapshots) {
    await frame(() => show(snapshot));
    for (let at = 0; at < 60 && document.getAnimations().some(moves); at++) await frame();
  }
}"""
TASK = "ThreadControllerImpl::RunTask"
FRAME = "FireAnimationFrame"


def percentile(values: Sequence[float], part: float) -> float:
    """Return the value that this part of all values does not exceed."""
    ordered = sorted(values)
    return ordered[max(0, ceil(part * len(ordered)) - 1)]


def frame_work(events: Iterable[dict[str, Any]]) -> list[float]:
    """Return the processor time of each frame of a trace, in milliseconds."""
    threads = Counter((one["pid"], one["tid"]) for one in events if one["name"] == FRAME)
    ((main, _),) = threads.most_common(1)
    own = [one for one in events if (one["pid"], one["tid"]) == main]
    begun = sorted(one["ts"] for one in own if one["name"] == FRAME)
    tasks = [one for one in own if one["name"] == TASK and "tdur" in one]
    return [
        one["tdur"] / 1000
        for one in tasks
        if bisect_left(begun, one["ts"]) < bisect_left(begun, one["ts"] + one["dur"])
    ]


async def measure(browser: Browser, page: Page, snapshots: list[Json]) -> list[float]:
    """Return the work of each frame while these snapshots are drawn, the first one excepted."""
    await show(page, snapshots[0])
    await browser.start_tracing(page=page, categories=CATEGORIES)
    await page.evaluate(MEASURE, snapshots[1:])
    return frame_work(json.loads(await browser.stop_tracing())["traceEvents"])


async def main(games: Iterable[str], moments: int) -> None:
    """Print the work of frames for each game."""
    print("work of a frame in ms: median, 99 %, slowest (number of frames);")
    print("then the median of those that draw a snapshot, with motion and without")
    async with async_playwright() as playwright, served_modules() as modules:
        browser = await playwright.chromium.launch(executable_path=find_chromium(), args=FLAGS)
        visits = Visits(browser, Shared(modules))
        pages = {
            motion: await staged(visits, size=SIZE, reduced_motion=motion)
            for motion in ("no-preference", "reduce")
        }
        everything: list[float] = []
        for game in games:
            shown = timeline_of(usual_table(game, SEATS), moments)
            found, still = [await measure(browser, page, shown) for page in pages.values()]
            everything += found
            drawn = sorted(found)[-len(shown) + 1 :]  # no other frame has so much to do
            beside = f"{percentile(drawn, 0.5):6.1f} {percentile(still, 0.5):6.1f}"
            print(f"{game:16} {_row(found)} {beside}", flush=True)
        print(f"{'all':16} {_row(everything)}")
        await browser.close()


def _row(values: Sequence[float]) -> str:
    middle, late = percentile(values, 0.5), percentile(values, 0.99)
    return f"{middle:6.1f} {late:6.1f} {max(values):6.1f} ({len(values):4})"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="scripts/frames")
    parser.add_argument("--game", action="append", help="only this game (default: five games)")
    parser.add_argument("--moments", type=int, default=MOMENTS, help="(default: %(default)s)")
    given = parser.parse_args()
    asyncio.run(main(given.game or GAMES, given.moments))

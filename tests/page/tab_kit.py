"""The conformance kit's cases for players, with tabs of one browser as the players.

`scripts/tab_kit` runs all of them. The kit's tables answer by WebSocket, and somebody clicks: sits
down and plays. A tab goes Home after a case and is used for the next one, because a new tab takes
longer than most cases. A case that kills the player crashes the tab's process.
"""

import argparse
import asyncio
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

from playwright.async_api import Browser, Page, async_playwright

from conformance import report
from conformance.case import Case, select_cases
from conformance.player.environment import PlayerEnvironment
from conformance.player.kit import CASES, make_player_kit
from conformance.program import TestProgram
from conformance.runner import CaseOutcome, ConformanceKit, run_kit
from conformance.trace import Trace
from protocol.identity.keys import JoinLink
from tests.page.any_game import play_any
from tests.page.browser import find_chromium
from tests.page.reused_tab import Tab, take_seat
from tests.page.tabs import built_page, web_server
from tests.page.visits import FLAGS, LOCALE

STEP_SECONDS = 240.0  # for a step of a tab on a busy machine, its start among them
TOGETHER = 3  # tabs at a time: each computes


async def play(page: Page) -> None:
    """Sit down and play to the end, or go on with a match; leave a table where nobody can sit down."""
    if await take_seat(page):
        await play_any(page)
        await page.get_by_role("button", name="Close").first.click()
    else:
        await page.locator(".bar").get_by_role("button", name="Home").click()


class TabProgram(TestProgram):
    """A tab as the program under test."""

    def __init__(self, tabs: "Tabs", trace: Trace) -> None:
        super().__init__("{link} {data}", "the tab", trace)
        self.trace = trace
        self.over = False  # whether the case is
        self._tabs = tabs
        self._tab: Tab | None = None

    async def start(self, **filled: object) -> None:
        """Go to the table of a link."""
        link = filled["link"]
        assert isinstance(link, JoinLink)
        if self._tab is None:
            self._tab = await self._tabs.take()
        page = await self._tab.go(str(link))
        self._tab.play(play(page))

    async def kill(self) -> None:
        """Crash the tab; after the case, make it free."""
        if self._tab is None:
            return
        if self.over:
            await self._tabs.give_back(self._tab)
            self._tab = None
        else:
            await self._tab.crash()


class Tabs:
    """Tabs of a browser that show the page at `site`."""

    def __init__(self, browser: Browser, site: str) -> None:
        self._browser = browser
        self._site = site
        self._free: list[Tab] = []
        self._programs: list[TabProgram] = []

    async def take(self) -> Tab:
        """Return a tab that is at Home, or a new one."""
        if self._free:
            return self._free.pop()
        how: Any = {"locale": LOCALE, "reduced_motion": "reduce"}
        return Tab(await self._browser.new_context(**how), self._site)

    async def give_back(self, tab: Tab) -> None:
        """Have a tab leave its table, and keep it for another case if it can."""
        if await tab.leave():
            self._free.append(tab)
        else:
            await tab.close()

    async def close(self) -> None:
        """Close the tabs that are at Home."""
        for tab in self._free:
            await tab.close()

    def _program(self, command: str, who: str, trace: Trace) -> TestProgram:
        self._programs.append(TabProgram(self, trace))
        return self._programs[-1]

    def kit(self, cases: Sequence[Case]) -> ConformanceKit:
        """Return the kit for tabs."""
        kit = make_player_kit(
            "{link} {data}", STEP_SECONDS, self._program, looks_first=True, websocket=True
        )

        @asynccontextmanager
        async def arena() -> AsyncIterator[PlayerEnvironment]:
            async with kit.arena() as made:
                (program,) = (each for each in self._programs if each.trace is made.trace)
                try:
                    yield made
                finally:
                    program.over = True
                    self._programs.remove(program)

        return ConformanceKit(
            arena, kit.sanity, cases, before_match=kit.before_match, seconds=2 * STEP_SECONDS
        )


async def run(
    cases: Sequence[Case], tell: Callable[[CaseOutcome], Any], together: int = TOGETHER
) -> list[CaseOutcome]:
    """Run cases in a browser of their own, `together` at a time. Return their outcomes."""
    async with AsyncExitStack() as stack:
        playwright = await stack.enter_async_context(async_playwright())
        browser = await playwright.chromium.launch(executable_path=find_chromium(), args=FLAGS)
        stack.push_async_callback(browser.close)
        site = await stack.enter_async_context(web_server(built_page()))
        return await run_kit(Tabs(browser, site).kit(cases), tell, together)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="scripts/tab_kit")
    parser.add_argument("patterns", metavar="PATTERN", nargs="*", default=[""])
    parser.add_argument("--together", type=int, metavar="N", default=TOGETHER)
    asked = parser.parse_args()
    wanted = [select_cases(CASES, pattern) for pattern in asked.patterns]
    chosen = [case for case in CASES if any(case in cases for cases in wanted)]
    done = asyncio.run(
        run(chosen, lambda outcome: print(report.line(outcome), flush=True), asked.together)
    )
    print(report.to_text(done))
    sys.exit(report.exit_code(done))

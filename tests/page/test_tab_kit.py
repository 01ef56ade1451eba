"""Cases of the conformance kit for players, with tabs as the players."""

import pytest
from playwright.async_api import Browser

from conformance import report
from conformance.player.kit import CASES
from conformance.runner import CaseOutcome, CaseState, run_kit
from tests.page.tab_kit import TOGETHER, Tabs
from tests.page.tabs import built_page, web_server

pytestmark = [
    pytest.mark.process,
    pytest.mark.match,
    pytest.mark.slow,
    pytest.mark.timeout(900),
]
EVERY = 12  # one in so many cases runs here; `scripts/tab_kit` runs all
# the tab is crashed and opened again, which takes longer than all else
CRASHES = {"player-killed-with-an-entry-under-way", "ticket-after-a-kill"}


def _quietly(outcome: CaseOutcome) -> None:
    """Ignore an outcome."""


async def test_tabs_conform(browser: Browser) -> None:
    usual = [case for case in CASES if "kill" not in case.name]
    share = usual[::EVERY] + [case for case in CASES if case.name in CRASHES]
    async with web_server(built_page()) as site:
        tabs = Tabs(browser, site)
        outcomes = await run_kit(tabs.kit(share), _quietly, TOGETHER)
        await tabs.close()
    assert report.exit_code(outcomes) == report.PASSED, report.to_text(outcomes)
    assert all(outcome.state is CaseState.PASSED for outcome in outcomes)

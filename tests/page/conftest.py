"""Real browser for the tests of the page: one process for each worker, one context for each visit
to a program.

All tests in this folder get the mark `page`, and run in one event loop for the whole session,
because the browser lives in it. An async fixture of these tests needs `loop_scope="session"`. Every
page of a test must keep the browser's console empty. A test that provokes a message removes it with
`Visits.forgive`.
"""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, async_playwright

from tests.page.browser import NoBrowser, find_chromium
from tests.page.firefox import launch_firefox
from tests.page.modules import served_modules
from tests.page.visits import FLAGS, NAMES, Shared, Visits

HERE = Path(__file__).parent
pytestmark = pytest.mark.page


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of this folder, and run all of them in the browser's event loop."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytestmark)
            if pytest_asyncio.is_async_test(item):
                item.add_marker(pytest.mark.asyncio(loop_scope="session"), append=False)


@pytest.fixture(scope="session")
def chromium() -> str:
    """Return the path of a Chromium, installed first if there is none (`scripts/_browser`)."""
    try:
        return find_chromium()
    except NoBrowser as none:
        pytest.fail(str(none), pytrace=False)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser(request: pytest.FixtureRequest) -> AsyncIterator[Browser]:
    """Run the browser of this worker."""
    firefox = request.config.getoption("--firefox")
    async with async_playwright() as playwright:
        if firefox:
            started = await launch_firefox(playwright, firefox, NAMES)
        else:
            chromium: str = request.getfixturevalue("chromium")
            started = await playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        yield started
        await started.close()


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def shared() -> AsyncIterator[Shared]:
    """Serve the page's modules, and keep pages with them for several tests."""
    async with served_modules() as modules:
        yield Shared(modules)


@pytest_asyncio.fixture(loop_scope="session")
async def visits(
    request: pytest.FixtureRequest, browser: Browser, shared: Shared
) -> AsyncIterator[Visits]:
    """Open pages for one test and close them after it. The test fails for any message in a
    console.
    """
    made = Visits(browser, shared)
    if request.config.getoption(
        "--firefox"
    ):  # it reports failed calls of workers, Chromium does not
        made.ignore("establish a connection to the server at ws:")
    yield made
    await made.close()
    assert made.complaints == []

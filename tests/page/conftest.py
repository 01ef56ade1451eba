"""A real browser for the tests of the page: a process for each worker, a context for each visit to
a program.

Everything in this folder is marked `page` and runs in one loop for the whole session, in which the
browser lives: an async fixture of these tests says `loop_scope="session"`. Every page that a test
opens must keep the browser's console empty; a test that provokes a complaint takes it back with
`Visits.forgive`.
"""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, async_playwright

from tests.page.browser import NoBrowser, find_chromium
from tests.page.modules import served_modules
from tests.page.visits import FLAGS, Shared, Visits

HERE = Path(__file__).parent
pytestmark = pytest.mark.page


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what is in this folder, and have all of it run in the browser's loop."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytestmark)
            if pytest_asyncio.is_async_test(item):
                item.add_marker(pytest.mark.asyncio(loop_scope="session"), append=False)


@pytest.fixture(scope="session")
def chromium() -> str:
    """The path of a Chromium, set up first if there is none (`scripts/_browser`)."""
    try:
        return find_chromium()
    except NoBrowser as none:
        pytest.fail(str(none), pytrace=False)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser(chromium: str) -> AsyncIterator[Browser]:
    """The browser of this worker."""
    async with async_playwright() as playwright:
        started = await playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        yield started
        await started.close()


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def shared() -> AsyncIterator[Shared]:
    """The page's modules, and pages that show them to one test after the other."""
    async with served_modules() as modules:
        yield Shared(modules)


@pytest_asyncio.fixture(loop_scope="session")
async def visits(browser: Browser, shared: Shared) -> AsyncIterator[Visits]:
    """Opens pages for one test, closes them after it, and fails it for anything that was said in a
    console.
    """
    made = Visits(browser, shared)
    yield made
    await made.close()
    assert made.complaints == []

"""Built folder of the page for browsers, in a real browser: it starts, and any changed byte is
refused.
"""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from gzip import compress
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, expect

from net.page.folder import load_page
from net.page.manifest import DOCUMENT
from net.page.server import PageServer
from protocol.games.registry import BUILT_IN
from protocol.identity.keys import Identity, fingerprint
from tests.page.tabs import web_packages
from tests.support.page_gate import OpenGate
from tests.support.small_page import small_page
from web.site import build_site, write_site
from web.write_stdlib import LIST, find_modules

SECONDS = 120.0
FAST = 4  # quality of brotli
# bytes by gzip, without pictures; by brotli, which browsers accept over https, a fifth less
FIRST_VISIT = 7_000_000

RIGHT = f"{fingerprint(Identity(bytes(32)).public)} {len(BUILT_IN.specs)}"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a built folder of a small page."""
    folder = tmp_path_factory.mktemp("site") / "page"
    write_site(folder, build_site(web_packages(), "0.1.0", small_page), FAST)
    return folder


@asynccontextmanager
async def opened_page(
    browser: Browser, folder: Path, change: Callable[[str, bytes], bytes] = lambda name, data: data
) -> AsyncIterator[Page]:
    """Serve a folder whose files are changed on their way, and open the page."""
    _, files = load_page(folder)
    lying = {
        name: file._replace(data=change(name, file.data), packed={})
        if change(name, file.data) != file.data
        else file
        for name, file in files.items()
    }
    server = PageServer("127.0.0.1", 0, lying, OpenGate())
    page = await browser.new_page()
    try:
        await page.goto(f"http://127.0.0.1:{server.port}/")
        yield page
    finally:
        await page.close()
        server.close()


async def said(page: Page) -> str:
    """Return what the page shows once it has started, or cannot."""
    shown = page.locator("#said")
    await expect(shown).not_to_have_text("starts", timeout=SECONDS * 1000)
    return await shown.inner_text()


@pytest.mark.slow
async def test_built_page_runs_program_under_its_policy(browser: Browser, site: Path) -> None:
    async with opened_page(browser, site) as page:
        assert await said(page) == RIGHT
        assert await page.locator("img").evaluate("picture => picture.naturalWidth") == 4


@pytest.mark.slow
@pytest.mark.parametrize("part", ("worker", "pyodide", "python_stdlib", "program"))
async def test_byte_changed_in_fetched_file_is_refused(
    browser: Browser, site: Path, part: str
) -> None:
    def change(name: str, data: bytes) -> bytes:
        return data[:-1] + bytes([data[-1] ^ 1]) if name.startswith(f"files/{part}-") else data

    async with opened_page(browser, site, change) as page:
        text = await said(page)
        assert text.startswith(("refused: ", "failed: ")) and "fetch" in text, text


@pytest.mark.slow
async def test_byte_changed_in_script_is_refused(browser: Browser, site: Path) -> None:
    def change(name: str, data: bytes) -> bytes:
        return data + b" " if name.startswith("files/small-") else data

    async with opened_page(browser, site, change) as page:
        errors: list[str] = []
        page.on("console", lambda message: errors.append(message.text))
        await page.reload()
        assert await page.inner_text("#said") == "starts"
        assert any("integrity" in text for text in errors), errors


def test_document_of_built_folder_has_no_inline_script(site: Path) -> None:
    text = (site / DOCUMENT).read_text()
    assert text.count("<script") == 1
    assert text.count("integrity=") == 3  # script, style, worker


@pytest.mark.slow
def test_page_built_twice_has_the_same_files() -> None:
    one, two = (build_site(web_packages(), "0.1.0") for _ in range(2))
    assert one == two


@pytest.mark.slow
def test_library_has_what_the_program_imports() -> None:
    assert find_modules(web_packages()) == LIST.read_text("utf-8"), "run scripts/web_stdlib"


@pytest.mark.slow
def test_first_visit_has_few_bytes() -> None:
    files = build_site(web_packages(), "0.1.0")
    fetched = {name: data for name, data in files.items() if "elements" not in name}
    assert sum(len(compress(data, 9)) for data in fetched.values()) < FIRST_VISIT

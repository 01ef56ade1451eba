"""Built folder of the page for browsers, in a real browser: it starts, and any changed byte is
refused.
"""

import zipfile
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, expect

from net.page.folder import load_page
from net.page.manifest import DOCUMENT
from net.page.server import PageServer
from protocol.errors import LocalError
from protocol.games.registry import BUILT_IN
from protocol.identity.keys import Identity, fingerprint
from tests.page.tabs import web_packages
from tests.support.page_gate import OpenGate
from tests.support.small_page import small_page
from web.build import LIBRARY_FILE, PROGRAM_FILE
from web.site import build_site, compile_archives, write_site
from web.write_stdlib import LIST, find_modules

SECONDS = 120.0
FAST, GOOD = 4, 9  # qualities of brotli
# bytes of a visit without pictures: by brotli, which browsers accept over https, and by gzip
FIRST_VISIT = 6_500_000
FIRST_VISIT_GZIP = 7_300_000

# a worker that imports all that is in the program's archive
IMPORTS_ALL = """import { startPython } from "./python.js";
try {
  const python = await startPython(["program.zip"]);
  python.registerJsModule("fairdeal_storage", {});
  postMessage(python.runPython(`
import sys
from importlib import import_module
from pathlib import Path
top, found, failed = Path("/lib/packages"), [], []
for path in sorted(top.rglob("*.py*")):
    if path.suffix in (".py", ".pyc") and "__pycache__" not in path.parts:
        found.append(".".join(path.relative_to(top).with_suffix("").parts).removesuffix(".__init__"))
for name in found:
    try:
        import_module(name)
    except Exception as error:
        failed.append(f"{name}: {error}")
"; ".join(failed)
`));
} catch (error) {
  postMessage(`failed: ${error}`);
}
"""
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
async def test_browser_accepts_the_web_manifest_of_the_built_page(
    browser: Browser, site: Path
) -> None:
    async with opened_page(browser, site) as page:
        session = await page.context.new_cdp_session(page)
        found = await session.send("Page.getAppManifest")
        place = page.url
        manifest = found["manifest"]
        assert found["errors"] == []
        assert manifest["startUrl"] == manifest["scope"] == place
        assert manifest["display"] == "kStandalone"
        (icon,) = manifest["icons"]
        assert (await page.request.get(icon["url"])).headers["content-type"] == "image/svg+xml"
        assert (await session.send("Page.getInstallabilityErrors"))["installabilityErrors"] == []


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


@pytest.mark.slow
async def test_every_module_of_the_program_can_be_imported_in_a_tab(
    browser: Browser, tmp_path: Path
) -> None:
    def page(loaded: int) -> dict[str, bytes]:
        return {**small_page(loaded), "worker.js": IMPORTS_ALL.encode()}

    write_site(tmp_path, build_site(web_packages(), "0.1.0", page), FAST)
    async with opened_page(browser, tmp_path) as page_of_all:
        failed = (await said(page_of_all)).split("; ")
    # whose rules are a library; the audit of such a match says so
    old = "protocol.games.poker.edition_1"
    assert failed == [
        f"{old}.{name}: No module named 'pokerkit'" for name in ("engine", "rules", "state")
    ]


def test_modules_of_the_start_are_compiled_and_others_are_not(site: Path) -> None:
    program, library = (
        set(zipfile.ZipFile(next(site.glob(f"files/{name}-*.zip"))).namelist())
        for name in ("program", "python_stdlib")
    )
    assert {"web/tab/program.pyc", "protocol/crypto/primitives/browser/aes_gcm.pyc"} <= program
    assert "player/ui/web/cards/cards_screen.pyc" in program
    assert {"web/tab/own_table.py", "protocol/games/poker/rules.py"} <= program
    assert {"asyncio/base_events.pyc", "_pyodide/_base.pyc"} <= library


def test_builder_that_cannot_compile_says_so(tmp_path: Path) -> None:
    with pytest.raises(LocalError) as error:
        compile_archives(tmp_path, {LIBRARY_FILE: b"", PROGRAM_FILE: b""})
    assert "Pyodide in Node has not compiled" in str(error.value)


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
def test_first_visit_has_few_bytes(tmp_path: Path) -> None:
    files = build_site(web_packages(), "0.1.0")
    write_site(tmp_path, files, GOOD)
    fetched = [tmp_path / name for name in files if "elements" not in name]
    assert visit_bytes(fetched, ".br") < FIRST_VISIT
    assert visit_bytes(fetched, ".gz") < FIRST_VISIT_GZIP


def visit_bytes(paths: list[Path], ending: str) -> int:
    """Return the size of all files, each packed if it has such a copy."""
    packed = ((path.with_name(f"{path.name}{ending}"), path) for path in paths)
    return sum(next(path for path in pair if path.exists()).stat().st_size for pair in packed)

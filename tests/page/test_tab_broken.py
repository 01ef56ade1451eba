"""A tab in a browser that lacks something, or behind a server that sends something else: the page says
what is wrong, and what to do.
"""

import shutil
from pathlib import Path

import pytest
from playwright.async_api import Page

from tests.page.tabs import built_page, web_packages, web_server
from tests.page.test_tab_entry import MISSING, forget
from tests.page.visits import Visits
from web.site import build_site, write_site

pytestmark = [pytest.mark.process, pytest.mark.slow]
DENY = """{ get() { throw new DOMException("denied", "SecurityError"); } }"""
NO_STORAGES = """for (const name of ["localStorage", "sessionStorage"])
  Object.defineProperty(window, name, { configurable: true, get() {
    throw new DOMException("denied", "SecurityError"); } });"""
NO_DATABASE = f'Object.defineProperty(self, "indexedDB", {DENY});\n'
NO_MODULE_WORKERS = """{
  const Known = Worker;
  window.Worker = function (address) { return new Known(address); };
}"""
OFFLINE = 'Object.defineProperty(Navigator.prototype, "onLine", { get: () => false });'
FAST = 1  # quality of brotli


async def broken(visits: Visits, site: str, script: str) -> Page:
    """Open the page after a script that takes something from the browser."""
    page = await visits.open()
    await page.context.add_init_script(script)
    await page.goto(site)
    return page


@pytest.fixture(scope="module")
def site_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a built folder, with digests."""
    folder = tmp_path_factory.mktemp("broken") / "page"
    write_site(folder, build_site(web_packages(), "0.1.0"), FAST)
    return folder


async def test_blocked_storage_is_said_and_one_can_play(visits: Visits, tmp_path: Path) -> None:
    shutil.copytree(built_page(), tmp_path / "page")
    worker = tmp_path / "page" / "worker.js"
    worker.write_text(NO_DATABASE + worker.read_text())
    async with web_server(tmp_path / "page") as site:
        page = await broken(visits, site, NO_STORAGES)
        await page.get_by_role("alert").get_by_text("only until you close or reload").wait_for()
        await page.fill("#name", "Ann")
        await page.keyboard.press("Enter")
        await page.get_by_role("button", name="Play").first.wait_for()
        await forget(visits, page, "denied")


@pytest.mark.parametrize("script", ["delete window.WebAssembly;", NO_MODULE_WORKERS])
async def test_browser_that_cannot_run_the_program_is_named(visits: Visits, script: str) -> None:
    async with web_server(built_page()) as site:
        page = await broken(visits, site, script)
        await page.get_by_role("alert").get_by_text("it is too old").wait_for()
        await forget(visits, page, "no WebAssembly")


async def test_device_without_connection_is_told_to_connect(visits: Visits, tmp_path: Path) -> None:
    shutil.copytree(built_page(), tmp_path / "page")
    (tmp_path / "page" / "program.zip").unlink()
    async with web_server(tmp_path / "page") as site:
        page = await broken(visits, site, OFFLINE)
        await page.get_by_role("alert").get_by_text("is not connected").wait_for()
        await forget(visits, page, *MISSING)


@pytest.mark.parametrize("part", ["worker", "program"])
async def test_changed_file_is_told_from_a_missing_one(
    visits: Visits, site_folder: Path, tmp_path: Path, part: str
) -> None:
    shutil.copytree(site_folder, tmp_path / "page")
    found = (tmp_path / "page" / "files").glob(f"{part}-*")
    (file,) = [path for path in found if path.suffix in (".js", ".zip")]
    async with web_server(tmp_path / "page") as site:
        file.write_bytes(file.read_bytes() + b" ")
        page = await visits.open(site)
        await page.get_by_role("alert").get_by_text("is not the one this page names").wait_for()
        file.unlink()
        await page.reload()
        await page.get_by_role("alert").get_by_text("no longer has a file").wait_for()
        await forget(visits, page, "")


async def test_page_whose_script_does_not_run_says_so(visits: Visits, tmp_path: Path) -> None:
    shutil.copytree(built_page(), tmp_path / "page")
    (tmp_path / "page" / "all.js").write_text("no script")
    async with web_server(tmp_path / "page") as site:
        page = await visits.open(site)
        await page.get_by_text("The page has not begun").wait_for()
        await forget(visits, page, "")

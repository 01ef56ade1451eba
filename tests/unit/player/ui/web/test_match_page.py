"""Ways to the page: a private file, deleted after use, or a link at the terminal."""

import asyncio
import re
import stat
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from player.ui.web.browser import Links
from player.ui.web.http.access import Access
from player.ui.web.match_page import FILE, PageOptions, page_screen
from protocol.errors import LocalError
from protocol.games.registry import BUILT_IN
from protocol.installation import install_command
from tests.support.pages import Served, serving
from tests.support.tables import until

ROOT = Path(__file__).parents[4]


class Browser:
    """Browser that records the opened address without following it."""

    def __init__(self, there=True):
        self.there, self.files, self.links = there, [], []

    def __call__(self, url):
        path = Path(unquote(urlsplit(url).path))
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        self.files.append(path)
        self.links += re.findall(r"http://[^\"]+", path.read_text())
        return self.there


async def test_browser_is_given_private_file_and_no_link():
    access, browser = Access(), Browser()
    links = Links(access, 81, None, browser)
    assert await links.open()
    ((link,), (file,)) = browser.links, browser.files
    assert link.startswith("http://127.0.0.1:81/#t=") and file.exists()
    links.remove_file()
    assert not file.exists()
    links.remove_file()  # calling it twice is harmless


async def test_without_browser_no_file_is_left():
    browser = Browser(there=False)
    assert not await Links(Access(), 81, None, browser).open()
    assert not browser.files[0].exists()


@pytest.mark.slow
async def test_opening_file_is_deleted_only_by_right_link(tmp_path):
    browser = Browser()
    async with serving(tmp_path, opener=browser) as page:
        await page.links.open()
        assert (await page.post("session", {"ticket": "wrong"})).status == 403
        assert browser.files[0].exists()
        assert (
            await page.post("session", {"ticket": browser.links[0].rpartition("=")[2]})
        ).status == 200
        assert not browser.files[0].exists()


@pytest.mark.slow
async def test_enter_gives_new_link_and_program_runs_without_viewer(tmp_path, capsys):
    typed = []
    options = PageOptions(
        BUILT_IN,
        tmp_path,
        opener=Browser(there=False),
        read=lambda loop, heard: typed.append(heard),
    )
    async with asyncio.timeout(120), page_screen(options, {}) as screen:
        said = ""

        def links():
            nonlocal said
            said += capsys.readouterr().out
            return re.findall(r"http://\S+", said)

        await until(lambda: len(links()) == 1)
        typed[0]("")
        assert len(set(links())) == 2
        typed[0]("play for me")
        assert "You play on the page" in capsys.readouterr().out
        typed[0](None)  # the script's input ends
        assert not screen.stopped


@pytest.mark.slow
async def test_new_run_keeps_port_and_knows_old_pages(tmp_path):
    async with serving(tmp_path) as before:
        secret, port = (await before.enter())["secret"], before.port
    assert stat.S_IMODE((tmp_path / FILE).stat().st_mode) == 0o600
    async with serving(tmp_path) as after:
        assert after.port == port and after.came_back and (await after.enter())["secret"] == secret
        after.token = before.token
        assert (await after.get("log")).status == 401, "tokens end with the program"


@pytest.mark.slow
async def test_old_tokens_are_useless_to_foreign_program_at_port(tmp_path):
    async with serving(tmp_path) as before:
        secret = (await before.enter())["secret"]
        async with serving(tmp_path) as other:  # while it still runs: the port is occupied
            assert (
                other.port != before.port
                and not other.came_back
                and (await other.enter())["secret"] != secret
            )


@pytest.mark.slow
@pytest.mark.parametrize(
    "kept",
    ("", "[]", "{}", '{"port": 1}', '{"port": "x", "secret": 1}', '{"port": 99999, "secret": "x"}'),
)
async def test_unreadable_page_state_is_ignored(tmp_path, kept):
    (tmp_path / FILE).write_text(kept)
    async with serving(tmp_path) as page:
        assert isinstance(page, Served) and not page.came_back


@pytest.mark.slow
async def test_clean_match_end_leaves_nothing_to_resume(tmp_path):
    options = PageOptions(BUILT_IN, tmp_path, opener=Browser(), read=lambda *_: None)
    async with page_screen(options, {}):
        assert (tmp_path / FILE).exists()
    assert not (tmp_path / FILE).exists()
    async with page_screen(options, {}) as screen:
        screen.stop()
    assert (tmp_path / FILE).exists(), "it was stopped, and goes on"


@pytest.mark.slow
async def test_page_shows_why_program_cannot_continue(tmp_path):
    options = PageOptions(BUILT_IN, tmp_path, opener=Browser(), read=lambda *_: None)
    with pytest.raises(LocalError):
        async with page_screen(options, {}) as screen:
            raise LocalError("web.no_log")
    assert screen.newest().data["verdict"]["lines"] == ["There is no log yet: no match has begun."]


@pytest.mark.process
@pytest.mark.parametrize("missing", ("starlette", "uvicorn", "segno"))
def test_missing_page_packages_are_named(tmp_path, missing):
    words = ["fairdeal://127.0.0.1:1", "--web", "--data", str(tmp_path), "--lang", "en"]
    code = (
        f"import sys; sys.modules[{missing!r}] = None; from player.cli.join_command import main; "
        f"sys.exit(main({words!r}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (
        done.returncode and install_command("web") in done.stderr and "Traceback" not in done.stderr
    )

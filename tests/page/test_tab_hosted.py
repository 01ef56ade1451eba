"""A guest opens one link, types a name, and plays, and nothing is installed: the page is the table's
(`fairdeal host --web`) or a relay's (`fairdeal relay --web`).
"""

import asyncio
import os
import re
import signal
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import pytest

from net.page.folder import BUILT, PACKAGE
from protocol.audit.verdict import Verdict, audit
from protocol.identity.keys import JoinLink
from tests.page.tabs import bots, sit_down, web_packages
from tests.page.test_playing import play_out
from tests.page.test_tab_matches import own_log
from tests.page.visits import PHONE, Visits, sideways, violations
from web.site import build_site, write_site

pytestmark = [pytest.mark.match, pytest.mark.process, pytest.mark.slow]
ROOT = Path(__file__).parents[2]
GAME = ("--game", "block-dominoes", "--deal", "verified", "--target", "10")
PAGE_LINK = re.compile(r"(http://\S+#ws://\S+)")
Served = Callable[[Path, Path], AbstractAsyncContextManager[JoinLink]]
FAST = 0  # quality of brotli
PATIENCE = 240_000  # milliseconds, for a program of 20 MB on a busy machine


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of Python packages that has the built page."""
    top = tmp_path_factory.mktemp("packages")
    write_site(top / PACKAGE / BUILT, build_site(web_packages(), "0.1.0"), FAST)
    (top / PACKAGE / "__init__.py").touch()
    return top


@asynccontextmanager
async def running(packages: Path, *words: str) -> AsyncIterator[asyncio.StreamReader]:
    """Run a program of the checkout with these packages. Yield what it says."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-u", "-m", "fairdeal", *words, "--log-level", "error"),
        env={**os.environ, "PYTHONPATH": f"{ROOT}:{packages}", "LANGUAGE": "en"},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    assert process.stdout is not None
    try:
        yield process.stdout
    finally:
        process.send_signal(signal.SIGTERM)
        await process.communicate()


async def heard(said: asyncio.StreamReader, pattern: re.Pattern[str]) -> str:
    """Wait for a line of this form, and return the first group."""
    while (found := pattern.search((await said.readline()).decode())) is None:
        assert not said.at_eof(), f"nothing said has the form {pattern.pattern!r}"
    return found[1]


@asynccontextmanager
async def hosted(data: Path, packages: Path, *ways: str) -> AsyncIterator[JoinLink]:
    """Run a table that guests reach by a page. Yield the link to the page."""
    words = ("host", "--data", str(data), "--listen", "127.0.0.1:0", *ways, *GAME)
    async with running(packages, *words) as said:
        link = await heard(said, PAGE_LINK)
        await heard(said, re.compile("(could change)"))
        yield JoinLink.parse(link)


@asynccontextmanager
async def served_by_the_table(data: Path, packages: Path) -> AsyncIterator[JoinLink]:
    """Run a table that serves the page."""
    ways = ("--ws", "127.0.0.1:0", "--web", "127.0.0.1:0")
    async with hosted(data, packages, *ways) as link:
        yield link


@asynccontextmanager
async def served_by_a_relay(data: Path, packages: Path) -> AsyncIterator[JoinLink]:
    """Run a relay that serves the page, and a table behind it by the options that the relay names."""
    words = ("relay", "--listen", "127.0.0.1:0", "--web", "127.0.0.1:0")
    async with running(packages, *words) as said:
        ways = await heard(said, re.compile("fairdeal host (--relay .*)"))
        async with hosted(data, packages, *ways.split()) as link:
            yield link


@pytest.mark.parametrize("served", [served_by_the_table, served_by_a_relay])
async def test_guest_with_a_link_plays_a_match_to_its_end(
    visits: Visits, installed: Path, tmp_path: Path, served: Served
) -> None:
    async with (
        served(tmp_path / "table", installed) as link,
        bots(str(link), tmp_path, "Bob") as (theirs,),
    ):
        page = await visits.open(str(link), size=PHONE, has_touch=True)
        page.set_default_timeout(PATIENCE)
        await page.fill("#name", "Ann")
        await page.keyboard.press("Enter")
        await sit_down(page)
        await play_out(page)
        assert (await violations(page), await sideways(page)) == ([], "")
        own = await own_log(page)
    assert own == theirs.read_bytes()
    assert audit(own).verdict is Verdict.CLEAN

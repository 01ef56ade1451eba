"""`fairdeal host --web`: a guest opens one link, types a name, and plays; nothing is installed."""

import asyncio
import os
import re
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
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
PAGE_LINK = re.compile(r"http://\S+#ws://\S+")
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
async def hosted(data: Path, packages: Path) -> AsyncIterator[JoinLink]:
    """Run a table that serves the page. Yield the link to the page."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "fairdeal", "host", "--data", str(data), "--log-level", "error"),
        *("--listen", "127.0.0.1:0", "--ws", "127.0.0.1:0", "--web", "127.0.0.1:0", *GAME),
        env={**os.environ, "PYTHONPATH": f"{ROOT}:{packages}", "LANGUAGE": "en"},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdout is not None
    try:
        first = (await process.stdout.readline()).decode()
        assert JoinLink.parse(first).fingerprint
        while (found := PAGE_LINK.search((await process.stdout.readline()).decode())) is None:
            assert not process.stdout.at_eof(), "the table has not said the page's link"
        assert "could change" in (await process.stdout.readline()).decode()
        yield JoinLink.parse(found[0])
    finally:
        process.send_signal(signal.SIGTERM)
        await process.wait()


async def test_guest_with_a_link_plays_a_match_to_its_end(
    visits: Visits, installed: Path, tmp_path: Path
) -> None:
    async with (
        hosted(tmp_path / "table", installed) as link,
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

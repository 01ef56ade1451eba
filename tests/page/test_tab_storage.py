"""Memory of a tab in a real browser: files that outlast it, and the lease of one tab at a time."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from random import Random

import pytest
import pytest_asyncio
from playwright.async_api import Browser, BrowserContext

from tests.page.tab_storage import (
    StorageTab,
    WorkerError,
    browser_process,
    build_storage_page,
    kill_group,
)
from tests.page.tabs import web_server
from tests.page.test_tab_primitives import POLICY

pytestmark = pytest.mark.slow
MIB = 1024 * 1024
# all kinds of changes, in two steps with a flush between them
FIRST = """
import os
from pathlib import Path
data = Path("/data")
(data / "logs" / "deep").mkdir(parents=True)
(data / "long").write_bytes(bytes(range(251)) * 400)
(data / "grown").write_bytes(b"begin" * 10000)
(data / "shorter").write_bytes(b"x" * 100000)
(data / "emptied").write_bytes(b"y" * 70000)
(data / "sparse").write_bytes(b"s")
(data / "gone").write_bytes(b"z" * 50000)
(data / "old name").write_bytes(b"same bytes" * 3000)
(data / "replaced").write_bytes(b"before" * 9000)
(data / "left").mkdir()
(data / "secret").touch(0o600)
os.utime(data / "secret", (1000, 1234567890))
(data / "sign").symlink_to("long")
"""
SECOND = """
with (data / "long").open("r+b") as file:
    file.seek(40000)
    file.write(b"changed in the middle")
with (data / "grown").open("ab") as file:
    file.write(b"end" * 10000)
with (data / "shorter").open("r+b") as file:
    file.truncate(40001)
(data / "emptied").open("wb").close()
with (data / "sparse").open("r+b") as file:
    file.seek(50000)
    file.write(b"!")
    file.truncate(80000)
(data / "gone").unlink()
(data / "old name").rename(data / "logs" / "deep" / "new name")
(data / ".new").write_bytes(b"after")
(data / ".new").replace(data / "replaced")
(data / "left").rmdir()
unnamed = (data / "unnamed").open("w+b")
unnamed.write(b"never stored" * 5000)
unnamed.flush()
(data / "unnamed").unlink()
unnamed.write(b"more")
unnamed.flush()
"""
CONTENT = """
import os
from hashlib import sha256
from pathlib import Path
data = Path("/data")
def about(path):
    status = path.lstat()
    content = sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
    changed = status.st_mtime_ns if path.is_file() else 0
    link = os.readlink(path) if path.is_symlink() else ""
    return [str(path), oct(status.st_mode), content, changed, link]
[about(path) for path in sorted(data.rglob("*"))]
"""
# a round writes its number to many files, all of them, in several pages
ROUND = """
from pathlib import Path
data = Path("/data")
last = data / "file 0"
begun = int(last.read_bytes()[:8]) if last.exists() else 0
def write():
    global begun
    begun += 1
    for number in range(20):
        (data / f"file {number}").write_bytes(b"%08d" % begun * 5000)
    (data / f"only {begun}").touch()
    (data / f"only {begun - 1}").unlink(missing_ok=True)
    return begun
write
"""
ROUNDS = """
from pathlib import Path
found = {path.read_bytes() for path in Path("/data").glob("file *")}
only = [path.name for path in Path("/data").glob("only *")]
[len(content) for content in found] + [int(content[:8]) for content in found] + only
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("storage page")
    build_storage_page(folder)
    return folder


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def address(built: Path) -> AsyncIterator[str]:
    async with web_server(built, POLICY) as found:
        yield found


@pytest_asyncio.fixture(loop_scope="session")
async def context(browser: Browser) -> AsyncIterator[BrowserContext]:
    made = await browser.new_context()
    yield made
    await made.close()


async def tab_at(context: BrowserContext, address: str, **given: object) -> StorageTab:
    """Open a tab that has taken the lease."""
    tab = await StorageTab.open(await context.new_page(), address, **given)
    await tab.call("take")
    return tab


async def test_files_after_changes_and_reload_are_the_same(
    context: BrowserContext, address: str
) -> None:
    tab = await tab_at(context, address)
    await tab.python(FIRST)
    assert await tab.call("dirty")
    await tab.call("flush")
    await tab.python(SECOND)
    await tab.call("flush")
    assert not await tab.call("dirty")
    before = await tab.python(CONTENT)
    again = await tab_at(context, address)
    after = await again.python(CONTENT)
    assert after == before
    assert len(after) == 11 and [name for name, *_ in after if "unnamed" in name] == []


async def test_program_files_work_in_memory_and_are_stored(
    context: BrowserContext, address: str
) -> None:
    tab = await tab_at(context, address)
    code = """
import fcntl, os, sqlite3, tempfile
from pathlib import Path
data = Path("/data")
with (data / "playing.lock").open("wb") as lock:
    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
handle, name = tempfile.mkstemp(dir=data)
with os.fdopen(handle, "wb") as file:
    file.write(b"whole")
    file.flush()
    os.fsync(file.fileno())
Path(name).replace(data / "whole")
folder = os.open(data, os.O_RDONLY)
os.fsync(folder)
os.close(folder)
connection = sqlite3.connect(data / "ledger.sqlite", isolation_level=None)
connection.execute("PRAGMA journal_mode = WAL")
connection.execute("PRAGMA synchronous = FULL")
connection.execute("CREATE TABLE cards (name TEXT)")
for number in range(500):
    connection.execute("INSERT INTO cards VALUES (?)", (f"card {number}" * 20,))
connection.execute("BEGIN IMMEDIATE")
connection.execute("DELETE FROM cards")
None
"""
    await tab.python(code)
    await tab.call("flush")
    again = await tab_at(context, address)
    look = """
import sqlite3
from pathlib import Path
connection = sqlite3.connect("/data/ledger.sqlite", isolation_level=None)
(count,), = connection.execute("SELECT count(*) FROM cards").fetchall()
(check,), = connection.execute("PRAGMA integrity_check").fetchall()
[count, check, Path("/data/whole").read_text()]
"""
    assert await again.python(look) == [500, "ok", "whole"]


async def test_flush_of_an_append_writes_few_pages(context: BrowserContext, address: str) -> None:
    tab = await tab_at(context, address)
    await tab.python('log = open("/data/log", "ab", buffering=0)\nlog.write(bytes(8 << 20))')
    await tab.call("flush")
    for _ in range(5):
        assert 0 < await tab.call("weigh", 'log.write(b"an entry" * 50)') <= 2 * 16384
    # the first page changes as well
    assert await tab.call("weigh", 'open("/data/log", "r+b").write(b"x")') <= 2 * 16384
    assert await tab.call("weigh", "None") == 0


async def test_second_tab_takes_over_and_the_first_stops(
    context: BrowserContext, address: str
) -> None:
    first = await tab_at(context, address)
    second = await StorageTab.open(await context.new_page(), address)
    assert await second.call("busy")
    await first.python('open("/data/first", "w").write("stored")')
    await first.call("flush")
    await second.call("take")
    assert await second.python('open("/data/first").read()') == "stored"
    assert await first.stopped() == "taken_over"
    await first.python('open("/data/late", "w").write("too late")')
    with pytest.raises(WorkerError, match="TakenOver"):
        await first.call("flush")
    assert await first.call("dirty")
    third = await tab_at(context, address)
    assert await third.python('__import__("os").listdir("/data")') == ["first"]


BARE = ["BroadcastChannel", "locks"]


async def test_tab_without_messages_is_fenced_at_its_next_flush(
    context: BrowserContext, address: str
) -> None:
    first = await tab_at(context, address, bare=BARE)
    second = await tab_at(context, address, bare=BARE)
    # more than one change, and no beat before the flush
    await first.python('open("/data/a", "w").write("a")\nopen("/data/b", "w").write("b")')
    with pytest.raises(WorkerError, match="TakenOver"):
        await first.call("flush")
    assert await first.stopped() == "taken_over"
    await second.call("flush")
    third = await tab_at(context, address, bare=BARE)
    assert await third.python('__import__("os").listdir("/data")') == []
    assert await third.call("number") == 3


async def test_tab_without_messages_that_only_waits_stops_soon(
    context: BrowserContext, address: str
) -> None:
    first = await tab_at(context, address, bare=BARE)
    second = await StorageTab.open(await context.new_page(), address, bare=BARE)
    assert await second.call("busy")
    await second.call("take")
    assert await first.stopped() == "taken_over"


@pytest.mark.parametrize("bare", [[], BARE])
async def test_lease_of_a_closed_tab_is_free(
    context: BrowserContext, address: str, bare: list[str]
) -> None:
    first = await tab_at(context, address, holder="first", bare=bare)
    await first.python('open("/data/kept", "w").write("kept")')
    await first.call("flush")
    await first.page.close()
    for holder in ("first", "other"):  # loaded anew, or another tab
        again = await StorageTab.open(await context.new_page(), address, holder=holder, bare=bare)
        assert not await again.call("busy")
        await again.page.close()


@pytest.mark.parametrize("bare", [[], BARE])
async def test_restored_session_beside_its_original_finds_it_busy(
    context: BrowserContext, address: str, bare: list[str]
) -> None:
    await tab_at(context, address, holder="same", bare=bare)
    second = await StorageTab.open(await context.new_page(), address, holder="same", bare=bare)
    busy = await second.call("busy")
    # without messages and locks it can take over unasked: what counts is that the first is fenced
    assert busy or bare == BARE


@pytest.mark.parametrize("at", [1, 9])
@pytest.mark.parametrize("way", ["failAt", "throwAt"])
async def test_storage_that_fails_in_the_middle_stores_nothing(
    context: BrowserContext, address: str, at: int, way: str
) -> None:
    tab = await tab_at(context, address)
    await tab.python(f"exec({ROUND!r}, globals())\nwrite()")
    await tab.call("flush")
    await tab.call(way, at)
    await tab.python("write()")
    with pytest.raises(WorkerError, match="StorageFailed"):
        await tab.call("flush")
    assert await tab.stopped() == "storage" and await tab.call("dirty")
    with pytest.raises(WorkerError, match="StorageFailed"):
        await tab.call("flush")
    again = await tab_at(context, address)
    assert await again.python(ROUNDS) == [40000, 1, "only 1"]


async def test_storage_without_room_stops_and_keeps_the_old(
    context: BrowserContext, address: str
) -> None:
    page = await context.new_page()
    devtools = await context.new_cdp_session(page)
    quota = {"origin": address.rstrip("/"), "quotaSize": 4 * MIB}
    await devtools.send("Storage.overrideQuotaForOrigin", quota)
    tab = await StorageTab.open(page, address)
    await tab.call("take")
    await tab.python('open("/data/small", "w").write("small")')
    await tab.call("flush")
    await tab.python('open("/data/big", "wb").write(__import__("os").urandom(12 << 20))')
    with pytest.raises(WorkerError, match="StorageFull"):
        await tab.call("flush")
    assert await tab.stopped() == "full"
    await devtools.send("Storage.overrideQuotaForOrigin", {"origin": quota["origin"]})
    again = await tab_at(context, address)
    assert await again.python('__import__("os").listdir("/data")') == ["small"]


async def test_changes_during_a_flush_are_in_the_next(
    context: BrowserContext, address: str
) -> None:
    tab = await tab_at(context, address)
    code = """
import asyncio
import fairdeal_storage
async def three():
    seen = []
    for number in range(3):
        open(f"/data/{number}", "w").write("x")
        seen.append(fairdeal_storage.flush())
        assert fairdeal_storage.dirty()
    await asyncio.gather(*seen)
    return fairdeal_storage.dirty()
await three()
"""
    assert await tab.python(code) is False
    again = await tab_at(context, address)
    assert sorted(await again.python('__import__("os").listdir("/data")')) == ["0", "1", "2"]


async def test_changes_are_stored_after_a_while_without_a_flush(
    context: BrowserContext, address: str
) -> None:
    tab = await tab_at(context, address)
    await tab.python('open("/data/idle", "w").write("idle")')
    async with asyncio.timeout(30):
        while await tab.call("dirty"):
            await asyncio.sleep(0.1)
    again = await tab_at(context, address)
    assert await again.python('__import__("os").listdir("/data")') == ["idle"]


async def test_browser_killed_at_any_point_leaves_whole_rounds(
    chromium: str, address: str, tmp_path: Path
) -> None:
    rng = Random(4)
    last = 0
    for _ in range(3):
        async with browser_process(chromium, tmp_path) as (browser, group):
            tab = await tab_at(browser.contexts[0], address)
            if last:
                size, found, only = await tab.python(ROUNDS)
                assert size == 40000 and only == f"only {found}"
                assert found >= last  # all that was reported is there
            running = asyncio.create_task(tab.call("rounds", ROUND))
            await tab.wait_for(f"window.round > {last + rng.randrange(2, 9)}")
            last = await tab.page.evaluate("window.round")
            await asyncio.sleep(rng.random() * 0.05)
            kill_group(group)
            with pytest.raises(Exception, match="closed"):
                await running

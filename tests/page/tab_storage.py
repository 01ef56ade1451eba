"""Page with a worker that has the memory of a tab, for tests, and a browser process that a test can
kill.
"""

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

from playwright.async_api import Browser, Page, async_playwright

from tests.page.tabs import web_packages
from tests.page.visits import FLAGS
from web.build import build_page

START_SECONDS = 60.0
WAIT_SECONDS = 240.0
WORKER = """import { startPython } from "./python.js";
import { newHolder, Storage } from "./storage.js";
let storage, python;
let wanted = []; // archives
const calls = {
  async open({ holder = newHolder(), archives = [], bare = [] }) {
    for (const name of bare) Object.defineProperty(self, name, { value: undefined });
    if (bare.includes("locks")) {
      Object.defineProperty(navigator, "locks", { value: undefined });
    }
    const stopped = (reason) => postMessage({ stopped: reason });
    storage = await Storage.open(holder, stopped);
    wanted = archives;
  },
  busy: () => storage.isBusy(),
  async take() {
    python = await startPython(wanted); // a tab that only looks needs none
    python.registerJsModule("fairdeal_storage", storage.module);
    await storage.take(python.FS);
  },
  number: () => storage.number,
  reason: () => storage.reason,
  dirty: () => storage.dirty(),
  flush: async () => {
    await storage.flush();
    return true;
  },
  async python(code) {
    const found = await python.runPythonAsync(code);
    return found?.toJs?.({ dict_converter: Object.fromEntries }) ?? found;
  },
  // what a flush writes, as bytes of pages
  async weigh(code) {
    let bytes = 0;
    const put = IDBObjectStore.prototype.put;
    IDBObjectStore.prototype.put = function (value, key) {
      bytes += value.length ?? 0;
      return put.call(this, value, key);
    };
    try {
      await calls.python(code);
      await storage.flush();
    } finally {
      IDBObjectStore.prototype.put = put;
    }
    return bytes;
  },
  // lets the write with this number abort its transaction
  failAt(number) {
    const put = IDBObjectStore.prototype.put;
    IDBObjectStore.prototype.put = function (value, key) {
      if (--number === 0) this.transaction.abort();
      return put.call(this, value, key);
    };
  },
  // lets the write with this number fail at once, as one that the browser cannot copy
  throwAt(number) {
    const put = IDBObjectStore.prototype.put;
    IDBObjectStore.prototype.put = function (value, key) {
      if (--number === 0) throw new DOMException("out of memory", "DataCloneError");
      return put.call(this, value, key);
    };
  },
  // writes the number of the round to many files, stores them, and reports, without an end
  async rounds(code) {
    const write = python.runPython(code);
    for (let round = write(); ; round = write()) {
      await storage.flush();
      postMessage({ round });
    }
  },
};
onmessage = async ({ data: { id, name, given } }) => {
  try {
    postMessage({ id, result: await calls[name](given) });
  } catch (error) {
    postMessage({ id, error: String(error) });
  }
};
"""
PAGE = """const worker = new Worker("./work.js", { type: "module" });
const waiting = new Map();
window.stopped = [];
window.round = 0;
let last = 0;
worker.onmessage = ({ data }) => {
  if (data.stopped) window.stopped.push(data.stopped);
  if (data.round) window.round = data.round;
  if (data.id) waiting.get(data.id)(data);
};
window.call = (name, given) =>
  new Promise((resolve) => {
    waiting.set(++last, resolve);
    worker.postMessage({ id: last, name, given });
  });
window.ready = true;
"""


class WorkerError(Exception):
    """Raised if a call in the worker fails."""


def build_storage_page(folder: Path) -> None:
    """Write the page into an empty folder."""
    build_page(web_packages(), folder)
    (folder / "work.js").write_text(WORKER)
    (folder / "page.js").write_text(PAGE)
    (folder / "index.html").write_text(
        '<!doctype html><title>storage</title><link rel="icon" href="data:,">'
        '<script type="module" src="page.js"></script>'
    )


class StorageTab:
    """A tab with the page."""

    def __init__(self, page: Page) -> None:
        self.page = page

    @classmethod
    async def open(cls, page: Page, address: str, **given: Any) -> "StorageTab":
        """Load the page, and open the memory in its worker."""
        await page.goto(address)
        tab = cls(page)
        await tab.wait_for("window.ready")
        await tab.call("open", given)
        return tab

    async def call(self, name: str, given: Any = None) -> Any:
        """Call a function of the worker. Raises: WorkerError if it fails."""
        done = await self.page.evaluate(
            "([name, given]) => window.call(name, given)", [name, given]
        )
        if "error" in done:
            raise WorkerError(done["error"])
        return done.get("result")

    async def python(self, code: str) -> Any:
        """Run Python in the worker. Return the value of the last expression."""
        return await self.call("python", code)

    async def wait_for(self, condition: str) -> None:
        """Wait until an expression of the page holds. The policy of the page forbids `eval`, which
        Playwright's own wait needs.
        """
        async with asyncio.timeout(WAIT_SECONDS):
            while not await self.page.evaluate(condition):
                await asyncio.sleep(0.02)

    async def stopped(self) -> str:
        """Wait until the memory stops. Return the reason."""
        await self.wait_for("window.stopped.length")
        reasons: list[str] = await self.page.evaluate("window.stopped")
        assert len(reasons) == 1
        return reasons[0]


@asynccontextmanager
async def browser_process(
    chromium: str, data: Path, *, new_session: bool = True
) -> AsyncIterator[tuple[Browser, int]]:
    """Run a browser of its own with this data folder. Yield it, and its process group to kill.
    Without `new_session` it is in the group of this process.
    """
    port_file = data / "DevToolsActivePort"
    port_file.unlink(missing_ok=True)
    flags = ("--headless=new", "--remote-debugging-port=0", f"--user-data-dir={data}")
    process = await asyncio.create_subprocess_exec(
        chromium,
        *FLAGS,
        *flags,
        "--no-first-run",
        "--no-sandbox",
        "about:blank",
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
        start_new_session=new_session,
    )
    try:
        async with asyncio.timeout(START_SECONDS):
            address = await _debugging_address(port_file)
        async with async_playwright() as playwright:
            yield await playwright.chromium.connect_over_cdp(address), process.pid
    finally:
        if new_session:
            kill_group(process.pid)
        else:
            process.terminate()
        await process.wait()


async def _debugging_address(port_file: Path) -> str:
    """Wait for the file in which the browser says its port. Return the address."""
    while not port_file.exists() or "\n" not in port_file.read_text():
        await asyncio.sleep(0.05)
    return f"http://127.0.0.1:{port_file.read_text().splitlines()[0]}"


def kill_group(group: int) -> None:
    """Kill all processes of a browser at once."""
    with suppress(ProcessLookupError):
        os.killpg(group, signal.SIGKILL)

"""Primitives of a browser's tab: the tests with vectors from elsewhere, and with those of this
project, run in the worker of a real browser.
"""

import asyncio
import json
import re
from importlib.metadata import files
from pathlib import Path

import pytest
from playwright.async_api import Browser

from net.http.policy import response_headers
from tests.page.tabs import web_packages, web_server
from web.build import archive, build_page, package_files, program_files

ROOT = Path(__file__).parents[2]
# as strict as the runtime allows
POLICY = response_headers(
    "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; object-src 'none'; "
    "base-uri 'none'"
)
# distributions that run tests, all in Python
RUNNER = ("pytest", "pluggy", "iniconfig", "packaging", "pygments")
# packages that the tests import, beside those of the program
IMPORTED = (
    "tests",
    "bots",
    "commandline",
    "conformance",
    "net",
    "player",
    "search",
    "table",
    "verification",
)
# what is tested there; none of it needs hypothesis, which has a compiled part
TESTS = (
    "tests/unit/protocol/crypto/primitives",
    "tests/unit/protocol/crypto/test_group_rfc9496.py",
    "tests/unit/protocol/session/test_noise.py",
    "tests/unit/protocol/ledger/proofs/test_merkle_log.py",
    "tests/conformance/test_vectors.py",
)
WORKER = """import { startPython } from "./python.js";
const lines = [];
try {
  const python = await startPython(["program.zip", "tests.zip"]);
  python.setStdout({ batched: (line) => lines.push(line) });
  python.setStderr({ batched: (line) => lines.push(line) });
  const code = python.runPython(await (await fetch("run.txt")).text());
  postMessage({ code, lines });
} catch (error) {
  postMessage({ code: -1, lines: [...lines, String(error), error?.stack ?? ""] });
}
"""
PAGE = """const worker = new Worker("./tests.js", { type: "module" });
const show = (result) => (document.body.textContent = JSON.stringify(result));
worker.onmessage = ({ data }) => show(data);
worker.onerror = ({ message }) => show({ code: -1, lines: [message] });
"""
RUN = """
import os
import sys
import pytest
sys.dont_write_bytecode = True
os.chdir("/lib/packages")
words = ["-q", "--noconftest", "-c", "/dev/null", "--rootdir", "/lib/packages", "-p", "no:cacheprovider"]
int(pytest.main([*words, "-p", "no:warnings", *{tests!r}, "-k", "not follow_from_fixed_seeds"]))
"""
SECONDS = 300.0  # until a report is there
LEAST = 600  # tests


def distribution(name: str) -> dict[str, bytes]:
    """Return the Python files of an installed distribution."""
    found = (path for path in files(name) or () if path.suffix in (".py", ".typed", ".txt"))
    kept = [path for path in found if ".." not in path.parts and "__pycache__" not in path.parts]
    info = [path for path in files(name) or () if path.name in ("METADATA", "entry_points.txt")]
    return {path.as_posix(): Path(path.locate()).read_bytes() for path in (*kept, *info)}


def build_tests(folder: Path, tests: tuple[str, ...]) -> None:
    """Write the page with a worker that runs the tests."""
    build_page(web_packages(), folder)
    contents: dict[str, bytes] = {}
    for name in RUNNER:
        contents |= distribution(name)
    for package in IMPORTED:
        contents |= package_files(ROOT / package)
    contents |= {
        f"docs/protocol/{path.name}": path.read_bytes()
        for path in (ROOT / "docs" / "protocol").glob("*.md")
    }
    there = {name for name, _ in program_files()}  # a file is in one archive only
    (folder / "tests.zip").write_bytes(
        archive({name: data for name, data in contents.items() if name not in there})
    )
    (folder / "tests.js").write_text(WORKER)
    (folder / "page.js").write_text(PAGE)
    (folder / "run.txt").write_text(RUN.format(tests=list(tests)))
    (folder / "index.html").write_text(
        '<!doctype html><title>tests</title><script type="module" src="page.js"></script>'
    )


async def run_in_tab(browser: Browser, folder: Path) -> tuple[int, str]:
    """Run the tests of a folder in a worker. Return pytest's exit code, and its report."""
    async with web_server(folder, POLICY) as address:
        page = await browser.new_page()
        await page.goto(address)
        body = page.locator("body", has_text="lines")
        await body.wait_for(timeout=SECONDS * 1000)
        found = json.loads(await body.inner_text())
        await page.close()
    return found["code"], "\n".join(found["lines"])


@pytest.mark.slow
async def test_vectors_hold_in_the_worker_of_a_browser(browser: Browser, tmp_path: Path) -> None:
    await asyncio.to_thread(build_tests, tmp_path, TESTS)
    code, said = await run_in_tab(browser, tmp_path)
    assert code == 0, said[-4000:]
    passed = re.search(r"(\d+) passed", said)
    assert passed and int(passed[1]) > LEAST


@pytest.mark.slow
async def test_wrong_primitive_in_a_browser_is_noticed(browser: Browser, tmp_path: Path) -> None:
    await asyncio.to_thread(build_tests, tmp_path, TESTS[:2])
    script = tmp_path / "primitives.js"
    right, wrong = "_crypto_core_ristretto255_add)", "_crypto_core_ristretto255_sub)"
    assert right in script.read_text()
    script.write_text(script.read_text().replace(right, wrong))
    code, said = await run_in_tab(browser, tmp_path)
    assert code == 1 and "test_multiples_of_generator_match_rfc" in said, said[-4000:]

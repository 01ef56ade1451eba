"""The browser of these tests: it notices the errors that it must notice."""

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
from playwright.async_api import Browser

from tests.page.modules import served_modules
from tests.page.stage import staged
from tests.page.visits import NARROW, PHONE, Shared, Visits, sideways, violations

POLICY = (
    "default-src 'none'; script-src 'self'; require-trusted-types-for 'script'; trusted-types "
    "'none'"
)
GOOD = (
    "<!doctype html><html lang=en><title>t</title><main><h1>Good</h1><button>Play</button></main>"
)
BAD = (
    "<!doctype html><html lang=en><title>t</title><main><h1>Bad</h1><button></button><p>"
    + "x" * 200
    + "</main>"
)
PAGES = {
    "/good": GOOD,
    "/bad": BAD,
    "/inline": GOOD + "<script>1</script>",
    "/error": GOOD + "<script src=e.js></script>",
}
SCRIPTS = {"/e.js": "throw new Error('on purpose')"}


LEFT = """() => {
  const { innerWidth, innerHeight, localStorage, sessionStorage, pressed, shown } = globalThis;
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const stored = [localStorage.length, sessionStorage.length, document.querySelectorAll("#root > *").length];
  const { zoom } = document.documentElement.style;
  return [innerWidth, innerHeight, dark, ...stored, pressed ?? null, shown ?? null, zoom];
}"""
LEAVE = """() => {
  localStorage.setItem("left", "1");
  sessionStorage.setItem("left", "1");
  document.documentElement.style.zoom = "2";
  document.getElementById("root").append("left", document.createElement("p"));
  document.addEventListener("keydown", () => (globalThis.pressed = true));
  globalThis.shown = "left";
  console.error("heard");
}"""


class Serving(BaseHTTPRequestHandler):
    """Server of `PAGES` and `SCRIPTS`, with the policy of the real page."""

    def do_GET(self) -> None:
        """Send a page or a script."""
        body = (PAGES.get(self.path) or SCRIPTS.get(self.path) or "").encode()
        self.send_response(200 if body else 404)
        self.send_header("Content-Type", "text/javascript" if self.path in SCRIPTS else "text/html")
        self.send_header("Content-Security-Policy", POLICY)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Log nothing."""


@pytest.fixture
def address() -> Iterator[str]:
    """Serve `PAGES`, and yield their address."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Serving) as server, running(server):
        yield f"127.0.0.1:{server.server_port}"


@contextmanager
def running(server: ThreadingHTTPServer) -> Iterator[None]:
    """Serve in a thread."""
    thread = Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield
    server.shutdown()
    thread.join()


async def test_axe_runs_under_page_policy(visits: Visits, address: str):
    page = await visits.open(f"http://{address}/good")
    assert await violations(page) == []
    await page.goto(f"http://{address}/bad")
    assert [line.split(":")[0] for line in await violations(page)] == ["button-name"]


async def test_too_wide_page_is_noticed(visits: Visits, address: str):
    page = await visits.open(f"http://{address}/good", size=NARROW)
    assert await sideways(page) == ""
    await page.goto(f"http://{address}/bad")
    assert await sideways(page)


async def test_console_complaints_are_noticed(visits: Visits, address: str):
    page = await visits.open(f"http://{address}/inline")
    visits.forgive("Content Security Policy")
    await page.goto(f"http://{address}/error")
    visits.forgive("on purpose")
    with pytest.raises(AssertionError, match="nobody complained"):
        visits.forgive("on purpose")


async def test_rebound_name_resolves_in_browser(visits: Visits, address: str):
    page = await visits.open(f"http://{address.replace('127.0.0.1', 'evil.test')}/good")
    assert await page.inner_text("h1") == "Good"


async def test_tabs_of_one_person_share_a_context(visits: Visits, address: str):
    first = await visits.open(f"http://{address}/good")
    second = await visits.tab(first.context, f"http://{address}/good")
    other = await visits.open(f"http://{address}/good")
    assert second.context is first.context is not other.context


async def test_shared_page_keeps_nothing_of_the_previous_test(browser: Browser):
    async with served_modules() as modules:
        shared = Shared(modules)
        for size, dark in ((PHONE, True), (NARROW, False)):
            visits = Visits(browser, shared)
            page = await staged(visits, size=size, dark=dark)
            assert await page.evaluate(LEFT) == [*size, dark, 0, 0, 0, None, None, ""], (
                "the first one, and the next"
            )
            await page.evaluate(LEAVE)
            await page.keyboard.press("x")
            await page.mouse.move(9, 9)
            await page.mouse.down()
            await page.route("**/*", lambda route: route.abort())
            assert visits.complaints == ["error: heard"]
            await visits.close()
            assert shared.spare == [page]
            await page.evaluate("console.error('late')")
            assert visits.complaints == ["error: heard"], "by whoever has it"
        await page.context.close()

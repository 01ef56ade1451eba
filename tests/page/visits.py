"""Visits to a page: how a test opens one in the browser, and what it may ask of any."""

from importlib.resources import files
from typing import Any

from playwright.async_api import Browser, BrowserContext, ConsoleMessage, Error, Page, ViewportSize, expect

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP evil.test 127.0.0.1",  # a name that was bound anew, for the tests that attack
]
DESKTOP = (1100, 760)
PHONE = (390, 844)
NARROW = (320, 700)
AXE = (files("axe_playwright_python") / "axe.min.js").read_text()
PATIENCE = 90_000  # milliseconds for whatever is waited for, on a machine with other things to do
expect.set_options(timeout=PATIENCE)
SIDEWAYS = """() => {
  const root = document.documentElement;
  return root.scrollWidth > root.clientWidth ? `${root.scrollWidth} in ${root.clientWidth}` : "";
}"""


class Visits:
    """The pages of one test, each in a context of its own unless it is asked to share one."""

    def __init__(self, browser: Browser):
        """Pages in this browser."""
        self.browser = browser
        self.complaints: list[str] = []  # what consoles and uncaught errors said, in order
        self._contexts: list[BrowserContext] = []

    async def open(
        self, url: str = "about:blank", *, size: tuple[int, int] = DESKTOP, dark: bool = False, **context: Any
    ) -> Page:
        """A page in a new context; further arguments are playwright's for contexts (`locale`, `forced_colors`)."""
        width, height = size
        options: dict[str, Any] = {"locale": "en-GB", "reduced_motion": "reduce", **context}
        made = await self.browser.new_context(
            viewport=ViewportSize(width=width, height=height), color_scheme="dark" if dark else "light", **options
        )
        self._contexts.append(made)
        return await self.tab(made, url)

    async def tab(self, context: BrowserContext, url: str = "about:blank") -> Page:
        """One more page in a context that is there (`page.context`): a second tab of the same person."""
        page = await context.new_page()
        page.set_default_timeout(PATIENCE)
        page.on("console", self._heard)
        page.on("pageerror", self._failed)
        await page.goto(url)
        return page

    def forgive(self, part: str) -> None:
        """Take back complaints that contain this and were provoked; there must be one."""
        kept = [line for line in self.complaints if part not in line]
        assert kept != self.complaints, f"nobody complained of {part!r}: {self.complaints}"
        self.complaints = kept

    async def close(self) -> None:
        """Close every page."""
        for context in self._contexts:
            await context.close()

    def _heard(self, message: ConsoleMessage) -> None:
        self.complaints.append(f"{message.type}: {message.text}")

    def _failed(self, error: Error) -> None:
        self.complaints.append(f"uncaught: {error}")


async def violations(page: Page) -> list[str]:
    """What axe-core finds on a page: rule, what is wrong, where. The page's own policy stays in force."""
    if not await page.evaluate("() => 'axe' in globalThis"):  # half a megabyte of it
        await page.evaluate(AXE)
    found = await page.evaluate("() => axe.run()")
    return [
        f"{rule['id']}: {rule['help']}: {', '.join(str(node['target']) for node in rule['nodes'])}"
        for rule in found["violations"]
    ]


async def sideways(page: Page) -> str:
    """How far a page goes beyond its window sideways; nothing if it does not."""
    return str(await page.evaluate(SIDEWAYS))

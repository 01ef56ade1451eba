"""Visits to a page: opening it in the browser, and checks for every page."""

from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from playwright.async_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Error,
    Page,
    ViewportSize,
    expect,
)

from tests.page.modules import AXE, Modules

RELAY_NAME = "relay.test"
NAMES = ("evil.test", RELAY_NAME)  # a rebound name, for tests of attacks, and the name of a relay
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    f"--host-resolver-rules={', '.join(f'MAP {name} 127.0.0.1' for name in NAMES)}",
]
DESKTOP = (1100, 760)
PHONE = (390, 844)
NARROW = (320, 700)
LOCALE = "en-GB"
# settings of a page, unless a test changes them
MEDIA: dict[str, Any] = {"reduced_motion": "reduce", "forced_colors": "none"}
LEFT = "() => { localStorage.clear(); sessionStorage.clear(); document.body.replaceChildren(); }"
PATIENCE = 90_000  # milliseconds for any wait on a busy machine
expect.set_options(timeout=PATIENCE)
THERE = """async () => {
  const { axe: at } = document.documentElement.dataset;
  if (at) await import(at);
  return "axe" in globalThis;
}"""
FOUND = """async () => {
  const { violations } = await axe.run(document, { resultTypes: ["violations"] });
  const where = (rule) => rule.nodes.map((node) => node.target.join(" ")).join(", ");
  return violations.map((rule) => `${rule.id}: ${rule.help}: ${where(rule)}`);
}"""  # passed checks are left out, because they are ten times as much
SIDEWAYS = """() => {
  const root = document.documentElement;
  return root.scrollWidth > root.clientWidth ? `${root.scrollWidth} in ${root.clientWidth}` : "";
}"""


@dataclass
class Shared:
    """Data that all visits in a browser share. `spare` has unused pages with modules only."""

    modules: Modules
    spare: list[Page] = field(default_factory=list)


class Visits:
    """Pages of one test, each in its own context unless it joins another."""

    def __init__(self, browser: Browser, shared: Shared):
        """Prepare visits in this browser."""
        self.browser = browser
        self.modules = shared.modules
        self.complaints: list[str] = []  # messages of consoles and uncaught errors, in order
        self._ignored: list[str] = []
        self._spare = shared.spare
        self._lent: list[Page] = []
        self._contexts: list[BrowserContext] = []

    async def open(
        self,
        url: str = "about:blank",
        *,
        size: tuple[int, int] = DESKTOP,
        dark: bool = False,
        **context: Any,
    ) -> Page:
        """Open a page in a new context. Further arguments are those of playwright's contexts
        (`locale`, `forced_colors`).
        """
        width, height = size
        options: dict[str, Any] = {"locale": LOCALE, "reduced_motion": "reduce", **context}
        made = await self.browser.new_context(
            viewport=ViewportSize(width=width, height=height),
            color_scheme="dark" if dark else "light",
            **options,
        )
        self._contexts.append(made)
        return await self.tab(made, url)

    async def again(
        self, *, size: tuple[int, int] = DESKTOP, dark: bool = False, **how: Any
    ) -> Page:
        """Open a page with modules only, perhaps one of an earlier test, because a new page takes
        as long as many tests.

        Settings that cannot be changed later (`has_touch`, `permissions`) need a new page in its
        own context.
        """
        if not how.keys() <= MEDIA.keys():
            return await self.open(size=size, dark=dark, **how)
        page = self._spare.pop() if self._spare else await self._lasting()
        self._lent.append(page)
        page.on("console", self._heard)
        page.on("pageerror", self._failed)
        width, height = size
        await page.set_viewport_size({"width": width, "height": height})
        await page.emulate_media(color_scheme="dark" if dark else "light", **(MEDIA | how))
        return page

    async def _lasting(self) -> Page:
        """Make a page for several tests, without listeners."""
        page = await (await self.browser.new_context(locale=LOCALE)).new_page()
        page.set_default_timeout(PATIENCE)
        return page

    async def tab(self, context: BrowserContext, url: str = "about:blank") -> Page:
        """Open a further page in an existing context (`page.context`): a second tab of the same
        person.
        """
        page = await context.new_page()
        page.set_default_timeout(PATIENCE)
        page.on("console", self._heard)
        page.on("pageerror", self._failed)
        await page.goto(url)
        return page

    def forgive(self, part: str) -> None:
        """Remove provoked complaints that contain `part`. There must be one."""
        kept = [line for line in self.complaints if part not in line]
        assert kept != self.complaints, f"nobody complained of {part!r}: {self.complaints}"
        self.complaints = kept

    def ignore(self, part: str) -> None:
        """Leave out complaints that contain `part` from now on. A worker's arrive late or never."""
        self._ignored.append(part)

    async def close(self) -> None:
        """Close every page, and reset those for other tests."""
        for context in self._contexts:
            await context.close()
        for page in self._lent:
            await self._leave(page)

    async def _leave(self, page: Page) -> None:
        await page.unroute_all()
        await page.evaluate(LEFT)
        await page.mouse.up()
        await page.mouse.move(0, 0)
        page.remove_listener("console", self._heard)
        page.remove_listener("pageerror", self._failed)
        self._spare.append(page)

    def _heard(self, message: ConsoleMessage) -> None:
        told = f"{message.type}: {message.text}"
        if "Failed to load resource" in told:
            told += f" at {urlsplit(message.location['url']).path}"
        self._complain(told)

    def _failed(self, error: Error) -> None:
        self._complain(f"uncaught: {error}")

    def _complain(self, line: str) -> None:
        if not any(part in line for part in self._ignored):
            self.complaints.append(line)


async def violations(page: Page) -> list[str]:
    """Return the violations that axe-core finds on a page: rule, error, place. The page's own
    policy stays in force.
    """
    if not await page.evaluate(THERE):  # only once, because it has half a megabyte
        await page.evaluate(AXE)
    return list(await page.evaluate(FOUND))


async def no_more(page: Page) -> None:
    """Decline another match, and wait until the program has the answer. A program that ends before
    would refuse the click.
    """
    async with page.expect_response("**/api/again"):
        await page.locator(".end button:not(.primary)").first.click()


async def sideways(page: Page) -> str:
    """Return the horizontal overflow of a page, or an empty text."""
    return str(await page.evaluate(SIDEWAYS))

"""Page without a program: it draws the test's data, and the test sees its requests."""

from typing import Any

from playwright.async_api import Page

from protocol.errors import LocalError
from protocol.i18n import ENGLISH, labels
from tests.page.modules import Answers
from tests.page.visits import Visits


def nothing(name: str, body: dict[str, Any]) -> Any:
    """Answer no request."""
    raise LocalError(f"nobody answers {name} {body}")


def words(language: str, stretched: bool) -> dict[str, str]:
    """Return the page's texts; with `stretched`, each is 40 % longer."""
    return {
        key: text + "~" * (2 * len(text) // 5 if stretched else 0)
        for key, text in labels(language, area="page").items()
    }


async def staged(
    visits: Visits,
    *,
    stretched: bool = False,
    language: str = ENGLISH,
    answers: Answers = nothing,
    **how: Any,
) -> Page:
    """Open a page that waits for `show`. `answers` answers the requests of a lobby."""
    page = await visits.again(**how)
    await page.goto(visits.modules.add(words(language, stretched), answers))
    assert await page.evaluate("'ready' in document.documentElement.dataset")
    return page


async def show(page: Page, snapshot: dict[str, Any]) -> None:
    """Draw a snapshot."""
    await page.evaluate("snapshot => show(snapshot)", snapshot)


async def tell(page: Page, deeds: list[dict[str, Any]]) -> None:
    """Send news to the page."""
    await page.evaluate("deeds => { for (const deed of deeds) shown.deed(deed); }", deeds)


async def asked(page: Page) -> list[list[Any]]:
    """Return the page's requests after it has drawn, because a dialog reports its result a little
    later.
    """
    drawn = (
        "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => "
        "setTimeout(done))))"
    )
    found: list[list[Any]] = await page.evaluate(f"{drawn}.then(() => asked)")
    return found

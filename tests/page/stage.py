"""A page with no program behind it: it draws what a test has, and the test hears what it asks."""

from typing import Any

from playwright.async_api import Page

from protocol.errors import LocalError
from protocol.i18n import ENGLISH, labels
from tests.page.modules import Answers
from tests.page.visits import Visits


def nothing(name: str, body: dict[str, Any]) -> Any:
    """No answers."""
    raise LocalError(f"nobody answers {name} {body}")


def words(language: str, stretched: bool) -> dict[str, str]:
    """The page's own words; each 40 % longer, if they are to be."""
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
    """A page that waits for `show`. `answers`: what the program says to what a lobby asks of it."""
    page = await visits.again(**how)
    await page.goto(visits.modules.add(words(language, stretched), answers))
    assert await page.evaluate("'ready' in document.documentElement.dataset")
    return page


async def show(page: Page, snapshot: dict[str, Any]) -> None:
    """Draw it."""
    await page.evaluate("snapshot => show(snapshot)", snapshot)


async def tell(page: Page, deeds: list[dict[str, Any]]) -> None:
    """Tell it what has happened."""
    await page.evaluate("deeds => { for (const deed of deeds) shown.deed(deed); }", deeds)


async def asked(page: Page) -> list[list[Any]]:
    """What the page has asked of the program, once it has drawn: a dialog says how it was closed a
    little later.
    """
    drawn = (
        "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => "
        "setTimeout(done))))"
    )
    found: list[list[Any]] = await page.evaluate(f"{drawn}.then(() => asked)")
    return found

"""A person who plays any game to its end by clicks, and takes the first choice each time."""

from contextlib import suppress

from playwright.async_api import Page, TimeoutError

from tests.page.test_at_once import CARD, FLIP
from tests.page.test_open_games import FREE
from tests.page.test_playing import ASKS, MINE, OVER, play_out

CHOICES = f"{MINE}, .offers button"  # of games with turns and hands
PIECES = f"{FREE}, button.bottom"  # of games on boards
AT_ONCE = f"{CARD}, {FLIP}"  # of games in which all act at once
CLICK = 20_000  # milliseconds
PRESS = f"(document.querySelector(`{CARD}`) ?? document.querySelector(`{FLIP}`))?.click()"


async def play_any(page: Page) -> None:
    """Play to the end, whatever the game is."""
    kinds = f"{ASKS}, {CHOICES}, {PIECES}, {AT_ONCE}, {OVER}"
    await page.wait_for_selector(kinds)
    if await page.locator(AT_ONCE).count():
        await _press(page)
    elif await page.locator(PIECES).count():
        await _step(page)
    else:
        await play_out(page, CHOICES)


async def _press(page: Page) -> None:
    """Lay a card whenever one can be laid, or else turn some."""
    while await _goes_on(page, AT_ONCE):
        await page.evaluate(PRESS)


async def _step(page: Page) -> None:
    """Take a piece, and put it somewhere if there is a choice. The turn may be over before the click."""
    while await _goes_on(page, f"{ASKS}, {PIECES}"):
        turn = await page.get_attribute("html", "data-ready")
        with suppress(TimeoutError):
            await page.locator(f"{ASKS}, {PIECES}").first.click(timeout=CLICK)
            goal = page.locator("[data-goal]")
            if await goal.count():
                await goal.first.click(timeout=CLICK)
        await page.wait_for_selector(f'html:not([data-ready="{turn}"]), {ASKS}, {OVER}')


async def _goes_on(page: Page, choices: str) -> bool:
    """Wait for a choice. Return False if the match ends before."""
    await page.wait_for_selector(f"{choices}, {OVER}")
    return not await page.locator(OVER).count()

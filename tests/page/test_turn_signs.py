"""Signs of one's turn beyond the match itself: the screen stays on, the browser shows a notice, the
tab has another icon.
"""

from pathlib import Path

import pytest
from playwright.async_api import Page

from player.storage.own_language import store_language
from player.storage.settings import read_settings
from tests.page.homes import home, route
from tests.page.snapshots import found, on_the_flop, shot
from tests.page.stage import show, staged
from tests.page.visits import PHONE, Visits, violations

LOCKS = """() => {
  globalThis.locks = [];
  Object.defineProperty(navigator, "wakeLock", { configurable: true, value: {
    request: async (kind) => {
      const lock = { kind, released: false, release: async () => (lock.released = true) };
      locks.push(lock);
      return lock;
    },
  } });
}"""
SEEN = """(seen) => {
  Object.defineProperty(document, "hidden", { configurable: true, get: () => !seen });
  document.dispatchEvent(new Event("visibilitychange"));
}"""
HELD = "locks.map((lock) => !lock.released)"
PREFER = "value => localStorage.setItem('match awake', value)"
ICON = "document.querySelector('link[rel=icon]').href.split('/').at(-1)"
MARKED = """async (address) => {
  const icon = new Image(16, 16);
  icon.src = address;
  await icon.decode();
  const canvas = Object.assign(document.createElement("canvas"), { width: 16, height: 16 });
  const drawing = canvas.getContext("2d");
  drawing.drawImage(icon, 0, 0, 16, 16);
  return [...drawing.getImageData(14, 4, 1, 1).data];
}"""
# a browser's notices: what is asked, and what the person answers
ASKED = """answer => {
  globalThis.asked = 0;
  globalThis.Notification = class Notification {
    static permission = "default";
    static async requestPermission() {
      asked++;
      return (Notification.permission = answer);
    }
  };
}"""
FORBIDDEN = """async () => {
  const { call } = modules["match/sound.js"];
  class Notification { static permission = "granted"; constructor() { throw new TypeError("Illegal constructor"); } }
  const felt = [];
  const navigator = { vibrate: (times) => felt.push(times.length) };
  call("Your turn", { document: { hidden: true }, Notification, navigator });
  return felt;
}"""


async def own_turn(page: Page, serial: int) -> None:
    """Let the own turn begin."""
    await show(page, found("six", on_the_flop, serial=serial))


async def test_screen_stays_on_in_own_turn_and_deal(visits: Visits) -> None:
    page = await staged(visits)
    await page.evaluate(LOCKS)
    await page.evaluate(PREFER, "on")
    await own_turn(page, 1)
    assert await page.evaluate("locks.map(({ kind }) => kind)") == ["screen"]
    await own_turn(page, 2)
    assert await page.evaluate(HELD) == [True]
    await show(page, shot("waiting") | {"serial": 3})
    assert await page.evaluate(HELD) == [False]
    await show(page, shot("dealing") | {"serial": 4})
    assert await page.evaluate(HELD) == [False, True]


async def test_screen_lock_ends_with_hidden_page_and_comes_back(visits: Visits) -> None:
    page = await staged(visits)
    await page.evaluate(LOCKS)
    await page.evaluate(PREFER, "on")
    await own_turn(page, 1)
    await page.evaluate(SEEN, False)
    assert await page.evaluate(HELD) == [False]
    await page.evaluate(SEEN, True)
    assert await page.evaluate(HELD) == [False, True]


async def test_screen_lock_ends_when_the_match_leaves_the_page(visits: Visits) -> None:
    page = await staged(visits)
    await page.evaluate(LOCKS)
    await page.evaluate(PREFER, "on")
    await own_turn(page, 1)
    assert await page.evaluate(ICON) == "icon.svg#turn"
    await page.evaluate("document.querySelector('.match').remove()")
    await page.wait_for_selector("link[rel=icon]:not([href*='#'])", state="attached")
    await page.evaluate(SEEN, True)
    assert await page.evaluate(HELD) == [False]


@pytest.mark.parametrize(("how", "locks"), [({}, 0), ({"size": PHONE, "has_touch": True}, 1)])
async def test_screen_stays_on_by_itself_on_telephones_only(
    visits: Visits, how: dict[str, object], locks: int
) -> None:
    page = await staged(visits, **how)
    await page.evaluate(LOCKS)
    await own_turn(page, 1)
    assert await page.evaluate("locks.length") == locks


@pytest.mark.parametrize(
    "locks", ["undefined", "{ request: async () => { throw new Error('no'); } }"]
)
async def test_match_goes_on_without_screen_locks(visits: Visits, locks: str) -> None:
    page = await staged(visits)
    await page.evaluate(
        f"Object.defineProperty(navigator, 'wakeLock', {{ configurable: true, value: {locks} }})"
    )
    await page.evaluate(PREFER, "on")
    await own_turn(page, 1)
    await show(page, shot("waiting") | {"serial": 2})
    assert "hold" in (await page.title()).lower()


async def test_icon_of_the_tab_shows_own_turn(visits: Visits) -> None:
    page = await staged(visits)
    await show(page, shot("waiting"))
    assert await page.evaluate(ICON) == "icon.svg"
    await own_turn(page, 2)
    assert await page.evaluate(ICON) == "icon.svg#turn"
    assert (await page.title()).startswith("Your turn")
    await show(page, shot("waiting") | {"serial": 3})
    assert await page.evaluate(ICON) == "icon.svg"
    red, green, _, opaque = await page.evaluate(MARKED, "/icon.svg#turn")
    assert (red > 200, green < 60, opaque) == (True, True, 255)
    assert (await page.evaluate(MARKED, "/icon.svg"))[3] == 0


async def test_turn_goes_on_where_a_page_may_show_no_notice(visits: Visits) -> None:
    page = await staged(visits)
    assert await page.evaluate(FORBIDDEN) == [3]


@pytest.mark.match
@pytest.mark.process
@pytest.mark.parametrize(
    ("language", "answer", "said"),
    [
        ("en", "granted", "Notices of your turn are on."),
        ("en", "denied", "Your browser blocks notices"),
        ("de", "granted", "Meldungen, wenn du am Zug bist, sind an."),
    ],
)
async def test_profile_asks_for_notices_by_a_click_alone(
    visits: Visits, tmp_path: Path, language: str, answer: str, said: str
) -> None:
    store_language(tmp_path, language)
    async with home(visits, tmp_path, script=f"({ASKED})('{answer}')") as page:
        await page.locator(".bar button", has_text="Profil").click()
        await page.wait_for_selector("#own-name")
        assert await page.evaluate("asked") == 0
        button = page.locator(
            ".profile button", has_text="am Zug bin" if language == "de" else "my turn"
        )
        await button.click()
        await page.get_by_text(said).wait_for()
        assert await page.evaluate("asked") == 1 and not await button.is_visible()
        assert await violations(page) == []


@pytest.mark.match
@pytest.mark.process
async def test_profile_keeps_that_the_screen_stays_on(visits: Visits, tmp_path: Path) -> None:
    async with home(visits, tmp_path) as page:
        await route(page, "Profile")
        tick = page.get_by_label("The screen stays on")
        assert not await tick.is_checked()
        await tick.check()
        await page.get_by_text("Saved.").wait_for()
        assert await page.evaluate("localStorage.getItem('match awake')") == "on"
    assert read_settings(tmp_path) == {"awake": "on"}

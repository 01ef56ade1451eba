"""News on the match screen: each action once, table talk, points, and checks. It never shows
"clean" while it is behind.
"""

import pytest
from playwright.async_api import Page

from tests.page.snapshots import both_ends, ended, found, shot, story
from tests.page.stage import asked, show, staged, tell
from tests.page.visits import PHONE, Visits

LISTENING = """() => {
  globalThis.said = [];
  const hear = (records) => said.push(...records.map(({ target }) => target.textContent));
  const all = { childList: true, characterData: true, subtree: true };
  new MutationObserver(hear).observe(document.querySelector("[role=status]"), all);
}"""


def badge(page: Page):
    """Return the element of the badge."""
    return page.locator(".badge")


async def test_action_is_reported_once_and_in_order(visits: Visits):
    page = await staged(visits)
    await show(page, shot("dominoes"))
    deeds = story("line", 102, 1)
    await page.evaluate(
        "notice => shown.notice(notice)",
        {"entry": deeds[-1]["entry"], "text": "Well?", "style": "plain"},
    )
    # missed news arrives later, and shown news keeps its place
    await tell(page, [*deeds[3:], *deeds[:5]])
    told = await page.get_by_role("log", name="What happened").locator("p").all_inner_texts()
    texts = [deed["text"] for deed in deeds]
    assert told == [*texts[:-1], "Well?", texts[-1]]


async def test_status_is_announced_on_change_and_not_every_second(visits: Visits):
    page = await staged(visits)
    await show(page, shot("dominoes"))
    await page.evaluate(LISTENING)
    for seconds in range(3):
        await show(
            page,
            found("line", both_ends, serial=seconds, status=f"Your move: {90 - seconds} s left."),
        )
    await show(page, shot("drawing"))
    await show(page, shot("away"))
    assert await page.evaluate("said") == [
        "Your turn: none of your tiles fits. Draw one.",
        "No connection to the table, 12 s.",
    ]


async def test_badge_is_not_clean_while_entries_are_unread(visits: Visits):
    page = await staged(visits)
    for name, words in {
        "dominoes": "checked {} entries, clean",
        "behind": "checked {} entries so far",
        "away": "checked {} entries so far",
        "fault": "checked {} entries: fault found",
    }.items():
        said = words.format(shot(name)["view"]["number"])
        await show(page, shot(name))
        assert await badge(page).inner_text() == said
        assert await page.locator(".checks .verdict").text_content() == said
    broken = found(
        "line", both_ends, verdict={"clean": False, "lines": ["Verdict: the match is incomplete"]}
    )
    await show(page, broken)
    assert "clean" not in await badge(page).inner_text()


async def test_badge_opens_the_checks_and_tick_needs_the_person(visits: Visits):
    page = await staged(visits)
    await show(page, shot("dominoes"))
    await badge(page).click()
    box = page.get_by_role("dialog", name="What was checked")
    view = shot("dominoes")["view"]
    assert await box.locator(".roster span").all_inner_texts() == view["trust"]["roster"].split("-")
    text = await box.inner_text()
    told = (
        "you have not played together before.",
        "Everybody shuffles in turn",
        "Nobody else can see your hand.",
    )
    for part in (view["seats"][1]["fingerprint"], *told):
        assert part in text
    tick = box.get_by_label("We have read them aloud")
    assert not await tick.is_checked()
    await tick.check()
    await show(page, shot("drawing"))
    assert await tick.is_checked()
    other = found("line", both_ends)
    other["view"]["trust"]["roster"] = "other-words-than-before"
    await show(page, other)
    assert not await tick.is_checked()


async def test_badge_against_bots_speaks_of_this_computer_alone(visits: Visits):
    page = await staged(visits)
    for bots in (False, True):
        await show(page, shot("dominoes") | {"bots": bots})
        await badge(page).click()
        dialog = page.locator(".checks")
        told = await dialog.inner_text()
        assert ("All of this runs on your computer" in told) == bots
        for words in ("aloud", "whom you trust", "the others play on"):
            assert (words in told) != bots
        assert await dialog.get_by_role("button", name="Save the log").is_visible()
        await dialog.get_by_role("button", name="Close").click()
        await page.locator(".seats .to-person").first.click()
        card = page.locator("dialog[open]")
        told = await card.inner_text()
        assert ("All of this runs on your computer" in told) == bots
        assert ("aloud" in told) != bots
        assert await card.get_by_role("button", name="Report").count() == (not bots)
        await card.get_by_role("button", name="Close").click()


async def test_absence_raises_no_alarm_and_says_whose(visits: Visits):
    page, snapshot = await staged(visits), shot("fault")
    fault, you = snapshot["faults"][0], snapshot["view"]["you"]
    other = snapshot["view"]["seats"][1 - you]["name"]
    for seat, code, state, said in (
        (you, "left", "left", "you left the match"),
        (you, fault["code"], "fault", "fault found"),
        (1 - you, "left", "left", f"{other} left the match"),
        (1 - you, "lapsed", "left", f"{other} left the match"),
        (1 - you, fault["code"], "fault", "fault found"),
    ):
        found_fault = fault | {"seat": seat, "code": code}
        await show(
            page,
            snapshot
            | {
                "faults": [found_fault],
                "view": snapshot["view"]
                | {"trust": snapshot["view"]["trust"] | {"faults": [found_fault]}},
            },
        )
        assert await badge(page).get_attribute("data-state") == state
        assert (await badge(page).inner_text()).endswith(said)


async def test_games_have_their_usual_names(visits: Visits):
    page = await staged(visits)
    for name, title in (
        ("texas-holdem", "Texas hold'em"),
        ("of-our-own", "Of our own"),
        ("constructor", "Constructor"),
    ):
        await show(page, shot("holdem") | {"view": shot("holdem")["view"] | {"game": name}})
        assert await page.inner_text("h1") == title and title in await page.title()


async def test_status_shows_running_deal(visits: Visits):
    page = await staged(visits)
    await show(page, shot("dealing"))
    assert (await page.get_by_role("status").first.inner_text()).startswith("Shuffling")


CALLED = """async ([hidden, permission]) => {
  const { call } = modules["match/sound.js"];
  const done = [];
  class Notification {
    static permission = permission;
    constructor(text) { done.push(text); this.close = () => done.push("closed"); queueMicrotask(() => this.onclick()); }
  }
  call("Your turn", {
    document: { hidden }, Notification, focus: () => done.push("focus"),
    navigator: { vibrate: (times) => done.push(times.length) },
  });
  await null;
  return done;
}"""


@pytest.mark.parametrize(
    ("hidden", "permission", "done"),
    [
        (True, "granted", ["Your turn", 3, "focus", "closed"]),
        (False, "granted", []),
        (True, "default", []),
        (True, "denied", []),
    ],
)
async def test_turn_alert_is_visible_and_felt_when_allowed(
    visits: Visits, hidden: bool, permission: str, done: list[object]
):
    """A headless browser is never hidden and shows no alert, so the page's calls are counted."""
    page = await staged(visits)
    assert await page.evaluate(CALLED, [hidden, permission]) == done


async def test_the_log_is_saved_and_compared(visits: Visits):
    page = await staged(visits)
    await show(page, shot("dominoes"))
    await badge(page).click()
    await page.get_by_role("button", name="Save the log").click()
    await page.get_by_label("Compare with").set_input_files(
        {"name": "theirs.fairdeal", "mimeType": "application/octet-stream", "buffer": b"log"}
    )
    await page.get_by_role("dialog").get_by_text("It takes note.").wait_for()
    assert [name for name, *_ in await asked(page)] == ["log", "compare"]


async def test_fault_is_named_with_sentence_and_links_to_entry(visits: Visits):
    page = await staged(visits)
    await show(page, shot("fault"))
    await tell(page, story("block false pass", 90))
    await badge(page).click()
    fault = page.locator(".fault").first
    text = await fault.inner_text()
    entry = shot("fault")["faults"][0]["entry"]
    assert f"Bob (seat 2) in entry {entry}: the seat passed although it could have played" in text
    assert f"Entry {entry}, code false_pass" in text
    await fault.get_by_role("button").click()
    assert not await page.get_by_role("dialog").is_visible()
    line = page.locator(":focus")
    assert (
        await line.get_attribute("data-entry") == str(entry)
        and await line.inner_text() == "Bob passes."
    )


async def test_talk_is_sent_received_and_muted(visits: Visits):
    page = await staged(visits)
    await show(page, shot("dominoes"))
    await page.locator("#say").fill("hello")
    await page.keyboard.press("Enter")
    assert await asked(page) == [["say", "hello"]]
    assert await page.locator("#say").input_value() == ""
    await page.evaluate("shown.said({seat: 0, text: '<b>hi</b>'})")
    log = page.get_by_role("log", name="Talk")
    assert await log.locator("p").all_inner_texts() == ["Ann: <b>hi</b>"]
    await page.get_by_text("Mute", exact=True).click()
    mute = page.locator(".panel.talk").get_by_role("button", name="Ann")
    await mute.click()
    assert (await asked(page))[1:] == [["mute", 0, True]]
    await show(page, {**shot("dominoes"), "muted": [0]})
    assert await mute.get_attribute("aria-pressed") == "true"
    await page.evaluate("shown.said({seat: 0, text: 'again'})")
    assert await log.locator("p:visible").count() == 0
    said = found("line", both_ends)
    said["view"]["seats"][0]["said"] = "again"
    await show(page, {**said, "muted": [0]})
    assert await page.locator(".said").count() == 0
    await mute.click()
    assert (await asked(page))[2:] == [["mute", 0, False]]
    await show(page, {**said, "muted": []})
    assert await log.locator("p:visible").count() == 2 and await page.locator(".said").count() == 1


async def test_the_score_sheet_has_a_row_for_each_hand(visits: Visits):
    page = await staged(visits)
    await show(page, ended("draw layered more hands"))
    scores = [
        deed["scores"] for deed in story("draw layered more hands", 1000) if deed["kind"] == "score"
    ]
    await tell(page, story("draw layered more hands", 1000))
    rows = [(await row.inner_text()).split() for row in await page.locator(".sheet tbody tr").all()]
    assert len(scores) > 1
    assert rows == [
        *([str(number), *map(str, points)] for number, points in enumerate(scores, 1)),
        ["now", *map(str, scores[-1])],
    ]


@pytest.mark.parametrize("size", [PHONE, (1280, 800)], ids=["phone", "laptop"])
async def test_the_newest_score_and_the_present_one_are_in_view(
    visits: Visits, size: tuple[int, int]
):
    seen = """(row) => {
      const [own, box] = [row, row.closest(".scroll")].map((one) => one.getBoundingClientRect());
      return own.top >= box.top - 1 && own.bottom <= box.bottom + 1;
    }"""
    page = await staged(visits, size=size)
    await show(page, shot("dominoes"))
    seats = len(shot("dominoes")["view"]["seats"])
    for hand in range(30):
        deed = {"entry": 10 + hand, "author": None, "kind": "score", "text": ".", "minor": True}
        await tell(page, [deed | {"scores": [hand] * seats}])
    if size == PHONE:
        await page.get_by_role("button", name="Log").click()
    rows = page.locator(".sheet tbody tr")
    assert await rows.nth(-1).locator("th").inner_text() == "now"
    for row in (-1, -2):
        assert await rows.nth(row).locator("th").evaluate(seen)
    await page.locator(".sheet .scroll").evaluate("box => box.scrollTo(0, 0)")
    assert await rows.nth(-1).locator("th").evaluate(seen)
    assert await rows.first.locator("th").evaluate(seen)

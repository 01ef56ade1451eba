"""Sounds of the match screen: which change has which sound, how loud, and who wants to hear any."""

from collections.abc import Iterator
from itertools import pairwise

import pytest
from playwright.async_api import Page

from protocol.match.state import MatchStage
from tests.page.snapshots import Json, found, moments, on_the_flop, shot, snapshot
from tests.page.stage import show, staged
from tests.page.visits import PHONE, Visits

LISTEN = """() => {
  globalThis.contexts = 0;
  globalThis.AudioContext = class extends AudioContext { constructor() { super(); contexts++; } };
  globalThis.heard = [];
  const connect = AudioNode.prototype.connect;
  AudioNode.prototype.connect = function (to, ...more) {
    if (this instanceof AudioBufferSourceNode) heard.push([this.buffer.length, to.gain.value]);
    return connect.call(this, to, ...more);
  };
}"""
USED = """(used) => Object.defineProperty(navigator, "userActivation", {
  get: () => ({ hasBeenActive: used }), configurable: true,
})"""
MEASURE = """async (rate) => {
  const { NAMES, samplesOf } = modules["match/tones.js"];
  return NAMES.map((name) => {
    const samples = samplesOf(name, rate);
    const again = samplesOf(name, rate);
    const peak = samples.reduce((most, one) => Math.max(most, Math.abs(one)), 0);
    return [name, samples.length / rate, peak, samples.every((one, at) => one === again[at]), Math.abs(samples.at(-1))];
  });
}"""
SOUNDS = """([before, after]) => {
  const { changes, soundsOf } = modules["match/changes.js"];
  return soundsOf(changes(before, after));
}"""


async def heard(page: Page) -> list[tuple[int, float]]:
    """Return length and volume of the sounds since the last call."""
    return [tuple(one) for one in await page.evaluate("heard.splice(0)")]


async def turn(page: Page, serial: int) -> None:
    """Let the own turn begin."""
    await show(page, shot("waiting") | {"serial": serial})
    await page.wait_for_timeout(80)  # two of one sound within less are one
    await show(page, found("six", on_the_flop, serial=serial + 1))


async def test_sounds_are_short_and_the_same_each_time(visits: Visits):
    page = await staged(visits)
    for rate in (8_000, 48_000):
        measured = await page.evaluate(MEASURE, rate)
        names = {name for name, *_ in measured}
        assert names >= {"deal", "lay", "knock", "chips", "turn", "won", "lost", "said", "over"}
        for name, seconds, peak, same, last in measured:
            assert (name, seconds < 1.3, 0.1 < peak <= 1, same) == (name, True, True, True)
            assert last < 0.02, f"{name} ends with a click"


async def test_nothing_sounds_before_the_page_is_used(visits: Visits):
    page = await staged(visits)
    await page.evaluate(LISTEN)
    await page.evaluate(USED, False)  # scripts of a test count as use
    await turn(page, 1)
    assert await page.evaluate("contexts") == 0
    await page.evaluate(USED, True)
    await turn(page, 3)
    assert await page.evaluate("contexts") == 1 and len(await heard(page)) >= 1


async def test_one_button_silences_and_is_remembered(visits: Visits):
    page = await staged(visits)
    await page.evaluate(LISTEN)
    await show(page, shot("waiting"))
    button = page.get_by_role("button", name="Silence")
    assert await button.get_attribute("aria-pressed") == "false"
    await button.click()
    assert await button.get_attribute("aria-pressed") == "true"
    await turn(page, 2)
    assert await heard(page) == []
    await show(page, found("line", lambda view: bool(view.hand)))  # another match, another screen
    assert await button.get_attribute("aria-pressed") == "true"
    await button.click()
    await turn(page, 10)
    assert len(await heard(page)) >= 1


async def test_telephone_silences_from_the_menu(visits: Visits):
    page = await staged(visits, size=PHONE)
    await show(page, shot("waiting"))
    await page.get_by_role("button", name="Menu").click()
    await page.get_by_role("button", name="Silence").click()
    assert await page.get_by_label("Sounds").input_value() == "off"


async def test_settings_set_sound_and_volume_in_one_place(visits: Visits):
    page = await staged(visits)
    await page.evaluate(LISTEN)
    await show(page, shot("waiting"))
    await page.mouse.click(5, 5)
    sound = "modules['match/sound.js']"
    assert await page.evaluate(f"{sound}.soundOf()") == {"on": True, "volume": 0.25}
    for volume, serial in ((0.6, 2), (0, 4)):
        await page.evaluate(f"{sound}.setSound({{ volume: {volume} }})")
        await turn(page, serial)
        assert {round(loud, 2) for _, loud in await heard(page)} == ({volume} if volume else set())
    await page.evaluate(f"{sound}.setSound({{ on: false }})")
    assert await page.get_by_role("button", name="Silence").get_attribute("aria-pressed") == "true"
    assert await page.evaluate(f"{sound}.soundOf()") == {"on": False, "volume": 0}
    await page.evaluate("localStorage.setItem('volume', 'loud')")
    assert await page.evaluate(f"{sound}.soundOf().volume") == 0.25


def views(name: str) -> Iterator[tuple[Json, Json]]:
    """Yield a match's views, two after one another."""
    shown = [
        snapshot(moment.after, 0, moment.hands.get(0, ()))["view"]
        for moment in moments(name)
        if moment.after.game is not None and moment.after.stage is MatchStage.PLAYING
    ]
    yield from pairwise(shown)


@pytest.mark.parametrize(
    ("name", "wanted"),
    [("six", {"deal", "chips", "knock", "lay"}), ("line", {"deal", "knock", "lay"})],
)
async def test_each_change_has_its_sound(visits: Visits, name: str, wanted: set[str]):
    page = await staged(visits)
    told: set[str] = set()
    for before, after in views(name):
        sounds = await page.evaluate(SOUNDS, [before, after])
        told |= set(sounds)
        paid = [seat["game"]["score"] for seat in before["seats"]] != [
            seat["game"]["score"] for seat in after["seats"]
        ]
        if name == "six":
            assert ("chips" in sounds) == paid
        if before == after:
            assert sounds == []
    assert told == wanted

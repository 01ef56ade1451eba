"""Motion on the match screen: pieces and chips move, nothing is laid out for it, and no click waits.
Ends of hands: a pause that a key, a click or some seconds end.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pytest
from playwright.async_api import Page

from protocol.match.state import MatchStage
from tests.page.snapshots import Json, both_ends, found, moments, on_the_flop, shot, snapshot
from tests.page.stage import asked, show, staged, tell
from tests.page.tables import TABLES, timeline
from tests.page.visits import DESKTOP, PHONE, Visits, sideways, violations

COMPOSED = {"transform", "translate", "rotate", "scale", "opacity"}
SHORTEST, LONGEST, MOST = 150, 400, 24  # as in static/match/motion.js
WATCH = """() => {
  globalThis.moved = [];
  const animate = Element.prototype.animate;
  Element.prototype.animate = function (frames, options) {
    const made = animate.call(this, frames, options);
    const names = made.effect.getKeyframes().flatMap((frame) => Object.keys(frame));
    const { delay, duration } = made.effect.getComputedTiming();
    const ghost = this.matches(".ghost") ? this.className : this.closest(".ghost") ? "inside" : "";
    const key = this.closest("[data-move]")?.dataset.move ?? null;
    moved.push({ names, key, ghost, delay, duration });
    return made;
  };
}"""
OWN = ("offset", "easing", "composite", "computedOffset")  # fields of each key frame
NOW = "() => document.getAnimations().filter(({ playState }) => playState === 'running').length"
GHOSTS = "() => document.querySelectorAll('.ghost').length"
DONE = "() => Promise.all(document.getAnimations().map((one) => one.finished.catch(() => {})))"
CARDS = "() => [...document.querySelectorAll('[data-move]')].map((one) => one.dataset.move)"


async def watched(visits: Visits, *, motion: str = "no-preference", **how: Any) -> Page:
    """Open a page that counts its motions."""
    page = await staged(visits, reduced_motion=motion, **how)
    await page.evaluate(WATCH)
    return page


async def moved(page: Page) -> list[dict[str, Any]]:
    """Return the motions that have begun since the last call."""
    return list(await page.evaluate("moved.splice(0)"))


def course(name: str, you: int | None = 0) -> list[Json]:
    """Return a match's snapshots for one seat."""
    return [
        snapshot(moment.after, you, moment.hands.get(you, ()) if you is not None else ())
        for moment in moments(name)
        if moment.after.game is not None and moment.after.stage is not MatchStage.OVER
    ]


def ends_of_hands(shown: Sequence[Json]) -> list[int]:
    """Return the numbers of the snapshots in which a hand has just ended."""
    results = [one["view"]["result"] for one in shown]
    return [
        at for at, (before, after) in enumerate(pairwise(results), 1) if after and after != before
    ]


async def play(page: Page, shown: Sequence[Json]) -> None:
    """Show snapshots one after another, each with a number of its own."""
    for serial, one in enumerate(shown, 1):
        await show(page, one | {"serial": serial})


@pytest.mark.parametrize("name", [name for name in TABLES if TABLES[name].seats < 5])
async def test_pieces_of_every_game_move_within_bounds(visits: Visits, name: str):
    page = await watched(visits)
    begun: list[dict[str, Any]] = []
    for one in timeline(name, 10):
        await show(page, one)
        found_now = await moved(page)
        flights = [motion for motion in found_now if motion["ghost"] != "inside"]
        assert len([one for one in flights if one["duration"]]) <= 2 * MOST + 18
        begun += found_now
    assert begun or name == "intruder 1"  # where the person's only move ends the match
    names = {field for motion in begun for field in motion["names"]} - set(OWN)
    assert names <= COMPOSED
    for motion in begun:
        assert SHORTEST <= motion["duration"] <= motion["delay"] + motion["duration"] <= LONGEST
    await page.evaluate(DONE)
    assert await page.evaluate(GHOSTS) == 0


async def test_moving_tile_is_drawn_where_it_will_lie(visits: Visits):
    """A ghost flies, so that neither the line nor the hand is laid out anew."""
    page = await watched(visits)
    shown = course("line")
    first = next(at for at, one in enumerate(shown) if len(one["view"]["board"]["tiles"]) == 1)
    await play(page, shown[: first + 1])
    (flight,) = [
        one for one in await moved(page) if one["ghost"] == "ghost " and one["delay"] == 0
    ][-1:]
    assert set(flight["names"]) - set(OWN) == {"transform"}
    assert await page.locator(".motion .ghost").count() > 0
    assert await page.evaluate(
        "getComputedStyle(document.querySelector('.motion')).pointerEvents"
    ) == ("none")


async def test_click_during_a_motion_reaches_the_program(visits: Visits):
    page = await watched(visits)
    shown = course("line")
    mine = next(
        at
        for at, one in enumerate(shown)
        if at
        and any(offer["piece"] is not None for offer in one["view"]["offers"])
        and len(one["view"]["board"]["tiles"]) > len(shown[at - 1]["view"]["board"]["tiles"])
    )
    await play(page, shown[:mine])
    await page.evaluate(
        """snapshot => {
          show(snapshot);
          for (const motion of document.getAnimations()) motion.pause();
          const { left, top, width, height } = document.querySelector(".held[data-fits]").getBoundingClientRect();
          globalThis.hit = document.elementFromPoint(left + width / 2, top + height / 2).closest("button");
        }""",
        shown[mine] | {"serial": mine + 1},
    )
    assert await page.evaluate(GHOSTS) > 0
    assert await page.evaluate("hit.matches('.held[data-fits]')")
    fitting = page.locator(".held[data-fits]").first
    point = await fitting.bounding_box()
    assert point is not None
    await page.mouse.click(point["x"] + point["width"] / 2, point["y"] + point["height"] / 2)
    which = page.locator(".which button")
    if await which.count():
        await which.first.click()
    assert [name for name, *_ in await asked(page)] == ["choose"]


async def test_keys_and_focus_are_not_delayed_by_a_motion(visits: Visits):
    page = await watched(visits)
    await show(page, shot("waiting"))
    await page.locator("#say").focus()
    await show(page, found("six", on_the_flop, serial=2))
    assert await page.evaluate("document.activeElement.id") == "say"
    await page.locator("#hand").focus()
    await page.evaluate("document.getAnimations().forEach((one) => one.pause())")
    await page.keyboard.press("C")
    assert [name for name, *_ in await asked(page)] == ["choose"]


@pytest.mark.parametrize("name", ["mau-mau-shared 2", "texas-holdem 2", "block-dominoes 4"])
async def test_no_motion_where_the_person_wants_none(visits: Visits, name: str):
    page = await watched(visits, motion="reduce")
    for one in timeline(name, 8):
        await show(page, one)
    assert await moved(page) == [] and await page.evaluate(GHOSTS) == 0


async def test_no_motion_on_first_picture_and_in_hidden_page(visits: Visits):
    page = await watched(visits)
    first, *rest = timeline("texas-holdem 2", 6)
    await show(page, first)
    assert await moved(page) == []
    await page.evaluate(
        "Object.defineProperty(document, 'hidden', { get: () => true, configurable: true })"
    )
    for one in rest:
        await show(page, one)
    assert await moved(page) == []


async def test_snapshot_during_a_motion_leaves_every_piece_at_its_place(visits: Visits):
    """Each piece goes on from where it is, or is at its place at once."""
    page = await watched(visits)
    calm = await staged(visits)
    where = """() => [...document.querySelectorAll("[data-move]")].map((one) => {
      const { left, top, width } = one.getBoundingClientRect();
      return [one.dataset.move, Math.round(left), Math.round(top), Math.round(width)].join(" ");
    }).sort()"""
    for name in ("mau-mau-shared 2", "draw-dominoes 2", "ligretto 2"):
        shown = timeline(name, 8)
        await page.evaluate("all => all.forEach((one) => show(one))", shown)
        assert await page.evaluate(NOW) > 0
        await page.evaluate(DONE)
        await page.evaluate(DONE)  # of what has ended others
        # at once, too: how much room a page keeps depends on what it has shown
        await calm.evaluate("all => all.forEach((one) => show(one))", shown)
        assert await page.evaluate(GHOSTS) == 0
        assert await page.evaluate(where) == await calm.evaluate(where)


async def test_pieces_of_a_hand_slide_when_it_is_sorted(visits: Visits):
    page = await watched(visits)
    await show(page, found("line", both_ends))
    before = await page.evaluate(CARDS)
    sort = page.locator(".sort")
    while await page.evaluate(CARDS) == before:
        await sort.click()
    slid = await moved(page)
    assert slid and {one["ghost"] for one in slid} == {""}


async def test_unseen_piece_is_known_by_its_place_alone(visits: Visits):
    page = await watched(visits)
    for name in ("mau-mau-shared 2", "element-duel 2", "texas-holdem 2", "ligretto 2"):
        for one in timeline(name, 6):
            await show(page, one)
            open_faces = seen(one["view"])
            keys = await page.evaluate(CARDS)
            assert {key for key in keys if key.startswith("p:")} <= open_faces
            places = [key for key in keys if key.startswith("?")]
            assert len(set(places)) == len(places)


def seen(value: Any) -> set[str]:
    """Return the keys of all pieces whose faces a view shows."""
    if isinstance(value, list):
        return {key for each in value for key in seen(each)}
    if not isinstance(value, dict):
        return set()
    own = {f"p:{value['index']}"} if value.get("faces") and "index" in value else set()
    return own | {key for each in value.values() for key in seen(each)}


async def test_chips_go_to_the_pot_and_to_the_winner(visits: Visits):
    page = await watched(visits)
    shown = course("six")
    end, *_ = ends_of_hands(shown)
    chips = {}
    for serial, one in enumerate(shown[: end + 1], 1):
        await show(page, one | {"serial": serial})
        coins = len([each for each in await moved(page) if "coin" in each["ghost"]])
        chips[serial - 1] = coins
    scores = [[seat["game"]["score"] for seat in one["view"]["seats"]] for one in shown]
    for at in range(1, end + 1):
        changed = sum(a != b for a, b in zip(scores[at - 1], scores[at], strict=True))
        assert chips[at] == changed


async def rested(page: Page) -> bool:
    """Return whether the end of a hand is being shown."""
    return await page.locator(".result[data-rest]").count() == 1


def just_ended(name: str) -> tuple[list[Json], Json]:
    """Return a match up to the end of its first hand, and the first snapshot of the next one."""
    shown = course(name)
    end, *_ = ends_of_hands(shown)
    hand = shown[end]["view"]["board"]["hand"]
    after = next(one for one in shown[end:] if one["view"]["board"]["hand"] > hand)
    return shown[: end + 1], after


@pytest.mark.parametrize("name", ["six", "line"])
@pytest.mark.parametrize("motion", ["reduce", "no-preference"])
async def test_end_of_a_hand_stays_until_a_key(visits: Visits, name: str, motion: str):
    page = await staged(visits, reduced_motion=motion)
    shown, after = just_ended(name)
    await play(page, shown)
    assert await rested(page)
    told = await page.locator(".result").inner_text()
    assert "Result of hand" in told and " ".join(shown[-1]["view"]["result"])[:20] in told.replace(
        "\u2011", "-"
    )
    board = await page.locator(".arena > :first-child").inner_html()
    spoken = page.locator("main ~ [role=status]")
    assert await spoken.inner_text() == " ".join(shown[-1]["view"]["result"])
    turns = [next(one["view"]["turns"][0] for one in shown if one["view"]["turns"]) | {"seat": 0}]
    waiting = after["view"] | {"offers": [offer()], "turns": turns}
    await show(page, after | {"serial": 1000, "view": waiting})
    assert await rested(page)
    assert await page.locator(".arena > :first-child").inner_html() == board
    await page.keyboard.press("p")
    assert not await rested(page)
    assert await page.locator(".arena > :first-child").inner_html() != board
    assert await asked(page) == []  # the key was meant for what is over


async def test_only_round_of_a_game_shows_its_result_once(visits: Visits):
    page = await staged(visits)
    shown = timeline("crazy-eights 2", 6)
    await play(page, shown)
    result = {"result": ["You have won."], "ending": "You have no cards left.", "offers": []}
    last = shown[-1]["view"] | result | {"turns": []}
    await show(page, shown[-1] | {"serial": 1000, "view": last})
    assert not await rested(page) and not await page.locator(".result").is_visible()
    later = shown[-1]["view"] | {"board": shown[-1]["view"]["board"] | {"hand": 2}}
    await show(page, shown[-1] | {"serial": 1001, "view": later})
    ended = last | {"board": last["board"] | {"hand": 2}}
    await show(page, shown[-1] | {"serial": 1002, "view": ended})
    assert await rested(page)  # of several rounds, the last one has a result of its own


async def test_list_of_what_happened_waits_with_the_board(visits: Visits):
    page = await staged(visits)
    shown, after = just_ended("line")
    await play(page, shown)
    number = shown[-1]["view"]["number"]
    line = {"author": None, "kind": "result", "text": "Bob wins the hand."}
    await tell(page, [line | {"entry": number - 1}])
    await tell(page, [line | {"entry": number, "kind": "dealing", "text": "Dealing hand 2."}])
    await show(page, after | {"serial": 1000})
    assert await rested(page)
    told = page.locator(".log .lines p")
    assert await told.all_inner_texts() == ["Bob wins the hand."]
    await page.keyboard.press("x")
    assert await told.all_inner_texts() == ["Bob wins the hand.", "Dealing hand 2."]


async def test_many_pieces_at_once_are_bounded(visits: Visits):
    """At the next deal all tiles of the line go, and four hands come."""
    page = await watched(visits)
    shown, after = just_ended("line")
    await play(page, shown)
    await show(page, after | {"serial": 1000})
    await moved(page)
    await page.keyboard.press("x")
    pieces = len(shown[-1]["view"]["board"]["tiles"]) + 4 * len(after["view"]["hand"])
    ghosts = [one for one in await moved(page) if one["ghost"].startswith("ghost")]
    assert len(ghosts) == MOST < pieces


async def test_click_ends_the_pause_and_chooses_nothing(visits: Visits):
    page = await staged(visits)
    shown, after = just_ended("line")
    await play(page, shown)
    await show(page, after | {"serial": 1000})
    await page.locator(".arena").click(position={"x": 40, "y": 40})
    assert not await rested(page) and await asked(page) == []
    await page.locator("#say").fill("gg")  # what is typed elsewhere ends nothing
    await play(page, [shown[-2], shown[-1]])


async def test_typing_and_menus_do_not_end_the_pause(visits: Visits):
    page = await staged(visits)
    shown, _ = just_ended("line")
    await play(page, shown)
    await page.locator("#say").press_sequentially("well")
    assert await page.locator("#say").input_value() == "well"
    await page.get_by_role("button", name="Menu").click()
    assert await page.locator("dialog[open]").count() == 1
    await page.keyboard.press("Escape")
    assert await rested(page)


async def test_pause_ends_by_itself_sooner_on_own_turn(visits: Visits):
    page = await staged(visits)
    shown, after = just_ended("line")
    view = after["view"]
    turn = next(one["view"]["turns"][0] for one in shown if one["view"]["turns"])
    own = view | {"turns": [turn | {"seat": view["you"]}], "offers": [offer()]}
    waits = []
    for one in (view | {"turns": [], "offers": []}, own):
        await play(page, shown[-2:])
        assert await rested(page)
        waits.append(
            await page.evaluate(
                """async (next) => {
              const began = performance.now();
              show(next);
              while (document.querySelector(".result[data-rest]")) await new Promise(requestAnimationFrame);
              return performance.now() - began;
            }""",
                after | {"serial": 1000, "view": one},
            )
        )
        await show(page, shot("waiting"))  # another match
    long, short = waits
    assert 6000 < long < 11_000 and 4000 < short < 6000


def offer() -> Json:
    """Return something that can be chosen."""
    fields = {"piece": None, "place": None, "cost": 0, "amount": None, "places": None, "key": ""}
    return {"id": 0, "kind": "pass", "action": ["pass"], "label": "pass", "points": 0, **fields}


async def test_clock_of_a_hand_that_has_waited_is_right(visits: Visits):
    """The turn has begun while the last hand was still shown."""
    page = await staged(visits)
    shown, after = just_ended("line")
    await play(page, shown[-2:])
    turn = next(one["view"]["turns"][0] for one in shown if one["view"]["turns"])
    other = turn | {"seat": 1, "waited": 0, "ends": 60_000, "sure": True}
    view = after["view"] | {"turns": [other], "offers": []}
    await show(page, after | {"serial": 1000, "view": view})
    await page.wait_for_timeout(2500)
    assert await rested(page)
    await page.keyboard.press("x")
    clock = await page.locator(".seat[data-turn] .clock").inner_text()
    assert 40 <= int(clock.split()[0]) <= 58


async def test_hand_with_acts_at_once_waits_for_nobody(visits: Visits):
    page = await staged(visits)
    shown, after = just_ended("line")
    await play(page, shown)
    free = after["view"] | {"offers": [offer() | {"key": "p"}]}
    await show(page, after | {"serial": 1000, "view": free})
    assert not await rested(page)
    assert await page.locator(".result").is_visible()  # as a line


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
async def test_pause_is_accessible_and_below_the_board(
    visits: Visits, size: tuple[int, int], dark: bool
):
    page = await staged(visits, size=size, dark=dark)
    for name in ("six", "line"):
        shown, _ = just_ended(name)
        await play(page, shown[-2:])
        assert await rested(page)
        assert await violations(page) == [] and await sideways(page) == ""
        arena = await page.locator(".arena > :first-child").bounding_box()
        panel = await page.locator(".result").bounding_box()
        assert arena and panel
        assert panel["y"] >= arena["y"] + arena["height"] - 1
        assert panel["y"] + panel["height"] <= size[1]
        await page.get_by_role("button", name="Go on").click()
        assert not await rested(page)

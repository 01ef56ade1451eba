"""Layout of the match screen: all widths, both colour schemes, long texts and large fonts."""

from copy import deepcopy
from typing import Any

import pytest
from playwright.async_api import Page

from tests.page.snapshots import OVER, SHOTS, found, moments, on_the_flop, shot, snapshot, story
from tests.page.stage import show, staged, tell
from tests.page.tables import LARGEST, timeline
from tests.page.visits import DESKTOP, NARROW, PHONE, Visits, sideways, violations

SMALL = """() => [...document.querySelectorAll("button,select,summary,.file,input:not([type=checkbox],[type=file])")]
  .filter((one) => one.checkVisibility() && !one.closest("dialog:not([open])"))
  .filter((one) => one.getBoundingClientRect().height < 43.9 || one.getBoundingClientRect().width < 43.9)
  .map((one) => one.outerHTML.slice(0, 80))"""


# two frames, after which the sizes are what they stay
FRAMES = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))"
# shows the result of a hand in the own seat, or hides it again
RESULT = """(shown) => {
  const result = document.querySelector(".own .result");
  result.hidden = !shown;
  result.toggleAttribute("data-rest", Boolean(shown));
  result.lastElementChild.style.minHeight = shown ? "20rem" : "";
}"""
LOOK = """() => {
  const shape = document.querySelector(".emblem path").getAttribute("d");
  return [getComputedStyle(document.querySelector(".end h2")).color, shape];
}"""


def no_rules(name: str, body: dict[str, Any]) -> dict[str, Any]:
    """Answer that the game has no rules for people."""
    assert name == "rules"
    return {"game": "nim", "blocks": [], "none": "None."}


async def filled(page: Page, name: str) -> None:
    """Show a snapshot with a log and table talk."""
    await show(page, shot(name))
    await tell(page, story("line", 60))
    await page.evaluate("shown.said({seat: 0, text: 'good luck everybody'})")


async def box(page: Page, selector: str) -> dict[str, Any]:
    """Return the rectangle of the first match."""
    found_box = await page.locator(selector).first.bounding_box()
    assert found_box is not None, selector
    return dict(found_box)


@pytest.mark.parametrize(
    ("size", "dark"),
    [(DESKTOP, False), (PHONE, True), (NARROW, False)],
    ids=["desktop", "phone, dark", "narrow"],
)
async def test_page_fits_and_is_accessible(visits: Visits, size: tuple[int, int], dark: bool):
    page = await staged(visits, size=size, dark=dark)
    for name in SHOTS:
        await filled(page, name)
        assert await sideways(page) == "", name
        assert await violations(page) == [], name
        assert await page.evaluate(SMALL) == [], name


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
async def test_dialogs_pass_axe_too(visits: Visits, dark: bool):
    page = await staged(visits, size=PHONE, dark=dark, answers=no_rules)
    await show(page, shot("fault"))
    for name in ("fault found", "Menu"):
        await page.get_by_role("button", name=name).click()
        assert await violations(page) == [], name
        assert await sideways(page) == "", name
        assert await page.evaluate(SMALL) == [], name
        await page.keyboard.press("Escape")
    for key in "/?":
        await page.keyboard.press(key)
        await page.wait_for_selector("dialog[open]")
        assert await violations(page) == [], key
        await page.keyboard.press("Escape")


async def test_forced_colours_leave_nothing_unseen(visits: Visits):
    page = await staged(visits, size=PHONE, forced_colors="active")
    for name in ("dominoes", "holdem", "exchange", "fault"):
        await filled(page, name)
        assert await violations(page) == [], name
    await show(page, shot("exchange"))
    tops = await page.locator(".hand button").evaluate_all(
        "all => all.map(one => one.getBoundingClientRect().top)"
    )
    assert len(tops) == 5 and len(set(tops)) == 1  # a poker hand is in one row on a phone


async def test_longer_words_fit(visits: Visits):
    page = await staged(visits, size=PHONE, language="qps")
    for name in SHOTS:
        await filled(page, name)
        assert await sideways(page) == "", name


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
async def test_text_of_twice_the_size_fits(visits: Visits, size: tuple[int, int]):
    page = await staged(visits, size=size)
    await page.evaluate("document.documentElement.style.fontSize = '200%'")
    for name in SHOTS:
        await filled(page, name)
        assert await sideways(page) == "", name


async def test_other_seats_are_above_and_own_seat_below(visits: Visits):
    page = await staged(visits)
    await filled(page, "dominoes")
    assert await page.locator(".seats .name").all_inner_texts() == ["Cleo", "Dan", "Ann"]
    assert await page.locator(".own .name").inner_text() == "Bob (you)"
    lefts = [(await box(page, f".seats > :nth-child({at})"))["x"] for at in (1, 2, 3)]
    assert lefts == sorted(lefts)
    seats, board, own = [await box(page, selector) for selector in (".seats", ".arena", ".own")]
    assert seats["y"] + seats["height"] <= board["y"] and board["y"] + board["height"] <= own["y"]


async def test_six_seats_are_around_poker_table(visits: Visits):
    page = await staged(visits)
    await filled(page, "holdem")
    felt = await box(page, ".arena")
    first, *top, last = [await box(page, f".seats > :nth-child({at})") for at in (1, 2, 3, 4, 5)]
    assert first["x"] + first["width"] <= felt["x"] and felt["x"] + felt["width"] <= last["x"]
    assert all(seat["y"] + seat["height"] <= felt["y"] for seat in top)


@pytest.mark.parametrize("count", range(1, 11))
async def test_no_two_seats_lie_on_each_other(visits: Visits, count: int):
    page = await staged(visits)
    script = "async count => modules['match/seats.js'].around(count, count > 3)"
    places = [tuple(place) for place in await page.evaluate(script, count)]
    assert len(set(places)) == count
    assert all(
        row == 1 or column in (1, max(column for column, _ in places)) for column, row in places
    )


async def test_german_word_for_an_exchange_does_not_break(visits: Visits):
    page = await staged(visits, size=PHONE, language="de")
    await show(page, shot("exchange"))
    await page.locator(".hand .held").first.click()
    word = page.locator(".hand .fits:not(:empty)")
    assert await word.inner_text() == "weg"
    lines = "node => node.getClientRects().length && node.scrollHeight < 30"
    assert await word.evaluate(lines)


async def test_own_cards_of_the_last_showdown_stay_in_sight(visits: Visits):
    page = await staged(visits, size=PHONE)
    snapshot = deepcopy(shot("holdem")) | OVER
    view = snapshot["view"]
    view |= {"hand": [], "offers": [], "turns": [], "winners": [(view["you"] + 1) % 6]}
    shown = [{"index": 1, "faces": ["5", "c"]}, {"index": 2, "faces": ["A", "d"]}]
    view["seats"][view["you"]]["game"] |= {"shown": shown, "held": 0}
    await show(page, snapshot)
    cards = page.locator(".own .shown .card")
    assert await cards.count() == 2 and await cards.first.is_visible()
    assert await sideways(page) == ""


async def test_turn_clock_and_presence_have_text_equivalents(visits: Visits):
    page = await staged(visits)
    await filled(page, "holdem")
    assert "to move" in await page.locator(".own .facts").inner_text()
    assert "1:3" in await page.locator(".own .clock").inner_text()
    assert "extensions: 1" in await page.locator(".own .clock").inner_text()
    assert await page.get_by_text("folded").count() == 4
    assert "dealer" in await page.locator(".seat", has_text="Bob").inner_text()
    assert await page.locator(".made").inner_text() == "A pair of nines"
    fingerprint = shot("holdem")["view"]["seats"][2]["fingerprint"]
    assert fingerprint not in await page.locator(".own").inner_text()
    await page.get_by_role("button", name="clean").click()
    assert fingerprint in await page.locator(".checks").inner_text()


@pytest.mark.parametrize(("left", "seen"), [(75_000, False), (42_000, True)])
async def test_clock_of_a_race_is_seen_in_its_last_minute(visits: Visits, left: int, seen: bool):
    page = await staged(visits)
    shown = deepcopy(timeline(LARGEST["ligretto"], 1)[0])
    shown["view"]["simultaneous"] = True
    for turn in shown["view"]["turns"]:
        turn |= {"ends": 300_000, "waited": 300_000 - left, "sure": True, "extensions": 0}
    await show(page, shown)
    clocks = await page.locator(".clock").all_text_contents()
    assert clocks and any(clocks) == seen
    assert "A 1 opens a pile; then the same colour" in await page.inner_text(".top .status")


async def test_spectator_has_no_hand_and_no_offers(visits: Visits):
    page = await staged(visits)
    await filled(page, "spectator")
    assert not await page.locator(".own").is_visible()
    assert await page.locator(".seats > li").count() == 6
    assert not await page.locator("#say").is_visible()
    assert await page.get_by_role("button", name="clean").is_visible()


async def test_names_of_others_are_text_and_turn_nothing_around_them(visits: Visits):
    page = await staged(visits)
    await filled(page, "long")
    names = await page.locator(".seats .name bdi").all_inner_texts()
    assert names[0] == "<img onerror=alert(1)>" and names[1] == "李小龙"
    assert await page.locator("img").count() == 0
    seat, name = (
        await box(page, ".seats > :nth-child(3)"),
        await box(page, ".seats > :nth-child(3) .name"),
    )
    assert name["x"] + name["width"] <= seat["x"] + seat["width"]


async def test_end_names_winner_and_offers_another_match(visits: Visits):
    page = await staged(visits)
    await filled(page, "over")
    assert "nobody cheated" in await page.locator(".end").inner_text()
    await page.get_by_role("button", name="Play again").click()
    assert await page.evaluate("asked") == [["again", True]]


async def test_at_a_showdown_cards_that_were_shown_lie_open(visits: Visits):
    page = await staged(visits)
    shot = found("six", on_the_flop)
    cards = [
        {"index": 51, "faces": ["A", "s"], "offers": []},
        {"index": 3, "faces": ["2", "s"], "offers": []},
    ]
    shot["view"]["seats"][3]["game"]["shown"] = cards
    await show(page, shot)
    dan = page.locator(".seat", has_text="Dan")
    assert await dan.locator(".shown svg").count() == 2
    assert "ace of spades" in (await dan.text_content() or "")
    assert await dan.locator(".backs").count() == 0


async def test_spectator_is_told_that_it_watches(visits: Visits):
    page = await staged(visits)
    await filled(page, "spectator")
    assert "You are watching" in await page.locator(".watching").inner_text()
    assert "The players' chat is for players only" in await page.locator(".panel.talk").inner_text()
    await filled(page, "holdem")
    assert not await page.locator(".watching").is_visible()


async def test_only_a_win_looks_like_a_success(visits: Visits):
    page = await staged(visits)
    everybody = list(range(len(shot("over")["view"]["seats"])))
    found_looks = set()
    for winners, you, stage, faults, end, title in (
        ([0], 0, "over", [], "won", "You have won"),
        ([1], 0, "over", [], "lost", "You have lost"),
        (everybody, 0, "over", [], "draw", "Nobody has won: a draw"),
        ([], 0, "over", [], "draw", "Nobody has won: a draw"),
        ([1], None, "over", [], "over", "The match is over"),
        ([], 0, "stopped", [], "stopped", "The match has stopped here"),
        ([], 0, "stopped", ["left"], "stopped", "The match has stopped here"),
        ([0], 0, "over", ["lapsed"], "won", "You have won"),
        ([0], 0, "over", ["wrong_author"], "cheated", "Somebody broke the rules"),
    ):
        over = shot("over")
        view = over["view"] | {"winners": winners, "you": you}
        view["trust"] = view["trust"] | {
            "faults": [{"seat": 1, "entry": 9, "code": code} for code in faults]
        }
        verdict = {"clean": not faults, "won": you in winners, "lines": ["Ann wins."]}
        await show(page, over | {"view": view, "verdict": verdict, "stage": stage})
        assert await page.locator(".end").get_attribute("data-end") == end
        assert await page.locator(".end h2").inner_text() == title
        found_looks.add((end, *await page.evaluate(LOOK)))
        assert await violations(page) == [], end
    assert len(found_looks) == len({look for look, *_ in found_looks}) == 6
    assert len({colour for _, colour, _ in found_looks}) == 6
    assert len({shape for *_, shape in found_looks}) == 6


async def test_win_is_seen_at_the_table_too(visits: Visits):
    page = await staged(visits)
    glow = "one => getComputedStyle(one).boxShadow"
    large = "one => parseFloat(getComputedStyle(one).fontSize)"
    seen = {}
    for winner in (0, 1):
        over = shot("over")
        await show(page, over | {"view": over["view"] | {"winners": [winner], "you": 0}})
        seen[winner] = (
            await page.locator(".arena > *").evaluate(glow),
            await page.locator(".end h2").evaluate(large),
        )
    assert seen[0][0] != seen[1][0] and seen[0][1] > 1.3 * seen[1][1]


async def test_turn_that_may_be_older_is_shown_as_a_bound(visits: Visits):
    page = await staged(visits)
    snapshot = shot("holdem")
    for sure, start in ((True, ""), (False, "at most ")):
        turns = [turn | {"sure": sure} for turn in snapshot["view"]["turns"]]
        await show(page, snapshot | {"view": snapshot["view"] | {"turns": turns}})
        clock = await page.locator("[data-turn] .clock").first.inner_text()
        assert clock.startswith("at most ") is bool(start)


async def test_help_lists_the_keys_of_this_game_only(visits: Visits):
    page = await staged(visits, answers=no_rules)
    for name, there, missing in (
        ("holdem", "check or call", "turn over three cards"),
        ("spectator", "command line", "check or call"),
    ):
        await filled(page, name)
        await page.keyboard.press("?")
        keys = await page.locator("dialog[open] .keys").inner_text()
        await page.keyboard.press("Escape")
        assert there in keys and missing not in keys


async def test_own_seat_keeps_no_room_for_what_passes(visits: Visits):
    page = await staged(visits, size=DESKTOP)
    await show(page, shot("dominoes"))
    await page.evaluate(FRAMES)
    before = await box(page, ".arena")
    await page.evaluate(RESULT, "block")
    await page.evaluate(FRAMES)
    assert await box(page, ".arena") != before
    await page.evaluate(RESULT, "")
    await page.evaluate(FRAMES)
    assert await box(page, ".arena") == before


async def test_winning_hand_is_marked_on_the_board_and_at_its_seat(visits: Visits):
    page = await staged(visits)
    snapshot = deepcopy(shot("holdem"))
    view = snapshot["view"]
    names = ("Ks", "Kd", "9h", "7c", "2s", "Kh", "3d")
    ks, kd, nine, seven, _, kh, three = cards = [
        {"index": index, "faces": list(name)} for index, name in enumerate(names)
    ]
    five = [card["index"] for card in (ks, kd, kh, nine, seven)]
    view["seats"][1]["game"]["shown"] = [kh, three]
    winning = {"seat": 1, "name": "three kings", "cards": five}
    view["board"] |= {"cards": cards[:5], "winning": [winning], "street": ""}
    await show(page, snapshot)
    marked = "all => all.map((card) => card.hasAttribute('data-best'))"
    board = page.locator(".turned > span")
    assert await board.evaluate_all(marked) == [True, True, True, True, False]
    held = page.locator(".seat[data-seat='1'] .shown > span")
    assert await held.evaluate_all(marked) == [True, False]
    # the frames of two that lie side by side do not touch
    gap = """([one, other]) => {
      const [left, right] = [one, other].map((card) => card.getBoundingClientRect());
      return (right.left - left.right) / left.width;
    }"""
    over = "(body) => (parseFloat(getComputedStyle(body).strokeWidth) - .12) / 5"  # of its width
    framed = await page.locator(".turned .body").first.evaluate(over)
    assert 0 < framed < await board.evaluate_all(gap)
    star = "(card) => getComputedStyle(card, '::after').content"
    assert await board.nth(0).evaluate(star) == '"★"' and await held.nth(0).evaluate(star) == '"★"'
    assert await board.nth(4).evaluate(star) == "none"
    said = await page.locator(".winning").inner_text()
    assert said.startswith(f"{view['seats'][1]['name']}: three kings")
    assert "king of hearts" in said and "3 of diamonds" not in said


@pytest.mark.parametrize("size", [DESKTOP, PHONE])
async def test_match_begins_on_felt_and_with_a_sentence(visits: Visits, size: tuple[int, int]):
    page = await staged(visits, size=size)
    begun = next(iter(moments("line"))).after
    await show(page, snapshot(begun, 0, (), status=""))
    assert begun.game is None  # nobody has sat down
    felt = "one => getComputedStyle(one).backgroundColor"
    bare = await page.locator(".arena > *").evaluate(felt)
    assert await page.inner_text(".status") == "The table is being set…"
    assert "The table is being set…" in await page.inner_text(".arena")
    assert await violations(page) == []
    await show(page, shot("dominoes"))
    assert await page.locator(".arena > *").evaluate(felt) == bare

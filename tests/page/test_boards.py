"""Boards of the page: drawing of a line, a poker table and other games, and the choices on them."""

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from random import Random
from typing import Any

import pytest
from playwright.async_api import Page

from protocol.games.dominoes.layout import Layout, open_ends
from protocol.i18n import english
from protocol.view.board import (
    Amount,
    Board,
    DominoLine,
    Offer,
    PieceView,
    PokerStreet,
    PokerTable,
    Pot,
    Preset,
    Region,
    RegionBoard,
    RegionKind,
    SeatSummary,
)
from protocol.view.encoding import encode_with_sentences
from protocol.view.phrase import phrase
from protocol.view.text import phrase_renderer
from protocol.view.view import SeatView, TrustView, View
from tests.page.stage import staged
from tests.page.visits import NARROW, PHONE, Visits, sideways, violations

Tile = tuple[int, int]
NAMES = ("Ann", "Bob", "<img onerror=alert(1)>")
# pixels, from a narrow phone to a desktop
BOXES = ((288, 260), (358, 330), (600, 330), (700, 420), (1040, 460))
LINES, MOST_TILES = 80, 55
NEAR = 1e-6  # pixels
LEAST_SCALE = 10  # pixels of half a tile: its pips can still be told
DRAW = """async ([view, fields]) => {
  const { drawBoard } = modules["boards/index.js"];
  const choose = (offer, ...numbers) => (globalThis.chosen = [offer.id, ...numbers]);
  document.getElementById("root").replaceChildren(drawBoard(view, { offers: view.offers, choose, ...fields }));
}"""
WAGER = """async (offer) => {
  const { wager } = modules["boards/wager.js"];
  const choose = (offer, ...numbers) => (globalThis.chosen = [offer.id, ...numbers]);
  document.getElementById("root").replaceChildren(wager(offer, choose));
}"""
GLIDES = """() => {
  globalThis.glides = [];
  const animate = Element.prototype.animate;
  Element.prototype.animate = function (frames, options) {
    glides.push(options.duration);
    return animate.call(this, frames, options);
  };
}"""
LAY = """async ([lines, boxes]) => {
  const { layout } = modules["boards/layout.js"];
  return lines.map(([tiles, leader]) => boxes.map(([width, height]) => layout(tiles, leader, width, height)));
}"""

CROSS = """async ([crosses, boxes]) => {
  const { layout } = modules["boards/layout.js"];
  const next = [[0, 1], [0, 1], [0, 1], [0, 1]];
  return crosses.map(([tiles, spinner, arms]) =>
    boxes.map(([width, height]) => layout(tiles, 0, width, height, next, { spinner, arms })));
}"""


def grown(rng: Random, most: int) -> list[tuple[list[Tile], int]]:
    """Grow a legal line from its first tile at both ends. Return the line after each tile, with the
    place of the first one.

    Some lines get doubles as soon as possible, so that every second tile is one.
    """
    highest, doubles = rng.choice((6, 9, 12)), rng.choice((0.0, 0.5, 1.0))
    pool = {(high, low) for high in range(highest + 1) for low in range(high + 1)}
    tiles, leader = [rng.choice(sorted(pool))], 0
    found = [(list(tiles), leader)]
    pool.remove(tiles[0])
    while len(tiles) < most:
        fits = [
            (tile, end)
            for tile in sorted(pool)
            for end in (0, 1)
            if (tiles[0][0], tiles[-1][1])[end] in tile
        ]
        if not fits:
            break
        first = [(tile, end) for tile, end in fits if tile[0] == tile[1]]
        tile, end = rng.choice(first if first and rng.random() < doubles else fits)
        pool.remove(tile)
        one, other = tile
        if end == 0:
            tiles.insert(0, tile if other == tiles[0][0] else (other, one))
            leader += 1
        else:
            tiles.append(tile if one == tiles[-1][1] else (other, one))
        found.append((list(tiles), leader))
    return found


def rectangle(place: dict[str, float], scale: float) -> tuple[float, float, float, float]:
    """Return left, top, right and bottom."""
    wide, high = (1, 2) if place["turn"] % 180 else (2, 1)
    x, y = place["x"], place["y"]
    return x - wide * scale / 2, y - high * scale / 2, x + wide * scale / 2, y + high * scale / 2


def half(place: dict[str, float], tile: Tile, side: int, scale: float) -> tuple[float, float]:
    """Return the middle of a tile's left (-1) or right (1) half. Both halves of a double are equal,
    so its own middle is returned.
    """
    away = 0 if tile[0] == tile[1] else side * scale / 2
    turn = math.radians(place["turn"])
    return place["x"] + away * math.cos(turn), place["y"] + away * math.sin(turn)


def check_places(
    tiles: Sequence[Tile], leader: int, box: tuple[int, int], laid: dict[str, Any]
) -> None:
    """Check all rules for a line on a table."""
    scale, places = laid["scale"], laid["places"]
    assert len(places) == len(tiles) and abs(places[leader]["x"] - box[0] / 2) < NEAR
    taken = [rectangle(place, scale) for place in (*places, *laid["ends"])]
    for left, top, right, bottom in taken:
        assert -NEAR < left < right < box[0] + NEAR and -NEAR < top < bottom < box[1] + NEAR
    for at, one in enumerate(taken):
        for other in taken[:at]:
            wide, high = (min(one[i + 2], other[i + 2]) - max(one[i], other[i]) for i in (0, 1))
            assert wide < NEAR or high < NEAR, "one lies upon another"
    for (one, here), (other, there) in pairwise(zip(tiles, places, strict=True)):
        assert one[1] == other[0]
        assert (
            abs(math.dist(half(here, one, 1, scale), half(there, other, -1, scale)) - scale) < NEAR
        ), "halves apart"
    for at, (tile, place) in enumerate(zip(tiles, places, strict=True)):
        if tile[0] == tile[1]:
            inner = at - (at > leader) + (at < leader)
            assert abs(place["turn"] - places[inner]["turn"]) % 180 == (90 if inner != at else 0), (
                "a double lies along"
            )
            if 0 < at < len(tiles) - 1:
                before, after = (
                    half(places[at - 1], tiles[at - 1], 1, scale),
                    half(places[at + 1], tiles[at + 1], -1, scale),
                )
                assert math.dist(before, after) > 2 * scale - NEAR, "an arm turns at a double"


async def test_lines_of_every_length_are_laid_without_gap_or_overlap(visits: Visits):
    rng = Random(20261122)
    lines = [rng.choice(grown(rng, MOST_TILES)[-20:]) for _ in range(LINES)]
    assert max(len(tiles) for tiles, _ in lines) == MOST_TILES
    page = await staged(visits)
    for (tiles, leader), found in zip(lines, await page.evaluate(LAY, [lines, BOXES]), strict=True):
        for box, laid in zip(BOXES, found, strict=True):
            check_places(tiles, leader, box, laid)


def grown_cross(rng: Random) -> list[Layout]:
    """Grow a layout with a spinner at all its ends. Return it after each tile, once its short sides
    are open. Some get doubles as soon as possible, some have one arm that gets most tiles.
    """
    highest, doubles = rng.choice((6, 9)), rng.choice((0.0, 0.5, 1.0))
    favour = rng.choice((None, 0, 1, 2, 3))
    pool = {(high, low) for high in range(highest + 1) for low in range(high + 1)}
    layout, found = Layout(spins=True), []
    while True:
        fits = [(tile, end) for tile in sorted(pool) for end in open_ends(tile, layout.ends)]
        if not fits:
            return found
        first = [(tile, end) for tile, end in fits if tile[0] == tile[1]]
        first = first if rng.random() < doubles else [each for each in fits if each[1] == favour]
        tile, end = rng.choice(first or fits)
        pool.remove(tile)
        layout = layout.lay(tile, end)
        if layout.arms is not None:
            found.append(layout)


def check_cross(layout: Layout, box: tuple[int, int], laid: dict[str, Any]) -> None:
    """Check all rules for a layout with four arms on a table."""
    scale, places, spinner = laid["scale"], laid["places"], layout.spinner_place
    assert spinner is not None and layout.arms is not None
    line, (up, down) = layout.line, layout.arms
    assert len(places) == len(line) + len(up) + len(down) and len(laid["ends"]) == 4
    assert abs(places[spinner]["x"] - box[0] / 2) < NEAR
    taken = [rectangle(place, scale) for place in (*places, *laid["ends"])]
    for left, top, right, bottom in taken:
        assert -NEAR < left < right < box[0] + NEAR and -NEAR < top < bottom < box[1] + NEAR
    for at, one in enumerate(taken):
        for other in taken[:at]:
            wide, high = (min(one[i + 2], other[i + 2]) - max(one[i], other[i]) for i in (0, 1))
            assert wide < NEAR or high < NEAR, "one lies upon another"
    own = line[spinner], places[spinner]
    # the line's left part runs inwards: turned round it is an arm like the others
    left = [
        (tile[::-1], place | {"turn": place["turn"] + 180})
        for tile, place in zip(line[:spinner], places[:spinner], strict=True)
    ]
    outwards = [
        [own, *reversed(left)],
        [own, *zip(line[spinner + 1 :], places[spinner + 1 : len(line)], strict=True)],
        [own, *zip(up, places[len(line) : len(line) + len(up)], strict=True)],
        [own, *zip(down, places[len(line) + len(up) :], strict=True)],
    ]
    for end, arm in enumerate(outwards):
        for number, ((one, here), (other, there)) in enumerate(pairwise(arm)):
            assert one[1] == other[0]
            # the spinner's short side is half a tile farther from its middle
            away = 1.5 if number == 0 and end > 1 else 1
            apart = math.dist(half(here, one, 1, scale), half(there, other, -1, scale))
            assert abs(apart - away * scale) < NEAR, "halves apart"
            if other[0] == other[1]:
                assert abs(there["turn"] - here["turn"]) % 180 == 90, "a double lies along"


async def test_arms_of_a_spinner_are_laid_without_gap_or_overlap(visits: Visits):
    rng = Random(20261128)
    crosses = []
    while len(crosses) < LINES:
        grown_now = grown_cross(rng)
        if grown_now:
            crosses += [grown_now[0], rng.choice(grown_now), grown_now[-1]]
    assert max(map(len, (each.up for each in crosses))) > 9
    page = await staged(visits)
    plain = [(each.line, each.spinner_place, each.arms) for each in crosses]
    for layout, found in zip(crosses, await page.evaluate(CROSS, [plain, BOXES]), strict=True):
        for box, laid in zip(BOXES, found, strict=True):
            check_cross(layout, box, laid)
            assert laid["scale"] > LEAST_SCALE


async def test_line_keeps_other_tiles_still_while_one_is_added(visits: Visits):
    page = await staged(visits)
    for seed in range(20):
        lines = grown(Random(seed), 7)
        found = [each[0] for each in await page.evaluate(LAY, [lines, BOXES[-1:]])]
        for ((tiles, leader), laid), ((_, later), more) in pairwise(zip(lines, found, strict=True)):
            assert more["places"][later - leader :][: len(tiles)] == laid["places"]


def seen(board: Board, hand: Sequence[PieceView] = (), offers: Sequence[Offer] = ()) -> Any:
    """Make the view of a board for the page."""
    seats = tuple(SeatView(seat, name, "", SeatSummary(10, 3)) for seat, name in enumerate(NAMES))
    trust = TrustView(0, (), None, None, "", ())
    view = View(
        version=1,
        match="m",
        game="g",
        number=1,
        stage="playing",
        seats=seats,
        you=0,
        board=board,
        hand=tuple(hand),
        made=None,
        offers=tuple(offers),
        turns=(),
        deal=None,
        result=(),
        winners=(),
        trust=trust,
    )
    return encode_with_sentences(view, phrase_renderer(english, NAMES))


def a_line(tiles: Sequence[Tile], leader: int = 0, **more: Any) -> DominoLine:
    newest = len(tiles) - 1 if tiles else None
    ends = (tiles[0][0], tiles[-1][1]) if tiles else None
    return DominoLine(1, 100, tuple(tiles), leader, newest, ends, 12, **more)


def play(id: int, piece: int, place: int | None) -> Offer:
    return Offer(id, "play", ("play", piece, place or 0), phrase(f"play {id}"), piece, place)


def cards(text: str) -> tuple[PieceView, ...]:
    return tuple(PieceView(at, (card[0], card[1])) for at, card in enumerate(text.split()))


async def draw(page: Page, view: Any, **fields: Any) -> None:
    await page.evaluate(DRAW, [view, fields])


LONG = grown(Random(7), 24)[-1]
HAND = (PieceView(41, (8, 5)), PieceView(42, (8, 6)))
POTS = (Pot(200, (0, 1, 2)), Pot(145, (1, 2)))
FELT = PokerTable(3, 20, PokerStreet.TURN, cards("Ts Ah 7d Qc"), 345, POTS, 1, (1, 2), 2, 8)
REGIONS = (
    Region(phrase("Stock"), RegionKind.PILE, count=23),
    Region(phrase("Discards"), RegionKind.PILE, cards("9h Ks"), 4),
    Region(
        phrase("Row"),
        RegionKind.ROW,
        (PieceView(7, ("Sword of a Thousand Truths",)), PieceView(8, None)),
    ),
    Region(phrase("Mana"), RegionKind.COUNTER, count=7),
    Region(phrase("Now"), RegionKind.TEXT, text=phrase("Everybody picks one card.")),
    Region(phrase("Empty"), RegionKind.ROW),
    Region(phrase("Hand"), RegionKind.HAND, count=6, seat=1),
    Region(phrase("Tiles"), RegionKind.ROW, (PieceView(20, (6, 4)),), seat=2),
)
TAKES = tuple(
    Offer(id, "take", ("take", id), phrase(f"take {id}"), piece)
    for id, piece in enumerate((1, 7, 7))
)
BOARDS = {
    "line": seen(a_line(*LONG), HAND, (play(0, 41, 0), play(1, 42, 1))),
    "partners": seen(a_line([(6, 4)], count=10, teams=((0, 2), (1,)))),
    "empty line": seen(a_line([]), HAND, (play(0, 41, None), play(1, 42, None))),
    "felt": seen(FELT),
    "generic": seen(RegionBoard(1, REGIONS), offers=TAKES),
}


async def test_line_shows_and_announces_the_tile_numbers(visits: Visits):
    page = await staged(visits)
    tiles = [(3, 3), (3, 9), (9, 0), (0, 12)]
    await draw(page, seen(a_line(tiles)))
    name = await page.get_by_role("img").get_attribute("aria-label")
    assert (
        name
        == "The line from left to right: 3-3 3-9 9-0 0-12. Open ends: 3 and 12. Laid last: 0-12."
    )
    drawn = (
        "tiles => tiles.map((tile) => [tile.querySelectorAll('circle').length, tile.textContent])"
    )
    assert await page.locator(".tile").evaluate_all(drawn) == [
        [6, ""],
        [12, ""],
        [9, ""],
        [0, "12"],
    ]
    assert await page.locator(".newest .tile").text_content() == "12"
    await draw(page, BOARDS["partners"])
    text = await page.locator(".line").inner_text()
    assert "the ends add up to 10" in text and f"Ann, {NAMES[2]} against Bob" in text.replace(
        "\u2068", ""
    )


async def test_arms_of_a_spinner_are_drawn_and_announced(visits: Visits):
    page = await staged(visits)
    line, arms = [(6, 1), (1, 1), (1, 4)], (((1, 5), (5, 5)), ())
    board = replace(a_line(line, 1, spinner=1, arms=arms, reserve=2), newest=4, ends=(6, 4, 5, 1))
    await draw(page, seen(board, HAND, (play(0, 41, 2), play(1, 42, 3))))
    assert await page.get_by_role("img").get_attribute("aria-label") == (
        "The line from left to right: 6-1 1-1 1-4. From 1-1 upwards: 1-5 5-5. Downwards: no tile. "
        "Open ends: 6 on the left, 4 on the right, 5 at the top, 1 at the bottom. Laid last: 5-5."
    )
    pips = await page.locator(".tile").evaluate_all(
        "tiles => tiles.map((tile) => tile.querySelectorAll('circle').length)"
    )
    assert pips == [7, 2, 5, 6, 10]
    assert await page.locator(".newest .tile circle").count() == 10
    spots = [await each.bounding_box() for each in await page.get_by_role("button").all()]
    own = await page.locator(".tile").nth(1).bounding_box()
    assert spots[0]["y"] < own["y"] < spots[1]["y"]
    await page.get_by_role("button", name="play 1").click()
    assert await page.evaluate("chosen") == [1]
    text = await page.locator(".line").inner_text()
    assert "stock: 12; the last 2 cannot be drawn" in text


async def test_partners_have_one_column_of_the_score_sheet(visits: Visits):
    page = await staged(visits)
    sheet = """async (view) => {
      const { sheet } = modules["match/log.js"];
      const made = sheet();
      made.deed({ entry: 9, scores: [35, 0, 35] });
      made.draw(view);
      return [...made.node.querySelectorAll("tr")].map((row) => [...row.children].map((cell) => cell.textContent));
    }"""
    head, first, now = await page.evaluate(sheet, BOARDS["partners"])
    assert (
        head[1:] == [f"Ann, {NAMES[2]}", "Bob"]
        and first == ["1", "35", "0"]
        and now[1:] == ["10", "10"]
    )
    assert len((await page.evaluate(sheet, BOARDS["line"]))[0]) == 1 + len(NAMES)


async def test_line_highlights_place_where_the_tile_is_unambiguous(visits: Visits):
    page = await staged(visits)
    await draw(page, seen(a_line([(3, 4)]), HAND, (play(0, 41, 0), play(1, 42, 0), play(2, 42, 1))))
    assert await page.locator(".dashes").count() == 2
    assert [
        await each.get_attribute("aria-label") for each in await page.get_by_role("button").all()
    ] == ["play 2"]
    await page.get_by_role("button").click()
    assert await page.evaluate("chosen") == [2]
    await draw(
        page,
        seen(a_line([(3, 4)]), HAND, (play(0, 41, 0), play(1, 42, 0), play(2, 42, 1))),
        asked=42,
    )
    await page.get_by_role("button", name="play 1").focus()
    await page.keyboard.press("Enter")
    assert await page.evaluate("chosen") == [1]
    await page.keyboard.press("Tab")
    await page.keyboard.press(" ")
    assert await page.evaluate("chosen") == [2]
    await draw(page, BOARDS["empty line"])
    assert (
        await page.locator(".dashes").count() == 1 and await page.get_by_role("button").count() == 0
    )


async def test_the_line_is_laid_anew_when_its_room_changes(visits: Visits):
    page = await staged(visits)
    await draw(page, BOARDS["line"])
    await page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    await page.wait_for_function(
        "most => [...document.querySelectorAll('.tile')].every((node) => "
        "node.getBoundingClientRect().right <= most)",
        arg=PHONE[0],
    )


async def test_suits_differ_in_shape_and_colour_and_backs_say_nothing(visits: Visits):
    page = await staged(visits)
    await draw(
        page, seen(PokerTable(1, 1, PokerStreet.FLOP, cards("As Ah Ad Ac"), 0, (), 0, (1, 2), 2))
    )
    shapes = await page.locator(".card g").evaluate_all(
        "all => all.map((one) => [getComputedStyle(one).fill, "
        "one.querySelector('path').getAttribute('d')])"
    )
    colours, paths = zip(*shapes, strict=True)
    assert len(set(colours)) == len(set(paths)) == 4
    face = "async (faces) => modules['boards/pieces.js'].pieceFace(faces).outerHTML"
    assert "text" not in await page.evaluate(face, None)
    assert "&lt;b&gt;" in await page.evaluate(face, ["<b>"]) and ">10<" in await page.evaluate(
        face, ["T", "s"]
    )


async def test_felt_shows_board_cards_and_pots_with_owners(visits: Visits):
    page = await staged(visits)
    await draw(page, BOARDS["felt"])
    name = await page.get_by_role("img").get_attribute("aria-label")
    assert name == "On the board: 10 of spades, ace of hearts, 7 of diamonds, queen of clubs."
    text = await page.locator(".felt").inner_text()
    for part in (
        "Turn",
        "Pot 345",
        "Main pot 200: Ann, Bob",
        "Side pot 1, 145: Bob, <img",
        "blinds 1 and 2",
        "ante 1",
        "hand 8",
    ):
        assert part in text
    assert await page.locator(".turned .empty").count() == 1
    await draw(page, seen(PokerTable(0, 20, PokerStreet.NONE, (), 0, (), 5, (), 10)))
    assert (
        await page.get_by_role("img").count() == 0
        and "minimum bet 10" in await page.locator(".felt").inner_text()
    )


async def test_generic_table_is_drawn_by_regions_and_playable(visits: Visits):
    page = await staged(visits)
    await draw(page, BOARDS["generic"])
    shown = await page.locator(".region").evaluate_all(
        "all => all.map((one) => one.innerText.split(/\\n+/).join('|'))"
    )
    assert (
        shown[0] == "Stock|face down: 23"
        and shown[1].endswith("face down: 5")
        and shown[3] == "Mana|7"
    )
    assert shown[5] == "Empty|empty" and shown[6] == "Hand|face down: 6"
    assert await page.get_by_role("figure", name="Bob").get_by_role("figure").count() == 1
    await page.get_by_role("button", name="king of spades").click()
    assert await page.evaluate("chosen") == [0]
    await page.get_by_role("button", name="Sword of a Thousand Truths").press("Enter")
    await page.keyboard.press("Tab")
    await page.keyboard.press("Enter")
    assert await page.evaluate("chosen") == [2]
    await draw(page, seen(RegionBoard(0)))
    assert not await page.locator(".generic").is_visible()


RAISE = encode_with_sentences(
    Offer(
        2,
        "raise",
        ("raise",),
        phrase("raise"),
        amount=Amount(
            4, 200, 1, tuple(Preset(amount, phrase(f"like {amount}")) for amount in (4, 14, 200))
        ),
    ),
    phrase_renderer(english, NAMES),
)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("20", 20), ("3", 4), ("999999", 200), ("", 4), ("7.4", 7), ("-1", 4), ("1e2", 100)],
)
async def test_whatever_is_typed_the_wager_keeps_to_the_range(
    visits: Visits, typed: str, meant: int
):
    page = await staged(visits)
    await page.evaluate(WAGER, RAISE)
    await page.get_by_role("spinbutton").fill(typed)
    await page.keyboard.press("Enter")
    assert await page.evaluate("chosen") == [2, meant]
    assert await page.get_by_role("button", name=f"Raise to {meant}", exact=True).count() == 1


async def test_field_slider_presets_wheel_and_keys_agree(visits: Visits):
    page = await staged(visits)
    await page.evaluate(WAGER, RAISE)
    field, slider = page.get_by_role("spinbutton"), page.get_by_role("slider")
    await page.get_by_role("button", name="like 14").click()
    assert (await field.input_value(), await slider.input_value()) == ("14", "14")
    await slider.focus()
    await page.keyboard.press("ArrowRight")
    assert await field.input_value() == "15"
    await field.focus()
    await page.keyboard.press("ArrowUp")
    assert await slider.input_value() == "16"
    await field.hover()
    await page.mouse.wheel(0, 100)
    await page.get_by_role("button", name="Raise to 15").click()
    assert await page.evaluate("chosen") == [2, 15]


async def faults(page: Page) -> list[str]:
    """Return the errors that axe finds, except that a board alone has no heading."""
    return [line for line in await violations(page) if not line.startswith("page-has-heading-one")]


@pytest.mark.parametrize("dark", [False, True])
async def test_boards_have_names_and_fit_on_small_screens(visits: Visits, dark: bool):
    page = await staged(visits, dark=dark, size=PHONE, stretched=True)
    await page.evaluate("document.getElementById('root').setAttribute('role', 'main')")
    for name, view in BOARDS.items():
        await draw(page, view)
        assert (name, await faults(page)) == (name, [])
    await page.set_viewport_size({"width": NARROW[0], "height": NARROW[1]})
    for size in ("100%", "200%"):
        await page.evaluate("size => { document.documentElement.style.fontSize = size; }", size)
        for name, view in BOARDS.items():
            await draw(page, view)
            assert (name, size, await sideways(page)) == (name, size, "")
        await page.evaluate(WAGER, RAISE)
        assert await sideways(page) == ""
    assert await faults(page) == []


async def test_tiles_glide_on_relayout_unless_motion_is_reduced(visits: Visits):
    short, whole = (seen(a_line(*line)) for line in (grown(Random(7), 24)[7], LONG))
    for motion, wanted in (("no-preference", 8), ("reduce", 0)):
        page = await staged(visits, reduced_motion=motion, size=PHONE)
        await page.evaluate(GLIDES)
        await draw(page, short)
        await page.evaluate(
            "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
        )
        assert await page.evaluate("glides") == []
        await draw(page, whole)
        told = await page.evaluate("glides")
        assert told == [150] * wanted, "those that lay there before, for they are smaller now"
        await draw(page, whole)
        assert await page.evaluate("glides") == told


@pytest.mark.parametrize("dark", [False, True])
async def test_pieces_are_read_in_forced_colours(visits: Visits, dark: bool):
    page = await staged(visits, forced_colors="active", dark=dark)
    # colours of parts of a drawing
    fills = "parts => parts.map((part) => getComputedStyle(document.querySelector(part)).fill)"
    for view, bodies, signs in (
        ("line", ".tile .body", ".tile circle"),
        ("generic", ".card .body", ".card .name"),
    ):
        await draw(page, BOARDS[view])
        assert set(await page.evaluate(fills, [bodies, signs])) == {
            "rgb(0, 0, 0)",
            "rgb(255, 255, 255)",
        }

"""Game in which all seats act at once: the board, one key or click for each card, and actions in
transit.
"""

import itertools
from dataclasses import replace
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest

from protocol.i18n import english
from protocol.options import Selection
from protocol.view.encoding import encode_with_sentences
from protocol.view.text import phrase_renderer
from protocol.view.view import TurnView
from tests.page.snapshots import snapshot
from tests.page.stage import asked, show, staged, tell
from tests.page.test_playing import program
from tests.page.visits import DESKTOP, NARROW, PHONE, Visits, sideways, violations
from tests.support.ligretto import Dealer, ligretto
from tests.support.offline import make_offline
from tests.support.views import NAMES, position

Json = dict[str, Any]
SENT = ".mine .sent"
CARD = ".mine button"
FLIP = "[data-kind='flip']"
OVER = ".end:not([hidden])"
KEY = f"document.querySelector('{CARD}')?.getAttribute('aria-keyshortcuts') ?? ' '"
PRESS = f'(document.querySelector("{CARD}") ?? document.querySelector("{FLIP}"))?.click()'


def played(seats: int, acts: int, seed: int = 1, **options: str) -> Dealer:
    """Play a round up to this many acts, each a lay if possible."""
    dealer, rng = Dealer.of(ligretto(seats, **options), seed), Random(seed)
    dealer.deal()
    while len(dealer.states) <= acts:
        seat = rng.randrange(seats)
        dealer.act(seat, dealer.game.legal(dealer.state, seat)[0])
    return dealer


def ready() -> Dealer:
    """Make a round in which seat 0 can lay, and all can flip."""
    rounds = (played(4, 70, seed) for seed in range(50))
    return next(
        one
        for one in rounds
        if len(one.game.legal(one.state, 0)) > 1 and all(own.hand for own in one.state.seats)
    )


def card(shown: Json) -> Json:
    """Return the first offer that has a card."""
    found: Json = next(offer for offer in shown["view"]["offers"] if offer["piece"] is not None)
    return found


def shot(
    dealer: Dealer, you: int | None = 0, serial: int = 1, since: int = 9, busy: bool = False
) -> Json:
    """Make a snapshot. With `busy`, an own act is in transit."""
    view = position(dealer.game, dealer.state, you)
    turns = tuple(TurnView(seat, since) for seat in range(dealer.game.seats))
    view = replace(
        view, match="m", stage="playing", turns=turns, offers=() if busy else view.offers
    )
    base = snapshot(make_offline(2, 1, "matches", {}, dealing="none").live.match, None, ())
    return base | {
        "serial": serial,
        "view": encode_with_sentences(view, phrase_renderer(english, NAMES, you)),
    }


def offered(shown: Json, key: str) -> Json:
    found: Json = next(offer for offer in shown["view"]["offers"] if key in offer["key"])
    return found


LOOKS = {"four": (4, 70, 0), "nine": (9, 150, 3), "two": (2, 30, 1), "looked on": (4, 60, None)}


@cache
def look(name: str) -> Json:
    """Return a snapshot by its name."""
    seats, acts, you = LOOKS[name]
    return shot(played(seats, acts), you)


@pytest.mark.parametrize(("size", "dark"), [(DESKTOP, False), (PHONE, True), (NARROW, False)])
async def test_simultaneous_board_fits_and_is_accessible(
    visits: Visits, size: tuple[int, int], dark: bool
):
    page = await staged(visits, size=size, dark=dark)
    for name in LOOKS:
        await show(page, look(name))
        assert (name, await violations(page), await sideways(page)) == (name, [], "")
        assert await page.locator(".mine").count() == (LOOKS[name][2] is not None), name


@pytest.mark.parametrize(("size", "seats"), [(DESKTOP, 2), (PHONE, 4), (NARROW, 2)])
async def test_board_of_dutch_blitz_fits_and_is_accessible(
    visits: Visits, size: tuple[int, int], seats: int
):
    page = await staged(visits, size=size)
    await show(page, shot(played(seats, 25, blitz="yes")))
    assert (await violations(page), await sideways(page)) == ([], "")


async def test_top_of_blitz_pile_is_played_by_click_or_key(visits: Visits):
    page = await staged(visits)
    rounds = (played(3, 0, seed, blitz="yes") for seed in range(50))
    dealer, offer = next(
        (one, offer)
        for one in rounds
        for offer in position(one.game, one.state, 0).offers
        if offer.key == "b"
    )
    await show(page, shot(dealer))
    await page.locator(f".mine button[data-piece='{offer.piece}']").click()
    await show(page, shot(dealer, serial=2, since=10))
    await page.keyboard.press("b")
    assert await asked(page) == [["choose", offer.kind]] * 2


async def test_key_takes_card_of_its_slot_and_space_flips(visits: Visits):
    page = await staged(visits)
    shown = shot(ready())
    await show(page, shown)
    key = card(shown)["key"]
    for pressed in (key, " ", "9"):
        await page.keyboard.press(pressed)
        await show(page, shown | {"serial": shown["serial"] + 1})
    wanted = [["choose", offered(shown, pressed)["kind"]] for pressed in (key, " ")]
    assert await asked(page) == wanted


@pytest.mark.parametrize("touch", [False, True])
async def test_pressed_key_is_pending_until_next_choice(visits: Visits, touch: bool):
    page = await staged(visits, **({"size": PHONE, "has_touch": True} if touch else {}))
    dealer = ready()
    shown = shot(dealer)
    piece = card(shown)["piece"]
    await page.evaluate(
        "() => { globalThis.answering = new Promise((done) => (globalThis.answer = done)); }"
    )
    await show(page, shown)
    pressed = page.locator(f".mine [data-piece='{piece}']")
    await (pressed.tap() if touch else pressed.click())
    assert await page.locator(SENT).count() == 1
    await page.evaluate("() => answer()")
    await show(page, shot(dealer, serial=2, busy=True))
    assert await page.locator(SENT).count() == 1  # the act was another seat's
    await show(page, shot(dealer, serial=3, since=12))
    assert await page.locator(SENT).count() == 0
    assert [what for what, *_ in await asked(page)] == ["choose"]


async def test_pending_choice_still_offered_after_others_act_is_resent(visits: Visits):
    page = await staged(visits)
    await page.evaluate("() => { globalThis.refusal = 'That is not on offer any more.'; }")
    shown = shot(ready())
    await show(page, shown)
    await page.keyboard.press(" ")
    await page.get_by_text("That is not on offer any more.").wait_for()
    assert [what for what, *_ in await asked(page)] == ["choose"] * 4  # and no further request
    await page.evaluate("() => { globalThis.refusal = ''; }")
    await page.keyboard.press(" ")
    assert len(await asked(page)) == 5


async def test_act_refused_by_program_is_not_pending(visits: Visits):
    page = await staged(visits)
    await page.evaluate("() => { globalThis.refusal = 'That is not on offer any more.'; }")
    shown = shot(ready())
    await show(page, shown)
    await page.keyboard.press(" ")
    await page.get_by_text("That is not on offer any more.").wait_for()
    await page.keyboard.press(card(shown)["key"])
    await page.locator(SENT).wait_for(state="detached")


async def test_overtaken_player_is_told(visits: Visits):
    page = await staged(visits)
    await show(page, shot(ready()))
    late = {"entry": 90, "kind": "late", "text": "too late"}
    await tell(page, [late | {"author": 2}])
    assert await page.get_by_text("Too late:").count() == 0
    await tell(page, [late | {"author": 0}])
    await page.get_by_text("Too late: somebody else was faster.").wait_for()


async def test_pointer_press_survives_update_before_release(visits: Visits):
    page = await staged(visits)
    dealer = ready()
    shown = shot(dealer)
    piece = card(shown)["piece"]
    await show(page, shown)
    await page.locator(f".mine [data-piece='{piece}']").hover()
    await page.mouse.down()
    seat = next(
        seat for seat in (1, 2, 3) if dealer.game.legal(dealer.state, seat)[-1] == ("flip",)
    )
    dealer.act(seat, ("flip",))
    await show(page, shot(dealer, serial=2, since=9))
    await page.mouse.up()
    assert [what for what, *_ in await asked(page)] == ["choose"]


@pytest.mark.process
async def test_round_is_played_by_keys_and_clicks(visits: Visits, tmp_path: Path):
    game = Selection(
        "ligretto", (("redeal", "no"), ("rescues", 1), ("rounds", 1), ("row", 5), ("target", 1))
    )
    async with program(
        tmp_path, game, Selection("verified", (("leavers", "void"),)), "ligretto"
    ) as zoe:
        tab = await visits.open(await zoe.says(r"http://\S+"))
        for press in itertools.cycle((True, False)):
            await tab.wait_for_selector(f"{CARD}, {FLIP}, {OVER}")
            if await tab.locator(OVER).count():
                break
            if press:
                await tab.evaluate(PRESS)
            else:
                await tab.keyboard.press(await tab.evaluate(KEY))
        assert "nobody cheated" in await tab.inner_text(OVER)
        await tab.close()
    # answers to late acts
    visits.complaints = [line for line in visits.complaints if "409" not in line]

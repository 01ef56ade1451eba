"""A person's cards on a page: shown, traded by clicks, and safe against contents of strangers."""

import asyncio
from pathlib import Path

import pytest
from playwright.async_api import Route

from player.cards.creator.element_set.cards import CARDS
from protocol.identity.keys import JoinLink
from protocol.ledger.record_contents import CardType, Instance
from protocol.ledger.records import image_digest, sign_record
from protocol.ledger.trading import events
from tests.page.collectors import FACE, Caller, album, collector, people
from tests.page.visits import DESKTOP, PHONE, Visits, sideways, violations
from tests.properties.ledger.growth import spent_often
from tests.support.ledger import ANN, BOB, MAKER, slot_of, traded

TABS = ("binder", "decks", "trade", "creators", "alarms")


@pytest.mark.match
@pytest.mark.parametrize(
    "how", [{}, {"dark": True}, {"size": PHONE}], ids=["light", "dark", "phone"]
)
async def test_every_cards_tab_is_accessible(
    visits: Visits, tmp_path: Path, how: dict[str, object]
):
    with people(tmp_path) as (ann, _):
        async with album(ann) as (_, link):
            tab = await visits.open(link, **how)
            for name in TABS:
                await tab.click(f"[data-view={name}]")
                await tab.wait_for_selector(f"[data-view={name}][aria-current]")
                assert await violations(tab) == [] and await sideways(tab) == ""


@pytest.mark.match
async def test_tab_chosen_before_data_arrives_is_filled_later(visits: Visits, tmp_path: Path):
    asked, free = asyncio.Event(), asyncio.Event()

    async def hold(route: Route) -> None:
        asked.set()
        await free.wait()
        await route.continue_()

    with people(tmp_path) as (ann, _):
        async with album(ann) as (_, link):
            tab = await visits.open()
            await tab.route("**/api/events", hold)
            await tab.goto(link)
            await asked.wait()
            await tab.click("[data-view=creators]")
            free.set()
            await tab.wait_for_selector("input[value='certified only']")
            await tab.wait_for_selector("[data-view=creators][aria-current]")


@pytest.mark.match
async def test_filter_typed_before_cards_arrive_applies_to_them(visits: Visits, tmp_path: Path):
    asked, free = asyncio.Event(), asyncio.Event()

    async def hold(route: Route) -> None:
        asked.set()
        await free.wait()
        await route.continue_()

    with people(tmp_path) as (ann, _):
        async with album(ann) as (_, link):
            tab = await visits.open()
            await tab.route("**/api/binder", hold)
            await tab.goto(link)
            await asked.wait()
            await tab.fill("#cards-find", "ember")
            free.set()
            await tab.wait_for_selector(".card:has-text('Ember')")
            assert await tab.locator(".card").count() == 1


@pytest.mark.match
async def test_image_arriving_during_failed_request_is_shown(visits: Visits, tmp_path: Path):
    asked, free = asyncio.Event(), asyncio.Event()

    async def hold(route: Route) -> None:
        answer = await route.fetch()
        if answer.status == 404:
            asked.set()
            await free.wait()
        await route.fulfill(response=answer)

    with people(tmp_path, pictured=(BOB,)) as (ann, _):
        async with album(ann) as (_, link):
            tab = await visits.open()
            await tab.route("**/api/face?*", hold)
            await tab.goto(link)
            await asked.wait()
            ann.collection.store.add_image(FACE)
            async with tab.expect_response("**/api/creators"):
                await tab.click("[data-view=creators]")
            # draws again while the first answer is in transit
            await tab.click("[data-view=binder]")
            await tab.wait_for_selector("[data-view=binder][aria-current]")
            free.set()
            await tab.wait_for_selector(".face.painted img")
        visits.forgive("404")


@pytest.mark.match
async def test_a_face_is_a_picture_and_a_name_is_text(visits: Visits, tmp_path: Path):
    with people(tmp_path) as (_, bob):
        async with album(bob) as (_, link):
            tab = await visits.open(link)
            await tab.wait_for_selector(".face.painted img")
            assert "<img onerror=alert(1)>" in await tab.inner_text("main")
            await tab.click(".card:has-text('<img')")
            assert "as far as this computer knows" in await tab.inner_text("dialog")


@pytest.mark.match
async def test_tile_shows_values_of_card_whatever_its_picture_says(visits: Visits, tmp_path: Path):
    with collector(tmp_path) as ann:
        kind = CardType(
            MAKER.public,
            None,
            0,
            None,
            "Leviathan",
            "Fakes",
            image_digest(next(one.face for one in CARDS if one.name == "Leviathan")),
            (("element", "water"), ("strength", 1), ("wings", 2)),
            True,
            "",
        )
        false = sign_record(kind, MAKER)
        copy = sign_record(Instance(MAKER.public, false.id, 1, bytes(16)), MAKER)
        given = traded(MAKER, ANN, [slot_of(copy.id)])
        ann.collection.add([false, copy, given])
        async with album(ann) as (_, link):
            tab = await visits.open(link)
            tile = tab.locator(f".card[data-card='{copy.id.hex()}']:visible")
            await tile.locator(".face.painted").wait_for()
            assert (await tile.locator(".head b").all_text_contents()) == ["1", "water"]
            assert "wings 2" in await tile.locator(".rest").inner_text()
            await tile.click()
            assert await tab.locator("dialog .face .head b").first.inner_text() == "1"


# whether a picture is whole inside a face, and whether what lies over its corners hides the badges
# that the pictures of the element set have there, as circles in a drawing of 250 by 350
WHOLE = """(face) => {
  const box = face.getBoundingClientRect(), image = face.querySelector("img").getBoundingClientRect();
  const [fit, unit] = [getComputedStyle(face.querySelector("img")).objectFit, box.width / 250];
  const inside = ["left", "top"].every((side) => image[side] >= box[side] - 1) &&
    ["right", "bottom"].every((side) => image[side] <= box[side] + 1);
  const hidden = [...face.querySelectorAll(".head b")].map((badge, at) => {
    const over = badge.getBoundingClientRect(), radius = over.height / 2;
    const middle = at ? over.right - radius : over.left + radius;
    const away = Math.hypot(middle - box.left - unit * [34, 216][at], over.top + radius - box.top - unit * 34);
    return away + 24 * unit <= radius + 1;
  });
  return [fit, inside, ...hidden];
}"""


@pytest.mark.match
@pytest.mark.parametrize("size", [PHONE, DESKTOP], ids=["phone", "desktop"])
async def test_picture_is_whole_and_has_each_badge_once(
    visits: Visits, tmp_path: Path, size: tuple[int, int]
):
    with collector(tmp_path) as ann:
        async with album(ann) as (_, link):
            tab = await visits.open(link, size=size)
            tile = tab.locator(".card:visible").first
            await tile.locator(".face.painted").wait_for()
            assert await tile.locator(".face").evaluate(WHOLE) == ["contain", True, True, True]
            await tile.click()
            large = tab.locator("dialog .face.painted")
            await large.wait_for()
            assert await large.evaluate(WHOLE) == ["contain", True, True, True]


@pytest.mark.match
async def test_a_trade_by_clicks(visits: Visits, tmp_path: Path):
    with people(tmp_path) as (ann, bob):
        async with album(ann) as (_, link):
            tab = await visits.open(link)
            await tab.click("[data-view=trade]")
            await tab.click("button:has-text('Wait for somebody')")
            called = Caller(bob, JoinLink.parse(await tab.input_value("#invitation-link")))
            await called.come()
            await called.until(events.PartnerIdentified)
            called.window.act({"do": "lay", "id": bob.cards[0].hex()})
            await tab.click(f".card[data-card='{ann.cards[0].hex()}']:visible")
            await called.until(events.OfferChanged)
            await tab.click("button:has-text('Propose this trade')")
            asked = await called.until(events.TradeProposed)
            assert asked.terms.received == (ann.cards[0],) and asked.terms.given == (bob.cards[0],)
            await tab.wait_for_selector(".proposal")
            assert "You get" in await tab.inner_text(".proposal")
            called.window.act({"do": "yes", "id": asked.terms.digest.hex(), "warned": False})
            ann.collection.store.policy = "certified only"
            await tab.click(".proposal button:has-text('Sign')")
            await tab.wait_for_selector("main > .wrong:has-text('Your policy does not take')")
            visits.forgive("422")
            assert ann.collection.store.journal.standing().made == 1, (
                "a click overrules no policy: nothing more is signed"
            )
            ann.collection.store.policy = "anything"
            await tab.click(".proposal button:has-text('Sign')")
            await called.until(events.TradeFinished)
            await tab.wait_for_selector("[role=status]:has-text('Both of you have signed')")
            await tab.click("[data-view=binder]")
            await tab.wait_for_selector(f".card[data-card='{bob.cards[0].hex()}']:visible")
            called.leave()
        for one in (ann, bob):
            assert one.collection.view.holding(ann.cards[0]).owner == bob.identity.public
            assert one.collection.view.holding(bob.cards[0]).owner == ann.identity.public


@pytest.mark.match
@pytest.mark.parametrize("size", [PHONE, DESKTOP], ids=["phone", "desktop"])
async def test_both_ask_for_cards_and_past_trades_are_listed(
    visits: Visits, tmp_path: Path, size: tuple[int, int]
):
    with people(tmp_path) as (ann, bob):
        async with album(ann) as (_, link):
            tab = await visits.open(link, size=size)
            await tab.click("[data-view=trade]")
            await tab.wait_for_selector("summary:has-text('Past trades: 1')")
            await tab.click("button:has-text('Wait for somebody')")
            called = Caller(bob, JoinLink.parse(await tab.input_value("#invitation-link")))
            await called.come()
            await called.until(events.PartnerIdentified)
            await tab.wait_for_selector("text=You trade with Bob (not known to you yet)")

            await tab.get_by_label("A card", exact=True).fill("Old Oak")
            await tab.keyboard.press("Enter")
            said = await called.until(events.RemarkReceived)
            assert isinstance(said, events.RemarkReceived)
            assert said.text == "I would like: Old Oak"
            theirs = tab.locator("section:has(> h2:has-text('Cards you would like'))")
            await theirs.locator(f"[data-card='{bob.cards[0].hex()}']").click()
            offered = await called.until(events.OfferChanged)
            assert isinstance(offered, events.OfferChanged) and offered.want == (bob.cards[0],)
            await theirs.locator("[aria-pressed=true]").wait_for()
            called.window.act({"do": "want", "id": ann.cards[1].hex()})
            wanted = tab.locator("section:has(> h2:has-text('They would like'))")
            await wanted.wait_for()
            assert (await violations(tab), await sideways(tab)) == ([], "")
            await wanted.locator(".card").click()
            await wanted.wait_for(state="hidden")
            called.window.act({"do": "lay", "id": bob.cards[0].hex()})
            await tab.click("button:has-text('Propose this trade')")
            asked = await called.until(events.TradeProposed)
            assert isinstance(asked, events.TradeProposed)
            await tab.click(".proposal button:has-text('Sign')")
            await tab.wait_for_selector("[role=status]:has-text('You said yes')")
            called.window.act({"do": "yes", "id": asked.terms.digest.hex(), "warned": False})
            await called.until(events.TradeFinished)
            await tab.click("summary:has-text('Past trades: 2')")
            newest = await tab.locator(".past li").first.inner_text()
            assert "Old Oak" in newest and "<img" in newest
            called.leave()


@pytest.mark.match
async def test_image_arriving_with_trade_is_shown_at_once(visits: Visits, tmp_path: Path):
    with people(tmp_path, pictured=(BOB,)) as (ann, bob):
        async with album(ann) as (screen, link):
            tab = await visits.open(link)
            async with tab.expect_response("**/api/face?*") as missing:
                await tab.click("[data-view=binder]")
            assert (await missing.value).status == 404
            await tab.click("[data-view=trade]")
            await tab.click("button:has-text('Wait for somebody')")
            called = Caller(bob, JoinLink.parse(await tab.input_value("#invitation-link")))
            await called.come()
            await called.until(events.PartnerIdentified)
            called.window.act({"do": "lay", "id": bob.cards[0].hex()})
            await tab.wait_for_selector(".face.painted img")
            assert screen.picture(image_digest(FACE)) == FACE
            called.leave()
        visits.forgive("404")


@pytest.mark.match
async def test_trust_is_marked_by_a_click_and_kept(visits: Visits, tmp_path: Path):
    with people(tmp_path) as (ann, _):
        async with album(ann) as (_, link):
            tab = await visits.open(link)
            await tab.click("[data-view=creators]")
            await tab.check("input[value=distrusted]")
            await tab.wait_for_selector("h2 .mark.distrusted")
            await tab.check("input[value='certified only']")
            await tab.wait_for_selector("input[value='certified only']:checked")
        assert ann.collection.store.policy == "certified only" and list(
            ann.collection.store.marks().values()
        ) == [False]


@pytest.mark.match
async def test_alarm_says_what_to_do(visits: Visits, tmp_path: Path):
    with people(tmp_path) as (ann, _):
        ann.collection.add(spent_often(4))
        async with album(ann) as (_, link):
            tab = await visits.open(link)
            await tab.click("[data-view=alarms]")
            await tab.wait_for_selector(".alarm:has-text('What to do: Trade with them no more')")
            assert await violations(tab) == [] and await sideways(tab) == ""
            await tab.click(".alarm button:has-text('Distrust them')")
            await tab.wait_for_selector(".alarm .mark.distrusted")
            assert await tab.locator("li.alarm button").count() == 0
        assert False in ann.collection.store.marks().values()

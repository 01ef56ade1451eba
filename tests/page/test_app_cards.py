"""Cards in the app, in a browser: packs from a shop that is a program of its own, decks, a trade
with a second program, and shops and people who break off or refuse.
"""

import asyncio
import re
from pathlib import Path
from random import Random

import pytest
from playwright.async_api import Page

from player.cards.shops.known_shops import KnownShops
from player.storage.identity_file import load_identity
from protocol.identity.keyfile import Cost
from protocol.identity.keys import JoinLink, fingerprint
from protocol.limits import MIN_KEYFILE_MEMORY
from tests.page.homes import home, route
from tests.page.test_app_tables import join, person
from tests.page.visits import DESKTOP, PHONE, Visits, sideways, violations
from tests.support.collectors import STATE
from tests.support.shop_programs import (
    NAMES,
    PACK,
    finish_program,
    free_port,
    make_press,
    open_shop,
    run_program,
)

pytestmark = [pytest.mark.match, pytest.mark.process]
SECTIONS = ("binder", "decks", "shops", "trade", "creators", "alarms")


async def cards(page: Page, section: str) -> None:
    """Go to a section of the cards."""
    await page.locator(".bar").get_by_role("button", name="Cards", exact=True).click()
    await page.click(f"[data-view={section}]")
    await page.wait_for_selector(f"[data-view={section}][aria-current]")


async def look(page: Page, link: str) -> None:
    """Paste the link of a shop, and wait for its list."""
    await cards(page, "shops")
    await page.fill("#shop-link", link)
    await page.keyboard.press("Enter")
    await page.wait_for_selector(".sale")


async def buy(page: Page) -> None:
    """Buy what is on sale."""
    await page.locator(".sale").get_by_role("button", name="Buy", exact=True).click()


async def test_app_buys_pack_builds_deck_and_trades(visits: Visits, tmp_path: Path):
    press, bob = tmp_path / "press", tmp_path / "bob"
    await make_press(press)
    async with home(visits, tmp_path / "ann") as page, open_shop(press) as link:
        await cards(page, "shops")
        await page.wait_for_selector("text=The first link you follow brings a shop here")
        await look(page, f" <{link}> ")
        assert "2 of 2 packs left" in await page.inner_text(".sale")
        await page.get_by_text("What is in the run").click()
        await page.locator(".sale details .face.painted img").nth(len(NAMES) - 1).wait_for()
        tops = await page.locator(".sale details li .face").evaluate_all(
            "(all) => all.slice(0, 4).map((one) => one.getBoundingClientRect().top)"
        )
        assert len(set(tops)) == 1
        await buy(page)
        await page.wait_for_selector("text=The pack is yours")
        await page.get_by_role("button", name="Open and turn all").click()
        await page.wait_for_selector(".pack .face.painted img")
        assert await page.locator(".pack .card").count() == PACK
        said = await run_program("cards", "buy", link, "--data", bob)
        assert any(name in said for name in NAMES)

        await page.click("[data-view=binder]")
        await page.fill("#cards-find", "press")
        await page.wait_for_selector(".album .cards .card:visible")
        name = await page.locator(
            ".cards .card .caption bdi, .cards .card .caption span"
        ).first.inner_text()
        await page.fill("#cards-find", "strength>99")
        await page.wait_for_selector("text=Card types found: 0")
        await page.fill("#cards-find", f"{name} strength>0")
        await page.select_option("#cards-sort", "strength")
        await page.wait_for_selector("text=Card types found: 1")
        await page.locator(".cards .card:visible").click()
        details = page.locator("dialog[open]")
        await details.locator(".face.painted img").wait_for()
        for part in (name, "The Press", "no mark", "strength"):
            assert part in await details.inner_text()
        await page.keyboard.press("Escape")

        await page.click("[data-view=decks]")
        await page.fill("#deck-new", "Wood")
        await page.select_option("#deck-new-of", "own")
        await page.press("#deck-new", "Enter")
        await page.wait_for_selector(".verdict h2:has-text('Wood')")
        await page.focus("#deck-find")
        for count in range(1, PACK + 1):
            await page.keyboard.press("Enter")
            await page.wait_for_selector(f".verdict:has-text('Cards: {count}.')")
        await page.fill("#deck-name", "Forest")
        await page.press("#deck-name", "Enter")
        await page.wait_for_selector(".decks nav [aria-current] bdi:text-is('Forest')")

        await trade(page, bob, name)
    listed = await run_program("cards", "list", "--data", tmp_path / "ann")
    assert len([line for line in listed.splitlines() if "The Press" in line]) == PACK
    assert "Forest" in await run_program("cards", "deck", "list", "--data", tmp_path / "ann")


async def trade(page: Page, bob: Path, name: str) -> None:
    """Trade with Bob's program by a link of the page: first Bob refuses, then he agrees."""
    listed = await run_program("cards", "list", "--data", bob)
    found = re.search(r"#\d+ +([0-9a-f]{8})", listed)
    assert found is not None
    his = found[1]
    await page.click("[data-view=trade]")
    for wanted, told in (
        (his, "said no, and has left"),
        (name, "The cards have changed hands, and"),
    ):
        await page.get_by_role("button", name="Wait for somebody").click()
        link = await page.input_value("#invitation-link")
        words = ("--give", his, "--want", wanted, "--yes", "--name", "Bob", "--data", bob)
        program = asyncio.create_task(finish_program("cards", "trade", link, *words))
        await page.wait_for_selector("text=You trade with")
        await page.click("summary:has-text('Is this the right person?')")
        fingerprints = await page.locator("details[open] dd code").all_inner_texts()
        assert len(set(fingerprints)) == 2
        own = page.locator("section:has(> h2:has-text('press the ones you give')) .card")
        await own.filter(has_text=name).first.click()
        if wanted == his:
            await page.get_by_role("button", name="Propose this trade").click()
        else:
            await page.get_by_role("button", name="Sign", exact=True).click()
        await page.wait_for_selector(f"[role=status]:has-text('{told}')")
        code, said = await program
        assert code == (wanted == his), said
        assert await page.locator(".got .caption").count() == (wanted != his)
        await page.get_by_role("button", name="End this trade").click()
        await page.locator("dialog[open] .danger").click()
        await page.get_by_role("button", name="Wait for somebody").wait_for()


async def first_deck(page: Page, name: str) -> None:
    """Make first cards, and a deck of ten of them."""
    await cards(page, "binder")
    await page.get_by_role("button", name="Make the 50 Elements").click()
    await page.get_by_role("button", name="Open and turn all").click()
    await page.click("[data-view=decks]")
    await page.fill("#deck-new", name)
    await page.press("#deck-new", "Enter")
    await page.wait_for_selector(f".verdict h2:has-text('{name}')")
    await page.focus("#deck-find")
    for count in range(1, 11):
        await page.keyboard.press("Enter")
        await page.wait_for_selector(f".verdict:has-text('Cards: {count}.')")


async def test_deck_of_own_cards_is_played_against_a_person(
    visits: Visits, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv(STATE, str(tmp_path / "state"))
    async with (
        person(visits, tmp_path / "ann", "Ann", size=DESKTOP) as ann,
        person(visits, tmp_path / "bob", "Bob", size=PHONE) as bob,
    ):
        await first_deck(bob, "Bobs")
        await route(bob, "Play")
        await bob.locator("summary", has_text="Play with other people").click()
        whose = bob.get_by_label("Cards", exact=True)
        await bob.select_option("#table-game", "element-duel")
        await bob.wait_for_selector('option:checked:text-is("Everybody\'s own")', state="attached")
        await whose.select_option("proxies")
        await bob.wait_for_selector("option:checked:has-text('the deck in')", state="attached")
        assert (await violations(bob), await sideways(bob)) == ([], "")

        await first_deck(ann, "Anns")
        await ann.get_by_role("button", name="Play with this deck against a person").click()
        await ann.wait_for_selector("#table-deck option:checked:text-is('Anns')", state="attached")
        assert await ann.input_value("#table-game") == "element-duel"
        assert await ann.input_value("#table-options-cards") == "owned"
        assert await ann.locator("#table-deck option").count() == 1
        assert (await violations(ann), await sideways(ann)) == ([], "")
        await ann.select_option("#table-reach", "near")
        await ann.get_by_role("button", name="Open a table", exact=True).click()
        await ann.wait_for_selector(".share[data-link]")
        assert "file's own cards" not in await ann.inner_text("main")
        await join(bob, await ann.input_value("#invitation"))
        for page in (ann, bob):
            await page.get_by_role("button", name="Sit down", exact=True).click()
        for page in (ann, bob):
            await page.wait_for_selector("#hand button", timeout=90_000)


@pytest.mark.parametrize(
    "how", [{"size": PHONE, "dark": True}, {"size": DESKTOP}], ids=["phone", "desktop"]
)
async def test_every_section_of_cards_is_accessible(
    visits: Visits, tmp_path: Path, how: dict[str, object]
):
    press = tmp_path / "press"
    await make_press(press)
    async with home(visits, tmp_path / "ann", **how) as page:
        for section in SECTIONS:
            await cards(page, section)
            assert (section, await violations(page), await sideways(page)) == (section, [], "")
        async with open_shop(press) as link:
            await look(page, link)
            await buy(page)
            await page.wait_for_selector("text=The pack is yours")
            await page.get_by_role("button", name="Open and turn all").click()
            assert (await violations(page), await sideways(page)) == ([], "")
            await page.get_by_role("button", name="Leave the shop").click()
        async with open_shop(press, "--price", 1) as link:
            await look(page, link)
            await page.wait_for_selector(".sale .card")
        for section in SECTIONS:
            await cards(page, section)
            assert (section, await violations(page), await sideways(page)) == (section, [], "")
        await page.click("[data-view=binder]")
        await page.locator(".cards .card:visible").first.click()
        assert (await violations(page), await sideways(page)) == ([], "")
        await page.keyboard.press("Escape")


async def test_only_the_first_card_of_a_type_is_new(visits: Visits, tmp_path: Path):
    press = tmp_path / "press"
    await make_press(press)
    async with home(visits, tmp_path / "ann") as page, open_shop(press) as link:
        await look(page, link)
        await page.get_by_label("Packs", exact=True).fill("2")
        await buy(page)
        await page.wait_for_selector("text=Your packs")
        # the second wrapper first: what is turned first is new
        await page.locator(".pack .wrapper").nth(1).click()
        await page.get_by_role("button", name="Turn this card").last.click()
        assert await page.locator(".pack .good:text-is('new to you')").count() == 1
        await page.get_by_role("button", name="Open and turn all").click()
        await page.locator(".pack .caption").nth(2 * PACK - 1).wait_for()
        assert await page.locator(".pack .good:text-is('new to you')").count() == len(NAMES)


async def test_pack_is_paid_with_chosen_cards(visits: Visits, tmp_path: Path):
    press, ann = tmp_path / "press", tmp_path / "ann"
    await make_press(press)
    async with open_shop(press) as free:
        await run_program("cards", "buy", free, "--data", ann)
    async with home(visits, ann) as page, open_shop(press, "--price", 2) as link:
        await cards(page, "shops")
        await page.get_by_role("button", name="Look inside the shop of The Press").click()
        await page.wait_for_selector(".shops [role=alert] p:has-text('127.0.0.1')")
        await page.get_by_role("button", name="Leave the shop").click()
        await look(page, link)
        buying = page.locator(".sale").get_by_role("button", name="Buy", exact=True)
        paying = page.locator(".sale .card")
        await paying.nth(0).click()
        assert await buying.is_disabled()
        await paying.nth(1).click()
        await buying.click()
        await page.wait_for_selector("text=The pack is yours")
        await page.click("[data-view=binder]")
        await page.wait_for_selector(f"text=Cards: {2 * PACK - 2}.")


async def test_purchase_goes_on_while_page_shows_something_else(visits: Visits, tmp_path: Path):
    press, answer = tmp_path / "press", tmp_path / "answer"
    await make_press(press)
    async with (
        home(visits, tmp_path / "ann") as page,
        open_shop(press, defect=("wait", answer)) as link,
    ):
        await look(page, link)
        await buy(page)
        await page.wait_for_selector("[role=status]:has-text('draw between you and the shop')")
        await route(page, "Play")
        await cards(page, "shops")
        assert await page.locator(".shops progress:visible").count() == 1
        assert not await page.locator("#shop-link").is_visible()
        await route(page, "History")
        answer.touch()
        await cards(page, "shops")
        await page.wait_for_selector("text=The pack is yours")
        await page.click("[data-view=binder]")
        await page.wait_for_selector(f"text=Cards: {PACK}.")


async def test_pack_arrives_though_app_ended_before_answer(visits: Visits, tmp_path: Path):
    press, ann, answer = tmp_path / "press", tmp_path / "ann", tmp_path / "answer"
    await make_press(press)
    async with open_shop(press, defect=("wait", answer)) as link:
        async with home(visits, ann) as page:
            await look(page, link)
            await buy(page)
            await page.wait_for_selector("[role=status]:has-text('draw between you and the shop')")
        answer.touch()
        async with home(visits, ann) as page:
            await cards(page, "shops")
            await page.get_by_role("button", name="Ask the shop again").click()
            await page.wait_for_selector("[role=alert] p:has-text('from an earlier visit')")
            await page.click("[data-view=creators]")
            await page.get_by_role("button", name="Show them").click()
            await page.wait_for_selector("[aria-current]:has-text('Binder') >> visible=true")
            await page.wait_for_selector(f"text=Cards: {PACK}.")


async def test_pack_arrives_though_shop_crashed_before_answer(visits: Visits, tmp_path: Path):
    press, ann, port = tmp_path / "press", tmp_path / "ann", free_port()
    await make_press(press)
    async with (
        home(visits, ann) as page,
        open_shop(press, port=port, defect=("crash", press)) as link,
    ):
        await look(page, link)
        await buy(page)
        await page.wait_for_selector("[role=alert] p:has-text('Nothing is lost')")
    async with home(visits, ann) as page, open_shop(press, port=port):
        await cards(page, "shops")
        owed = page.locator("section:has(> h2:has-text('A shop owes you an answer'))")
        await owed.get_by_role("button", name="Ask the shop again").click()
        await page.wait_for_selector("[role=alert] p:has-text('from an earlier visit')")
        await page.get_by_role("button", name="Open and turn all").click()
        await page.wait_for_selector(".pack .face.painted img")
        await page.click("[data-view=binder]")
        await page.wait_for_selector(f"text=Cards: {PACK}.")
        await page.click("[data-view=shops]")
        await owed.wait_for(state="hidden")


async def test_faulty_pack_is_refused_and_not_paid(visits: Visits, tmp_path: Path):
    press, ann = tmp_path / "press", tmp_path / "ann"
    await make_press(press)
    async with home(visits, ann) as page, open_shop(press, defect=("salt", press)) as link:
        await look(page, link)
        await buy(page)
        await page.wait_for_selector("[role=alert] p:has-text('The shop sent something wrong')")
        await page.wait_for_selector("[role=alert] p:has-text('paid nothing')")
        await page.click("[data-view=binder]")
        await page.wait_for_selector("text=You have no cards yet")
    assert len(list((ann / "receipts").iterdir())) == 1


async def test_wrong_shop_links_are_explained(visits: Visits, tmp_path: Path):
    async with home(visits, tmp_path) as page:
        await cards(page, "shops")
        for link, told in (
            ("nonsense", "This is no link of a shop"),
            ("fairdeal://127.0.0.1:7500", "This is the link of a table, not of a person"),
        ):
            await page.fill("#shop-link", link)
            await page.keyboard.press("Enter")
            await page.wait_for_selector(f".wrong:has-text('{told}')")
            visits.forgive("422")
        await cards(page, "trade")
        await page.fill("#trade-link", "fairdeal://127.0.0.1:7500")
        await page.keyboard.press("Enter")
        await page.wait_for_selector(".wrong:has-text('This is the link of a table')")
        visits.forgive("422")
        await route(page, "Join")
        await page.fill("#link", str(JoinLink("127.0.0.1", 7500, fingerprint(bytes(32)), True)))
        await page.keyboard.press("Enter")
        await page.wait_for_selector(".wrong:has-text('paste it under Cards')")
        visits.forgive("422")
    assert KnownShops(tmp_path).links() == []


async def test_protected_key_opens_with_its_passphrase(visits: Visits, tmp_path: Path):
    load_identity(tmp_path, b"secret", Random(1), Cost(1, MIN_KEYFILE_MEMORY))
    async with home(visits, tmp_path) as page:
        way = page.locator(".bar").get_by_role("button", name="Cards", exact=True)
        await way.click()
        await page.locator("dialog[open] .close").click()
        visits.forgive("422")
        await page.wait_for_selector(".home .ways")
        await way.click()
        await page.fill("#unlock", "secret")
        await page.keyboard.press("Enter")
        await page.wait_for_selector("text=You have no cards yet")
        visits.forgive("422")


async def test_cards_are_a_way_of_the_address(visits: Visits, tmp_path: Path):
    async with home(visits, tmp_path) as page:
        await cards(page, "decks")
        await page.wait_for_function("location.hash === '#/cards'")
        await route(page, "Play")
        await page.go_back()
        await page.wait_for_selector("[data-view=binder]")
        await page.reload()
        await page.wait_for_selector("[data-view=binder]")
        await page.wait_for_selector("[data-route=cards][aria-current]")
        await route(page, "Home")
        await page.evaluate("location.hash = '#/cards'")  # a link from elsewhere opens nothing
        await page.wait_for_function("location.hash === '#/home'")
        assert await page.locator("[data-view=binder]").count() == 0

"""Lobby in a browser: tables are chosen by their games, a form depends on its own fields, people
are invited.
"""

import asyncio
from typing import Any

import pytest
from playwright.async_api import Page, Route

from player.cards.rule_set_store import RuleSetStore
from player.client import events
from player.client.table_client import Plan
from player.presenter.match_data import rules_data
from player.ui.web.lobby.tables import Choice, Lobby
from protocol.games.registry import BUILT_IN
from protocol.games.scripted.rule_file.built_in import built_in_text
from protocol.games.scripted.rule_file.rule_set import sign_rule_set
from protocol.i18n import load_translator
from protocol.identity.keys import JoinLink, fingerprint
from protocol.match.clock import Allowance
from protocol.match.terms import Terms, make_terms
from protocol.messages.table_search import TablePage, TableSearch
from protocol.options import Selection
from protocol.view.phrase import phrase
from protocol.view.text import phrase_renderer, translate_phrase
from tests.page.stage import asked, show, staged
from tests.page.visits import DESKTOP, NARROW, PHONE, Visits, sideways, violations
from tests.support.ledger import ANN
from tests.support.tables import until

LINK = JoinLink("192.168.1.20", 7500, "n75j" * 10)
CLOCK = Allowance().options()
DOMINOES = make_terms(Selection("block-dominoes"), Selection("layered"), CLOCK, 3)
POKER = make_terms(
    Selection("texas-holdem", (("blind", 4),)),
    Selection("verified", (("leavers", "threshold"), ("quorum", 2))),
    CLOCK,
    4,
)
HOSTILE = "<img src=x onerror=alert(1)>"
WAITING = {
    "stage": "waiting",
    "view": None,
    "lobby": None,
    "status": "Waiting for 1 more, 12 s",
    "connection": "",
    "people": [
        {"name": HOSTILE, "fingerprint": "n75j-hezd-zxbn-wctb"},
        {"name": "Bob", "fingerprint": "a" * 19},
    ],
}


class Program:
    """The program's own lobby, which answers the page."""

    def __init__(self, language: str = "en") -> None:
        self.decided: list[Choice] = []
        self.translate = load_translator(language)
        say = phrase_renderer(self.translate, ())
        self.lobby = Lobby(LINK, Plan("Zoe"), BUILT_IN, say, self.decided.append)
        self.list()

    def list(self, dominoes: Terms = DOMINOES, people: int = 2) -> None:
        """Let the manager list its tables."""
        here = [["Ann", bytes(32)], [HOSTILE, bytes(32)]][:people]
        odd = DOMINOES._replace(rules="9")
        rows = (
            ("main", dominoes, here, 0),
            ("table-2", POKER, [["Bob", bytes(32)]], 1),
            ("table-3", odd, [], 0),
        )
        self.lobby.take_tables(events.Listed(rows, BUILT_IN))

    def snapshot(self) -> dict[str, Any]:
        """Return the snapshot for the page."""
        shown = self.lobby.shown()
        return {
            "stage": "lobby",
            "view": None,
            "lobby": shown,
            "status": "",
            "connection": "Connected.",
            "people": [],
        }

    def answer(self, name: str, body: dict[str, Any]) -> Any:
        """Answer a request."""
        if name == "invitation":
            return {
                "link": str(LINK),
                "fingerprint": LINK.fingerprint,
                "qr": {"path": "M0 0h1v1h-1z", "size": 29},
            }
        if name == "rules":
            return rules_data(self.lobby.match_rules(body), self.translate)
        return self.lobby.answer(body)


async def open_form(page: Page) -> None:
    """Open the form of an own table, and what is folded in it, by the keyboard."""
    for text in ("Open a table", "More choices", "Rare"):
        await page.locator("summary", has_text=text).focus()
        await page.keyboard.press("Enter")


async def pressed(page: Page, button: str) -> None:
    """Press a button by the keyboard, and wait for the program's answer."""
    async with page.expect_response("**/answers/*"):
        await page.get_by_role("button", name=button).press("Enter")


@pytest.mark.parametrize(
    ("size", "dark", "language", "yes"), [(DESKTOP, False, "en", "Yes"), (PHONE, True, "de", "Ja")]
)
async def test_author_of_rules_is_asked_about_before_seats(
    visits: Visits, tmp_path, size, dark, language, yes
):
    program = Program(language)
    rules = sign_rule_set(ANN, "evening", f"# {HOSTILE}\n" + built_in_text("crazy-eights"))
    terms = make_terms(
        Selection("script", (("rules", rules.digest),)), Selection("verified"), CLOCK, 2
    )
    store = RuleSetStore(tmp_path)
    store.keep(rules)
    program.lobby.take_tables(events.Listed((("table-1", terms, [], 0),), BUILT_IN, store))
    page = await staged(visits, size=size, dark=dark, language=language, answers=program.answer)
    await show(page, program.snapshot())
    table = page.locator("li.panel").first
    said = await table.inner_text()
    assert HOSTILE in said and fingerprint(ANN.public) in said
    assert await page.locator("img").count() == 0
    assert await violations(page) == [] and await sideways(page) == ""
    seat = table.locator("button.primary")
    assert await seat.count() == 0
    await pressed(page, yes)
    await show(page, program.snapshot())
    await seat.wait_for()
    assert await page.get_by_role("button", name=yes, exact=True).count() == 0
    async with page.expect_response("**/answers/*"):
        await seat.press("Enter")
    assert program.decided[0].plan.agreed == terms


async def test_lobby_table_is_chosen_by_game(visits: Visits):
    program = Program()
    page = await staged(visits, answers=program.answer)
    await show(page, program.snapshot())
    main = page.locator("li.panel").first
    assert "120 s for a move" not in await main.inner_text()  # it is as usual, and folded
    await main.locator("summary").click()
    for said in (
        "main: Block dominoes",
        "2 of 3 seats are taken: Ann, " + HOSTILE,
        "points needed to win: 100",
        "If the host and your neighbours cheat together, they can see your hand.",
        "120 s for a move",
    ):
        assert said in await main.inner_text()
    assert await page.locator("img").count() == 0
    # no button at a table with a running match, or with a missing game
    assert await page.get_by_role("button", name="Sit down").count() == 1
    await pressed(page, "Watch")
    await pressed(page, "Sit down")
    assert [
        choice.plan and (choice.plan.table_id, choice.plan.spectate) for choice in program.decided
    ] == [
        ("table-2", True),
        ("main", False),
    ]


class ManyTables(Program):
    """A program at a manager with many tables, of which it shows pages of two."""

    def __init__(self, language: str) -> None:
        super().__init__(language)
        say = phrase_renderer(self.translate, ())
        self.sought: list[TableSearch] = []
        self.lobby = Lobby(
            LINK, Plan("Zoe"), BUILT_IN, say, self.decided.append, look=self.sought.append
        )
        self.page(1, 7)

    def page(self, first: int, total: int) -> None:
        """Answer the search that was asked for last."""
        search = self.lobby.search
        numbers = [number for number in (first, first + 1) if number <= total]
        rows = tuple((f"table-{number}", DOMINOES, [], 0) for number in numbers)
        following = first + 2 if first + 2 <= total else None
        page = TablePage(search.text, search.start, first - 1, total, [], following)
        page = page._replace(rows=[list(row) for row in rows])
        self.lobby.take_tables(events.Listed(rows, BUILT_IN, page=page))


@pytest.mark.parametrize(
    ("size", "language", "following", "before", "range_", "word", "game"),
    [
        (DESKTOP, "en", "Next", "Previous", "3 to 4 of 7", "connect f", "connect-four"),
        (PHONE, "de", "Weiter", "Zurück", "3 bis 4 von 7", "vier gew", "connect-four"),
    ],
)
async def test_many_tables_are_paged_and_searched(
    visits: Visits, size, language, following, before, range_, word, game
):
    program = ManyTables(language)
    page = await staged(visits, size=size, language=language, answers=program.answer)
    await show(page, program.snapshot())
    assert await page.get_by_role("button", name=before, exact=True).is_disabled()
    await pressed(page, following)
    assert program.sought[-1].start == 3
    program.page(3, 7)
    await show(page, program.snapshot())
    assert range_ in await page.get_by_role("navigation").inner_text()
    assert await page.locator("li.panel").count() == 2
    assert await violations(page) == [] and await sideways(page) == ""
    await pressed(page, before)
    assert program.sought[-1].start == 0
    async with page.expect_response("**/answers/*"):
        await page.get_by_role("searchbox").press_sequentially(word)
    assert (program.sought[-1].text, program.sought[-1].games) == (word, (game,))
    program.page(1, 0)
    await show(page, program.snapshot())
    assert await page.get_by_role("searchbox").input_value() == word
    assert await page.get_by_role("navigation").count() == 0
    said = translate_phrase(phrase("page.lobby.found.none"), program.translate)
    assert said in await page.locator("main").inner_text()


async def test_few_tables_have_no_search(visits: Visits):
    program = ManyTables("en")
    program.page(1, 2)
    page = await staged(visits, answers=program.answer)
    await show(page, program.snapshot())
    assert await page.get_by_role("searchbox").count() == 0
    assert await page.get_by_role("navigation").count() == 0


async def test_terms_that_have_changed_meanwhile_are_not_agreed_to(visits: Visits):
    program = Program()
    page = await staged(visits, answers=program.answer)
    await show(page, program.snapshot())
    program.list(DOMINOES._replace(seats=2))
    await page.get_by_role("button", name="Sit down").click()
    await page.wait_for_selector("[role=alert]:has-text('has changed')")
    visits.forgive("422")
    assert program.decided == []


async def test_lobby_updates_keep_focus_and_position(visits: Visits):
    program = Program()
    page = await staged(visits, answers=program.answer)
    await show(page, program.snapshot())
    await page.get_by_role("button", name="Watch").focus()
    program.list(people=1)
    await show(page, program.snapshot())
    await page.wait_for_selector("text=1 of 3 seats are taken")
    assert await page.evaluate("document.activeElement.textContent") == "Watch"


async def test_a_form_follows_its_own_fields_by_keys_alone(visits: Visits):
    program = Program()
    page = await staged(visits, answers=program.answer)
    await show(page, program.snapshot())
    await open_form(page)
    hand = page.get_by_label("tiles dealt to each player")
    await hand.focus()
    assert await hand.get_attribute("max") == "14"
    await page.keyboard.press("ControlOrMeta+a")
    await page.keyboard.type("8")
    await page.keyboard.press("Tab")
    await page.get_by_label("Seats", exact=True).focus()
    await page.keyboard.press("ControlOrMeta+a")
    await page.keyboard.type("4")
    await page.keyboard.press("Tab")
    await page.wait_for_selector("#options-hand[aria-invalid=true]")
    said = await page.locator("#options-hand-range").inner_text()
    assert said == "1 to 7" and await hand.get_attribute("aria-describedby") == "options-hand-range"
    assert await page.get_by_role("button", name="Open it").count() == 0
    await hand.focus()
    await page.keyboard.press("ControlOrMeta+a")
    await page.keyboard.type("5")
    await page.keyboard.press("Enter")
    await page.wait_for_selector("text=hand 5, seats: 4, dealt layered")
    await pressed(page, "Open it")
    (choice,) = program.decided
    assert choice.plan and choice.plan.create
    assert (choice.plan.create.seats, choice.plan.create.game.options) == (4, (("hand", 5),))


async def test_form_change_while_earlier_change_is_pending_is_kept(
    visits: Visits,
):
    free = asyncio.Event()

    async def hold(route: Route) -> None:
        await free.wait()
        await route.fallback()

    program = Program()
    page = await staged(visits, answers=program.answer)
    await show(page, program.snapshot())
    await open_form(page)
    hand, seats = (
        page.get_by_label("tiles dealt to each player"),
        page.get_by_label("Seats", exact=True),
    )
    await hand.wait_for()
    await page.route("**/answers/lobby", hold)
    for field, typed in ((hand, "5"), (seats, "4")):
        await field.fill(typed)
        await field.press("Tab")
    free.set()
    await page.wait_for_selector("text=hand 5, seats: 4, dealt layered")


async def test_another_game_has_another_form(visits: Visits):
    program = Program()
    page = await staged(visits, answers=program.answer)
    await show(page, program.snapshot())
    await open_form(page)
    await page.get_by_label("Game", exact=True).select_option("texas-holdem")
    await page.wait_for_selector("#options-blind")
    assert await page.get_by_label("what happens to the match").input_value() == "threshold"
    await page.get_by_label("what happens to the match").select_option("void")
    await page.wait_for_selector("#dealing_options-quorum", state="detached")
    await pressed(page, "Open it")
    assert program.decided[0].plan and program.decided[0].plan.create.dealing == Selection(
        "verified"
    )


async def test_rows_are_written_as_a_text(visits: Visits):
    program = Program()
    page = await staged(visits, answers=program.answer)
    await show(page, program.snapshot())
    await open_form(page)
    await page.get_by_label("Game", exact=True).select_option("nim")
    rows = page.get_by_label("number of matches in each row")
    assert await rows.input_value() == "1-3-5-7"
    for text, wrong in (("2--2", "true"), ("2-3-4", "false")):
        await rows.fill(text)
        await rows.press("Tab")
        await page.wait_for_selector(f"#options-rows[aria-invalid={wrong}]")
    assert (await page.locator("#options-rows-range").inner_text()).startswith(
        "numbers as in 1-3-5-7"
    )
    await page.wait_for_selector("text=rows 2-3-4, seats: 2, nothing to deal")
    await pressed(page, "Open it")
    assert program.decided[0].plan and program.decided[0].plan.create.game.options == (
        ("rows", "2-3-4"),
    )


async def test_a_link_is_pasted(visits: Visits):
    program = Program()
    page = await staged(visits, answers=program.answer)
    await show(page, program.snapshot())
    field = page.get_by_label("The link of another table")
    await field.fill("https://example.org")
    await field.press("Enter")
    await page.wait_for_selector("[role=alert]:has-text('fairdeal://')")
    visits.forgive("422")
    await field.fill("fairdeal://example.org:7500")
    async with page.expect_response("**/answers/*"):
        await field.press("Enter")
    await page.wait_for_selector("[role=alert]:empty", state="attached")
    assert program.decided == [Choice(JoinLink("example.org", 7500), "Zoe")]


async def test_others_are_invited_by_link_code_and_fingerprint(visits: Visits):
    program = Program()
    page = await staged(
        visits, answers=program.answer, permissions=["clipboard-read", "clipboard-write"]
    )
    await show(page, WAITING)
    assert (
        HOSTILE in await page.inner_text(".people")
        and await page.locator("img:not([role])").count() == 0
    )
    await page.get_by_text("Invite").click()
    await page.get_by_role("button", name="Copy the link").click()
    await page.wait_for_selector("[role=status]:has-text('Copied')")
    assert await page.evaluate("navigator.clipboard.readText()") == str(LINK)
    assert LINK.fingerprint and LINK.fingerprint in await page.inner_text("main")
    box = await page.get_by_role("img", name="QR code").bounding_box()
    assert box and box["width"] >= 200
    await page.get_by_role("button", name="Leave").click()
    assert [one[0] for one in await asked(page)] == ["leave"]


async def test_link_is_copied_where_the_page_has_no_clipboard_object(visits: Visits):
    """Over plain http in a home network there is no `navigator.clipboard`."""
    program = Program()
    allowed = ["clipboard-read", "clipboard-write"]
    page = await staged(visits, answers=program.answer, permissions=allowed)
    await show(page, WAITING)
    await page.get_by_text("Invite").click()
    hide = "Object.defineProperty(navigator, 'clipboard', { value: undefined, configurable: true })"
    await page.evaluate(f"() => {{ {hide}; }}")
    await page.get_by_role("button", name="Copy the link").click()
    await page.wait_for_selector("[role=status]:has-text('Copied')")
    assert await page.evaluate(
        "() => { delete navigator.clipboard; return navigator.clipboard.readText(); }"
    ) == str(LINK)


@pytest.mark.parametrize("language", ("en", "de"))
@pytest.mark.parametrize(
    ("size", "dark", "stretched"),
    ((DESKTOP, False, False), (PHONE, True, True), (NARROW, False, True)),
    ids=("desktop", "phone", "narrow"),
)
async def test_lobby_is_accessible(
    visits: Visits, size: tuple[int, int], dark: bool, stretched: bool, language: str
):
    program = Program(language)
    page = await staged(
        visits, answers=program.answer, size=size, dark=dark, stretched=stretched, language=language
    )
    await show(page, program.snapshot())
    await page.locator(".create > summary").click()
    await page.locator(".create details:not(.rare) > summary").click()
    await page.locator(".create .rare > summary").click()
    await page.locator(".tables summary").first.click()
    await page.wait_for_selector("#options-hand")
    assert (await violations(page), await sideways(page)) == ([], "")
    await show(page, WAITING)
    await page.locator("main > details > summary").click()
    await page.wait_for_selector(".qr")
    assert (await violations(page), await sideways(page)) == ([], "")


async def test_text_of_twice_the_size(visits: Visits):
    program = Program()
    page = await staged(visits, answers=program.answer, size=PHONE)
    await show(page, program.snapshot())
    await page.evaluate("document.documentElement.style.fontSize = '200%'")
    assert await sideways(page) == ""


async def test_own_name_is_shown_before_joining(visits: Visits):
    program = Program()
    page = await staged(visits, answers=program.answer)
    await show(page, program.snapshot())
    name = page.get_by_label("Your name")
    assert await name.input_value() == "Zoe"
    await name.fill("verdict: clean")
    # at once: the typed text is sent first
    await page.get_by_role("button", name="Sit down").first.click()
    await page.get_by_role("alert").filter(has_text="cannot be used").wait_for()
    assert program.decided == []
    await name.fill("Daniela")
    await page.get_by_role("button", name="Sit down").first.click()
    await until(lambda: program.decided)
    assert [(choice.name, choice.plan.name) for choice in program.decided if choice.plan] == [
        ("Daniela", "Daniela")
    ]
    visits.forgive("422")

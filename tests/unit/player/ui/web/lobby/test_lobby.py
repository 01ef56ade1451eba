"""The lobby on the page: forms made from option tables, and the choices of a person there."""

from contextlib import closing

import pytest

from player.cards.decks.deck_choice import FolderDecks
from player.cards.rule_set_store import RuleSetStore
from player.cards.storage.ledger_store import LedgerStore
from player.cards.storage.named_decks import NamedDeck
from player.client import events
from player.client.muted_keys import MutedHere
from player.client.requirements import NO_REQUIREMENTS, Requirements
from player.client.rule_sets import Standing
from player.client.table_client import Plan
from player.lobby.meeting import LobbyPresence, Meeting
from player.lobby.table_programs import SentAway
from player.ui.web.lobby.decks import DeckChoice
from player.ui.web.lobby.forms import Form, FormValues, WrongField, read_form
from player.ui.web.lobby.people import LobbyPeople
from player.ui.web.lobby.tables import PAGE_SEARCH, Choice, Company, Lobby, terms_digest
from protocol.errors import LocalError
from protocol.games.registry import BUILT_IN
from protocol.games.scripted.rule_file.built_in import rule_digest
from protocol.games.scripted.rule_file.rule_set import sign_rule_set
from protocol.i18n import english, load_translator
from protocol.identity.keys import Identity, JoinLink, fingerprint
from protocol.match.clock import Allowance
from protocol.match.terms import make_terms
from protocol.messages.table_search import TablePage
from protocol.options import Selection
from protocol.view.text import phrase_renderer
from tests.support.errors import raises_text
from tests.support.ledger import ANN
from tests.system.test_rule_files import RULES

SAY = phrase_renderer(english, ())
GUEST = bytes([1]) * 32  # a key
LINK = JoinLink("127.0.0.1", 7500, "a" * 40)
TERMS = make_terms(Selection("block-dominoes"), Selection("layered"), Allowance().options(), 3)

NO_DECKS = DeckChoice(None, BUILT_IN, SAY)


def form(asked=None, requires=NO_REQUIREMENTS, **values):
    return Form(asked or FormValues(**values), BUILT_IN, SAY, requires, NO_DECKS)


def field(shown, area, name):
    return next(each for each in shown[area] if each["name"] == name)


def lobby(requires=NO_REQUIREMENTS, *rows, decks=None):
    decided = []
    made = Lobby(LINK, Plan("Zoe", requires=requires), BUILT_IN, SAY, decided.append, decks)
    made.take_tables(
        events.Listed(
            rows or (("main", TERMS, [["<img onerror=alert(1)>", bytes(32)]], 0),), BUILT_IN
        )
    )
    return made, decided


@pytest.mark.parametrize("game", BUILT_IN.specs)
def test_untouched_form_gives_the_defaults(game):
    shown = form(game=game).shown()
    assert shown["wrong"] is None and shown["terms"]
    assert shown["seats"]["wrong"] is None
    row = BUILT_IN.specs[game]
    assert [each["name"] for each in shown["options"]] == [option.name for option in row.options]
    assert shown["dealing"] == row.dealing.name
    assert form(game=game).terms().seats == BUILT_IN.specs[game].default_seats


def test_option_range_depends_on_seats_and_other_options():
    assert field(form(game="block-dominoes", seats=4).shown(), "options", "hand")["most"] == 7
    assert field(form(game="block-dominoes", seats=2).shown(), "options", "hand")["most"] == 14
    assert (
        field(
            form(game="block-dominoes", seats=2, options={"highest": 9}).shown(), "options", "hand"
        )["most"]
        == 27
    )
    assert (
        field(form(game="texas-holdem", options={"stack": 50}).shown(), "options", "blind")["most"]
        == 50
    )


def test_dependent_option_appears_only_with_its_parent():
    names = [each["name"] for each in form(game="texas-holdem").shown()["dealing_options"]]
    assert names == ["leavers", "quorum"]
    chosen = form(game="texas-holdem", dealing_options={"leavers": "void"}).shown()[
        "dealing_options"
    ]
    assert [each["name"] for each in chosen] == ["leavers"]
    assert form(game="texas-holdem").terms().dealing.options == (("leavers", "threshold"),)
    assert (
        form(game="texas-holdem", dealing_options={"leavers": "void"}).terms().dealing.options == ()
    )


def test_invalid_option_is_marked_in_place_with_range():
    made = form(game="block-dominoes", seats=4, options={"hand": 8})
    assert field(made.shown(), "options", "hand")["wrong"] == "1 to 7"
    with raises_text(WrongField, match="tiles dealt to each player: 1 to 7") as wrong:
        made.terms()
    assert wrong.value.field == "options-hand"
    assert form(seats=40).shown()["seats"]["wrong"] == "seats: 2 to 4"
    assert (
        field(form(options={"highest": 7}).shown(), "options", "highest")["wrong"] == "one of 6, 9"
    )
    assert field(form(clock={"turn": 0}).shown(), "clock", "turn")["wrong"]
    german = Form(
        FormValues(options={"hand": 99}),
        BUILT_IN,
        phrase_renderer(load_translator("de"), ()),
        NO_REQUIREMENTS,
        NO_DECKS,
    )
    assert field(german.shown(), "options", "hand")["wrong"] == "1 bis 14"


def test_text_option_explains_its_format():
    usual = field(form(game="nim").shown(), "options", "rows")
    assert (
        usual["form"] == "numbers as in 1-3-5-7, for 1 to 10 rows of 1 to 20"
        and usual["value"] == "1-3-5-7"
    )
    assert form(game="nim", options={"rows": "2-2"}).terms().game.options == (("rows", "2-2"),)
    made = form(game="nim", options={"rows": "2--2"})
    assert field(made.shown(), "options", "rows")["wrong"] == usual["form"]
    with raises_text(WrongField, match="numbers as in 1-3-5-7") as wrong:
        made.terms()
    assert wrong.value.field == "options-rows"


def test_form_offers_only_dealings_that_suit_the_game():
    assert form(game="hexapawn").shown()["dealings"] == ["none"]
    assert form(game="draw-dominoes").shown()["dealings"] == [
        "layered",
        "verified",
        "commutative",
        "residue",
    ]
    assert "layered" not in form(game="texas-holdem", dealing="layered").shown()["dealings"]
    assert form(game="texas-holdem", dealing="layered").terms().dealing.name == "verified"


def test_level_option_appears_only_for_simultaneous_games():
    assert "level" not in [each["name"] for each in form(game="nim").shown()["clock"]]
    assert dict(form(game="ligretto").terms().clock).keys() == {"extensions", "step", "turn"}
    levelled = form(game="ligretto", clock={"level": 150})
    assert dict(levelled.terms().clock)["level"] == 150
    assert any("150 ms" in line for line in levelled.shown()["terms"])


def test_form_requires_at_least_what_person_requires():
    made = form(game="block-dominoes", requires=Requirements(only_verified=True))
    assert "You did not sit down" in made.shown()["wrong"]
    with pytest.raises(WrongField):
        made.terms()


@pytest.mark.parametrize(
    "body",
    (
        {"game": 1},
        {"seats": "2"},
        {"seats": True},
        {"options": []},
        {"options": {"hand": [1]}},
        {"dealing": 7},
        {"clock": {"turn": None}},
        {"dealing_options": {"take": 1.5}},
        {"options": {"hand": True}},
    ),
    ids=str,
)
def test_invalid_form_is_refused(body):
    with pytest.raises(WrongField):
        read_form(body)


def test_unknown_game_is_reported():
    with raises_text(WrongField, match="no game chess here"):
        form(game="chess")


def test_tables_are_described_in_words():
    made, _ = lobby()
    assert lobby()[0].shown()["link"] == str(LINK)
    (table,) = made.shown()["tables"]
    assert table["game"] == "block-dominoes" and "tiles dealt to each player: 7" in table["options"]
    assert table["trust"][1] == "If somebody leaves, the match is void."
    assert table["clock"].startswith("Time: 120 s")
    assert table["people"] == [
        {"name": "<img onerror=alert(1)>", "fingerprint": "n75j-hezd-zxbn-wctb"}
    ]
    assert (table["seats"], table["running"], table["why_not"]) == (3, False, None)


def test_choice_is_bound_to_the_shown_terms():
    made, decided = lobby()
    made.answer({"do": "join", "table": "main", "terms": terms_digest(TERMS)})
    made.answer({"do": "watch", "table": "main", "terms": terms_digest(TERMS)})
    assert decided == [
        Choice(LINK, "Zoe", Plan("Zoe", table_id="main", agreed=TERMS)),
        Choice(LINK, "Zoe", Plan("Zoe", table_id="main", agreed=TERMS, spectate=True)),
    ]
    made.take_tables(events.Listed((("main", TERMS._replace(seats=2), [], 0),), BUILT_IN))
    with raises_text(LocalError, match="has changed"):
        made.answer({"do": "join", "table": "main", "terms": terms_digest(TERMS)})
    assert len(decided) == 2


def test_rules_are_those_of_a_listed_table_or_of_the_form():
    made, decided = lobby()
    (table,) = made.shown()["tables"]
    assert table["sheet"]
    of_table = made.match_rules({"table": "main", "terms": table["terms"]})
    assert of_table.terms == TERMS and of_table.sheet(load_translator("de")) is not None
    of_form = made.match_rules({"game": "nim", "options": {"rows": "4-4"}})
    assert "4, 4" in " ".join(of_form.text(load_translator("en"), 80))
    for body in ({"table": "main", "terms": "0"}, {"table": "gone", "terms": table["terms"]}):
        with pytest.raises(LocalError, match="changed"):
            made.match_rules(body)
    with pytest.raises(WrongField):
        made.match_rules({"game": "nim", "options": {"rows": "x"}})
    assert decided == []


def test_rules_of_a_table_with_another_game_are_none():
    odd = TERMS._replace(game=Selection("whist"))
    made, _ = lobby(NO_REQUIREMENTS, ("main", odd, [], 0))
    (table,) = made.shown()["tables"]
    assert not table["sheet"]
    asked = {"table": "main", "terms": table["terms"]}
    assert made.match_rules(asked).sheet(load_translator("en")) is None


def test_table_below_requirements_may_be_watched_and_not_joined():
    made, decided = lobby(Requirements(only_verified=True))
    (table,) = made.shown()["tables"]
    assert "You did not sit down" in table["why_not"] and table["why_no_look"] is None
    with raises_text(LocalError, match="You did not sit down"):
        made.answer({"do": "join", "table": "main", "terms": terms_digest(TERMS)})
    made.answer({"do": "watch", "table": "main", "terms": terms_digest(TERMS)})
    assert [choice.plan.spectate for choice in decided] == [True]


@pytest.mark.parametrize(
    "terms",
    (TERMS._replace(rules="9"), TERMS._replace(game=Selection("chess")), TERMS._replace(clock=())),
)
def test_unplayable_table_is_marked_and_not_joined_or_watched(terms):
    made, decided = lobby(NO_REQUIREMENTS, ("main", terms, [], 0))
    (table,) = made.shown()["tables"]
    assert table["why_not"] and table["why_no_look"]
    for what in ("join", "watch"):
        with pytest.raises(LocalError):
            made.answer({"do": what, "table": "main", "terms": terms_digest(terms)})
    assert not decided


def test_lobby_offers_own_table_and_another_link():
    made, decided = lobby()
    made.answer({"do": "create", "game": "block-dominoes", "seats": 3})
    other = JoinLink("example.org", 7500, "b" * 40)
    made.answer({"do": "link", "link": f" {other} "})
    assert decided == [Choice(LINK, "Zoe", Plan("Zoe", create=TERMS)), Choice(other, "Zoe")]
    with raises_text(LocalError, match="fairdeal://"):
        made.answer({"do": "link", "link": "https://example.org"})
    for body in ({}, {"do": "leave"}, {"do": ["create"]}):
        with pytest.raises(LocalError):
            made.answer(body)


def own_decks(data, text="", usual=None):
    """Make three decks: a playable one, one that is too short, and one for other rules."""
    me = Identity(bytes([1]) * 32).public
    if not data.exists():
        data.mkdir()
        with closing(LedgerStore(data, me, None)) as store:
            for name, rules, cards in (
                ("legal", "element-duel", 10),
                ("short", "element-duel", 2),
                ("skat", "mau-mau", 32),
            ):
                store.decks.make(NamedDeck(name, rules, False, tuple(range(cards))))
    return FolderDecks(data, me, text, usual)


def script_terms(game, *options):
    return make_terms(Selection(game, options), Selection("verified"), Allowance().options(), 2)


def test_form_asks_for_deck_and_shows_problems(tmp_path):
    duel = script_terms("element-duel")
    made, decided = lobby(
        NO_REQUIREMENTS,
        ("main", duel, [], 0),
        ("dominoes", TERMS, [], 0),
        decks=own_decks(tmp_path / "zoe"),
    )
    table, dominoes = made.shown()["tables"]
    assert dominoes["deck"] is None and dominoes["rules"] == []
    assert table["rules"][0].startswith("Rules: element-duel, as they come with fairdeal (")
    choices = {one["name"]: one["wrong"] for one in table["deck"]["choices"]}
    assert list(choices) == ["", "legal", "short"] and table["deck"]["value"] == ""
    assert choices["legal"] is None and "a deck has 10 cards" in choices["short"]
    for wrong, said in (("short", "a deck has 10 cards"), ("skat", "--rules"), ("gone", "gone")):
        with raises_text(LocalError, match=said):
            made.answer({"do": "join", "table": "main", "terms": terms_digest(duel), "deck": wrong})
    with pytest.raises(LocalError):
        made.answer({"do": "join", "table": "main", "terms": terms_digest(duel), "deck": 7})
    assert decided == []
    made.answer({"do": "join", "table": "main", "terms": terms_digest(duel), "deck": "legal"})
    made.answer({"do": "join", "table": "dominoes", "terms": terms_digest(TERMS), "deck": "legal"})
    assert [choice.deck for choice in decided] == ["legal", None]


def test_create_form_asks_for_a_deck(tmp_path):
    made, decided = lobby(decks=own_decks(tmp_path / "zoe", usual="legal"))
    shown = made.answer({"do": "form", "game": "element-duel"})["form"]
    assert shown["deck"]["value"] == "legal" and shown["wrong"] is None
    assert any(line.startswith("Rules: element-duel") for line in shown["terms"])
    assert made.answer({"do": "form", "game": "nim"})["form"]["deck"] is None
    wrong = made.answer({"do": "form", "game": "element-duel", "deck": "short"})["form"]
    assert wrong["deck"]["value"] == "short" and "10 cards" in wrong["wrong"]
    with raises_text(WrongField, match="10 cards") as refused:
        made.answer({"do": "create", "game": "element-duel", "deck": "short"})
    assert refused.value.field == "deck"
    for body in ({}, {"deck": ""}):
        made.answer({"do": "create", "game": "element-duel", **body})
    assert [choice.deck for choice in decided] == ["legal", None]


def test_own_rule_file_defines_game_and_mismatch_prevents_joining(tmp_path):
    rules = script_terms("script", ("rules", rule_digest(RULES)))
    made, decided = lobby(
        NO_REQUIREMENTS, ("main", rules, [], 0), decks=own_decks(tmp_path / "zoe")
    )
    (table,) = made.shown()["tables"]
    assert (
        "a file of the person who opened this table" in table["rules"][0]
        and rule_digest(RULES) in table["rules"][0]
    )
    assert "--rules FILE" in table["why_not"] and table["why_no_look"] is None
    with raises_text(LocalError, match="wrong_setup"):
        made.answer({"do": "join", "table": "main", "terms": terms_digest(rules)})
    made, decided = lobby(
        NO_REQUIREMENTS, ("main", rules, [], 0), decks=own_decks(tmp_path / "zoe", RULES)
    )
    (table,) = made.shown()["tables"]
    assert table["why_not"] is None and table["deck"] is None
    made.answer({"do": "join", "table": "main", "terms": terms_digest(rules)})
    made.answer({"do": "create", "game": "script"})
    made.answer({"do": "create", "game": "crazy-eights"})  # the file does not affect other games
    _, own, other = decided
    assert dict(own.plan.create.game.options)["rules"] == rule_digest(RULES)
    assert other.plan.create.game == Selection("crazy-eights")


@pytest.mark.parametrize(("pace", "turn"), [("quick", 30), ("usual", 120), ("slow", 3600)])
def test_pace_sets_the_clock_and_says_it(pace, turn):
    made = form(game="nim", pace=pace)
    assert dict(made.terms().clock)["turn"] == turn
    shown = made.shown()
    assert all(each["usual"] for each in shown["clock"])
    said = {each["name"]: each["about"] for each in shown["paces"]}
    assert said == {
        "quick": "Quick: 30 seconds a move",
        "usual": "Usual: 2 minutes a move",
        "slow": "Slow: 60 minutes a move",
    }
    changed = form(game="nim", pace=pace, clock={"turn": 77})
    assert dict(changed.terms().clock)["turn"] == 77


def test_unknown_pace_is_no_form_of_this_program():
    with pytest.raises(WrongField):
        read_form({"pace": "yesterday"})


def test_own_table_deals_so_that_the_host_sees_no_hand():
    decks = DeckChoice(None, BUILT_IN, SAY)
    for game, hosts, dealing in (
        ("block-dominoes", False, "layered"),
        ("block-dominoes", True, "verified"),
        ("nim", True, "none"),
    ):
        made = Form(FormValues(game=game), BUILT_IN, SAY, NO_REQUIREMENTS, decks, hosts=hosts)
        assert made.terms().dealing.name == dealing
    chosen = FormValues(game="block-dominoes", dealing="layered")
    assert (
        Form(chosen, BUILT_IN, SAY, NO_REQUIREMENTS, decks, hosts=True).terms().dealing.name
        == "layered"
    )


# --- signed rule sets ---

SIGNED = sign_rule_set(ANN, "high", RULES)
BY_SIGNED = make_terms(
    Selection("script", (("rules", SIGNED.digest),)),
    Selection("verified"),
    Allowance().options(),
    2,
)


@pytest.fixture
def signed(tmp_path):
    """Return a lobby with a table by a stranger's rules, its store, and what is decided."""
    store = RuleSetStore(tmp_path, Identity(bytes(32)).public)
    store.keep(SIGNED)
    made, decided = lobby()
    made.take_tables(events.Listed((("main", BY_SIGNED, [], 0),), BUILT_IN, store))
    return made, store, decided


def answer(what):
    return {"do": what, "table": "main", "terms": terms_digest(BY_SIGNED)}


def test_strange_rules_are_asked_about_before_anybody_sits_down(signed):
    made, _, decided = signed
    (table,) = made.shown()["tables"]
    assert "Do you trust" in table["rules_question"] and "fairdeal rules trust" in table["why_not"]
    assert any(SIGNED.name in line for line in table["rules"])
    with raises_text(LocalError, "not said whether you trust"):
        made.answer(answer("join"))
    # nothing of the rules is drawn
    assert made.match_rules(answer("rules")).brought == ""
    assert made.answer(answer("trust_rules")) == {} and decided == []
    (table,) = made.shown()["tables"]
    assert (table["rules_question"], table["why_not"]) == (None, None)
    assert made.match_rules(answer("rules")).brought == SIGNED.text
    made.answer(answer("join"))
    assert decided[0].plan.agreed == BY_SIGNED


def test_distrusted_rules_have_no_button(signed):
    made, store, _ = signed
    store.mark(ANN.public, False)
    (table,) = made.shown()["tables"]
    assert table["rules_question"] is None and "do not trust" in table["why_not"]
    with pytest.raises(LocalError):
        made.answer(answer("trust_rules"))


def test_question_about_other_rules_than_shown_is_not_answered(signed):
    made, store, _ = signed
    changed = {**answer("trust_rules"), "terms": terms_digest(TERMS)}
    with pytest.raises(LocalError):
        made.answer(changed)
    assert store.offered(SIGNED.digest).standing is Standing.STRANGE


def test_form_accepts_words_about_the_cards_that_count():
    owned = {"cards": "owned"}
    assert [each["name"] for each in form(game="element-duel").shown()["options"]][-1] == "together"
    accepted = field(form(game="element-duel", options=owned).shown(), "options", "accepted")
    assert (accepted["value"], accepted["wrong"], accepted["usual"]) == ("", None, True)
    said = f"creator:{'a' * 40}, strength<=9"
    made = form(game="element-duel", options={**owned, "accepted": said})
    options = dict(made.filled_terms().game.options)
    assert (options["creator-01"], options["limit-01"]) == ("a" * 40, "strength<=9")
    assert any("strength<=9" in line for line in made.shown()["terms"])
    wrong = form(game="element-duel", options={**owned, "accepted": "trusted"})
    assert "trusted" in field(wrong.shown(), "options", "accepted")["wrong"]
    with pytest.raises(WrongField):
        wrong.filled_terms()
    # without owned cards nothing of it is in the terms
    proxies = form(game="element-duel", options={"accepted": said}).filled_terms()
    assert proxies.game.options == ()


def _waiting(terms):
    """Return a lobby where the person waits at a table with these terms, and the bots asked for."""
    bots = []
    people = LobbyPeople({}, lambda: english, lambda: None)
    company = Company(people, None, lambda *asked: bots.append(asked), lambda way: None)
    plan = Plan("Zoe", requires=NO_REQUIREMENTS)
    made = Lobby(LINK, plan, BUILT_IN, SAY, lambda choice: None, None, company)
    made.take_terms(events.Offered("main", terms))
    made.take_waiting(events.Waiting("main", 2, ()))
    return made, bots


def test_table_with_owned_cards_says_why_no_bot_comes():
    made, bots = _waiting(script_terms("element-duel", ("cards", "owned")))
    shown = made.shown()
    assert not shown["bots"] and "Bots own no cards" in shown["no_bots"]
    with raises_text(LocalError, match="Bots own no cards"):
        made.answer({"do": "bot"})
    assert bots == []


def test_table_with_cards_of_rules_takes_bot():
    made, bots = _waiting(script_terms("element-duel"))
    shown = made.shown()
    assert shown["bots"] and shown["no_bots"] is None
    made.answer({"do": "bot"})
    assert len(bots) == 1


def _hosted(*sent_away):
    """Return the lobby of the person's own table, with Ann in it, and what was asked of the table."""
    asked = []
    people = LobbyPeople({}, lambda: english, lambda: None, now=lambda: 100.0)
    people.sent_away = sent_away
    people.meeting = Meeting(
        bytes(32), LobbyPresence("Zoe"), MutedHere(), people.hear, lambda where: None
    )
    people.meeting.begin(lambda *message: None)
    people.meeting.received("people", [[["Ann", GUEST, 0]], []])
    company = Company(
        people,
        None,
        None,
        lambda way: None,
        send_away=lambda key: asked.append(("away", key)),
        let_back=lambda target: asked.append(("back", target)),
    )
    made = Lobby(
        LINK, Plan("Zoe", requires=NO_REQUIREMENTS), BUILT_IN, SAY, lambda _: None, None, company
    )
    return made, asked


def test_person_is_let_back_by_fingerprint_and_not_by_place():
    friend, troll = (SentAway(letter * 52, "Ann", 0) for letter in "ba")
    made, asked = _hosted(friend)
    (row,) = made.shown()["company"]["sent_away"]
    assert (row["name"], row["whose"]) == ("Ann", "bbbb-bbbb-bbbb-bbbb")
    # meanwhile a stranger of the same name was sent away, who comes first
    made, asked = _hosted(troll, friend)
    made.answer({"do": "let_back", "target": row["target"]})
    assert asked == [("back", friend.target)]
    made, asked = _hosted(troll)
    with pytest.raises(LocalError):
        made.answer({"do": "let_back", "target": row["target"]})
    assert asked == []


def test_person_with_the_number_of_another_is_not_sent_away():
    made, asked = _hosted()
    (row,) = made.shown()["company"]["people"]
    with pytest.raises(LocalError):
        made.answer({"do": "remove", "number": row["number"], "target": "bbbb-bbbb-bbbb-bbbb"})
    assert asked == []
    made.answer({"do": "remove", "number": row["number"], "target": row["fingerprint"]})
    assert asked == [("away", fingerprint(GUEST))]


def test_ban_of_an_address_without_name_shows_the_address():
    (row,) = _hosted(SentAway("192.0.2.7", "", 0, is_key=False))[0].shown()["company"]["sent_away"]
    assert (row["name"], row["whose"]) == ("", "192.0.2.7")


def test_ban_is_shown_until_its_end_by_the_programs_clock():
    over, holds = SentAway("a" * 52, "Ann", 100), SentAway("b" * 52, "Bob", 101)
    rows = _hosted(over, holds)[0].shown()["company"]["sent_away"]
    assert [row["name"] for row in rows] == ["Bob"]


# --- pages ---


class Pages:
    """A lobby of a manager with many tables, and what it asks for."""

    def __init__(self):
        self.asked = []
        self.lobby = Lobby(LINK, Plan("Zoe"), BUILT_IN, SAY, None, look=self.asked.append)

    def answer(self, *names, search=None, before=0, total=45, next=None):
        search = search or self.lobby.search
        rows = tuple((name, TERMS, [], 0) for name in names)
        page = TablePage(search.text, search.start, before, total, [], next)
        page = page._replace(rows=[list(row) for row in rows])
        self.lobby.take_tables(events.Listed(rows, BUILT_IN, page=page))

    def ids(self):
        return [table["id"] for table in self.lobby.shown()["tables"]]


def test_pages_are_turned_forth_and_back():
    pages = Pages()
    pages.answer("main", "table-1", next=20)
    assert pages.lobby.shown()["page"] == {
        "text": "",
        "first": 1,
        "last": 2,
        "total": 45,
        "previous": False,
        "next": True,
    }
    pages.lobby.answer({"do": "next"})
    assert pages.asked[-1].start == 20
    assert pages.ids() == ["main", "table-1"]  # until the answer is here
    pages.answer("table-20", before=20, next=31)
    pages.lobby.answer({"do": "next"})
    pages.answer("table-31", before=40)
    shown = pages.lobby.shown()["page"]
    assert (shown["first"], shown["previous"], shown["next"]) == (41, True, False)
    pages.lobby.answer({"do": "next"})  # there is none
    assert len(pages.asked) == 2
    for start in (20, 0):
        pages.lobby.answer({"do": "previous"})
        assert pages.asked[-1].start == start
    pages.lobby.answer({"do": "previous"})
    assert len(pages.asked) == 4


def test_search_begins_at_page_one_and_knows_words_for_games():
    pages = Pages()
    pages.answer("main", next=20)
    pages.lobby.answer({"do": "next"})
    pages.lobby.answer({"do": "find", "text": "  play   money ", "games": ["nim", "no-game"]})
    search = pages.asked[-1]
    assert (search.text, search.start) == ("play money", 0)
    assert set(search.games) == {"texas-holdem", "five-card-draw", "omaha", "nim"}
    pages.lobby.answer({"do": "find", "text": " "})
    assert pages.asked[-1] == PAGE_SEARCH
    with pytest.raises(LocalError):
        pages.lobby.answer({"do": "find", "text": "a" * 41})


def test_answer_for_another_page_changes_nothing():
    pages = Pages()
    pages.answer("main", next=20)
    before = pages.lobby.search
    pages.lobby.answer({"do": "find", "text": "ann"})
    pages.answer("table-9", search=before)
    assert pages.ids() == ["main"]


def test_page_whose_tables_are_gone_gives_way_to_the_first():
    pages = Pages()
    pages.answer("main", next=20)
    pages.lobby.answer({"do": "next"})
    pages.answer(before=20, total=20)
    assert pages.asked[-1].start == 0 and not pages.lobby.shown()["page"]["previous"]

"""Sentences of games by rule files as people read them: in their language, with nothing hidden, and
marked if a stranger has written them.
"""

from collections.abc import Iterator
from random import Random

import pytest

from protocol.fast_replace import replace
from protocol.games import Act
from protocol.games.scripted import told, view
from protocol.games.scripted.engine.choices import known_face
from protocol.games.scripted.engine.state import ScriptState
from protocol.games.scripted.game import ScriptGame
from protocol.games.scripted.rule_file.built_in import BUILT_IN_RULES
from protocol.i18n import english, load_translator
from protocol.view.board import RegionKind
from protocol.view.encoding import encode_with_sentences
from protocol.view.phrase import Phrase
from protocol.view.text import phrase_renderer
from tests.support.rule_texts import ACTIONS, file_with
from tests.support.scripts import ClearTable, script

NAMES = ("Ann", "Bob", "Cleo", "Dan")
LANGUAGES = {"en": english, "de": load_translator("de")}


def say(told: Phrase, language: str = "en", own: int | None = None) -> str:
    return phrase_renderer(LANGUAGES[language], NAMES, own)(told)


def course(table: ClearTable, rng: Random) -> Iterator[tuple[ScriptState, list[Phrase]]]:
    """Play by random choices; yield what everybody reads of each step, and the state after it."""
    game = table.game
    while True:
        before = table.state
        want = table.onward()
        yield table.state, [*view.news(game, before, table.state)]
        if want is None:
            yield table.state, [*view.result(game, table.state)]
            return
        assert isinstance(want, Act)
        seat = rng.choice(want.seats)
        action = game.parse(list(rng.choice(table.choices(seat))))
        deed = view.narrate(game, table.state, seat, action)
        before = table.state
        table.post(seat, action)
        yield table.state, [deed, *view.news(game, before, table.state)]


class WatchedTable(ClearTable):
    """Match in which the names of all cards are noted that have lain open since the last look."""

    def __init__(self, game: ScriptGame, seed: int) -> None:
        self.faces: dict[int, str] = {}  # names of cards, as far as a seat has seen them
        self.open: set[str] = set()
        super().__init__(game, seed)

    def __setattr__(self, name: str, value: object) -> None:
        super().__setattr__(name, value)
        if name == "state" and isinstance(value, ScriptState) and value.lies:
            self._note(value)

    def _note(self, state: ScriptState) -> None:
        context = self.game.table(state)
        for seat in range(self.game.seats):
            held = self.held(seat)
            for card in range(len(state.pieces)):
                face = known_face(context, state, held, card)
                if face is not None:
                    self.faces[card] = str(face["name"])
        self.open |= {self.faces[card] for card in self._open_cards(state)}

    def _open_cards(self, state: ScriptState) -> set[int]:
        """Return the cards that lie open, or are about to."""
        found = {card for card, piece in enumerate(state.pieces) if piece is not None}
        return (found | set(state.showing)) & self.faces.keys()

    def look(self) -> tuple[set[str], set[str]]:
        """Return the names of cards that have lain open since the last look, and of others."""
        found = self.open, set(self.faces.values()) - self.open
        self.open = {self.faces[card] for card in self._open_cards(self.state)}
        return found


@pytest.mark.match
@pytest.mark.parametrize("name", BUILT_IN_RULES)
def test_sentence_to_everybody_names_no_card_that_is_hidden(name: str) -> None:
    named = hidden = 0
    for seed in range(4):
        table = WatchedTable(script(name), seed)
        for state, phrases in course(table, Random(seed)):
            if not state.lies:
                continue
            shown, dark = table.look()
            contract = table.game.table(state).contract
            for language in LANGUAGES:
                text = "\n".join(say(phrase, language) for phrase in phrases)
                words = [say(told.word(contract, word), language) for word in sorted(dark)]
                assert not [word for word in words if word in text], text
                named += any(word in text for word in shown)
                hidden += len(words)
    assert named and hidden


@pytest.mark.match
@pytest.mark.parametrize("name", BUILT_IN_RULES)
def test_shipped_games_are_told_in_sentences_alone(name: str) -> None:
    """No text of the rules themselves comes to people, in no language and addressed to nobody."""
    table = ClearTable(script(name), 3)
    for _, phrases in course(table, Random(3)):
        for found in phrases:
            assert found.key in ("script.sentence", "script.did.timeout"), found
            for language in LANGUAGES:
                for own in (None, 0, 1):
                    text = say(found, language, own)
                    assert text[-1] in ".!" and "{" not in text and "?" not in text, text


def at_choice(texts: str = "") -> ClearTable:
    """Return the small game at its first choice."""
    text = file_with(texts)
    table = ClearTable(script(text), 1, texts=text)
    table.onward()
    return table


def labels(table: ClearTable, seat: int, language: str) -> list[str]:
    offers = view.offers(table.game, table.state, seat, table.held(seat))
    return [say(offer.label, language) for offer in offers]


MAU_MAU_SHARED = {
    "en": ["Lay", "Draw a card"],
    "de": ["legen", "Eine Karte ziehen"],
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_offers_are_in_the_words_of_the_game(language: str) -> None:
    table = ClearTable(script("mau-mau-shared"), 3)
    want = table.onward()
    assert want is not None
    found = labels(table, want.seats[0], language)
    card, draw = MAU_MAU_SHARED[language]
    assert draw in found
    assert all(card in label and label[-1] != "?" for label in found if label != draw)


def test_deed_addresses_the_person_who_did_it() -> None:
    table = ClearTable(script("element-duel"), 3)
    want = table.onward()
    assert want is not None
    (seat,) = want.seats
    deed = view.narrate(table.game, table.state, seat, table.choices(seat)[0])
    assert say(deed, "de") == f"{NAMES[seat]} legt eine Karte verdeckt."
    assert say(deed, "de", seat) == "Du legst eine Karte verdeckt."
    assert say(deed, "en", 1 - seat) == f"{NAMES[seat]} lays a card face down."


def test_counter_with_empty_sentence_is_not_shown() -> None:
    table = ClearTable(script("mau-mau-shared"), 3)
    table.onward()
    contract = table.game.table(table.state).contract
    names = [name for name, _ in contract.counters]
    values = {"sevens": 2, "wish": 1, "skip": 1}
    state = replace(table.state, counters=tuple((values.get(name, 0),) for name in names))
    found = [
        (say(region.name, "de"), say(region.text, "de"))
        for region in view.board(table.game, state).regions
        if region.kind is RegionKind.COUNTER and region.text is not None
    ]
    assert found == [
        ("Sieben", "2 in Folge: eine Sieben legen oder für jede 2 Karten ziehen"),
        ("gewünschte Farbe", "Herz ♥"),
    ]


def test_card_names_are_in_the_language_of_the_reader() -> None:
    table = ClearTable(script("element-duel"), 3)
    want = table.onward()
    assert want is not None
    seat = want.seats[0]
    _, hand = view.private_board(table.game, table.state, seat, table.held(seat))
    english_hand, german_hand = (
        [
            card["faces"]
            for card in encode_with_sentences(hand, lambda one, lang=lang: say(one, lang))
        ]
        for lang in LANGUAGES
    )
    assert {face[1] for face in english_hand} <= {"wood", "fire", "earth", "metal", "water"}
    assert {face[1] for face in german_hand} <= {"Holz", "Feuer", "Erde", "Metall", "Wasser"}
    assert [face[2] for face in english_hand] == [face[2] for face in german_hand]


def test_hidden_card_is_called_by_its_place_in_a_deed() -> None:
    texts = f"SENTENCES = {ACTIONS.replace('hides a card', 'hides {card}')}\n"
    table = at_choice(texts)
    seat = table.state.turn
    action = next(one for one in table.choices(seat) if one[0] == "hide")
    assert say(view.narrate(table.game, table.state, seat, action)) == (
        f"{NAMES[seat]} hides card 1 of hand."
    )
    # the offer is for the seat that knows the card
    assert all(label != "Hide card 1 of hand" for label in labels(table, seat, "en"))


def test_sentence_with_a_value_of_a_hidden_card_is_dropped() -> None:
    table = at_choice(f"SENTENCES = {ACTIONS.replace('hides a card', 'hides {card.rank}')}\n")
    seat = table.state.turn
    action = next(one for one in table.choices(seat) if one[0] == "hide")
    deed = view.narrate(table.game, table.state, seat, action)
    assert say(deed) == f"{NAMES[seat]}: hide card 1 of hand."


SAID = (
    '"said": {"seat {seat} ends in {colour} after {n}": '
    '{"told": {1: "{seat} ends: {colour}, one card.", "other": "{seat} ends: {colour}, {n} cards."}, '
    '"you": "You end."}}'
)


@pytest.mark.parametrize(("cards", "ends"), [(0, "red, 0 cards."), (1, "red, one card.")])
def test_texts_of_a_strangers_rules_are_marked(cards: int, ends: str) -> None:
    table = at_choice(f"SENTENCES = {ACTIONS.removesuffix('}}')}, {SAID}}}}}\n")
    seat = table.state.turn
    for kind in ("lay",) * cards + ("end",):
        before = table.state
        table.post(seat, next(one for one in table.choices(seat) if one[0] == kind))
    (news,) = view.news(table.game, before, table.state)
    assert say(news) == f"The rules say: {NAMES[seat]} ends: {ends}"
    assert say(news, own=seat) == "The rules say: You end."


def test_text_without_a_pattern_is_shown_itself() -> None:
    table = at_choice(f"SENTENCES = {ACTIONS}\n")
    (news,) = view.news(table.game, replace(table.state, said=(0, ())), table.state)
    assert say(news, "de") == "Die Regeln sagen: begin"


def test_result_of_a_strangers_rules_follows_the_usual_sentence() -> None:
    result = '"results": {"won": "{seat} is the champion of the world."}'
    table = at_choice(f"SENTENCES = {ACTIONS.removesuffix('}}')}, {result}}}}}\n")
    state = table.play()
    lines = [say(line) for line in view.result(table.game, state)]
    assert lines == ["Ann has won.", "The rules say: Ann is the champion of the world."]


def test_sentence_of_a_stranger_cannot_control_the_terminal() -> None:
    """Values are sanitized and set apart, whatever name a person has."""
    table = at_choice(f"SENTENCES = {ACTIONS}\n")
    seat = table.state.turn
    action = next(one for one in table.choices(seat) if one[0] == "lay")
    deed = view.narrate(table.game, table.state, seat, action)
    text = phrase_renderer(english, ("\x1b[31m{n}", "\x1b[31m{n}"))(deed)
    assert text.startswith("\ufffd[31m{n} lays card ") and text.isprintable()

"""Sentences of a rule file, filled with what a reader may know: nothing but the reader's own view
and what lies open comes into a sentence.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from protocol.games import Action
from protocol.games.decks import Face
from protocol.games.decks.deck_hand import DeckHand
from protocol.games.operations import Card
from protocol.games.scripted.engine.choices import known_face
from protocol.games.scripted.engine.state import ScriptContext, ScriptState
from protocol.games.scripted.rule_file.contract import RuleContract
from protocol.games.scripted.rule_file.sentences import (
    CARD,
    CHOICE,
    SEAT,
    TARGET,
    LanguageTexts,
    sentences_of,
)
from protocol.games.scripted.rule_file.template import (
    COUNT,
    Forms,
    Hole,
    Telling,
    fill,
    match_pattern,
)
from protocol.limits import MAX_CARD_NAME, MAX_CARD_TEXT, MAX_NAME
from protocol.view.phrase import Faces, Phrase, SeatRef, Sentence, SentenceText, Value, phrase

MISSING = "?"  # a value of a card that the reader does not know
# Of each language: the forms to use, or None if the language has no sentence for this.
Pick = Callable[[LanguageTexts], Telling | None]


@dataclass(frozen=True)
class Values:
    """Values for holes, by name: numbers, texts of the file, cards and seats."""

    numbers: Mapping[str, int]
    seats: Mapping[str, int]
    texts: Mapping[str, str]
    # by name: what everybody calls the card, and its face if the reader may know it
    cards: Mapping[str, tuple[Phrase, Face | None]]

    def fill(self, forms: Forms, texts: LanguageTexts) -> tuple[Value, ...]:
        """Return the parts of a sentence in one language."""
        template = forms.choose(self.numbers)
        holes = [part for part in template if isinstance(part, Hole)]
        return fill(template, {hole: self._value(hole, texts) for hole in holes}, MISSING)

    def _value(self, hole: Hole, texts: LanguageTexts) -> Value:
        if hole.name in self.cards:
            name, face = self.cards[hole.name]
            if face is None:
                return name if hole.value is None else _text(MISSING)
            return _face_value(face.get(hole.value or "name", ""), texts)
        if hole.name in self.seats:
            return SeatRef(self.seats[hole.name])
        if hole.name in self.numbers:
            return self.numbers[hole.name]
        return _text(texts.word(self.texts.get(hole.name, MISSING)))


def _face_value(value: int | str, texts: LanguageTexts) -> Value:
    if type(value) is int:
        return value
    return _text(str(shorten(texts.word(str(value)), MAX_CARD_NAME)))


def _text(text: str) -> Phrase:
    """A text from the file as a value of its own, apart from the words around it."""
    return phrase("script.name", name=text)


def has_sentences(contract: RuleContract) -> bool:
    """Check whether the file has sentences, and they are right."""
    return bool(sentences_of(contract))


def has_word(contract: RuleContract, text: str) -> bool:
    """Check whether a language has another word for a text of the file."""
    return any(texts.word(text) != text for texts in sentences_of(contract))


def word(contract: RuleContract, text: str) -> Phrase:
    """Return a text of the file in the words of each language."""
    if not has_word(contract, text):
        return _text(text)
    found = sentences_of(contract)
    parts = tuple(SentenceText(texts.language, (texts.word(text),)) for texts in found)
    return _sentence(Sentence(parts))


def faces(contract: RuleContract, shown: Face) -> Faces:
    """Return the face of a card for people: its name, and the values that the file lists in
    `SHOWN`, in the words of the file.
    """
    found = (
        shown["name"],
        *(one for key in contract.shown if (one := shown.get(key)) is not None),
    )
    return tuple(_face_word(contract, one) for one in found)


def card_values(shown: Face) -> tuple[tuple[str, int | str], ...]:
    """Return all values of a card but its name."""
    return tuple(
        (name, shorten(one, MAX_CARD_TEXT)) for name, one in shown.items() if name != "name"
    )


def _face_word(contract: RuleContract, value: int | str) -> int | str | Phrase:
    if type(value) is not int and has_word(contract, str(value)):
        return word(contract, str(value))
    return shorten(value, MAX_CARD_NAME)


def shorten(value: int | str, most: int) -> int | str:
    """Shorten a text to `most` characters; numbers stay as they are."""
    if type(value) is int or len(str(value)) <= most:
        return value
    return str(value)[: most - 1] + "…"


def offer(
    table: ScriptContext, state: ScriptState, held: DeckHand, seat: int, action: Action
) -> Phrase | None:
    """Return an action as the offer to the seat that may choose it; None without a sentence."""

    def pick(texts: LanguageTexts) -> Telling | None:
        found = texts.actions.get(action[0])
        return None if found is None else Telling(found.offer)

    return _told(table, pick, _action_values(table, state, held, seat, action), None)


def deed(table: ScriptContext, state: ScriptState, seat: int, action: Action) -> Phrase | None:
    """Return an action as everybody reads it; None without a sentence."""

    def pick(texts: LanguageTexts) -> Telling | None:
        found = texts.actions.get(action[0])
        return None if found is None else found.telling

    nobody = DeckHand({}, {})
    return _told(table, pick, _action_values(table, state, nobody, seat, action), seat)


def counter(table: ScriptContext, name: str, seat: int | None, number: int) -> Phrase | None:
    """Return the value of a counter as a sentence; None without one. It is empty if the counter is
    not to be shown.
    """

    def pick(texts: LanguageTexts) -> Telling | None:
        found = texts.counters.get(name)
        return None if found is None else Telling(found)

    seats = {} if seat is None else {SEAT: seat}
    return _told(table, pick, Values({COUNT: number}, seats, {}, {}), None)


def message(table: ScriptContext, text: str) -> Phrase | None:
    """Return a text that the rules have said, as a sentence; None if no pattern fits."""
    values: Values | None = None

    def pick(texts: LanguageTexts) -> Telling | None:
        nonlocal values
        for pattern, telling in texts.said:
            found = match_pattern(pattern, text)
            read = None if found is None else _said_values(table, found)
            if read is not None:
                values = read
                return telling
        return None

    chosen = [(texts, pick(texts)) for texts in sentences_of(table.contract)]
    if values is None:
        return None
    by_language = {texts.language: telling for texts, telling in chosen}
    return _told(table, lambda texts: by_language[texts.language], values, values.seats.get(SEAT))


def result(table: ScriptContext, state: ScriptState, name: str, seat: int | None) -> Phrase | None:
    """Return an end of the match as a sentence; None without one."""
    seats = {} if seat is None else {SEAT: seat}
    values = Values(_numbers(table, state, seat), seats, {}, {})
    return _told(table, lambda texts: texts.results.get(name), values, seat)


# a sentence that says nothing
NOTHING = phrase("script.sentence", text=Sentence(()))


def is_empty(told: Phrase) -> bool:
    """Check whether a sentence says nothing in any language."""
    value = dict(told.args).get("text")
    return isinstance(value, Sentence) and not any(text.parts for text in value.texts)


def _told(table: ScriptContext, pick: Pick, values: Values, who: int | None) -> Phrase | None:
    parts = []
    for texts in sentences_of(table.contract):
        telling = pick(texts)
        if telling is None:
            continue
        near = () if telling.you is None else values.fill(telling.you, texts)
        parts.append(SentenceText(texts.language, values.fill(telling.told, texts), near))
    return _sentence(Sentence(tuple(parts), who)) if parts else None


def _sentence(sentence: Sentence) -> Phrase:
    return phrase("script.sentence", text=sentence)


def _numbers(table: ScriptContext, state: ScriptState, seat: int | None) -> dict[str, int]:
    """Return the counters, those of each seat for this seat."""
    found = {}
    for (name, each), values in zip(table.contract.counters, state.counters, strict=False):
        if not each or seat is not None:
            found[name] = values[seat if each and seat is not None else 0]
    return found


def _action_values(
    table: ScriptContext, state: ScriptState, held: DeckHand, seat: int, action: Action
) -> Values:
    name, card, target, choice, *_ = action
    texts = {}
    if choice:
        kind = next(kind for kind in table.contract.kinds if kind.name == name)
        texts[CHOICE] = kind.choices[choice - 1]
    cards = {
        part: (_place_name(table, state, one - 1), known_face(table, state, held, one - 1))
        for part, one in ((CARD, card), (TARGET, target))
        if one
    }
    return Values(_numbers(table, state, seat), {SEAT: seat}, texts, cards)


def _place_name(table: ScriptContext, state: ScriptState, card: Card) -> Phrase:
    """Name a card by its region and its place there, counted from the bottom."""
    place = next(place for place, cards in enumerate(state.lies) if card in cards)
    zone = table.contract.zones[table.places[place][0]].name
    number = state.lies[place].index(card) + 1
    return phrase("script.card", number=number, name=word(table.contract, zone))


def _said_values(table: ScriptContext, found: Mapping[str, str]) -> Values | None:
    """Read the values in a text that the rules have said: seats (counted from 1) for names that
    begin with `seat`, numbers, and texts. None if a seat is none.
    """
    numbers, seats, texts = {}, {}, {}
    for name, text in found.items():
        digits = text.isascii() and text.isdigit() and len(text) <= MAX_NAME
        if name.startswith(SEAT):
            if not digits or not 1 <= int(text) <= table.seats:
                return None
            seats[name] = int(text) - 1
        elif digits:
            numbers[name] = int(text)
        else:
            texts[name] = text
    return Values(numbers, seats, texts, {})

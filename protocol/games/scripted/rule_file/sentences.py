"""Sentences of a rule file: how its actions, counters, messages and results read in each language.

They never change play. A file whose sentences are wrong is played without them, and `rules check`
names the mistake (docs/protocol, 33.9).
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import pairwise
from typing import Any, Final, NamedTuple

from protocol.games.scripted.rule_file.constants import ActionKind
from protocol.games.scripted.rule_file.contract import RuleContract
from protocol.games.scripted.rule_file.template import (
    COUNT,
    Forms,
    Hole,
    Telling,
    Template,
    parse_forms,
    parse_telling,
    parse_template,
)
from protocol.limits import (
    MAX_SCRIPT_LANGUAGES,
    MAX_SCRIPT_SAID,
    MAX_SCRIPT_WORD,
    MAX_SCRIPT_WORDS,
)
from protocol.rules import RuleError
from protocol.view.harmless import is_safe_to_show

SENTENCES: Final = "SENTENCES"  # the constant
RESULTS: Final = ("won", "draw", "nobody")
SEAT, CARD, TARGET, CHOICE = "seat", "card", "target", "choice"
PARTS: Final = ("actions", "said", "counters", "results", "words")
_LANGUAGE: Final = re.compile(r"[a-z]{2,3}(?:-[A-Za-z0-9]{2,8})?")
SENTENCE_CACHE: Final = 32  # rule files whose sentences are cached


class ActionTexts(NamedTuple):
    """One kind of action: as an offer to the seat that may choose it, and as a deed."""

    offer: Forms
    telling: Telling


class LanguageTexts(NamedTuple):
    """Sentences of a rule file in one language."""

    language: str
    actions: Mapping[str, ActionTexts]
    said: tuple[tuple[Template, Telling], ...]  # pattern of what rules say, and how it reads
    counters: Mapping[str, Forms]
    results: Mapping[str, Telling]
    words: Mapping[str, str]  # texts of the file, and what they are called in this language

    def word(self, text: str) -> str:
        """Return a text of the file in this language; the text itself if the file has no other."""
        return self.words.get(text, text)


@lru_cache(SENTENCE_CACHE)
def sentences_of(contract: RuleContract) -> tuple[LanguageTexts, ...]:
    """Return the sentences of a file by language; empty if it has none, or wrong ones."""
    try:
        return read_sentences(contract)
    except RuleError:
        return ()


def read_sentences(contract: RuleContract) -> tuple[LanguageTexts, ...]:
    """Read the constant `SENTENCES`. Raises: RuleError at the line of the constant."""
    try:
        return tuple(_SentenceReader(contract).languages())
    except RuleError as error:
        place = contract.module.place(SENTENCES)
        raise RuleError(*place, error.key, **error.values) from None


def by_language(value: object, where: str) -> dict[str, Any]:
    """Check a dict from codes of languages. Raises: RuleError."""
    if (
        type(value) is not dict
        or not 0 < len(value) <= MAX_SCRIPT_LANGUAGES
        or not all(type(code) is str and _LANGUAGE.fullmatch(code) for code in value)
    ):
        want = f'{{"en": …, "de": …}}, 1 … {MAX_SCRIPT_LANGUAGES}'
        raise RuleError(0, 0, "script.constant", name=where, want=want)
    return value


class _SentenceReader:
    """Reader of the sentences of one file. All methods raise RuleError."""

    def __init__(self, contract: RuleContract) -> None:
        self._contract = contract
        self._single = {Hole(name) for name, each in contract.counters if not each}
        self._counters = {Hole(name) for name, _ in contract.counters}
        self._values = {Hole(CARD, name).value for face in contract.cards for name in face}

    def languages(self) -> Iterator[LanguageTexts]:
        constants = self._contract.module.constants
        if SENTENCES not in constants:
            return
        for language, texts in by_language(constants[SENTENCES], SENTENCES).items():
            where = f'{SENTENCES}["{language}"]'
            self._check_keys(texts, PARTS, where)
            yield LanguageTexts(
                language,
                dict(self._actions(texts.get("actions"), f'{where}["actions"]')),
                tuple(self._said(texts.get("said", {}), f'{where}["said"]')),
                dict(self._counter_forms(texts.get("counters", {}), f'{where}["counters"]')),
                dict(self._results(texts.get("results", {}), f'{where}["results"]')),
                self._words(texts.get("words", {}), f'{where}["words"]'),
            )

    def _actions(self, value: object, where: str) -> Iterator[tuple[str, ActionTexts]]:
        kinds = {kind.name: kind for kind in self._contract.kinds}
        texts = self._check_keys(value, kinds, where)
        for name, kind in kinds.items():
            at = f'{where}["{name}"]'
            if name not in texts:
                raise RuleError(0, 0, "script.sentence.missing", where=at)
            found = self._check_keys(texts[name], ("offer", "told", "you"), at)
            if not {"offer", "told"} <= found.keys():
                want = '{"offer": "…", "told": "…", "you": "…"}'
                raise RuleError(0, 0, "script.constant", name=at, want=want)
            offer = parse_forms(found["offer"], at)
            telling = parse_telling({key: found[key] for key in found if key != "offer"}, at)
            own = self._action_holes(kind) | self._counters
            self._check_holes(offer, own | self._face_holes(kind, offer=True), at)
            public = own | self._face_holes(kind, offer=False) | {Hole(SEAT)}
            self._check_telling(telling, public, at, names=SEAT)
            yield name, ActionTexts(offer, telling)

    def _action_holes(self, kind: ActionKind) -> set[Hole]:
        parts = ((CARD, kind.card), (TARGET, kind.target), (CHOICE, kind.choices or None))
        return {Hole(name) for name, part in parts if part is not None}

    def _face_holes(self, kind: ActionKind, *, offer: bool) -> set[Hole]:
        """Return the holes for values of cards. In a sentence to everybody a card has values only
        if everybody sees it.
        """
        zones = self._contract.zones
        card = kind.card is not None and (offer or kind.shows or zones[kind.card].see == "all")
        target = kind.target is not None and (offer or zones[kind.target].see == "all")
        names = ([CARD] if card else []) + ([TARGET] if target else [])
        return {Hole(name, value) for name in names for value in self._values}

    def _said(self, value: object, where: str) -> Iterator[tuple[Template, Telling]]:
        if type(value) is not dict or len(value) > MAX_SCRIPT_SAID:
            want = f'{{"duel {{n}}": "…"}}, ≤ {MAX_SCRIPT_SAID}'
            raise RuleError(0, 0, "script.constant", name=where, want=want)
        for said, texts in value.items():
            at = f'{where}["{said}"]'
            pattern = parse_template(said, at)
            names = [part.name for part in pattern if isinstance(part, Hole)]
            ends = pairwise(pattern)
            if len(set(names)) < len(names) or any(
                isinstance(one, Hole) and isinstance(other, Hole) for one, other in ends
            ):
                raise RuleError(0, 0, "script.sentence.pattern", where=at)
            telling = parse_telling(texts, at)
            holes = {part for part in pattern if isinstance(part, Hole)}
            if any(hole.value is not None for hole in holes):
                raise RuleError(0, 0, "script.sentence.pattern", where=at)
            self._check_telling(telling, holes, at)
            yield pattern, telling

    def _counter_forms(self, value: object, where: str) -> Iterator[tuple[str, Forms]]:
        each = dict(self._contract.counters)
        for name, texts in self._check_keys(value, each, where).items():
            at = f'{where}["{name}"]'
            forms = parse_forms(texts, at)
            self._check_holes(forms, {Hole(COUNT)} | ({Hole(SEAT)} if each[name] else set()), at)
            yield name, forms

    def _results(self, value: object, where: str) -> Iterator[tuple[str, Telling]]:
        for name, texts in self._check_keys(value, RESULTS, where).items():
            at = f'{where}["{name}"]'
            telling = parse_telling(texts, at)
            won = name == "won"
            holes = self._counters | {Hole(SEAT)} if won else self._single
            self._check_telling(telling, holes, at, names=SEAT if won else None)
            yield name, telling

    def _words(self, value: object, where: str) -> dict[str, str]:
        if type(value) is not dict or len(value) > MAX_SCRIPT_WORDS:
            want = f'{{"hand": "…"}}, ≤ {MAX_SCRIPT_WORDS}'
            raise RuleError(0, 0, "script.constant", name=where, want=want)
        known = self._texts()
        for text, word in value.items():
            if text not in known:
                raise RuleError(0, 0, "script.sentence.unknown", where=where, name=str(text)[:60])
            if (
                type(word) is not str
                or not 0 < len(word) <= MAX_SCRIPT_WORD
                or not is_safe_to_show(word)
            ):
                at = f'{where}["{text}"]'
                most = MAX_SCRIPT_WORD
                raise RuleError(0, 0, "script.template.text", where=at, most=most)
        return value

    def _texts(self) -> set[object]:
        """Return all texts of the file that people may read."""
        contract = self._contract
        found: set[object] = {zone.name for zone in contract.zones}
        found |= {name for name, _ in contract.counters}
        found |= {text for texts in contract.texts.values() for text in texts}
        for kind in contract.kinds:
            found |= {kind.name, *kind.choices}
        for face in contract.cards:
            found |= {*face, *face.values()}
        for option in contract.options:
            found |= {option.name, *option.choices}
        return found

    def _check_keys(self, value: object, known: Iterable[str], where: str) -> dict[str, Any]:
        names = list(known)
        if type(value) is not dict:
            want = "{" + ", ".join(f'"{name}": …' for name in names[:5]) + "}"
            raise RuleError(0, 0, "script.constant", name=where, want=want)
        for name in value:
            if name not in names:
                raise RuleError(0, 0, "script.sentence.unknown", where=where, name=str(name)[:60])
        return value

    def _check_telling(
        self, telling: Telling, known: set[Hole], where: str, names: str | None = None
    ) -> None:
        """Check the holes of a sentence about a seat. With `names` the sentence to others must have
        that hole, so that nobody is left out of a deed.
        """
        self._check_holes(telling.told, known, where)
        if telling.you is not None:
            self._check_holes(telling.you, known, where)
        if names is not None and not all(Hole(names) in form for form in telling.told.templates()):
            raise RuleError(0, 0, "script.sentence.seat", where=where)

    def _check_holes(self, forms: Forms, known: set[Hole], where: str) -> None:
        unknown = forms.names() - known
        if unknown:
            hole = min(map(str, unknown))
            raise RuleError(0, 0, "script.sentence.unknown", where=where, name=hole)
        if forms.exact and Hole(forms.by) not in known:
            raise RuleError(0, 0, "script.sentence.unknown", where=where, name=forms.by)

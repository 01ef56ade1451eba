"""Names from rule files for people: in the words of the file's own sentences; of earlier built-in
files from the catalogue; otherwise as the file has them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from protocol.games.scripted import told
from protocol.games.scripted.engine.state import ScriptContext
from protocol.games.scripted.rule_file.built_in import text_of_digest
from protocol.view.phrase import Phrase, phrase

Texts = Mapping[str, tuple[str, ...]]
NOTHING: Final = ""  # text for a value with which a counter is not shown
SUIT_NAMES: Final = (NOTHING, "hearts", "spades", "diamonds", "clubs")
FLAG: Final = (NOTHING, "yes")
MAU_MAU: Final[Texts] = MappingProxyType(
    {
        "wish": SUIT_NAMES,
        "drawn": FLAG,
        "wishing": FLAG,
        "sevens": (NOTHING,),
    },
)
# Names for the values of counters in built-in files, in the form of a file's own CALLED.
VALUES: Final[Mapping[str, Texts]] = MappingProxyType(
    {
        "mau-mau": MAU_MAU,
        "mau-mau-shared": {**MAU_MAU, "skip": (NOTHING,)},
        "crazy-eights": {
            "suit": (NOTHING, "clubs", "diamonds", "hearts", "spades"),
            "naming": FLAG,
            "drawn": (NOTHING,),
            "passes": (NOTHING,),
        },
    }
)
# Words of built-in files: regions, actions, choices, counters and their values.
WORDS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "deck": "script.word.deck",
        "hand": "script.word.hand",
        "pile": "script.word.pile",
        "field": "script.word.field",
        "discard": "script.word.discard",
        "play": "script.word.play",
        "lay": "script.word.lay",
        "draw": "script.word.draw",
        "end": "script.word.end",
        "pass": "script.word.pass",
        "name": "script.word.name",
        "hearts": "script.word.hearts",
        "spades": "script.word.spades",
        "diamonds": "script.word.diamonds",
        "clubs": "script.word.clubs",
        "yes": "script.word.yes",
        "points": "script.word.points",
        "duels": "script.word.duels",
        "suit": "script.word.suit",
        "naming": "script.word.naming",
        "passes": "script.word.passes",
        "sevens": "script.word.sevens",
        "drawn": "script.word.drawn",
        "wishing": "script.word.wishing",
        "skip": "script.word.skip",
    }
)
# Counters with the same name as an action.
COUNTERS: Final = MappingProxyType({"wish": "script.word.wished"})
ACTIONS: Final = MappingProxyType({"wish": "script.word.wish"})


@dataclass(frozen=True)
class DisplayNames:
    """Names for people of the things in one rule file. `rules` is the digest of the file."""

    rules: str
    table: ScriptContext

    def region(self, name: str) -> Phrase:
        return self._name(name, {})

    def action(self, name: str) -> Phrase:
        """Return the name of an action, or of one of its choices."""
        return self._name(name, ACTIONS)

    def counter(self, name: str) -> Phrase:
        return self._name(name, COUNTERS)

    def counter_value(self, name: str, seat: int | None, number: int) -> Phrase | None:
        """Name the value `number` of a counter; None if the value is shown as a number. If
        `told.is_empty` is true of the result, the counter is not shown.
        """
        own = told.counter(self.table, name, seat, number)
        if own is not None:
            return own
        known = VALUES.get(self.table.contract.name, {})
        texts = (known if self._has_catalogue_names() else self.table.contract.texts).get(name, ())
        if not 0 <= number < len(texts):
            return None
        return told.NOTHING if texts[number] == NOTHING else self._name(texts[number], ACTIONS)

    def _name(self, name: str, more: Mapping[str, str]) -> Phrase:
        """Name something; `more` has the keys of the catalogue for names of its kind."""
        if not self._has_catalogue_names():
            return told.word(self.table.contract, name)
        key = more.get(name, WORDS.get(name))
        return phrase("script.name", name=name) if key is None else phrase(key)

    def _has_catalogue_names(self) -> bool:
        """Check for a built-in file from before files had sentences of their own."""
        return text_of_digest(self.rules) is not None and not told.has_sentences(
            self.table.contract
        )

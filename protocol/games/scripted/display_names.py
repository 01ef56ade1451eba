"""Names from rule files for people: translated for built-in files, otherwise as the file has
them.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from protocol.games.scripted.rule_file.built_in import text_of_digest
from protocol.games.scripted.rule_file.contract import RuleContract
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


def display_name(rules: str, name: str, more: Mapping[str, str] = ACTIONS) -> Phrase:
    """Return the name for people of something in a rule file. `rules` is the digest of the file;
    `more` has translations for names of this kind.
    """
    key = more.get(name, WORDS.get(name)) if text_of_digest(rules) is not None else None
    return phrase("script.name", name=name) if key is None else phrase(key)


def counter_name(rules: str, name: str) -> Phrase:
    """Return the name for people of a counter."""
    return display_name(rules, name, COUNTERS)


def counter_value(rules: str, contract: RuleContract, name: str, number: int) -> Phrase | None:
    """Name the value `number` of a counter; None if the value is shown as a number. If
    `says_nothing` is true of the result, the counter is not shown.
    """
    texts = (
        VALUES.get(contract.name, {}) if text_of_digest(rules) is not None else contract.texts
    ).get(name, ())
    return display_name(rules, texts[number]) if 0 <= number < len(texts) else None


def says_nothing(text: Phrase | None) -> bool:
    """Check whether a counter with this text is to be hidden."""
    return text is not None and dict(text.args).get("name") == NOTHING

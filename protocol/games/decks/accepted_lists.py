"""Notation of the conditions on owned cards in the terms of a match: lists of creators, of editions
and of limits on values (docs/protocol, 34.8). `protocol.games.decks.accepted_cards` judges cards by
them.

Every program reads this module with the specs of games, so it imports nothing of the ledger.
"""

import re
from typing import Final, NamedTuple

from protocol.limits import (
    MAX_ACCEPTED_CREATORS,
    MAX_ACCEPTED_EDITIONS,
    MAX_CARD_KEY,
    MAX_EDITION,
    MAX_INT,
    MAX_VALUE,
    MAX_VALUE_LIMITS,
)
from protocol.options import ListOption, TextFormat, Value
from protocol.view.harmless import is_safe_to_show
from protocol.view.phrase import phrase

_FINGERPRINT: Final = re.compile("[a-z2-7]{40}")
_LIMIT: Final = re.compile("([^<>=]+)(<=|>=)(0|[1-9][0-9]{0,18})")
# option and its value with which a match is played with cards that people own
OWNED_CARDS: Final = ("cards", "owned")


class ValueLimit(NamedTuple):
    """A limit on a value of a card. A card without this value is within the limit; a text in place
    of the number is not.
    """

    name: str
    upper: bool  # the number is the largest one allowed; otherwise the smallest
    number: int

    def __str__(self) -> str:
        return f"{self.name}{'<=' if self.upper else '>='}{self.number}"

    def allows(self, values: dict[str, int | str]) -> bool:
        """Check the values of a card."""
        value = values.get(self.name)
        if value is None:
            return True
        if type(value) is not int:
            return False
        return value <= self.number if self.upper else value >= self.number


def parse_limit(text: Value) -> ValueLimit | None:
    """Read a limit in its notation: `strength<=9` or `strength>=3`. None for any other text."""
    found = _LIMIT.fullmatch(text) if type(text) is str and len(text) <= MAX_VALUE else None
    if found is None or not 1 <= len(found[1]) <= MAX_CARD_KEY or not is_safe_to_show(found[1]):
        return None
    number = int(found[3])
    return ValueLimit(found[1], found[2] == "<=", number) if number <= MAX_INT else None


def _is_fingerprint(value: Value) -> bool:
    return type(value) is str and _FINGERPRINT.fullmatch(value) is not None


def _is_edition(value: Value) -> bool:
    return type(value) is str and 1 <= len(value) <= MAX_EDITION and is_safe_to_show(value)


def _is_limit(value: Value) -> bool:
    return parse_limit(value) is not None


CREATORS = ListOption(
    "creator",
    "option.accepted.creator",
    TextFormat(_is_fingerprint, phrase("option.accepted.creator.form")),
    MAX_ACCEPTED_CREATORS,
    OWNED_CARDS,
)
EDITIONS = ListOption(
    "edition",
    "option.accepted.edition",
    TextFormat(_is_edition, phrase("option.accepted.edition.form")),
    MAX_ACCEPTED_EDITIONS,
    OWNED_CARDS,
)
LIMITS = ListOption(
    "limit",
    "option.accepted.limit",
    TextFormat(_is_limit, phrase("option.accepted.limit.form")),
    MAX_VALUE_LIMITS,
    OWNED_CARDS,
)
LISTS: Final = (CREATORS, EDITIONS, LIMITS)
NAMES: Final = frozenset(name for option in LISTS for name in option.names)

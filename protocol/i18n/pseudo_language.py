"""Pseudo-language for tests: English with longer words, to check that a screen has enough room."""

import re
from math import ceil

EXTRA_LENGTH = 0.4  # share of each word's length: room that translations from English may need
# letters that lengthen a word
ACCENTS = {"a": "å", "e": "ë", "i": "ï", "o": "ö", "u": "ü", "y": "ÿ"}
WORD = re.compile(r"(\{[^}]*\})|([^\W\d_]+)")


def pseudo_localize(text: str) -> str:
    """Lengthen the words of a text, but not its placeholders."""
    return WORD.sub(lambda found: found[1] or _lengthen_word(found[2]), text)


def _lengthen_word(word: str) -> str:
    more = ceil(len(word) * EXTRA_LENGTH)
    at = next((place for place, letter in enumerate(word) if letter.lower() in ACCENTS), 0)
    return word[: at + 1] + ACCENTS.get(word[at].lower(), "·") * more + word[at + 1 :]

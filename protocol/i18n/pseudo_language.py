"""A language that nobody speaks: English, with every word two fifths longer, to see whether a
screen has the room.
"""

import re
from math import ceil

EXTRA_LENGTH = 0.4  # of each word: what translations out of English may need
# what a word is made longer with
ACCENTS = {"a": "å", "e": "ë", "i": "ï", "o": "ö", "u": "ü", "y": "ÿ"}
WORD = re.compile(r"(\{[^}]*\})|([^\W\d_]+)")


def pseudo_localize(text: str) -> str:
    """The text with longer words; what is filled in stays as it is."""
    return WORD.sub(lambda found: found[1] or _longer(found[2]), text)


def _longer(word: str) -> str:
    more = ceil(len(word) * EXTRA_LENGTH)
    at = next((place for place, letter in enumerate(word) if letter.lower() in ACCENTS), 0)
    return word[: at + 1] + ACCENTS.get(word[at].lower(), "·") * more + word[at + 1 :]

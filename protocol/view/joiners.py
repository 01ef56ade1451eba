"""Invisible characters that belong to the spelling of a word or of an emoji.

The zero-width joiners and the variation selector for emoji hide nothing where the scripts need
them: Persian and other languages in Arabic letters, scripts of India, pictures of several emoji.
The contexts follow UAX #31 (2.3) and UTS #51, limited to the Unicode data of the standard library.
"""

from unicodedata import category, combining, name

NON_JOINER = "\N{ZERO WIDTH NON-JOINER}"
JOINER = "\N{ZERO WIDTH JOINER}"
EMOJI_SELECTOR = "\N{VARIATION SELECTOR-16}"
JOINERS = NON_JOINER + JOINER
SPELLING = JOINERS + EMOJI_SELECTOR

_VIRAMA = 9  # canonical combining class of the marks that join consonants
# first words of the Unicode names of letters that join to the next one as they are written
_CURSIVE = ("ARABIC", "SYRIAC", "MONGOLIAN", "NKO", "MANDAIC", "PHAGS-PA", "ADLAM")


def is_spelling(text: str, at: int) -> bool:
    """Check that the invisible character at this position is one that the spelling needs."""
    char = text[at]
    before = text[at - 1] if at else ""
    after = text[at + 1] if at + 1 < len(text) else ""
    if not before:
        return False
    if char == EMOJI_SELECTOR:
        return category(before) == "So"
    if char == JOINER and _is_picture_end(before) and category(after or " ") == "So":
        return True
    if char not in JOINERS:
        return False
    letter_follows = category(after or " ")[0] == "L"
    if combining(before) == _VIRAMA:
        return letter_follows or (char == JOINER and category(after or " ")[0] != "M")
    return char == NON_JOINER and letter_follows and _is_cursive(text[:at]) and _is_cursive(after)


def _is_picture_end(char: str) -> bool:
    """Check for an emoji, a skin tone or the selector behind an emoji."""
    return category(char) in ("So", "Sk") or char == EMOJI_SELECTOR


def _is_cursive(text: str) -> bool:
    """Check that the last character, marks left out, is a letter of a cursive script."""
    letters = [char for char in text if category(char)[0] != "M"]
    if not letters or category(letters[-1])[0] != "L":
        return False
    return name(letters[-1], "?").split()[0] in _CURSIVE

"""Names of players and tables: one line of visible text, with a skeleton by which similar names are
compared.

The rules follow Unicode UAX #31 and UTS #39, limited to the Unicode data of the standard library.
These data change with the Python version. So a name is checked only once, when a person uses it,
and never in the fold or the audit.
"""

import re
from unicodedata import category, name, normalize

from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.limits import MAX_NAME

# Invisible letters, marks and symbols: fillers, joiners, variation selectors, the empty Braille
# cell.
_INVISIBLE = frozenset(
    map(
        chr,
        (0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0, *range(0x180B, 0x1810)),
    )
) | frozenset(map(chr, (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))))
# Control characters, soft hyphen, bidi marks and overrides, joiners, separators, surrogates,
# byte-order mark, tags.
_STEERING = (
    *(
        range(0x00, 0x20),
        range(0x7F, 0xA0),
        range(0xAD, 0xAE),
        range(0x61C, 0x61D),
        range(0x200B, 0x2010),
    ),
    *(range(0x2028, 0x202F), range(0x2060, 0x2070), range(0xD800, 0xE000), range(0xFEFF, 0xFF00)),
    *(range(0xFFF9, 0xFFFC), range(0xE0000, 0xE1000)),
)
_STEERS = re.compile(
    "[" + "".join(f"\\U{span[0]:08x}-\\U{span[-1]:08x}" for span in _STEERING) + "]"
)
# Scripts that Japanese mixes within one word.
_JAPANESE = frozenset({"HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA", "CJK", "IDEOGRAPHIC"})
# Characters that look like a small or capital Latin letter: Cyrillic, Greek, digits. i, l and 1
# count as the same letter.
_LOOK_ALIKES = {
    **{
        "a": "аα",
        "b": "вβ",
        "c": "с",
        "d": "ԁ",
        "e": "еε",
        "h": "нһη",
        "j": "ј",
        "k": "кκ",
        "l": "i1|іιıӏ",
    },
    **{
        "m": "мμ",
        "n": "ν",
        "o": "0оο",
        "p": "рρ",
        "q": "ԛ",
        "s": "ѕ",
        "t": "тτ",
        "w": "ԝ",
        "x": "хχ",
    },
    **{"y": "уυγ", "z": "ζ"},
}
_LATIN = str.maketrans({other: latin for latin, others in _LOOK_ALIKES.items() for other in others})
_SEPARATORS = str.maketrans("", "", " -_.'")

# Words that programs use in place of names, by language. A person with such a name could make their
# words look like a program's.
RESERVED = {
    "en": ("you", "the table", "nobody", "everybody", "warning", "verdict", "roster"),
    "de": ("du", "Sie", "ihr", "der Tisch", "niemand", "alle", "Warnung", "Urteil"),
}
# Colons and characters that look like colons, besides compatibility forms: the name `verdict:
# clean` would look like a line of the program.
_COLONS = frozenset(":\u02d0\u02f8\u0589\u05c3\u2236\ua789")


def check_name(text: str) -> None:
    """Check that a text is fit to be shown as a name. Raises: RemoteError(BAD_NAME).

    A name meets these conditions:

    - It has 1 to MAX_NAME characters in the normal form NFC.
    - It has no invisible, unassigned or control characters (categories C and Z).
    - It has only single spaces, and only between words.
    - No word begins with a combining mark.
    - Its letters belong to one script.
    - It has no colon, and does not look like a word of `RESERVED`.
    """
    if not 1 <= len(text) <= MAX_NAME or not (
        _is_plain(text) and _has_valid_spaces(text) and _has_one_script(text)
    ):
        raise RemoteError(Code.BAD_NAME)
    if any(char in _COLONS for char in normalize("NFKC", text)) or name_skeleton(text) in _RESERVED:
        raise RemoteError(Code.BAD_NAME)


def is_safe_to_show(text: str) -> bool:
    """Check that a text cannot control a terminal: no control, format, bidi or surrogate
    characters.

    The fold uses this rule, because its set of code points never changes: every auditor comes to
    the same result.
    """
    return _STEERS.search(text) is None


def _is_plain(text: str) -> bool:
    """Check for letters, marks, numbers, punctuation, symbols and plain spaces only, in the form
    NFC.
    """
    if any(char != " " and (category(char)[0] in "CZ" or char in _INVISIBLE) for char in text):
        return False
    return normalize("NFC", text) == text


def _has_valid_spaces(text: str) -> bool:
    """Check for single spaces between words, and no mark at the beginning of a word, where it would
    combine with the space.
    """
    return all(word and category(word[0])[0] != "M" for word in text.split(" "))


def _has_one_script(text: str) -> bool:
    return len({_script(char) for char in text if category(char)[0] == "L"}) <= 1


def _script(char: str) -> str:
    """Return a letter's script: the first word of its Unicode name, since the standard library has
    no property.
    """
    first = name(char, "?").split()[0]
    return "JAPANESE" if first in _JAPANESE else first


def name_skeleton(text: str) -> str:
    """Return the skeleton of a name. Two names with the same skeleton are too similar for one
    table.

    The skeleton ignores compatibility forms, case, spaces and separators. It unites the commonest
    look-alikes in Latin, Cyrillic, Greek and digits, a small part of the list in UTS #39. This
    prevents accidents and simple imitation. Only the key identifies a person.
    """
    folded = normalize("NFKC", normalize("NFKC", text).casefold())
    return folded.translate(_LATIN).translate(_SEPARATORS)


_RESERVED = frozenset(name_skeleton(word) for words in RESERVED.values() for word in words)

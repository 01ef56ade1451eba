"""Names of players and tables: one line of visible text, and a key by which two of them look alike.

After Unicode UAX #31 and UTS #39, cut down to what the standard library's Unicode data can tell.
Those data change with the Python version, so a name is judged once, where it is let in, and never
in the fold or the audit.
"""

import re
from unicodedata import category, name, normalize

from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.limits import MAX_NAME

# Letters, marks and symbols that show nothing: fillers, joiners, variation selectors, the empty
# Braille cell.
_INVISIBLE = frozenset(
    map(
        chr,
        (0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0, *range(0x180B, 0x1810)),
    )
) | frozenset(map(chr, (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))))
# Controls, soft hyphen, bidi marks and overrides, joiners, separators, surrogates, byte-order mark,
# tags.
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
# Scripts that one word of one language mixes.
_JAPANESE = frozenset({"HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA", "CJK", "IDEOGRAPHIC"})
# What reads as a Latin letter in small or capital form: Cyrillic, Greek, digits. i, l and 1 are
# one.
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

# What programs call somebody without a name, by language: who is called so could put words into a
# program's mouth.
RESERVED = {
    "en": ("you", "the table", "nobody", "everybody", "warning", "verdict", "roster"),
    "de": ("du", "Sie", "ihr", "der Tisch", "niemand", "alle", "Warnung", "Urteil"),
}
# `verdict: clean` reads as a line of the program's own. The look-alikes, beside the compatibility
# forms.
_COLONS = frozenset(":\u02d0\u02f8\u0589\u05c3\u2236\ua789")


def check_name(text: str) -> None:
    """Raise `RemoteError(BAD_NAME)` unless the text is fit to be shown as a name.

    That is: 1 to MAX_NAME characters, NFC, nothing invisible, unassigned or steering (categories C
    and Z), single spaces only and only inside, marks only on what they belong to, letters of one
    script, no colon, and nothing that looks like a word of `RESERVED`.
    """
    if not 1 <= len(text) <= MAX_NAME or not (
        _is_plain(text) and _spaces_hold(text) and _one_script(text)
    ):
        raise RemoteError(Code.BAD_NAME)
    if any(char in _COLONS for char in normalize("NFKC", text)) or name_skeleton(text) in _RESERVED:
        raise RemoteError(Code.BAD_NAME)


def is_safe_to_show(text: str) -> bool:
    """Whether showing the text does nothing to a terminal: no control, format, bidi or surrogate
    characters.

    The fold's own rule: code points that are fixed for good, so that every auditor judges alike.
    """
    return _STEERS.search(text) is None


def _is_plain(text: str) -> bool:
    """Nothing but letters, marks, numbers, punctuation, symbols and the plain space; composed."""
    if any(char != " " and (category(char)[0] in "CZ" or char in _INVISIBLE) for char in text):
        return False
    return normalize("NFC", text) == text


def _spaces_hold(text: str) -> bool:
    """No space outside or beside another, and no mark at a word's beginning (it would show on the
    space).
    """
    return all(word and category(word[0])[0] != "M" for word in text.split(" "))


def _one_script(text: str) -> bool:
    return len({_script(char) for char in text if category(char)[0] == "L"}) <= 1


def _script(char: str) -> str:
    """A letter's script: the standard library has no such property, but names begin with it."""
    first = name(char, "?").split()[0]
    return "JAPANESE" if first in _JAPANESE else first


def name_skeleton(text: str) -> str:
    """Two names with the same skeleton are too alike for one table.

    Compatibility forms, case, spaces and separators are dropped, and the commonest look-alikes
    across Latin, Cyrillic, Greek and digits are made one. A small part of UTS #39's list: it stops
    accidents and lazy mimicry; only the key says who somebody is.
    """
    folded = normalize("NFKC", normalize("NFKC", text).casefold())
    return folded.translate(_LATIN).translate(_SEPARATORS)


_RESERVED = frozenset(name_skeleton(word) for words in RESERVED.values() for word in words)

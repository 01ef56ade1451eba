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
from protocol.view.harmless import is_safe_to_show
from protocol.view.joiners import JOINERS, SPELLING, is_spelling
from protocol.view.phrase import Phrase, phrase

# Invisible letters, marks and symbols: fillers, joiners, variation selectors, the empty Braille
# cell.
_INVISIBLE = frozenset(
    map(
        chr,
        (0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0, *range(0x180B, 0x1810)),
    )
) | frozenset(map(chr, (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))))
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
_WITHOUT_JOINERS = str.maketrans("", "", JOINERS)
_WITHOUT_SPELLING = str.maketrans("", "", SPELLING)
# characters of a typed text that are looked at, in names' lengths: more is no name in any form
_TIDY_FACTOR = 8

# Words that programs use in place of names, by language. A person with such a name could make their
# words look like a program's.
RESERVED = {
    "en": ("you", "the table", "nobody", "everybody", "warning", "verdict", "roster"),
    "de": ("du", "Sie", "ihr", "der Tisch", "niemand", "alle", "Warnung", "Urteil"),
}
# Colons and characters that look like colons, besides compatibility forms: the name `verdict:
# clean` would look like a line of the program.
_COLONS = frozenset(":\u02d0\u02f8\u0589\u05c3\u2236\ua789")
# A key as screens show it, beside a name: a name that has one could be read as somebody else's.
_KEY = re.compile("([a-z2-7]{4}-){3}[a-z2-7]{4}")


def check_name(text: str) -> None:
    """Check that a text is fit to be shown as a name. Raises: RemoteError(BAD_NAME).

    A name meets these conditions:

    - It has 1 to MAX_NAME characters in the normal form NFC.
    - It has no invisible, unassigned or control characters (categories C and Z), but where the
      spelling needs them (`is_spelling`).
    - It has only single spaces, and only between words.
    - No word begins with a combining mark.
    - Its letters belong to one script.
    - It has no fingerprint as screens show it.
    - It has no colon, and does not look like a word of `RESERVED`.
    """
    if name_problem(text) is not None:
        raise RemoteError(Code.BAD_NAME)


def name_problem(text: str) -> Phrase | None:
    """Return why a text is not fit to be a name, for the person who typed it; None if it is."""
    if not text.strip():
        return phrase("name.empty")
    if len(text) > MAX_NAME:
        return phrase("name.long", most=MAX_NAME)
    hidden = next((char for at, char in enumerate(text) if _is_hidden(text, at)), None)
    if hidden is not None:
        return phrase("name.hidden", character=f"U+{ord(hidden):04X}")
    if not _has_valid_spaces(text) or normalize("NFC", text) != text:
        return phrase("name.spelling")
    scripts = sorted({_script(char) for char in text if category(char)[0] == "L"})
    if len(scripts) > 1:
        return phrase("name.scripts", one=scripts[0].capitalize(), other=scripts[1].capitalize())
    if any(char in _COLONS for char in normalize("NFKC", text)):
        return phrase("name.colon")
    if _KEY.search(_with_plain_dashes(normalize("NFKC", text).casefold())):
        return phrase("name.fingerprint")
    if name_skeleton(text) in _RESERVED:
        return phrase("name.reserved")
    return None


def tidy_name(text: str) -> str:
    """Return a name as its owner meant it: composed (NFC), with single plain spaces and no invisible
    character at its ends.

    Keyboards and copied text bring decomposed letters, no-break spaces and byte-order marks.
    """
    text = text[: MAX_NAME * _TIDY_FACTOR]
    words = "".join(" " if char.isspace() else char for char in text).split(" ")
    shown = normalize("NFC", " ".join(word for word in words if word))
    while shown and category(shown[0]) in ("Cf", "Zs"):
        shown = shown[1:]
    while shown and category(shown[-1]) in ("Cf", "Zs") and not is_spelling(shown, len(shown) - 1):
        shown = shown[:-1]
    return shown


def is_name_safe(text: str) -> bool:
    """Check that a name cannot control a terminal: as `is_safe_to_show`, with the joiners allowed
    that some scripts need. The fold uses this rule for names.
    """
    return is_safe_to_show(text.translate(_WITHOUT_JOINERS))


def _is_hidden(text: str, at: int) -> bool:
    """Check for a character that nobody sees and no spelling needs: controls, unassigned ones,
    spaces but the plain one, fillers.
    """
    char = text[at]
    unseen = char != " " and (category(char)[0] in "CZ" or char in _INVISIBLE)
    return unseen and not is_spelling(text, at)


def _has_valid_spaces(text: str) -> bool:
    """Check for single spaces between words, and no mark at the beginning of a word, where it would
    combine with the space.
    """
    return all(word and category(word[0])[0] != "M" for word in text.split(" "))


def _with_plain_dashes(text: str) -> str:
    return "".join("-" if category(char) == "Pd" else char for char in text)


def _script(char: str) -> str:
    """Return a letter's script: the first word of its Unicode name, since the standard library has
    no property.
    """
    first = name(char, "?").split()[0]
    return "JAPANESE" if first in _JAPANESE else first


def name_skeleton(text: str) -> str:
    """Return the skeleton of a name. Two names with the same skeleton are too similar for one
    table.

    The skeleton ignores compatibility forms, case, spaces, separators and invisible joiners. It unites the commonest
    look-alikes in Latin, Cyrillic, Greek and digits, a small part of the list in UTS #39. This
    prevents accidents and simple imitation. Only the key identifies a person.
    """
    folded = normalize("NFKC", normalize("NFKC", text).casefold())
    folded = folded.translate(_WITHOUT_SPELLING)
    return folded.translate(_LATIN).translate(_SEPARATORS)


_RESERVED = frozenset(name_skeleton(word) for words in RESERVED.values() for word in words)

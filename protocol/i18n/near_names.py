"""Names that a person may have meant by a word that is no name."""

from collections.abc import Mapping, Sequence
from difflib import get_close_matches

LIKENESS = 0.7  # of two words, by the ratio of difflib; "domno" and "domino" have 0.91
MOST = 4  # more would be a list, and there is one


def near_names(word: str, names: Mapping[str, str] | Sequence[str]) -> tuple[str, ...]:
    """Return names that contain `word`, or whose description does, or that are spelt much alike.

    `names`: descriptions by name, or the names alone.
    """
    described = names if isinstance(names, Mapping) else dict.fromkeys(names, "")
    meant = _letters(word)
    if not meant:
        return ()
    found = [name for name in described if meant in _letters(name)]
    if not found and len(meant) > 2:
        found = [name for name, about in described.items() if meant in _letters(about)]
    if not found:
        by_letters = {_letters(name): name for name in described}
        close = get_close_matches(meant, by_letters, n=MOST, cutoff=LIKENESS)
        found = [by_letters[letters] for letters in close]
    return tuple(found[:MOST])


def _letters(text: str) -> str:
    """Return the letters and digits of a text, in small letters."""
    return "".join(filter(str.isalnum, text.casefold()))

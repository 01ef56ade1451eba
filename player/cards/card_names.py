"""Names that a person types for a card, a trade or a key: the beginning of an id, a name, or
both.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from protocol.errors import LocalError

SHORT = 8  # letters of an id on a screen
LEAST = 4  # fewest letters of an id; a shorter text may be a name
NAMED = 5  # candidates that an error message names
_HEX = re.compile(r"[0-9a-f]{4,64}")
_FINGERPRINT = re.compile(r"[a-z2-7-]{4,43}")


class UnknownPerson(LocalError):
    """No known key has this name."""


class NoSuchCard(LocalError):
    """No known card has this name."""


def short(identifier: bytes) -> str:
    """Return the beginning of an id, as screens show it."""
    return identifier.hex()[:SHORT]


def match_ids(text: str, ids: Iterable[bytes]) -> tuple[bytes, ...]:
    """Return the ids that begin with the typed text. A copied `[3f2a91c0]` may keep its
    brackets.
    """
    typed = text.strip().strip("[]").lower()
    if not _HEX.fullmatch(typed):
        return ()
    return tuple(sorted(one for one in ids if one.hex().startswith(typed)))


def match_copies(text: str, names: Mapping[bytes, tuple[str, int]]) -> tuple[bytes, ...]:
    """Return the copies with a name, `Ember`, or with a name and serial, `Ember #3`."""
    name, hash_sign, serial = text.strip().rpartition("#")
    if not hash_sign or not serial.isdecimal():
        name = text
        serial = ""
    wanted = name.strip().casefold()
    found = (
        one
        for one, (called, number) in names.items()
        if called.casefold() == wanted and serial in ("", str(number))
    )
    return tuple(sorted(found))


def resolve_card(text: str, names: Mapping[bytes, tuple[str, int]]) -> bytes:
    """Return the card that `text` names. `names`: name and serial of the candidates.

    Raises: NoSuchCard; LocalError if several cards match. Both messages name candidates.
    """
    found = match_ids(text, names) or match_copies(text, names)
    if not found:
        near = _similar_names(text, names)
        if near:
            raise NoSuchCard("wrong.cards.none.near", text=text, near=", ".join(near))
        raise NoSuchCard("wrong.cards.none", text=text)
    return _only(text, found, lambda one: f"{names[one][0]} #{names[one][1]} [{short(one)}]")


def resolve_key(text: str, people: Mapping[bytes, tuple[str, Sequence[str]]]) -> bytes:
    """Return the key that `text` names. `people`: fingerprint and names of each key.

    Raises: UnknownPerson; LocalError if several keys match.
    """
    typed = text.strip().lower()
    wanted = text.strip().casefold()
    if _FINGERPRINT.fullmatch(typed):
        letters = typed.replace("-", "")
    else:
        letters = None
    found = [key for key, (whole, _) in people.items() if letters and whole.startswith(letters)]
    found = found or [
        key for key, (_, names) in people.items() if wanted in (name.casefold() for name in names)
    ]
    if not found:
        raise UnknownPerson("wrong.cards.nobody", text=text)
    return _only(text, found, lambda one: people[one][0])


def _only(text: str, found: Sequence[bytes], said: Callable[[bytes], str]) -> bytes:
    if len(found) > 1:
        raise LocalError(
            "wrong.cards.which",
            text=text,
            count=len(found),
            names=", ".join(map(said, found[:NAMED])),
        )
    return found[0]


def _similar_names(text: str, names: Mapping[bytes, tuple[str, int]]) -> list[str]:
    """Return names that contain the typed text, or share its beginning."""
    typed = text.strip().casefold()
    called = sorted({name for name, _ in names.values()})
    return [
        name
        for name in called
        if typed and (typed in name.casefold() or name.casefold()[:3] == typed[:3])
    ][:NAMED]


def completions(names: Mapping[bytes, tuple[str, int]]) -> list[str]:
    """Return the texts that a person can type to name these cards."""
    return sorted({f"{name}#{serial}" for name, serial in names.values()} | set(map(short, names)))

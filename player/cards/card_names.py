"""How a person names a card, a trade or somebody: by the beginning of an id, by a name, or by
both.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from protocol.errors import LocalError

SHORT = 8  # letters of an id that are shown
LEAST = 4  # letters that name one; fewer may be a name
NAMED = 5  # of several that may be meant
_HEX = re.compile(r"[0-9a-f]{4,64}")
_FINGERPRINT = re.compile(r"[a-z2-7-]{4,43}")


class NobodyCalledSo(LocalError):
    """Nobody that this computer knows is meant."""


class NoSuchCard(LocalError):
    """No card that is known is called so."""


def short(identifier: bytes) -> str:
    """The beginning of an id, as it is shown."""
    return identifier.hex()[:SHORT]


def ids_beginning(text: str, ids: Iterable[bytes]) -> tuple[bytes, ...]:
    """Those that begin with what somebody typed; `[3f2a91c0]` with its brackets is copied from a
    line of ours.
    """
    typed = text.strip().strip("[]").lower()
    if not _HEX.fullmatch(typed):
        return ()
    return tuple(sorted(one for one in ids if one.hex().startswith(typed)))


def copies_named(text: str, names: Mapping[bytes, tuple[str, int]]) -> tuple[bytes, ...]:
    """The copies of this name, `Ember`, or of this name and serial, `Ember #3`."""
    name, hash_sign, serial = text.strip().rpartition("#")
    if not hash_sign or not serial.isdecimal():
        name, serial = text, ""
    wanted = name.strip().casefold()
    found = (
        one
        for one, (called, number) in names.items()
        if called.casefold() == wanted and serial in ("", str(number))
    )
    return tuple(sorted(found))


def one_card(text: str, names: Mapping[bytes, tuple[str, int]]) -> bytes:
    """The card that is meant. `names`: name and serial of those that may be.

    Raises: NoSuchCard; LocalError if several may be meant. Both name some.
    """
    found = ids_beginning(text, names) or copies_named(text, names)
    if not found:
        near = _near(text, names)
        if near:
            raise NoSuchCard("wrong.cards.none.near", text=text, near=", ".join(near))
        raise NoSuchCard("wrong.cards.none", text=text)
    return _only(text, found, lambda one: f"{names[one][0]} #{names[one][1]} [{short(one)}]")


def one_key(text: str, people: Mapping[bytes, tuple[str, Sequence[str]]]) -> bytes:
    """The key that is meant. `people`: fingerprint and names of each.

    Raises: NobodyCalledSo; LocalError if several may be meant.
    """
    typed, wanted = text.strip().lower(), text.strip().casefold()
    letters = typed.replace("-", "") if _FINGERPRINT.fullmatch(typed) else None
    found = [key for key, (whole, _) in people.items() if letters and whole.startswith(letters)]
    found = found or [
        key for key, (_, names) in people.items() if wanted in (name.casefold() for name in names)
    ]
    if not found:
        raise NobodyCalledSo("wrong.cards.nobody", text=text)
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


def _near(text: str, names: Mapping[bytes, tuple[str, int]]) -> list[str]:
    """Names that begin as what was typed does, or have it in them."""
    typed = text.strip().casefold()
    called = sorted({name for name, _ in names.values()})
    return [
        name
        for name in called
        if typed and (typed in name.casefold() or name.casefold()[:3] == typed[:3])
    ][:NAMED]


def completions(names: Mapping[bytes, tuple[str, int]]) -> list[str]:
    """What can be typed to name each of these cards."""
    return sorted({f"{name}#{serial}" for name, serial in names.values()} | set(map(short, names)))

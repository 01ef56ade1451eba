"""Registry of the dealing protocols by name.

A protocol is loaded when it is first requested, because few programs deal by several protocols. Its
cryptography is loaded with it. A program that plays or hosts loads the cryptography at its start;
`protocol.crypto.primitives.native.ristretto255` gives the reason.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from protocol.dealing import Dealing
from protocol.games import AnyGame
from protocol.games.spec import load_object
from protocol.options import BadOptions, Values, fill_defaults, or_phrase

NONE_NAME = "none"  # dealing of a game without hidden pieces


class DealingRegistry(Mapping[str, Dealing[Any]]):
    """Dealing protocols by name; `where` maps each name to "module:attribute". The newest edition
    of a dealing has its plain name; `older` are earlier editions, which are found by their names
    but not listed.
    """

    def __init__(self, where: Mapping[str, str], older: Mapping[str, str]) -> None:
        self.older = older
        self._locations, self._loaded = where, dict[str, Dealing[Any]]()
        self._findable = {**older, **where}

    def __getitem__(self, name: str) -> Dealing[Any]:
        if name not in self._loaded:
            self._loaded[name] = load_object(self._findable[name])
        return self._loaded[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._locations)

    def __len__(self) -> int:
        return len(self._locations)

    def __contains__(self, name: object) -> bool:
        return name in self._locations


DEALINGS = DealingRegistry(
    {
        "layered": "protocol.dealing.layered:LAYERED",
        "verified": "protocol.dealing.verified:VERIFIED",
        "commutative": "protocol.dealing.commutative:COMMUTATIVE",
        "seeded": "protocol.dealing.seeded:SEEDED",
        "residue": "protocol.dealing.residue:RESIDUE",
        NONE_NAME: "protocol.dealing.none:NONE",
    },
    older={"commutative-1": "protocol.dealing.commutative:EDITION_1"},
)

# Names in this program -> names on the wire, where they differ: there an edition above the first
# has its number. The last pair makes this a permutation, so that no two names become one; no
# dealing here has the name "commutative-2".
_WIRE_NAMES = {
    "commutative": "commutative-2",
    "commutative-1": "commutative",
    "commutative-2": "commutative-1",
}
_OWN_NAMES = {wire: own for own, wire in _WIRE_NAMES.items()}


def wire_name(name: str) -> str:
    """Return the name on the wire of a dealing in the edition that `name` means here."""
    return _WIRE_NAMES.get(name, name)


def own_name(name: str) -> str:
    """Return the name here of a dealing with this name on the wire."""
    return _OWN_NAMES.get(name, name)


def create_dealing(name: str, options: Values, seats: int) -> Dealing[Any]:
    """Return the dealing protocol with this name, in any edition, after a check of its options.

    Raises: BadOptions for an unknown name, option or value.
    """
    found = DEALINGS.get(name)
    if found is None:
        raise _unknown_dealing(name)
    fill_defaults(found.options, options, seats)
    return found


def is_known(name: str) -> bool:
    """Check that this program can go on with a match dealt so, and judge it: in any edition."""
    return name in DEALINGS or name in DEALINGS.older


def check_newest(name: str) -> None:
    """Check that a new match may be dealt so. Raises: BadOptions for an unknown name, and for an
    earlier edition.
    """
    if name not in DEALINGS:
        raise _unknown_dealing(name)


def _unknown_dealing(name: str) -> BadOptions:
    return BadOptions("unfit.dealing", name=name, names=or_phrase(tuple(DEALINGS)))


def dealing_fits(name: str, game: AnyGame) -> bool:
    """Check that a dealing protocol offers every operation that a game requires.

    `none` fits games without pieces and no others.
    """
    return (name != NONE_NAME) is bool(game.pieces) and DEALINGS[name].can_deal(game)


def fitting_dealings(game: AnyGame) -> tuple[str, ...]:
    """Return the names of the dealing protocols that fit a game."""
    return tuple(name for name in DEALINGS if dealing_fits(name, game))

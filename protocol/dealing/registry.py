"""The dealing protocols there are, by name."""

from protocol.dealing import Dealing
from protocol.dealing.commutative import COMMUTATIVE
from protocol.dealing.layered import LAYERED
from protocol.dealing.none import NONE
from protocol.dealing.operations import can_deal
from protocol.dealing.residue import RESIDUE
from protocol.dealing.seeded import SEEDED
from protocol.dealing.verified import VERIFIED
from protocol.games import Game
from protocol.options import Unfit, Values, any_of, complete

DEALINGS = {dealing.name: dealing for dealing in (LAYERED, VERIFIED, COMMUTATIVE, SEEDED, RESIDUE, NONE)}


def create_dealing(name: str, options: Values, seats: int) -> Dealing:
    """A dealing protocol; raises `Unfit` for an unknown name, option or value."""
    if name not in DEALINGS:
        raise Unfit("unfit.dealing", name=name, names=any_of(tuple(DEALINGS)))
    complete(DEALINGS[name].options, options, seats)
    return DEALINGS[name]


def dealings_for(game: Game) -> tuple[str, ...]:
    """Which of them offer all that a game needs; `none` is for those that have nothing to deal, and for no other."""
    dealt = bool(game.pieces)
    return tuple(name for name, dealing in DEALINGS.items() if can_deal(dealing, game) and (name != "none") is dealt)

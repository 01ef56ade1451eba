"""The dealing protocols there are, by name."""

from protocol.codes import Code
from protocol.dealing import Dealing
from protocol.dealing.commutative import CommutativeDealing
from protocol.dealing.layered import LayeredDealing
from protocol.dealing.none import NoDealing
from protocol.dealing.verified import VerifiedDealing
from protocol.errors import Refused
from protocol.games import Options

DEALINGS: dict[str, Dealing] = {
    "layered": LayeredDealing(),
    "verified": VerifiedDealing(),
    "commutative": CommutativeDealing(),
    "none": NoDealing(),
}


def create_dealing(name: str, options: Options) -> Dealing:
    """A dealing protocol; raises `Refused(BAD_OPTIONS)` for an unknown name, option or value."""
    if name not in DEALINGS:
        raise Refused(Code.BAD_OPTIONS)
    DEALINGS[name].check_options(options)
    return DEALINGS[name]

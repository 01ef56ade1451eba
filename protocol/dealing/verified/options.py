"""What can be set about a verified deal: what happens when a seat leaves."""

from protocol.codes import Code
from protocol.errors import Refused
from protocol.games import Options
from protocol.limits import MAX_SEATS

LEAVERS = ("void", "threshold")


def check_options(options: Options) -> None:
    """Raises `Refused(BAD_OPTIONS)` unless `leavers` is one of `LEAVERS`, and `quorum` (with threshold) at least 2."""
    quorum = options.get("quorum", 2)
    known = options.keys() <= {"leavers", "quorum"} and options.get("leavers", "void") in LEAVERS
    fits = isinstance(quorum, int) and 2 <= quorum < MAX_SEATS
    if not known or not fits or ("quorum" in options and options.get("leavers") != "threshold"):
        raise Refused(Code.BAD_OPTIONS)


def quorum_of(options: Options, present: int) -> int:
    """How many of the others together can stand in for a seat that has left; 0 if nobody can.

    All the others, unless `quorum` says fewer. One alone must never be enough, so not with two seats: there the other
    one wins when a seat leaves.
    """
    if options.get("leavers") != "threshold" or present < 3:
        return 0
    return min(int(options.get("quorum", present - 1)), present - 1)

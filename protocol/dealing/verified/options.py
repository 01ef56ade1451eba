"""What can be set about a verified deal: what happens when a seat leaves."""

from protocol.limits import MAX_SEATS
from protocol.options import DependentNumber, Option, Values

OPTIONS = (
    Option(
        name="leavers",
        help_key="option.leavers",
        default="void",
        choices=("void", "threshold"),
    ),
    Option(
        name="quorum",
        help_key="option.quorum",
        default=DependentNumber("option.quorum.usual", lambda seats, values: seats - 1),
        least=2,
        most=MAX_SEATS - 1,
        requires=("leavers", "threshold"),
    ),
)


def stand_in_quorum(options: Values, present: int) -> int:
    """How many of the others together can stand in for a seat that has left; 0 if nobody can.

    All the others, unless `quorum` says fewer. One alone must never be enough, so not with two
    seats: there the other one wins when a seat leaves.
    """
    if options.get("leavers") != "threshold" or present < 3:
        return 0
    return min(int(options.get("quorum", present - 1)), present - 1)

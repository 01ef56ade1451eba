"""Options of verified dealing: consequences of a seat's leaving."""

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
    """Return the number of other seats that together can stand in for a departed seat; 0 if none
    can.

    The default is all other seats; `quorum` may set fewer. A single seat must never suffice, so
    with two seats nobody stands in: the other seat wins.
    """
    if options.get("leavers") != "threshold" or present < 3:
        return 0
    return min(int(options.get("quorum", present - 1)), present - 1)

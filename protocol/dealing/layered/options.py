"""What can be set about a layered deal: how likely a seat is to take a piece when the list comes by, or to swap.

A higher chance to take means fewer hops and more for a coalition of the table with seats to infer about who took
what; docs/decisions has the figures the defaults were chosen by.
"""

from typing import NamedTuple

from protocol.options import Option, Values, complete

OPTIONS = (
    Option(name="take", about="how likely a seat takes a piece, in per cent", default=75, least=1, most=100),
    Option(name="swap", about="how likely it swaps one instead, in per cent", default=25, least=0, most=100),
)


class Odds(NamedTuple):
    """Chances between 0 and 1."""

    take: float
    swap: float


def selection_odds(options: Values) -> Odds:
    """The odds that these options set."""
    values = complete(OPTIONS, options, 0)
    return Odds(int(values["take"]) / 100, int(values["swap"]) / 100)

"""What can be set about a layered deal: how likely a seat is to take a piece when the list comes by, or to swap.

A higher chance to take means fewer hops and more for a coalition of the table with seats to infer about who took
what; docs/decisions has the figures the defaults were chosen by.
"""

from typing import NamedTuple

from protocol.codes import Code
from protocol.errors import Refused
from protocol.games import Options

DEFAULTS = {"take": 75, "swap": 25}  # per cent
LOWEST = {"take": 1, "swap": 0}


class Odds(NamedTuple):
    """Chances between 0 and 1."""

    take: float
    swap: float


def check_options(options: Options) -> None:
    """Raises `Refused(BAD_OPTIONS)` unless every option is known and in range (per cent)."""
    for name, value in options.items():
        if name not in DEFAULTS or not isinstance(value, int) or not LOWEST[name] <= value <= 100:
            raise Refused(Code.BAD_OPTIONS)


def selection_odds(options: Options) -> Odds:
    """The odds that these options set."""
    take, swap = (int(options.get(name, default)) for name, default in DEFAULTS.items())
    return Odds(take / 100, swap / 100)

"""The file of times that a seat's program keeps beside its log, by a clock of its own that nobody
can set back.

file = lines; `run` where a program began to count anew, or `NUMBER MILLISECONDS` for an entry that
came live,
       or `NUMBER MILLISECONDS WAITED` for one of its own, with the milliseconds since it was first
       sent
"""

import re
from collections.abc import Mapping
from itertools import pairwise
from typing import NamedTuple

from protocol.errors import LocalError

SUFFIX = ".times"  # in place of the log's
RUN = "run"
_LINE = re.compile("([0-9]{1,9}) ([0-9]{1,15})(?: ([0-9]{1,15}))?")


class Arrival(NamedTuple):
    """When an entry came: milliseconds since some moment of that run of the program."""

    run: int
    at: int
    waited: int | None = None  # milliseconds since it was sent, of an own entry


ArrivalTimes = Mapping[int, Arrival]  # by log number


def parse_times(text: str) -> ArrivalTimes:
    """The arrivals in a file. Raises: LocalError if it is not one; a torn last line is passed
    over.
    """
    found: dict[int, Arrival] = {}
    run = 0
    for line, after in pairwise(text.split("\n")):
        match = _LINE.fullmatch(line)
        if match:
            number, at, waited = match.groups()
            found.setdefault(
                int(number), Arrival(run, int(at), None if waited is None else int(waited))
            )
        elif line == RUN:
            run += 1
        elif line and after:
            raise LocalError("wrong.times.damaged")
    return found

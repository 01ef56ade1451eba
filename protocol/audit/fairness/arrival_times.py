"""File of arrival times that a seat's program stores beside its log, by a clock that nobody can set
back.

The file consists of lines of three kinds:

- `run`, where a program began to count anew
- `NUMBER MILLISECONDS` for an entry that arrived live
- `NUMBER MILLISECONDS WAITED` for an own entry, with the milliseconds since it was first sent
"""

import re
from collections.abc import Mapping
from itertools import pairwise
from typing import NamedTuple

from protocol.errors import LocalError

SUFFIX = ".times"  # replaces the suffix of the log
RUN = "run"
_LINE = re.compile("([0-9]{1,9}) ([0-9]{1,15})(?: ([0-9]{1,15}))?")


class Arrival(NamedTuple):
    """Arrival of an entry: milliseconds since a fixed moment in this run of the program."""

    run: int
    at: int
    waited: int | None = None  # milliseconds since it was sent; only for own entries


ArrivalTimes = Mapping[int, Arrival]  # by log number


def parse_times(text: str) -> ArrivalTimes:
    """Read a file of times. A torn last line is ignored. Raises: LocalError if the file is
    damaged.
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

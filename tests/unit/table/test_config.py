"""Bounds from the command line."""

import pytest

from protocol.errors import LocalError
from table.config import Bounds, parse_bounds


def test_bounds_are_the_limits_unless_set():
    assert parse_bounds([]) == Bounds()
    bounds = parse_bounds(["per_address=200", "frames=2000/1000.5", "stall_seconds=1.5"])
    assert bounds == Bounds(per_address=200, frames=(2000, 1000.5), stall_seconds=1.5)
    assert type(bounds.per_address) is int


@pytest.mark.parametrize(
    "text", ["", "per_address", "per_address=", "per_address=0", "per_address=-1", "per_address=1/2", "per_address=1.5",
             "frames=5", "frames=5/0", "frames=1/2/3", "frames=5/x", "nothing=5", "per_address=1e9", "per_address=nan"],
)  # fmt: skip
def test_what_is_no_bound(text):
    with pytest.raises(LocalError, match="There are: connections, per_address"):
        parse_bounds([text])

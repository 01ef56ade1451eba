"""Newcomers that a program has turned away, by the lines of its log."""

import re

import pytest

LINE = re.compile(
    r"turned away: too many .* from their address \((?P<count>\d+) since the last such line\)"
)


def turned_away(caplog: pytest.LogCaptureFixture) -> int:
    """Return how many newcomers the lines count in all that are about one address."""
    found = [LINE.fullmatch(text) for text in caplog.messages]
    return sum(int(line["count"]) for line in found if line is not None)

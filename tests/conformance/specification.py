"""Numbers of all sections in docs/protocol, so that a case can cite only existing ones."""

import re
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parents[2] / "docs" / "protocol"
LIMITS = "12"  # the chapter in which every limit has a row
_HEADING = re.compile(r"#+ ([0-9]+(?:\.[0-9]+)?) ")
_ITEM = re.compile(r"([0-9]+)\. ")


@cache
def sections() -> frozenset[str]:
    """Return the numbers of chapters (6), sections (6.7) and paragraphs (6.7.2)."""
    found: set[str] = set()
    for current, line in _lines():
        found.add(current)
        if item := _ITEM.match(line):
            found.add(f"{current}.{item.group(1)}")
    return frozenset(found)


def _lines() -> list[tuple[str, str]]:
    """Return all lines, each with the number of its section."""
    found, current = [], ""
    for path in sorted(FOLDER.glob("[0-9]*.md")):
        for line in path.read_text("utf-8").splitlines():
            if heading := _HEADING.match(line):
                current = heading.group(1)
            found.append((current, line))
    return found

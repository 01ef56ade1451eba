"""Search for English words in texts of another language."""

import re

LEFT_OVER = re.compile(
    r"(?<!-)\b(?:[Tt]he|[Yy]ou|[Yy]our|[Hh]as|[Hh]ave|[Ii]s|of|and|with|[Pp]lays|[Dd]raws|[Ww]ins|[Ff]olds|[Ff]or|by|not|[Nn]obody)\b"
)


def english_in(text: str) -> list[str]:
    """Return the lines that contain words of English only."""
    return [line for line in text.splitlines() if LEFT_OVER.search(line)]

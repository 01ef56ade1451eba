"""English that is left over in a text of another language."""

import re

LEFT_OVER = re.compile(
    r"(?<!-)\b(?:[Tt]he|[Yy]ou|[Yy]our|[Hh]as|[Hh]ave|[Ii]s|of|and|with|[Pp]lays|[Dd]raws|[Ww]ins|[Ff]olds|[Ff]or|by|not|[Nn]obody)\b"
)


def english_in(text: str) -> list[str]:
    """The lines with words that are English and nothing else."""
    return [line for line in text.splitlines() if LEFT_OVER.search(line)]

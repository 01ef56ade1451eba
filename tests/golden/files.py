"""Files of the texts."""

from pathlib import Path

FOLDER = Path(__file__).parent


def path_of(name: str) -> Path:
    """Return the path of a scenario's text."""
    return FOLDER / f"{name.replace(' ', '-')}.txt"

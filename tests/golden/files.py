"""Where the texts stand."""

from pathlib import Path

FOLDER = Path(__file__).parent


def path_of(name: str) -> Path:
    """The file of a scenario."""
    return FOLDER / f"{name.replace(' ', '-')}.txt"

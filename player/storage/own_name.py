"""The name that the person has played under, so that a later command need not say it again."""

from contextlib import suppress
from pathlib import Path

from player.storage.files import write_whole
from protocol.errors import LocalError
from protocol.identity.names import name_problem, tidy_name
from protocol.limits import MAX_NAME

FILE = "own-name"
_MOST_BYTES = 8 * MAX_NAME


def read_name(data: Path) -> str | None:
    """Return the newest name of this data folder; None if there is none, or none that fits."""
    try:
        with (data / FILE).open("rb") as file:
            name = tidy_name(file.read(_MOST_BYTES).decode("utf-8-sig"))
    except (OSError, ValueError):
        return None
    return None if name_problem(name) else name


def store_name(data: Path, name: str) -> None:
    """Keep a name that the person has given. A disk that does not take it stops no match."""
    if name != read_name(data):
        with suppress(LocalError):
            write_whole(data / FILE, f"{name}\n".encode())

"""The name that the person has played under, so that a later command need not say it again."""

from contextlib import suppress
from pathlib import Path

from player.storage.files import write_whole
from protocol.errors import LocalError
from protocol.identity.names import name_problem, tidy_name
from protocol.limits import MAX_NAME, MAX_OWN_NAMES

FILE = "own-name"
EARLIER = "own-names"  # earlier names, the newest first: a log against bots has no other mark
_MOST_BYTES = 8 * MAX_NAME
_MOST_EARLIER = MAX_OWN_NAMES * (MAX_NAME + 1)


def read_name(data: Path) -> str | None:
    """Return the newest name of this data folder; None if there is none, or none that fits."""
    try:
        with (data / FILE).open("rb") as file:
            name = tidy_name(file.read(_MOST_BYTES).decode("utf-8-sig"))
    except (OSError, ValueError):
        return None
    return None if name_problem(name) else name


def read_earlier_names(data: Path) -> tuple[str, ...]:
    """Return the names before the newest one, the newest first; none if the file is broken."""
    try:
        with (data / EARLIER).open("rb") as file:
            names = file.read(_MOST_EARLIER).decode().splitlines()
    except (OSError, ValueError):
        return ()
    return tuple(name for name in names if name_problem(name) is None)[:MAX_OWN_NAMES]


def store_name(data: Path, name: str) -> None:
    """Keep a name that the person has given. A disk that does not take it stops no match."""
    before = read_name(data)
    if name == before:
        return
    with suppress(LocalError):
        if before is not None:
            others = [each for each in read_earlier_names(data) if each not in (before, name)]
            text = "".join(f"{each}\n" for each in [before, *others][:MAX_OWN_NAMES])
            write_whole(data / EARLIER, text.encode())
        write_whole(data / FILE, f"{name}\n".encode())

"""The language that the person has chosen on the page of Home."""

from contextlib import suppress
from pathlib import Path

from player.storage.files import write_whole
from protocol.errors import LocalError
from protocol.i18n import available_languages

FILE = "own-language"
_MOST_BYTES = 32


def read_language(data: Path) -> str | None:
    """Return the language of this data folder; None if there is none that this program speaks."""
    try:
        with (data / FILE).open("rb") as file:
            language = file.read(_MOST_BYTES).decode().strip()
    except (OSError, ValueError):
        return None
    return language if language in available_languages() else None


def store_language(data: Path, language: str) -> None:
    """Keep a language; empty: the one of the browser. A disk that does not take it is no error."""
    with suppress(LocalError):
        write_whole(data / FILE, f"{language}\n".encode())

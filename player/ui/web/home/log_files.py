"""The log files in a data folder: of matches at tables, and of matches against bots."""

from pathlib import Path

from player.storage import log_store, play_command
from protocol.errors import LocalError
from protocol.match.log_file import SUFFIX

FOLDERS = (log_store.LOGS, play_command.LOGS)  # in the data folder


def log_files(data: Path) -> list[tuple[str, Path]]:
    """Return all logs, each with its name in the data folder, the newest first."""
    paths = [path for folder in FOLDERS for path in (data / folder).glob(f"*{SUFFIX}")]
    files = sorted((path for path in paths if path.is_file()), key=time_of, reverse=True)
    return [(path.relative_to(data).as_posix(), path) for path in files]


def log_path(data: Path, name: str) -> Path:
    """Return the log that a page names. Raises: LocalError if there is none of this name."""
    for known, path in log_files(data):
        if known == name:
            return path
    raise LocalError("home.no_log")


def is_against_bots(name: str) -> bool:
    """Check that a log is of a match against bots, by its name in the data folder."""
    return name.startswith(f"{play_command.LOGS}/")


def time_of(path: Path) -> float:
    """Return the time of a file's last change; 0 if there is no such file any more."""
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0

"""The logs in a data folder: matches that a person has played, the newest first.

Only the first entry of each log is read for the list. What is in it is a stranger's text, and not
checked: the audit of a log, on demand, reads and checks all of it.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from player.presenter.match_data import harmless
from player.storage import log_store, play_command
from protocol.audit.report_text import verdict_lines
from protocol.audit.verdict import Verdict, audit
from protocol.errors import FairdealError, LocalError
from protocol.games.registry import Games
from protocol.identity.keys import fingerprint
from protocol.limits import FRAME_HEADER, HISTORY_LOGS, MAX_FRAME, MAX_PAGE_LOG
from protocol.local_files import read_log
from protocol.match.log import decode_entry
from protocol.match.log_file import MAGIC, SUFFIX, read_records
from protocol.match.setup import Setup, read_setup
from protocol.view.text import Translate

# in the data folder: matches at tables, and matches against bots
FOLDERS = (log_store.LOGS, play_command.LOGS)
FIRST_RECORD = len(MAGIC) + FRAME_HEADER + MAX_FRAME  # bytes that contain the first entry


class OwnPerson(NamedTuple):
    """Name and key of the person whose logs are listed: the other people of a match are shown."""

    name: str
    fingerprint: str | None


def match_history(data: Path, games: Games, own: OwnPerson) -> list[dict[str, Any]]:
    """Return the newest matches. A file that is no log is one without a game."""
    files = sorted(_files(data), key=_time, reverse=True)[:HISTORY_LOGS]
    return [_row(data, path, games, own) for path in files]


def log_path(data: Path, name: str) -> Path:
    """Return the log that a page names. Raises: LocalError if there is none of this name."""
    for path in _files(data):
        if _name(data, path) == name:
            return path
    raise LocalError("home.no_log")


def log_verdict(path: Path, games: Games, translate: Translate) -> dict[str, Any]:
    """Audit a log. Raises: LocalError if it cannot be read."""
    report = audit(read_log(path), games)
    lines = [line.strip() for line in verdict_lines(report, translate)]
    return {
        "clean": report.verdict is Verdict.CLEAN,
        "fault": report.verdict is Verdict.FAULT,
        "lines": harmless(lines),
    }


def _files(data: Path) -> Iterator[Path]:
    for folder in FOLDERS:
        yield from (path for path in (data / folder).glob(f"*{SUFFIX}") if path.is_file())


def _time(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:  # deleted meanwhile
        return 0.0


def _name(data: Path, path: Path) -> str:
    return path.relative_to(data).as_posix()


def _row(data: Path, path: Path, games: Games, own: OwnPerson) -> dict[str, Any]:
    row = {
        "log": _name(data, path),
        "changed": int(_time(path)),
        "short": _size(path) <= MAX_PAGE_LOG,
        "game": None,
        "people": [],
    }
    setup = _setup(path, games)
    if setup is None:
        return harmless(row)  # type: ignore[no-any-return]
    others = [
        person.name
        for person in setup.people
        if person.name != own.name and fingerprint(person.identity) != own.fingerprint
    ]
    known = row | {"game": setup.terms.game.name, "people": others}
    return harmless(known)  # type: ignore[no-any-return]


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _setup(path: Path, games: Games) -> Setup | None:
    """Return the setup in the first entry; None if it cannot be read."""
    try:
        with path.open("rb") as file:
            first = next(read_records(file.read(FIRST_RECORD)), None)
        if first is None:
            return None
        return read_setup(decode_entry(first.entry).body, games)
    except (OSError, FairdealError):
        return None

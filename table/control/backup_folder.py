"""A folder with backups of a table, of which the newest stay. Their names have the table's key and
the time, so that no other file is taken for one.
"""

import re
import tarfile
from datetime import UTC, datetime
from pathlib import Path

from protocol.errors import LocalError
from protocol.identity.keys import SHORT_LETTERS, JoinLink
from table.control.backup import MANIFEST, error_reason
from table.storage.disk.keys import LINK_FILE

_TIME = "%Y%m%d-%H%M%S"
_MAX_LINK = 64 * 1024  # bytes of the file; a link is far shorter


def table_letters(data: Path) -> str:
    """Return the letters by which backups of a table are named: the first ones of its fingerprint.

    Raises: LocalError if the folder has no link, because the table never ran there.
    """
    try:
        with (data / LINK_FILE).open("rb") as file:
            whole = JoinLink.parse(file.read(_MAX_LINK).decode()).fingerprint
    except (OSError, UnicodeError, LocalError):
        whole = None
    if whole is None:
        raise LocalError("wrong.backup.nameless", path=str(data / LINK_FILE))
    return whole[:SHORT_LETTERS]


def new_backup(folder: Path, letters: str, now: float) -> Path:
    """Return the path of a new backup in a folder. `now`: Unix seconds."""
    time = datetime.fromtimestamp(now, UTC).strftime(_TIME)
    return folder / f"table-{letters}-{time}.backup"


def remove_old_backups(folder: Path, letters: str, keep: int) -> list[Path]:
    """Remove the oldest complete backups of a table, until `keep` are left; return their paths.

    Raises: LocalError if one cannot be removed.
    """
    name = re.compile(rf"table-{letters}-[0-9]{{8}}-[0-9]{{6}}\.backup")
    removed: list[Path] = []
    path = folder
    try:
        # by name: the time is in it, and copying a file changes its date
        found = sorted(each for each in folder.iterdir() if name.fullmatch(each.name))
        whole = [path for path in found if _is_complete(path)]
        for path in whole[: max(0, len(whole) - keep)]:
            path.unlink()
            removed.append(path)
    except OSError as error:
        raise LocalError("wrong.backup.old", path=str(path), why=error_reason(error)) from None
    return removed


def _is_complete(path: Path) -> bool:
    """Return whether a file is a backup to its end: its last member is the manifest. The hashes are
    not computed: that would read all backups each time. Raises: OSError.
    """
    if path.is_symlink() or not path.is_file():
        return False
    last = ""
    try:
        with tarfile.open(path, mode="r:") as archive:
            while (info := archive.next()) is not None:
                last = info.name
                archive.members.clear()  # type: ignore[attr-defined]  # or all stay in memory
    except tarfile.TarError:
        return False
    return last == MANIFEST

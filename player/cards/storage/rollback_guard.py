"""Guard against an old copy of the data folder: a mark outside the folder.

The mark says how many signatures a key has made on this computer. Restoring a backup of the data
folder leaves the mark as it is.
"""

from pathlib import Path

from commandline.user_folders import user_state
from player.storage.files import read_json, write_json


def default_marks() -> Path:
    """Return the usual folder of marks: with the state of programs, outside usual backups of
    data.
    """
    return user_state() / "signed"


class RollbackGuard:
    """Mark of one key. `name`: its fingerprint. `folder` None: no mark; then only statements of partners reveal an old
    copy.
    """

    def __init__(self, folder: Path | None, name: str) -> None:
        if folder is None:
            self._path = None
        else:
            self._path = folder / f"{name}.json"

    @property
    def kept(self) -> bool:
        """True if marks are stored."""
        return self._path is not None

    def read(self) -> int | None:
        """Return the standing in the mark; None without a mark. Raises: LocalError."""
        if self._path is None:
            return None
        value = read_json(self._path).get("signed")
        return value if type(value) is int and value >= 0 else None

    def write(self, standing: int) -> None:
        """Store a standing; it is on disk at return. Raises: LocalError."""
        if self._path is not None:
            write_json(self._path, {"signed": standing})

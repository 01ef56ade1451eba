"""A mark outside the data folder: how much was signed under a key on this computer, whatever backup
is put back.
"""

from pathlib import Path

import platformdirs

from player.disk.files import read_json, write_json
from protocol.identity.keys import fingerprint


def default_marks() -> Path:
    """Where marks are, unless it is said: with the state of programs, which people's backups of
    data leave out.
    """
    return Path(platformdirs.user_state_dir("fairdeal", appauthor=False)) / "signed"


class RollbackGuard:
    """The mark of one key. `folder` None: there is none, and an old copy of the data folder shows
    by others' word.
    """

    def __init__(self, folder: Path | None, key: bytes) -> None:
        self._path = None if folder is None else folder / f"{fingerprint(key)}.json"

    @property
    def kept(self) -> bool:
        """Whether there is a place for it."""
        return self._path is not None

    def read(self) -> int | None:
        """The standing that was reached here; None if there is no mark. Raises: LocalError."""
        if self._path is None:
            return None
        value = read_json(self._path).get("signed")
        return value if type(value) is int and value >= 0 else None

    def write(self, standing: int) -> None:
        """Remember it, on disk when this returns. Raises: LocalError."""
        if self._path is not None:
            write_json(self._path, {"signed": standing})

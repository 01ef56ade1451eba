"""The people whom a person does not hear in any lobby or match: fingerprints of keys in the data
folder. The program tells nobody else.
"""

from pathlib import Path

from player.storage.files import read_json, write_json
from protocol.errors import LocalError
from protocol.identity.keys import fingerprint
from protocol.limits import MAX_IGNORED

FILE = "ignored.json"
_NO_FILE = (0, 0, 0)


class MuteList:
    """The keys that are muted, each with the name it had then. What another list of the same folder
    changes counts at once. Raises: LocalError if the file cannot be read.
    """

    def __init__(self, data: Path) -> None:
        self._path = data / FILE
        self._state = _NO_FILE
        self._names: dict[str, str] = {}  # by fingerprint; the newest is last
        self._read()

    def __contains__(self, key: bytes) -> bool:
        self._read()
        return bool(self._names) and fingerprint(key) in self._names

    def add(self, key: bytes, name: str) -> None:
        """Mute a key from now on; of too many the oldest is heard again. Raises: LocalError."""
        self._read()
        names = dict(self._names)
        names.pop(fingerprint(key), None)
        names[fingerprint(key)] = name
        while len(names) > MAX_IGNORED:
            del names[next(iter(names))]
        self._write(names)

    def remove(self, key: bytes) -> None:
        """Hear it again. Raises: LocalError."""
        self.lift(fingerprint(key))

    def lift(self, letters: str) -> None:
        """Hear the key with this fingerprint again. Raises: LocalError."""
        self._read()
        if letters in self._names:
            self._write({each: name for each, name in self._names.items() if each != letters})

    def names(self) -> dict[str, str]:
        """Return the names by fingerprint, the newest first. Raises: LocalError."""
        self._read()
        return dict(reversed(self._names.items()))

    def _read(self) -> None:
        """Read the file if it is another one than before. Raises: LocalError."""
        try:
            found = self._path.stat()
            state = found.st_ino, found.st_mtime_ns, found.st_size
        except OSError:
            state = _NO_FILE
        if state == self._state:
            return
        try:
            kept = read_json(self._path).get("ignored", [])
            self._names = {str(letters): str(name) for letters, name in kept}
        except (TypeError, ValueError):
            raise LocalError("wrong.read.mend", path=str(self._path)) from None
        self._state = state

    def _write(self, names: dict[str, str]) -> None:
        write_json(self._path, {"ignored": [list(row) for row in names.items()]})
        self._read()

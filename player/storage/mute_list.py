"""The people whom a person does not hear in any lobby: fingerprints of keys in the data folder. The
program tells nobody else.
"""

from pathlib import Path

from player.storage.files import read_json, write_json
from protocol.errors import LocalError
from protocol.identity.keys import fingerprint
from protocol.limits import MAX_IGNORED

FILE = "ignored.json"


class MuteList:
    """The keys that are ignored, each with the name it had then. Raises: LocalError if the file
    cannot be read.
    """

    def __init__(self, data: Path) -> None:
        self._path = data / FILE
        try:
            kept = read_json(self._path).get("ignored", [])
            # by fingerprint; the newest is last
            self._names = {str(letters): str(name) for letters, name in kept}
        except (TypeError, ValueError):
            raise LocalError("wrong.read.mend", path=str(self._path)) from None

    def __contains__(self, key: bytes) -> bool:
        return bool(self._names) and fingerprint(key) in self._names

    def add(self, key: bytes, name: str) -> None:
        """Ignore a key from now on; of too many the oldest is heard again. Raises: LocalError."""
        self._names.pop(fingerprint(key), None)
        self._names[fingerprint(key)] = name
        while len(self._names) > MAX_IGNORED:
            del self._names[next(iter(self._names))]
        self._write()

    def remove(self, key: bytes) -> None:
        """Hear it again. Raises: LocalError."""
        if self._names.pop(fingerprint(key), None) is not None:
            self._write()

    def _write(self) -> None:
        write_json(self._path, {"ignored": [list(row) for row in self._names.items()]})

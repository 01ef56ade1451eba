"""The newest list that this person has seen of each directory: an older one, or another one with
the same number, is a lie.
"""

from pathlib import Path
from typing import Any

from player.storage.files import read_json, write_json
from protocol.directory.table_list import SeenList
from protocol.errors import LocalError
from protocol.limits import MAX_DIRECTORIES_SEEN

FILE = "directories.json"


class SeenLists:
    """Number, expiry and digest by fingerprint, kept in the data folder."""

    def __init__(self, data: Path) -> None:
        self._path = data / FILE

    def newest(self, fingerprint: str) -> SeenList | None:
        """Return the newest list seen of this directory. Raises: LocalError."""
        found = read_json(self._path).get(fingerprint)
        return None if found is None else self._read(found)

    def store(self, fingerprint: str, seen: SeenList) -> None:
        """Store what has been seen. Raises: LocalError."""
        lists = read_json(self._path)
        lists.pop(fingerprint, None)
        if len(lists) >= MAX_DIRECTORIES_SEEN:
            del lists[min(lists, key=lambda each: self._read(lists[each]).expires)]
        lists[fingerprint] = [seen.number, seen.expires, seen.digest.hex()]
        write_json(self._path, lists)

    def _read(self, value: Any) -> SeenList:
        try:
            number, expires, digest = value
            return SeenList(int(number), int(expires), bytes.fromhex(digest))
        except (TypeError, ValueError):
            raise LocalError("wrong.read.mend", path=str(self._path)) from None

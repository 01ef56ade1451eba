"""The links of the directories that this person browses, in the data folder."""

from pathlib import Path

from player.storage.files import read_json, write_json
from protocol.directory.link import ListLink
from protocol.errors import LocalError
from protocol.limits import MAX_OWN_DIRECTORIES

FILE = "directory_links.json"


class OwnDirectories:
    """Links to lists, in the order in which they were added."""

    def __init__(self, data: Path) -> None:
        self._path = data / FILE

    def links(self) -> list[ListLink]:
        """Return all links. Raises: LocalError if the file cannot be read."""
        found = read_json(self._path).get("links", [])
        if not isinstance(found, list):
            raise LocalError("wrong.read.mend", path=str(self._path))
        return [ListLink.parse(str(text)) for text in found]

    def add(self, link: ListLink) -> None:
        """Add a link; of one directory only the newest stays. Raises: LocalError."""
        others = [each for each in self.links() if each.fingerprint != link.fingerprint]
        if len(others) >= MAX_OWN_DIRECTORIES:
            raise LocalError("wrong.directory.own", most=MAX_OWN_DIRECTORIES)
        self._write([*others, link])

    def remove(self, link: ListLink) -> None:
        """Remove a link. Raises: LocalError."""
        self._write([each for each in self.links() if each != link])

    def _write(self, links: list[ListLink]) -> None:
        write_json(self._path, {"links": list(map(str, links))})

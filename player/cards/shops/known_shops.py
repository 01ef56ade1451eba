"""Shops that this person has visited, in the data folder: one link for each creator's key."""

from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from player.storage.files import read_json, write_json
from protocol.errors import LocalError
from protocol.identity.keys import JoinLink, fingerprint

FILE = "shops.json"
LINKS = "links"  # key of the list in the file


class KnownShops:
    """Links of shops, the shop of the newest visit first; one for each creator."""

    def __init__(self, data: Path) -> None:
        self._path = data / FILE

    def links(self) -> list[JoinLink]:
        """Return the links of all shops. Raises: LocalError."""
        found = []
        listed = read_json(self._path).get(LINKS, [])
        for text in listed if isinstance(listed, list) else ():
            with suppress(LocalError):  # somebody has changed the file
                found.append(JoinLink.parse(str(text)))
        return [link for link in found if link.direct and link.fingerprint is not None]

    def remember(self, link: JoinLink, creator: bytes) -> None:
        """Store the link at which the shop of `creator` has answered. Raises: LocalError."""
        found = replace(link, fingerprint=fingerprint(creator))
        self._write([found, *self._others(found.fingerprint)])

    def forget(self, key: str) -> None:
        """Delete the link of the creator with this fingerprint. Raises: LocalError."""
        self._write(self._others(key))

    def _others(self, key: str | None) -> list[JoinLink]:
        return [link for link in self.links() if link.fingerprint != key]

    def _write(self, links: list[JoinLink]) -> None:
        write_json(self._path, {LINKS: list(map(str, links))})

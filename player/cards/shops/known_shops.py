"""Shops that this person has visited, in the data folder: one link for each creator's key."""

from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from player.storage.files import read_json, write_json
from protocol.errors import LocalError
from protocol.identity.keys import JoinLink, fingerprint

FILE = "shops.json"


class KnownShops:
    """Links of shops by the fingerprint of the creator, the shop of the newest visit last."""

    def __init__(self, data: Path) -> None:
        self._path = data / FILE

    def links(self) -> list[JoinLink]:
        """Return the links of all shops, that of the newest visit first. Raises: LocalError."""
        found = []
        for text in reversed(read_json(self._path).values()):
            with suppress(LocalError):  # somebody has changed the file
                found.append(JoinLink.parse(str(text)))
        return [link for link in found if link.direct and link.fingerprint is not None]

    def remember(self, link: JoinLink, creator: bytes) -> None:
        """Store the link at which the shop of `creator` has answered. Raises: LocalError."""
        shops = read_json(self._path)
        key = fingerprint(creator)
        shops.pop(key, None)
        shops[key] = str(replace(link, fingerprint=key))
        write_json(self._path, shops)

    def forget(self, key: str) -> None:
        """Delete the link of the creator with this fingerprint. Raises: LocalError."""
        shops = read_json(self._path)
        if shops.pop(key, None) is not None:
            write_json(self._path, shops)

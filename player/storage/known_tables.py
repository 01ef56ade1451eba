"""The tables that this person has visited. An address is trusted at the first visit, and must stay
the same table after that.
"""

from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from player.storage.files import read_json, write_json
from player.storage.table_keys import TableKeys
from protocol.errors import LocalError
from protocol.identity.keys import JoinLink, fingerprint

FILE = "tables.json"


class ChangedTable(LocalError):
    """The table at an address is not the one that it was, or not the one that the link names."""


class KnownTables:
    """Fingerprints by address (host:port), kept in the data folder."""

    def __init__(self, data: Path) -> None:
        self._path = data / FILE
        self._keys = TableKeys(data)

    def expected(self, link: JoinLink) -> str | None:
        """The fingerprint that the table must have: the link's, or else the one remembered; None
        the first time. For a key that was rotated it is the new one that the person has accepted.
        """
        named = self._named(link)
        return None if named is None else self._keys.latest(named)

    def resolved(self, link: JoinLink) -> JoinLink:
        """Return the link with the fingerprint that its table must have, if that is known. Raises:
        LocalError.
        """
        return replace(link, fingerprint=self.expected(link))

    def for_others(self, link: JoinLink) -> JoinLink:
        """Return the link to give to others: if it names a key, the one that is accepted now. Raises:
        LocalError.
        """
        return link if link.fingerprint is None else self.resolved(link)

    def _named(self, link: JoinLink) -> str | None:
        remembered = read_json(self._path).get(address(link))
        if link.fingerprint is not None or remembered is None:
            return link.fingerprint
        return str(remembered)

    def remember(self, link: JoinLink, table_key: bytes) -> bool:
        """Note which table was found there; whether that is news. Raises: LocalError."""
        tables = read_json(self._path)
        found = fingerprint(table_key)
        if tables.get(address(link)) == found:
            return False
        tables[address(link)] = found
        write_json(self._path, tables)
        return True

    def links(self) -> list[JoinLink]:
        """Return the links of all tables, in the order of their addresses. Raises: LocalError."""
        found = []
        for place, letters in sorted(read_json(self._path).items()):
            with suppress(LocalError):  # somebody has changed the file
                scheme = "fairdeal+" if "://" in place else "fairdeal://"
                found.append(JoinLink.parse(f"{scheme}{place}/{letters}"))
        return found

    def refusal(self, link: JoinLink) -> ChangedTable:
        """Return why a table with another fingerprint than `expected` is refused, and what to do."""
        expected = self.expected(link)
        if expected != self._named(link):
            return ChangedTable("wrong.keys.retired", address=address(link), new=str(expected))
        if link.fingerprint is not None:
            return ChangedTable("wrong.other_table", address=address(link))
        return ChangedTable("wrong.changed_table", address=address(link), before=str(expected))


def address(link: JoinLink) -> str:
    """host:port, IPv6 hosts in brackets; of a WebSocket door its URL."""
    return link.address_text

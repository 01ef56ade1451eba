"""Links to a directory: where tables report, and where its list is read."""

import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from protocol.errors import LocalError
from protocol.identity.address import Address, parse_address_text
from protocol.identity.keys import FINGERPRINT_LETTERS
from protocol.limits import MAX_DIRECTORY_LINK

SCHEME = "fairdeal-directory://"
_REPORT = re.compile(
    rf"{SCHEME}([^/\s]+)/([a-z2-7]{{{FINGERPRINT_LETTERS}}})", re.IGNORECASE | re.ASCII
)
_LIST = re.compile(
    rf"(https?://[!-~]+)#([a-z2-7]{{{FINGERPRINT_LETTERS}}})", re.IGNORECASE | re.ASCII
)


@dataclass(frozen=True)
class ReportLink:
    """Link for tables that report: TCP address of a directory, and its fingerprint."""

    address: Address
    fingerprint: str

    @classmethod
    def parse(cls, text: str) -> "ReportLink":
        """Read `fairdeal-directory://HOST:PORT/FINGERPRINT`. Raises: LocalError."""
        found = _REPORT.fullmatch(text.strip())
        address = parse_address_text(found[1].lower()) if found else None
        if found is None or address is None or address.web_scheme:
            raise LocalError("wrong.directory.report_link", example=_example())
        return cls(address, found[2].lower())

    def __str__(self) -> str:
        return f"{SCHEME}{self.address}/{self.fingerprint}"


@dataclass(frozen=True)
class ListLink:
    """Link to a list: the URL of a file, and the fingerprint of the list's directory."""

    url: str
    fingerprint: str

    @classmethod
    def parse(cls, text: str) -> "ListLink":
        """Read `https://HOST/PATH#FINGERPRINT`. Raises: LocalError."""
        text = text.strip()
        found = _LIST.fullmatch(text) if len(text) <= MAX_DIRECTORY_LINK else None
        if found is None:
            raise LocalError("wrong.directory.list_link", letters="a" * FINGERPRINT_LETTERS)
        try:
            parts = urlsplit(found[1])
            fits = bool(parts.hostname) and parts.username is None and not parts.query
            fits = fits and parts.port != 0
        except ValueError:
            fits = False
        if not fits:
            raise LocalError("wrong.directory.list_link", letters="a" * FINGERPRINT_LETTERS)
        return cls(found[1], found[2].lower())

    def __str__(self) -> str:
        return f"{self.url}#{self.fingerprint}"


def _example() -> str:
    return f"{SCHEME}directory.example.org:7595/{'a' * FINGERPRINT_LETTERS}"

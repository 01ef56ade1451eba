"""Ed25519 identities: keys, their fingerprints, and links to tables (for names see
`protocol.identity.names`).

All parties use the same strict verifier (`protocol.crypto.primitives.ed25519`).
"""

import ipaddress
import re
from base64 import b32decode, b32encode
from dataclasses import dataclass, field, replace
from functools import lru_cache

from protocol.codes import Code
from protocol.crypto.hashing import Field, derive, digest, encode_fields
from protocol.crypto.primitives import ed25519
from protocol.errors import LocalError, RemoteError
from protocol.identity.address import (
    MAX_PAGE_ADDRESS,
    MAX_PORT,
    MAX_WEB_PATH,
    PAGE_PATH,
    USUAL_PORT,
    WEB_PATH,
    WEB_PORTS,
    Address,
)
from protocol.identity.typed_link import tidy_link
from protocol.limits import MAX_HOSTS
from protocol.view.phrase import phrase

KEY_SIZE = ed25519.PUBLIC_SIZE  # bytes of a seed and of a public key
SIGNATURE_SIZE = ed25519.SIGNATURE_SIZE  # bytes of a signature
# 2^200 attempts to match a given fingerprint, 2^100 to find two equal ones; no base32 padding
FINGERPRINT_BYTES = 25
FINGERPRINT_LETTERS = FINGERPRINT_BYTES * 8 // 5
SHORT_LETTERS = 16  # 80 bits
INVITE_SIZE = 20  # bytes of the secret in an invitation to a table, 2^160; no base32 padding
INVITE_LETTERS = INVITE_SIZE * 8 // 5
# links to a table, and to one other player
SCHEME = "fairdeal://"
DIRECT_SCHEME = "fairdeal-direct://"
WEB_SCHEME = "fairdeal+"  # followed by a URL with ws:// or wss://

# an IPv6 address of the link-local network may name its interface, as RFC 6874 has it or plainly
_IPV6 = r"[0-9a-f:.]+(?:%[a-z0-9_.~-]{1,32})?"
_HOST = rf"(?:\[{_IPV6}\]|[a-z0-9_.-]{{1,253}})"
_PLACE = rf"{_HOST}(?::[0-9]{{1,5}})?"
_PARTS = re.compile(rf"(?:\[({_IPV6})\]|([a-z0-9_.-]+))(?::([0-9]+))?", re.IGNORECASE | re.ASCII)
_LINK = re.compile(
    rf"(fairdeal|fairdeal-direct)://({_PLACE}(?:,{_PLACE})*)(?:/([a-z2-7]*)(?:/([a-z2-7]*))?)?",
    re.IGNORECASE | re.ASCII,
)
_WEB_LINK = re.compile(
    rf"fairdeal\+(wss?)://({_PLACE}(?:,{_PLACE})*)({WEB_PATH})"
    rf"/([a-z2-7]{{{FINGERPRINT_LETTERS}}})(?:/([a-z2-7]{{{INVITE_LETTERS}}}))?",
    re.IGNORECASE | re.ASCII,
)
# a page for browsers with a link of a WebSocket behind the `#`, without or with the first word
_PAGE_LINK = re.compile(
    rf"(https?://{_PLACE}{PAGE_PATH})#(?:fairdeal\+)?(wss?://.*)", re.IGNORECASE | re.ASCII
)
_LINK_HELP = phrase("link.help", letters="a" * FINGERPRINT_LETTERS)


class Identity:
    """A private Ed25519 identity, from a secret seed of 32 bytes. `public` is its 32-byte public
    key.
    """

    def __init__(self, seed: bytes) -> None:
        try:
            self._key = ed25519.SigningKey(seed)
        except ValueError:
            raise LocalError("wrong.identity.seed") from None
        self.public = self._key.public

    def sign(self, label: str, *fields: Field) -> bytes:
        """Return the 64-byte signature of `encode_fields(label, *fields)`."""
        return self._key.sign(encode_fields(label, *fields))

    def secret(self, label: str, *fields: Field) -> bytes:
        """Derive 32 secret bytes from the identity's seed, to protect files stored beside it."""
        return derive(self._key.seed, label, *fields)

    def __repr__(self) -> str:
        return f"Identity({short_fingerprint(self.public)})"


def check_key(public: bytes) -> None:
    """Check a public key. Raises: RemoteError(BAD_IDENTITY) if it is weak, of small or mixed order,
    or not canonical.
    """
    if not ed25519.is_valid_key(public):
        raise RemoteError(Code.BAD_IDENTITY)


def is_signature_valid(public: bytes, signature: bytes, message: bytes) -> bool:
    """Check a signature of this key over the message. False also for a key that `check_key`
    rejects.
    """
    return ed25519.verify(public, signature, message)


def verify(public: bytes, signature: bytes, label: str, *fields: Field) -> None:
    """Check a signature made by `Identity.sign(label, *fields)`. Raises:
    RemoteError(BAD_SIGNATURE).
    """
    if not is_signature_valid(public, signature, encode_fields(label, *fields)):
        raise RemoteError(Code.BAD_SIGNATURE)


@lru_cache(maxsize=4096)
def fingerprint(public: bytes) -> str:
    """Return a public key's fingerprint: 40 letters a-z and digits 2-7 (base32, RFC 4648) of its
    SHA-256 digest.
    """
    return b32encode(digest("identity fingerprint", public)[:FINGERPRINT_BYTES]).decode().lower()


def short_fingerprint(public: bytes) -> str:
    """Return the first 16 letters of the fingerprint in groups of four, for people to read to each
    other.

    These 80 bits are too few for a program, which compares whole fingerprints or keys.
    """
    return short_letters(fingerprint(public))


def short_letters(whole: str) -> str:
    """Return the short form of a whole fingerprint, as `short_fingerprint` does for a key."""
    letters = whole[:SHORT_LETTERS]
    return "-".join(letters[start : start + 4] for start in range(0, SHORT_LETTERS, 4))


@dataclass(frozen=True)
class JoinLink:
    """A link to a table, or with `direct` to another player who has no table.

    `fingerprint` is the fingerprint required of the other side. With None the table is trusted on
    first use. Only a plain link to one address of a table may have None.

    `invite`: secret of a table by invitation, for the invited only; empty for other tables.

    `web_scheme` ("ws" or "wss"): the link leads to the table's WebSocket at `path` of a web server.
    The path is empty, or begins with a slash.

    `other_hosts`: more hosts and ports of the same table; with `web_scheme`, at the same path.

    `page`: address of a page for browsers that goes to the table, for a link with `web_scheme`. It is no
    part of where the link leads, so links that differ in it alone are equal.

    `host` is a name or an address without brackets. `str(link)` is the text of the link; `parse`
    reads it.
    """

    host: str
    port: int
    fingerprint: str | None = None
    direct: bool = False
    invite: bytes = field(default=b"", repr=False)
    web_scheme: str = ""
    path: str = ""
    other_hosts: tuple[tuple[str, int], ...] = ()
    page: str = field(default="", compare=False)

    @classmethod
    def parse(cls, text: str) -> "JoinLink":
        """Read a link that a person has typed or pasted. Raises: LocalError with the form of a
        link.
        """
        text = tidy_link(text)
        page = ""
        if (on_page := _PAGE_LINK.fullmatch(text)) is not None:
            page, rest = on_page.groups()
            text = f"{WEB_SCHEME}{rest}"
        if (web := _WEB_LINK.fullmatch(text)) is not None and len(page) <= MAX_PAGE_ADDRESS:
            return replace(cls._to_web(web), page=page)
        found = _LINK.fullmatch(text)
        if found is None:
            is_page = text.lower().startswith(("http://", "https://"))
            raise LocalError("wrong.link.page" if is_page else "wrong.link", help=_LINK_HELP)
        scheme, places, letters, secret = found.groups()
        direct = f"{scheme.lower()}://" == DIRECT_SCHEME
        if direct and not letters:
            raise LocalError("wrong.link.direct", help=_LINK_HELP)
        if letters:
            whose = _check_fingerprint(letters.lower())
        else:
            whose = None
        # a person who waits chooses a port anew each time
        (host, port), *more = _parse_hosts(places, 0 if direct else USUAL_PORT)
        if more and (direct or whose is None):
            raise LocalError("wrong.link.several", most=MAX_HOSTS, help=_LINK_HELP)
        return cls(
            host,
            port,
            whose,
            direct,
            _check_invite(secret, whose, direct),
            other_hosts=tuple(more),
        )

    @classmethod
    def _to_web(cls, found: re.Match[str]) -> "JoinLink":
        scheme, places, path, letters, secret = found.groups("")
        web = scheme.lower()
        (host, port), *more = _parse_hosts(places, WEB_PORTS[web])
        if len(path) > MAX_WEB_PATH:
            raise LocalError("wrong.link", help=_LINK_HELP)
        invite = b32decode(secret.upper())
        return cls(
            host,
            port,
            letters.lower(),
            invite=invite,
            web_scheme=web,
            path=path,
            other_hosts=tuple(more),
        )

    def __str__(self) -> str:
        scheme = DIRECT_SCHEME if self.direct else SCHEME
        parts = [self.fingerprint] if self.fingerprint else []
        parts += [b32encode(self.invite).decode().lower()] if self.invite else []
        hosts = ",".join(str(replace(address, path="")) for address in self.addresses)
        if self.web_scheme:
            scheme = f"{WEB_SCHEME}{self.web_scheme}://"
            hosts = hosts.replace(f"{self.web_scheme}://", "") + self.path
            if self.page:
                scheme = f"{self.page}#{self.web_scheme}://"
        return "/".join([f"{scheme}{hosts}", *parts])

    @property
    def addresses(self) -> tuple[Address, ...]:
        """Addresses of the table in the link, its own address first."""
        return tuple(
            Address(host, port, self.web_scheme, self.path)
            for host, port in ((self.host, self.port), *self.other_hosts)
        )

    def with_address(self, address: Address) -> "JoinLink":
        """Return a link to the same table with only this address."""
        return replace(
            self,
            host=address.host,
            port=address.port,
            web_scheme=address.web_scheme,
            path=address.path,
            other_hosts=(),
        )

    @property
    def address_text(self) -> str:
        """Address to call: host:port with IPv6 hosts in brackets; for a WebSocket its URL."""
        return str(self.addresses[0])


def _parse_hosts(text: str, usual: int) -> list[tuple[str, int]]:
    """Read hosts and ports between commas. Raises: LocalError, also for duplicates, and for too
    many.
    """
    places = []
    for literal, name, port in (found.groups("") for found in _PARTS.finditer(text)):
        number = int(port) if port else usual
        _check_port(number)
        host = _parse_ipv6(literal) if literal else name.lower().removesuffix(".")
        places.append((host, number))
    if len(places) > MAX_HOSTS or len(set(places)) < len(places):
        raise LocalError("wrong.link.several", most=MAX_HOSTS, help=_LINK_HELP)
    return places


def _check_port(port: int) -> None:
    if not 1 <= port <= MAX_PORT:
        raise LocalError("wrong.link.port", most=MAX_PORT, help=_LINK_HELP)


def _parse_ipv6(text: str) -> str:
    literal, _, interface = text.partition("%")
    zone = interface.removeprefix("25") if len(interface) > 2 else interface
    try:
        return str(ipaddress.IPv6Address(f"{literal}%{zone}" if zone else literal))
    except ValueError:
        raise LocalError("wrong.link.address", help=_LINK_HELP) from None


def _check_fingerprint(letters: str) -> str:
    if len(letters) != FINGERPRINT_LETTERS:
        raise LocalError(
            "wrong.link.fingerprint",
            letters=len(letters),
            right=FINGERPRINT_LETTERS,
            help=_LINK_HELP,
        )
    return letters


def _check_invite(letters: str | None, fingerprint: str | None, direct: bool) -> bytes:
    if letters is None:
        return b""
    # the error does not quote the secret
    if len(letters) != INVITE_LETTERS or fingerprint is None or direct:
        raise LocalError("wrong.link.invitation", right=INVITE_LETTERS, help=_LINK_HELP)
    return b32decode(letters.upper())

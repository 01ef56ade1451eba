"""Who somebody is: an Ed25519 key, its fingerprint, the link that leads to a table (names: `protocol.identity.names`).

One verifier everywhere (PyNaCl, RFC 8032 with libsodium's checks): other libraries accept keys for which one
signature fits every message, so a log that one program takes could be one that another refuses.
"""

import ipaddress
import re
from base64 import b32decode, b32encode
from dataclasses import dataclass, field
from functools import lru_cache

from nacl.bindings import crypto_core_ed25519_is_valid_point
from nacl.exceptions import BadSignatureError
from nacl.signing import SigningKey, VerifyKey

from protocol.codes import Code
from protocol.crypto.hashing import Field, derive, digest, frame
from protocol.errors import LocalError, RemoteError
from protocol.view.phrase import phrase

KEY_SIZE = 32  # bytes of a seed and of a public key
SIGNATURE_SIZE = 64  # bytes
FINGERPRINT_BYTES = 25  # 2^200 tries to hit a given fingerprint, 2^100 for any two alike; no base32 padding
FINGERPRINT_LETTERS = FINGERPRINT_BYTES * 8 // 5
SHORT_LETTERS = 16  # 80 bits
INVITE_SIZE = 20  # bytes of a table's secret, 2^160; no base32 padding
INVITE_LETTERS = INVITE_SIZE * 8 // 5
MAX_PORT = 65_535  # of TCP
SCHEME, DIRECT_SCHEME = "fairdeal://", "fairdeal-direct://"  # the link to a table; to one other player
WEB_SCHEME = "fairdeal+"  # and a URL of its kind: ws:// or wss://
WEB_PORTS = {"ws": 80, "wss": 443}  # where a web server is asked if a link does not say (RFC 6455, section 3)
MAX_WEB_PATH = 200  # characters

_LINK = re.compile(
    r"(fairdeal|fairdeal-direct)://(?:\[([0-9a-f:.]+)\]|([a-z0-9_.-]{1,253})):([0-9]{1,5})(?:/([a-z2-7]*)(?:/([a-z2-7]*))?)?",
    re.IGNORECASE | re.ASCII,
)
_WEB_LINK = re.compile(
    r"fairdeal\+(wss?)://(?:\[([0-9a-f:.]+)\]|([a-z0-9_.-]{1,253}))(?::([0-9]{1,5}))?"
    rf"((?:/[a-z0-9_~-][a-z0-9._~-]*)*)/([a-z2-7]{{{FINGERPRINT_LETTERS}}})(?:/([a-z2-7]{{{INVITE_LETTERS}}}))?",
    re.IGNORECASE | re.ASCII,
)
_LINK_HELP = phrase("link.help", letters="a" * FINGERPRINT_LETTERS)


class Identity:
    """A private Ed25519 identity made from a secret seed of 32 bytes. `public` is its 32-byte public key."""

    def __init__(self, seed: bytes) -> None:
        if len(seed) != KEY_SIZE:
            raise LocalError("wrong.identity.seed")
        self._key = SigningKey(seed)
        self.public = bytes(self._key.verify_key)

    def sign(self, label: str, *fields: Field) -> bytes:
        """The 64-byte signature over `hashing.frame(label, *fields)`."""
        return self._key.sign(frame(label, *fields)).signature

    def secret(self, label: str, *fields: Field) -> bytes:
        """32 secret bytes that nobody without this identity's seed can make: for what is kept beside it on disk."""
        return derive(bytes(self._key), label, *fields)

    def __repr__(self) -> str:
        return f"Identity({short_fingerprint(self.public)})"


@lru_cache(maxsize=4096)
def _is_key(public: bytes) -> bool:
    """Whether it is the canonical encoding of a point of the prime-order group, the identity excluded."""
    return len(public) == KEY_SIZE and crypto_core_ed25519_is_valid_point(public)


def check_key(public: bytes) -> None:
    """Raise `RemoteError(BAD_IDENTITY)` for a key that is weak, of small or mixed order, or not canonical."""
    if not _is_key(public):
        raise RemoteError(Code.BAD_IDENTITY)


def signature_holds(public: bytes, signature: bytes, message: bytes) -> bool:
    """Whether the signature is this key's over the message; false, too, for a key `check_key` refuses."""
    if not _is_key(public) or len(signature) != SIGNATURE_SIZE:
        return False
    try:
        VerifyKey(public).verify(message, signature)
    except BadSignatureError:
        return False
    return True


def verify(public: bytes, signature: bytes, label: str, *fields: Field) -> None:
    """Raise `RemoteError(BAD_SIGNATURE)` unless `Identity.sign(label, *fields)` of this key gives it."""
    if not signature_holds(public, signature, frame(label, *fields)):
        raise RemoteError(Code.BAD_SIGNATURE)


def fingerprint(public: bytes) -> str:
    """A public key's fingerprint: 40 letters a-z and digits 2-7 (base32, RFC 4648) of its SHA-256 digest."""
    return b32encode(digest("identity fingerprint", public)[:FINGERPRINT_BYTES]).decode().lower()


def short_fingerprint(public: bytes) -> str:
    """The first 16 letters of the fingerprint in groups of four, for people to read to each other.

    80 bits: too few for a program to rely on, which compares whole fingerprints or keys.
    """
    letters = fingerprint(public)[:SHORT_LETTERS]
    return "-".join(letters[start : start + 4] for start in range(0, SHORT_LETTERS, 4))


@dataclass(frozen=True)
class JoinLink:
    """Where a table listens, or with `direct` one other player who has no table, and whose fingerprint it must be.

    Without a fingerprint a table is trusted at first sight; a direct link has one. `invite`: the secret of a table that
    asks for one, which nobody else is told; empty if it does not. A link with it has a fingerprint, too.

    With `web` ("ws" or "wss") it is a table's WebSocket door at this `path` (empty, or beginning with a slash) of a web
    server; such a link has a fingerprint.

    `host` is a name or an address without brackets. `str(link)` is the link; `parse` reads it back.
    """

    host: str
    port: int
    fingerprint: str | None = None
    direct: bool = False
    invite: bytes = field(default=b"", repr=False)
    web: str = ""
    path: str = ""

    @classmethod
    def parse(cls, text: str) -> "JoinLink":
        """The link in a text that somebody typed or pasted. Raises `LocalError` saying how one looks."""
        if (web := _WEB_LINK.fullmatch(text.strip())) is not None:
            return cls._to_web(web)
        found = _LINK.fullmatch(text.strip())
        if found is None:
            raise LocalError("wrong.link", help=_LINK_HELP)
        scheme, address, name, port, letters, secret = found.groups()
        host = _address(address) if address else name.lower()
        _check_port(int(port))
        direct = f"{scheme.lower()}://" == DIRECT_SCHEME
        if direct and not letters:
            raise LocalError("wrong.link.direct", help=_LINK_HELP)
        whose = _checked_fingerprint(letters.lower()) if letters else None
        return cls(host, int(port), whose, direct, _checked_invite(secret, whose, direct))

    @classmethod
    def _to_web(cls, found: re.Match[str]) -> "JoinLink":
        scheme, address, name, port, path, letters, secret = found.groups("")
        host, web = _address(address) if address else name.lower(), scheme.lower()
        number = int(port) if port else WEB_PORTS[web]
        _check_port(number)
        if len(path) > MAX_WEB_PATH:
            raise LocalError("wrong.link", help=_LINK_HELP)
        return cls(host, number, letters.lower(), invite=b32decode(secret.upper()), web=web, path=path)

    def __str__(self) -> str:
        scheme = DIRECT_SCHEME if self.direct else SCHEME
        parts = [self.fingerprint] if self.fingerprint else []
        parts += [b32encode(self.invite).decode().lower()] if self.invite else []
        return "/".join([f"{WEB_SCHEME}{self.where}" if self.web else f"{scheme}{self.where}", *parts])

    @property
    def where(self) -> str:
        """What is called, whoever must answer: host:port, IPv6 hosts in brackets; of a web server, its URL."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        if not self.web:
            return f"{host}:{self.port}"
        port = "" if self.port == WEB_PORTS[self.web] else f":{self.port}"
        return f"{self.web}://{host}{port}{self.path}"


def _check_port(port: int) -> None:
    if not 1 <= port <= MAX_PORT:
        raise LocalError("wrong.link.port", most=MAX_PORT, help=_LINK_HELP)


def _address(text: str) -> str:
    try:
        return str(ipaddress.IPv6Address(text))
    except ValueError:
        raise LocalError("wrong.link.address", help=_LINK_HELP) from None


def _checked_fingerprint(letters: str) -> str:
    if len(letters) != FINGERPRINT_LETTERS:
        raise LocalError("wrong.link.fingerprint", letters=len(letters), right=FINGERPRINT_LETTERS, help=_LINK_HELP)
    return letters


def _checked_invite(letters: str | None, fingerprint: str | None, direct: bool) -> bytes:
    if letters is None:
        return b""
    if len(letters) != INVITE_LETTERS or fingerprint is None or direct:  # and it is not quoted: it is a secret
        raise LocalError("wrong.link.invitation", right=INVITE_LETTERS, help=_LINK_HELP)
    return b32decode(letters.upper())

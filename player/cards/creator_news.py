"""News from creators: the bundle file that a creator's link leads to, fetched over https and
checked like any other.

What is asked is the link, the same for everybody: nothing of what one owns is in it. Only creators
that a person trusts are asked, for a record of a stranger's may name any address; and none that is
in a private network.
"""

import ipaddress
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from http.client import HTTPS_PORT, HTTPException, HTTPSConnection
from urllib.parse import urlsplit

from player.cards.collection import Collection
from protocol.errors import LocalError, RemoteError
from protocol.ledger.bundle import read_bundle
from protocol.ledger.record_contents import CardRules, CardType, Creator, Instance, PrintRun
from protocol.ledger.records import read_record
from protocol.limits import MAX_UPDATE, MAX_UPDATE_RECORDS, UPDATE_SECONDS
from protocol.view.phrase import Phrase

_CHUNK = 64 * 1024  # bytes
_GOOD = 200  # status
# RFC 6052: the last four bytes are the IPv4 address that is meant
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
Fetch = Callable[[str], bytes]
# the addresses of a host, for a port. Raises: OSError
Resolve = Callable[[str, int], Iterable[str]]


def _addresses(host: str, port: int) -> Iterable[str]:
    return [str(where[0]) for *_, where in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]


@dataclass(frozen=True, slots=True)
class News:
    """What came of one creator's link: so many new records, so many that were refused; or why
    nothing came.
    """

    creator: bytes
    new: int = 0
    refused: int = 0
    failed: Phrase | None = None


def links(collection: Collection, among: Iterable[bytes] | None = None) -> dict[bytes, str]:
    """The links of these creators, or of all that are trusted; of those that give one."""
    keys = collection.trusted() if among is None else among
    found = {
        key: collection.index.creators[key][1].link
        for key in keys
        if key in collection.index.creators
    }
    return {key: link for key, link in found.items() if link}


def take_news(collection: Collection, creator: bytes, link: str, fetch: Fetch) -> News:
    """Take in what a creator's link leads to. Raises: LocalError if the disk does not take it."""
    try:
        bundle = read_bundle(fetch(link))
    except RemoteError as error:
        return News(creator, failed=error.phrase)
    except LocalError as error:
        return News(creator, failed=error.phrase)
    fit = [raw for raw in bundle.raws[:MAX_UPDATE_RECORDS] if _is_news(raw, creator)]
    taken = collection.take(fit)
    collection.store_images(bundle.images)
    return News(creator, len(taken.new), len(bundle.raws) - len(fit))


def _is_news(raw: bytes, creator: bytes) -> bool:
    """Whether a record is right, and no other creator's: nobody may fill a disk in somebody else's
    name.
    """
    try:
        content = read_record(raw).content
    except RemoteError:
        return False
    if isinstance(content, Creator | CardType | PrintRun | CardRules | Instance):
        return content.creator == creator
    return True


@dataclass(frozen=True, slots=True)
class Line:
    """How links are asked. `allowed`: whether an address may be; None: those of the public network.

    `trusting`: whose certificates count; None: those that this computer trusts. `seconds`: for all
    of it.
    """

    allowed: Callable[[str], bool] | None = None
    trusting: ssl.SSLContext | None = None
    seconds: float = UPDATE_SECONDS
    resolve: Resolve = _addresses


def fetch_over_https(link: str, line: Line = Line()) -> bytes:
    """What is at a link. No redirects, no cookies, nothing said of who asks.

    Raises: LocalError, also for what is too large or too slow.
    """
    try:
        parts = urlsplit(link)
        port = parts.port
    except ValueError:
        raise LocalError("wrong.update.link", link=link) from None
    if parts.scheme != "https" or not parts.hostname or parts.username is not None:
        raise LocalError("wrong.update.link", link=link)
    try:
        connection = _Watched(parts.hostname, port or HTTPS_PORT, line)
    except HTTPException:
        raise LocalError("wrong.update.link", link=link) from None
    timer = threading.Timer(line.seconds, connection.cut)
    timer.start()
    try:
        return _read(
            connection, f"{parts.path or '/'}{'?' + parts.query if parts.query else ''}", link
        )
    except (OSError, HTTPException, UnicodeError, ValueError):
        if connection.late:
            raise LocalError("wrong.update.slow", link=link, seconds=round(line.seconds)) from None
        raise LocalError("wrong.update.reach", link=link) from None
    finally:
        timer.cancel()
        connection.close()


def _read(connection: "_Watched", path: str, link: str) -> bytes:
    connection.request(
        "GET", path, headers={"Accept": "application/octet-stream", "User-Agent": "fairdeal"}
    )
    data = bytearray()
    with connection.getresponse() as answer:
        if answer.status != _GOOD:
            raise LocalError("wrong.update.status", link=link, status=answer.status)
        while part := answer.read1(_CHUNK):
            data += part
            if len(data) > MAX_UPDATE:
                raise LocalError("wrong.update.size", link=link, mib=MAX_UPDATE // 1024 // 1024)
        if connection.late or answer.length:
            raise ConnectionError("cut off")
    return bytes(data)


def _is_public(address: str) -> bool:
    found = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(found, ipaddress.IPv6Address):
        if found in _NAT64:
            return ipaddress.IPv4Address(found.packed[-4:]).is_global
        if (
            found.ipv4_mapped
            or found.sixtofour
            or found.teredo
            or found.is_site_local
            or found.is_reserved
        ):
            return False
    return found.is_global and not found.is_multicast


class _Watched(HTTPSConnection):
    """Calls none but addresses that may be called, whatever a name leads to; and all of them
    together in time.
    """

    def __init__(self, host: str, port: int, line: Line) -> None:
        self._allowed, self._secure = (
            line.allowed or _is_public,
            line.trusting or ssl.create_default_context(),
        )
        self._line: socket.socket | None = None
        self._resolve, self._until = line.resolve, time.monotonic() + line.seconds
        self.late = False
        super().__init__(host, port, timeout=line.seconds, context=self._secure)

    def connect(self) -> None:
        """Connect. Raises: OSError."""
        self._line = self._reach()
        if self.late:
            raise TimeoutError
        self.sock = self._secure.wrap_socket(self._line, server_hostname=self.host)

    def _reach(self) -> socket.socket:
        error = OSError("not in the public network")
        for address in filter(self._allowed, self._resolve(self.host, self.port)):
            left = self._until - time.monotonic()
            if left <= 0:
                self.late = True
                break
            try:
                return socket.create_connection((address, self.port), left)
            except OSError as failed:
                error = failed
        raise error

    def cut(self) -> None:
        """Whoever drips a byte now and then has had enough time."""
        self.late = True
        for line in (self.sock, self._line):
            with suppress(OSError, AttributeError):
                line.shutdown(socket.SHUT_RDWR)  # type: ignore[union-attr]

"""News from creators: the bundle file at a creator's link, fetched over https and checked like any
other.

The request says nothing about the person's cards: the link is the same for everybody. Only trusted
creators are asked, since a record of a stranger may name any address. Addresses in private networks
are refused.
"""

import ipaddress
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from http.client import HTTPS_PORT, HTTPException, HTTPSConnection
from urllib.parse import urlsplit

from player.cards.collection import Collection, read_all
from protocol.errors import LocalError, RemoteError
from protocol.ledger.bundle import read_bundle
from protocol.ledger.pictures import PictureCheck, check_pictures
from protocol.ledger.record_contents import CardRules, CardType, Creator, Instance, PrintRun
from protocol.ledger.records import read_record
from protocol.limits import MAX_UPDATE, MAX_UPDATE_RECORDS, UPDATE_SECONDS
from protocol.view.phrase import Phrase, phrase

_CHUNK = 64 * 1024  # bytes per read
_GOOD = 200  # HTTP status
# RFC 6052: the last four bytes are the embedded IPv4 address
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
Fetch = Callable[[str], bytes]
# looks up the addresses of a host for a port. Raises: OSError
Resolve = Callable[[str, int], Iterable[str]]


def _addresses(host: str, port: int) -> Iterable[str]:
    return [str(where[0]) for *_, where in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]


@dataclass(frozen=True, slots=True)
class FetchResult:
    """Result of a request to one creator: the numbers of new and of refused records, or the reason
    of failure. `pictures`: what is wrong with the images.
    """

    creator: bytes
    new: int = 0
    refused: int = 0
    failed: Phrase | None = None
    pictures: PictureCheck = field(default_factory=PictureCheck)


def creator_links(collection: Collection, among: Iterable[bytes] | None = None) -> dict[bytes, str]:
    """Return the links of the creators `among`, or of all trusted creators. Creators without a link
    are left out.
    """
    keys = collection.trusted() if among is None else among
    found = {
        key: collection.index.creators[key][1].link
        for key in keys
        if key in collection.index.creators
    }
    return {key: link for key, link in found.items() if link}


def fetch_news(collection: Collection, creator: bytes, link: str, fetch: Fetch) -> FetchResult:
    """Fetch and store the news of a creator. Raises: LocalError if the disk is full or damaged."""
    try:
        bundle = read_bundle(fetch(link))
    except RemoteError as error:
        return FetchResult(creator, failed=error.phrase)
    except LocalError as error:
        return FetchResult(creator, failed=error.phrase)
    if len(bundle.raws) > MAX_UPDATE_RECORDS:
        failed = phrase(
            "wrong.update.records", link=link, count=len(bundle.raws), most=MAX_UPDATE_RECORDS
        )
        return FetchResult(creator, failed=failed)
    fit = [raw for raw in bundle.raws if _is_news(raw, creator)]
    taken = collection.take(fit, bundle.images)
    pictures = taken.pictures
    if pictures.foreign:  # perhaps of records that were not taken
        there = read_all(bundle.raws)[0].values()
        pictures = check_pictures(bundle.images, there, collection.index.images)
    return FetchResult(creator, len(taken.new), len(bundle.raws) - len(fit), pictures=pictures)


def _is_news(raw: bytes, creator: bytes) -> bool:
    """Check that a record is valid, and not a record of another creator's: nobody may fill a disk
    in another's name.
    """
    try:
        content = read_record(raw).content
    except RemoteError:
        return False
    if isinstance(content, Creator | CardType | PrintRun | CardRules | Instance):
        return content.creator == creator
    return True


@dataclass(frozen=True, slots=True)
class FetchSettings:
    """Settings of a request. `allowed`: tells if an address may be contacted; None: public
    addresses alone.

    `trusting`: TLS context with the trusted certificates; None: those of this computer. `seconds`:
    limit of the whole request.
    """

    allowed: Callable[[str], bool] | None = None
    trusting: ssl.SSLContext | None = None
    seconds: float = UPDATE_SECONDS
    resolve: Resolve = _addresses


def fetch_over_https(link: str, line: FetchSettings = FetchSettings()) -> bytes:
    """Fetch the bytes at a link, without redirects, cookies or any data about the person.

    Raises: LocalError, also if the answer is too large or too slow.
    """
    try:
        parts = urlsplit(link)
        port = parts.port
    except ValueError:
        raise LocalError("wrong.update.link", link=link) from None
    if parts.scheme != "https" or not parts.hostname or parts.username is not None:
        raise LocalError("wrong.update.link", link=link)
    try:
        connection = _BoundedConnection(parts.hostname, port or HTTPS_PORT, line)
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


def _read(connection: "_BoundedConnection", path: str, link: str) -> bytes:
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


class _BoundedConnection(HTTPSConnection):
    """HTTPS connection to allowed addresses alone, for any result of the host name's resolution.

    The time limit holds for all addresses together.
    """

    def __init__(self, host: str, port: int, line: FetchSettings) -> None:
        self._allowed, self._secure = (
            line.allowed or _is_public,
            line.trusting or ssl.create_default_context(),
        )
        self._line: socket.socket | None = None
        self._resolve, self._until = line.resolve, time.monotonic() + line.seconds
        self.late = False
        super().__init__(host, port, timeout=line.seconds, context=self._secure)

    def connect(self) -> None:
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
        """End the connection at the time limit: a timeout of the socket does not stop a server that
        sends a byte now and then.
        """
        self.late = True
        for line in (self.sock, self._line):
            with suppress(OSError, AttributeError):
                line.shutdown(socket.SHUT_RDWR)  # type: ignore[union-attr]

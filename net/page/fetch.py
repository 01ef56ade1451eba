"""One bounded request to a web server, as a browser sends it. Standard library only.

Nothing is followed, nothing is kept, and no answer is read further than a given size.
"""

import asyncio
import ssl
import zlib
from collections.abc import AsyncIterator
from typing import NamedTuple
from urllib.parse import urlsplit

from protocol.errors import LocalError
from protocol.identity.address import HTTP_PORTS
from protocol.limits import CHECK_SILENCE_SECONDS, MAX_ANSWER_HEAD

# as browsers send it, so that a server does not tell this request from a browser's at first sight
BROWSER = (
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) "
    "Chrome/130.0.0.0 Safari/537.36"
)
CHUNK = 64 * 1024
MAX_CHUNK_LINE = 256  # bytes of the line before a chunk


class Place(NamedTuple):
    """Address of a folder on a web server. `path` begins and ends with a slash."""

    scheme: str
    host: str
    port: int
    path: str

    @classmethod
    def parse(cls, text: str) -> "Place":
        """Read `https://HOST[:PORT]/PATH/`; what follows `#` or `?`, and a last `index.html`, do not
        count. Raises: LocalError.
        """
        try:
            parts = urlsplit(text.strip())
            port = parts.port
        except ValueError:
            raise LocalError("wrong.page.url") from None
        host = parts.hostname or ""
        path = parts.path.removesuffix("index.html")
        fits = parts.scheme in HTTP_PORTS and host and parts.username is None and text.isascii()
        if not fits or any(letter <= " " for letter in path):
            raise LocalError("wrong.page.url")
        path = path if path.endswith("/") else f"{path}/"
        return cls(parts.scheme, host, port or HTTP_PORTS[parts.scheme], path)

    @property
    def host_field(self) -> str:
        """Value of the field `Host` of a request."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == HTTP_PORTS[self.scheme] else f"{host}:{self.port}"

    def __str__(self) -> str:
        return f"{self.scheme}://{self.host_field}{self.path}"


class Answer(NamedTuple):
    """Answer of a server. `body` has at most one byte more than was allowed; `whole`: it ended as
    its head says, and could be unpacked.
    """

    status: int
    fields: dict[str, str]  # names in small letters
    body: bytes
    whole: bool


class NoAnswer(Exception):
    """The server could not be reached, or did not answer with HTTP."""


async def fetch(place: Place, name: str, most: int, encoding: str = "gzip") -> Answer:
    """Ask for a file of a place, of at most `most` bytes. `encoding`: what the request accepts.

    Raises: NoAnswer.
    """
    tls = ssl.create_default_context() if place.scheme == "https" else None
    try:
        async with asyncio.timeout(CHECK_SILENCE_SECONDS):
            reader, writer = await asyncio.open_connection(
                place.host, place.port, ssl=tls, limit=MAX_ANSWER_HEAD
            )
    except (OSError, TimeoutError, UnicodeError) as error:
        raise NoAnswer(_why(error)) from None
    try:
        writer.write(_request(place, name, encoding))
        return await _read(reader, most)
    except (OSError, TimeoutError, ValueError, EOFError, asyncio.LimitOverrunError) as error:
        raise NoAnswer(_why(error)) from None
    finally:
        writer.transport.abort()


def _why(error: Exception) -> str:
    if isinstance(error, TimeoutError):
        return "it was silent"
    if isinstance(error, ssl.SSLCertVerificationError):
        return error.verify_message
    return str(getattr(error, "strerror", None) or "it broke off, or speaks no HTTP")


def _request(place: Place, name: str, encoding: str) -> bytes:
    lines = (
        f"GET {place.path}{name} HTTP/1.1",
        f"Host: {place.host_field}",
        f"User-Agent: {BROWSER}",
        "Accept: */*",
        f"Accept-Encoding: {encoding}",
        "Cache-Control: no-cache",
        "Connection: close",
    )
    return ("\r\n".join(lines) + "\r\n\r\n").encode("ascii")


async def _read(reader: asyncio.StreamReader, most: int) -> Answer:
    async with asyncio.timeout(CHECK_SILENCE_SECONDS):
        head = await reader.readuntil(b"\r\n\r\n")
    line, *rest = head.decode("latin-1").split("\r\n")
    protocol, _, status = line.partition(" ")
    if not protocol.startswith("HTTP/1.") or not status[:3].isdigit():
        raise ValueError("no HTTP")
    fields: dict[str, str] = {}
    for each in rest:
        name, _, value = each.partition(":")
        name, value = name.strip().lower(), value.strip()
        fields[name] = f"{fields[name]}, {value}" if name in fields else value
    inflate = zlib.decompressobj(wbits=31) if fields.get("content-encoding") == "gzip" else None
    body = bytearray()
    whole = True
    # packed bytes count as well: an archive of nothing may be endless
    taken = 0
    try:
        async for piece in _pieces(reader, fields):
            taken += len(piece)
            body += inflate.decompress(piece, most + 1 - len(body)) if inflate else piece
            if max(len(body), taken if inflate else 0) > most:
                break
    except (EOFError, ValueError, zlib.error):
        whole = False
    if inflate is not None and not inflate.eof and len(body) <= most:
        whole = False
    return Answer(int(status[:3]), fields, bytes(body[: most + 1]), whole)


async def _pieces(reader: asyncio.StreamReader, fields: dict[str, str]) -> AsyncIterator[bytes]:
    """Yield the bytes of a body as they come. Raises: EOFError if it ends early."""
    if "chunked" in fields.get("transfer-encoding", "").lower():
        while size := int((await _line(reader)).partition(b";")[0], 16):
            async for piece in _exactly(reader, size):
                yield piece
            await _line(reader)
    elif "content-length" in fields:
        async for piece in _exactly(reader, int(fields["content-length"])):
            yield piece
    else:
        while piece := await _some(reader, CHUNK):
            yield piece


async def _exactly(reader: asyncio.StreamReader, size: int) -> AsyncIterator[bytes]:
    if size < 0:
        raise ValueError(size)
    while size:
        piece = await _some(reader, min(size, CHUNK))
        if not piece:
            raise EOFError
        size -= len(piece)
        yield piece


async def _line(reader: asyncio.StreamReader) -> bytes:
    async with asyncio.timeout(CHECK_SILENCE_SECONDS):
        line = await reader.readuntil(b"\r\n")
    if len(line) > MAX_CHUNK_LINE:
        raise ValueError("a long line")
    return line[:-2]


async def _some(reader: asyncio.StreamReader, size: int) -> bytes:
    async with asyncio.timeout(CHECK_SILENCE_SECONDS):
        return await reader.read(size)

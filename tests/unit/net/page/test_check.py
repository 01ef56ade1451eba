"""Comparison of a place with a manifest: honest places, changed ones, and servers that mean harm."""

import asyncio
from contextlib import asynccontextmanager
from gzip import compress
from pathlib import Path

import pytest

from net.page.check import differences
from net.page.fetch import NoAnswer, Place
from net.page.manifest import Manifest
from net.page.server import PageServer
from protocol.errors import LocalError
from tests.support.page_gate import OpenGate
from tests.support.site_folder import FILES, SCRIPT, served

MANIFEST = Manifest.of("0.1.0", FILES)
NAME = "files/script-0123456789abcdef.js"
HTML = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"


async def keys_of(place: Place, manifest: Manifest = MANIFEST, seconds: float = 20) -> set[str]:
    """Return the keys of the differences."""
    return {told.key for told in await differences(place, manifest, seconds)}


@asynccontextmanager
async def place_of(files):
    """Serve files. Yield the place."""
    server = PageServer("127.0.0.1", 0, files, OpenGate())
    try:
        yield Place("http", "127.0.0.1", server.port, "/")
    finally:
        server.close()


@asynccontextmanager
async def liar(answer):
    """Serve whatever `answer(request, writer)` writes. Yield the place, and the sizes of what was
    taken.
    """

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            await answer(head.split()[1].decode(), writer)
            await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(talk, "127.0.0.1", 0)
    try:
        yield Place("http", "127.0.0.1", server.sockets[0].getsockname()[1], "/")
    finally:
        server.close()


def saying(head: bytes, body: bytes = b""):
    """Return what answers each request with these bytes."""

    async def answer(path: str, writer: asyncio.StreamWriter) -> None:
        writer.write(head + b"\r\n" + body)

    return answer


async def test_place_with_all_files_has_no_difference(tmp_path: Path) -> None:
    async with place_of(served(tmp_path)) as place:
        assert await differences(place, MANIFEST) == []


@pytest.mark.parametrize("name", FILES)
async def test_one_changed_byte_is_found(tmp_path: Path, name: str) -> None:
    files = served(tmp_path)
    data = files[name].data[:-1] + b"!"
    files[name] = files[name]._replace(data=data, packed={"gzip": compress(data)})
    async with place_of(files) as place:
        assert await keys_of(place) == {"web.check.bytes"}


async def test_other_document_for_those_who_take_gzip_is_found(tmp_path: Path) -> None:
    files = served(tmp_path)
    other = files["index.html"].data.replace(b"page", b"Page")
    files["index.html"] = files["index.html"]._replace(packed={"gzip": compress(other)})
    async with place_of(files) as place:
        assert await keys_of(place) == {"web.check.bytes"}


async def test_other_document_for_those_who_take_brotli_is_found(tmp_path: Path) -> None:
    files = served(tmp_path)
    files["index.html"] = files["index.html"]._replace(packed={"br": b"who knows"})
    async with place_of(files) as place:
        assert await keys_of(place) == {"web.check.packed"}


async def test_missing_file_is_found(tmp_path: Path) -> None:
    files = served(tmp_path)
    del files[NAME]
    async with place_of(files) as place:
        assert await keys_of(place) == {"web.check.status"}


async def test_redirect_is_said_and_not_followed() -> None:
    head = b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\x1b[2J\r\n"
    async with liar(saying(head)) as place:
        found = await differences(place, MANIFEST)
    assert {told.key for told in found} == {"web.check.leads"}
    assert all("\x1b" not in str(told.args) for told in found)


@pytest.mark.parametrize("field", (b"Refresh: 0;url=/x", b"Link: </x.css>; rel=stylesheet"))
async def test_field_that_leads_elsewhere_is_said(field: bytes) -> None:
    manifest = Manifest.of("0.1.0", {"index.html": b"a"})
    head = HTML + field + b"\r\nContent-Length: 1\r\n"
    async with liar(saying(head, b"a")) as place:
        assert await keys_of(place, manifest) == {"web.check.field"}


async def test_document_of_other_kind_is_said() -> None:
    manifest = Manifest.of("0.1.0", {"index.html": b"a"})
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 1\r\n"
    async with liar(saying(head, b"a")) as place:
        assert await keys_of(place, manifest) == {"web.check.kind"}


@pytest.mark.parametrize(
    ("head", "body", "key"),
    (
        (HTML + b"Content-Length: 99\r\n", b"a", "web.check.short"),
        (HTML + b"Content-Length: 2\r\n", b"ab", "web.check.long"),
        (HTML, b"ab" * 1_000, "web.check.long"),
        (HTML + b"Content-Length: -1\r\n", b"a", "web.check.short"),
        (HTML + b"Transfer-Encoding: chunked\r\n", b"zz\r\n", "web.check.short"),
        (HTML + b"Transfer-Encoding: chunked\r\n", b"1\r\nb\r\n0\r\n\r\n", "web.check.bytes"),
        (HTML + b"Content-Encoding: gzip\r\n", compress(b"a" * 10_000_000), "web.check.long"),
        (HTML + b"Content-Encoding: gzip\r\n", b"no gzip", "web.check.short"),
        (HTML + b"Content-Encoding: br\r\n", b"a", "web.check.packed"),
    ),
)
async def test_answer_of_wrong_length_is_said(head: bytes, body: bytes, key: str) -> None:
    manifest = Manifest.of("0.1.0", {"index.html": b"a"})
    async with liar(saying(head, body)) as place:
        assert await keys_of(place, manifest) == {key}


async def test_endless_answer_is_read_to_its_bound() -> None:
    sent = 0

    async def endless(path: str, writer: asyncio.StreamWriter) -> None:
        nonlocal sent
        writer.write(HTML + b"\r\n")
        while True:
            writer.write(SCRIPT)
            await writer.drain()
            sent += len(SCRIPT)

    async with liar(endless) as place:
        assert await keys_of(place) == {"web.check.long"}
    assert sent < 100_000_000


async def test_server_that_never_ends_is_left_in_time() -> None:
    async def slow(path: str, writer: asyncio.StreamWriter) -> None:
        writer.write(HTML + b"Content-Length: 37\r\n\r\n")
        while True:
            writer.write(b"x")
            await writer.drain()
            await asyncio.sleep(60)

    async with liar(slow) as place:
        with pytest.raises(NoAnswer):
            await differences(place, MANIFEST, 0.5)


async def test_place_without_http_cannot_be_reached() -> None:
    async with liar(saying(b"SSH-2.0-something\r\n")) as place:
        with pytest.raises(NoAnswer):
            await differences(place, MANIFEST)


async def test_head_without_end_is_bounded() -> None:
    async with liar(saying(HTML + b"A: " + b"x" * 1_000_000)) as place:
        with pytest.raises(NoAnswer):
            await differences(place, MANIFEST)


@pytest.mark.parametrize(
    ("text", "place"),
    (
        ("https://play.example.org", "https://play.example.org/"),
        ("https://play.example.org/a/index.html#wss://x", "https://play.example.org/a/"),
        ("http://192.168.1.5:7581", "http://192.168.1.5:7581/"),
        ("http://[::1]:80/", "http://[::1]/"),
    ),
)
def test_place_is_read(text: str, place: str) -> None:
    assert str(Place.parse(text)) == place


@pytest.mark.parametrize(
    "text",
    (
        "",
        "play.example.org",
        "ftp://a/",
        "https:///a",
        "https://a:b/",
        "https://u@a/",
        "http://a/ b",
    ),
)
def test_text_that_is_no_place_is_refused(text: str) -> None:
    with pytest.raises(LocalError):
        Place.parse(text)

"""Server of a page: what it answers, and how little a stranger can make it do."""

import asyncio
import socket
from contextlib import asynccontextmanager
from gzip import decompress
from pathlib import Path

import pytest

from net.listener import Listener
from net.page.server import PageServer, Visit, VisitBounds
from protocol.limits import VISIT_PIECE
from tests.support.page_gate import OpenGate
from tests.support.site_folder import FILES, SCRIPT, served

NAME = "/files/script-0123456789abcdef.js"


@asynccontextmanager
async def page(folder: Path, group=lambda peer: peer[0], **bounds):
    """Serve a small page."""
    server = PageServer("127.0.0.1", 0, served(folder), OpenGate(group), VisitBounds(**bounds))
    try:
        yield server
    finally:
        server.close()


async def ask(server: PageServer, head: str) -> tuple[str, dict[str, str], bytes]:
    """Send a request. Return first line, fields and body of the answer."""
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    writer.write(head.replace("\n", "\r\n").encode() + b"\r\n\r\n")
    async with asyncio.timeout(20):
        answer = await reader.read()
    writer.close()
    top, _, body = answer.partition(b"\r\n\r\n")
    line, *rest = top.decode().split("\r\n")
    return line, dict(each.lower().split(": ", 1) for each in rest), body


async def test_document_comes_with_policy_and_type(tmp_path: Path) -> None:
    async with page(tmp_path) as server:
        line, fields, body = await ask(server, "GET / HTTP/1.1\nHost: whatever")
    assert line == "HTTP/1.1 200 OK" and body == FILES["index.html"]
    assert fields["content-type"] == "text/html; charset=utf-8"
    assert "frame-ancestors 'none'" in fields["content-security-policy"]
    assert fields["cache-control"] == "no-cache" and fields["etag"]


async def test_packed_copy_goes_to_who_accepts_it(tmp_path: Path) -> None:
    async with page(tmp_path) as server:
        head = f"GET {NAME} HTTP/1.1\nAccept-Encoding: "
        packed, plain, refused = [
            await ask(server, head + each) for each in ("gzip, br", "br", "gzip;q=0, br")
        ]
    assert packed[1]["content-encoding"] == "gzip" and decompress(packed[2]) == SCRIPT
    assert len(packed[2]) < len(SCRIPT) and "immutable" in packed[1]["cache-control"]
    for _, fields, body in (plain, refused):
        assert "content-encoding" not in fields and body == SCRIPT


async def test_known_digest_is_answered_without_body(tmp_path: Path) -> None:
    async with page(tmp_path) as server:
        _, fields, _ = await ask(server, f"GET {NAME} HTTP/1.1")
        line, _, body = await ask(server, f"GET {NAME} HTTP/1.1\nIf-None-Match: {fields['etag']}")
    assert line.startswith("HTTP/1.1 304") and body == b""


@pytest.mark.parametrize(
    ("request_line", "status"),
    (
        ("GET /../../etc/passwd HTTP/1.1", 404),
        ("GET /files/../index.html HTTP/1.1", 404),
        ("GET //index.html HTTP/1.1", 404),
        ("GET /%2e%2e/index.html HTTP/1.1", 404),
        ("GET http://elsewhere/ HTTP/1.1", 404),
        ("POST / HTTP/1.1", 405),
        ("GET /", 400),
        ("\x16\x03\x01", 400),
        ("", 400),
    ),
)
async def test_other_request_is_refused(tmp_path: Path, request_line: str, status: int) -> None:
    async with page(tmp_path) as server:
        line, _, body = await ask(server, request_line)
    assert line.startswith(f"HTTP/1.1 {status} ") and b"passwd" not in body


async def test_head_without_end_is_refused_at_bound(tmp_path: Path) -> None:
    async with page(tmp_path) as server:
        line, _, _ = await ask(server, "GET / HTTP/1.1\nA: " + "x" * 9_000)
    assert line.startswith("HTTP/1.1 431 ")


async def test_silent_visitor_is_dropped(tmp_path: Path) -> None:
    async with page(tmp_path, request_seconds=0.05) as server:
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        async with asyncio.timeout(20):
            with pytest.raises((ConnectionError, asyncio.IncompleteReadError)):
                await reader.readexactly(1)
        writer.close()


class Watched(Visit):
    """Notes how much of an answer waits in the process."""

    most = 0

    def pause_writing(self) -> None:
        super().pause_writing()
        self.look()

    def look(self) -> None:
        Watched.most = max(Watched.most, self._transport.get_write_buffer_size())


@asynccontextmanager
async def large_page(folder: Path, size: int, **bounds):
    """Serve a large document, and watch what waits in the process."""
    files = served(folder)
    large = files["index.html"]._replace(data=bytes(size))
    Watched.most = 0

    def listen(host: str, port: int, admits, make) -> Listener:
        return Listener(host, port, admits, lambda: Watched(server))

    server = PageServer(
        "127.0.0.1",
        0,
        files | {"index.html": large},
        OpenGate(lambda peer: peer[0]),
        bounds=VisitBounds(**bounds),
        listen=listen,
    )
    try:
        yield server
    finally:
        server.close()


def small_line(server: PageServer) -> socket.socket:
    """Connect with little room for what comes, and ask for the document."""
    line = socket.socket()
    line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
    line.connect(("127.0.0.1", server.port))
    line.sendall(b"GET / HTTP/1.1\r\n\r\n")
    line.setblocking(False)
    return line


async def test_visitor_who_reads_nothing_is_dropped(tmp_path: Path) -> None:
    async with large_page(tmp_path, 30_000_000, stall_seconds=0.2) as server:
        with small_line(server):
            async with asyncio.timeout(20):
                while not Watched.most:
                    await asyncio.sleep(0.01)
                while server.visits:
                    await asyncio.sleep(0.01)


async def test_visitor_who_keeps_its_last_bytes_unread_is_dropped(tmp_path: Path) -> None:
    # the system has taken all of the answer, and the visitor none of it
    async with large_page(tmp_path, 20_000, stall_seconds=0.2) as server:
        with small_line(server) as line:
            loop = asyncio.get_running_loop()
            async with asyncio.timeout(20):
                while not server.visits:
                    await asyncio.sleep(0.01)
                while server.visits:
                    await asyncio.sleep(0.01)
                with pytest.raises(ConnectionResetError):
                    while await loop.sock_recv(line, 1_000):
                        pass


async def test_answer_waits_piece_by_piece_for_slow_visitor(tmp_path: Path) -> None:
    size = 3_000_000
    async with large_page(tmp_path, size) as server:
        with small_line(server) as line:
            come = 0
            async with asyncio.timeout(60):
                while not Watched.most:
                    await asyncio.sleep(0.01)
                while data := await asyncio.get_running_loop().sock_recv(line, 2_000):
                    come += len(data)
        assert size < come < size + 2_000
    assert 0 < Watched.most <= VISIT_PIECE


async def test_visitor_who_hangs_up_its_half_gets_all(tmp_path: Path) -> None:
    async with large_page(tmp_path, 3_000_000) as server:
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(b"GET / HTTP/1.1\r\n\r\n")
        writer.write_eof()
        async with asyncio.timeout(20):
            assert len(await reader.read()) > 3_000_000
        writer.close()


async def test_bytes_that_were_not_sent_do_not_count(tmp_path: Path) -> None:
    bounds = {"bytes_at_once": 4_000_000, "bytes_per_second": 0}
    async with large_page(tmp_path, 3_000_000, **bounds) as server:
        for _ in range(4):
            reader, writer = await asyncio.open_connection("127.0.0.1", server.port, limit=1_000)
            writer.write(b"GET / HTTP/1.1\r\n\r\n")
            async with asyncio.timeout(20):
                assert b" 200 " in await reader.readline()
                writer.transport.abort()
                while server.visits:
                    await asyncio.sleep(0.01)


async def test_full_server_drops_longest_idle_of_largest_address(tmp_path: Path) -> None:
    addresses = iter(["crowd", "crowd", "guest", "crowd"])
    async with page(tmp_path, lambda peer: next(addresses), visits=3, visits_here=8) as server:
        opened = []
        for count in (1, 2, 3):
            opened.append(await asyncio.open_connection("127.0.0.1", server.port))
            async with asyncio.timeout(20):
                while server.visits != count:
                    await asyncio.sleep(0.005)
        opened.append(await asyncio.open_connection("127.0.0.1", server.port))
        async with asyncio.timeout(20):
            with pytest.raises((ConnectionError, asyncio.IncompleteReadError)):
                await opened[0][0].readexactly(1)
        opened[2][1].write(b"GET / HTTP/1.1\r\n\r\n")
        assert (await opened[2][0].readline()).startswith(b"HTTP/1.1 200")
        for _, writer in opened:
            writer.close()


async def test_visitor_who_reads_makes_no_room_for_newcomers(tmp_path: Path) -> None:
    size = 3_000_000
    async with large_page(tmp_path, size, visits_here=2) as server:
        with small_line(server) as line:
            come, idle = 0, []
            async with asyncio.timeout(60):
                while data := await asyncio.get_running_loop().sock_recv(line, 20_000):
                    if come // 100_000 < (come + len(data)) // 100_000:
                        idle.append(await asyncio.open_connection("127.0.0.1", server.port))
                    come += len(data)
        assert come > size and len(idle) > 20
        for _, writer in idle:
            writer.close()


async def test_bytes_of_one_address_have_a_rate(tmp_path: Path) -> None:
    bounds = {"bytes_at_once": 2 * len(SCRIPT), "bytes_per_second": 0}
    async with page(tmp_path, lambda peer: "here", **bounds) as server:
        lines = [(await ask(server, f"GET {NAME} HTTP/1.1"))[0] for _ in range(3)]
    assert [line.split()[1] for line in lines] == ["200", "200", "429"]


async def test_counted_addresses_are_bounded(tmp_path: Path) -> None:
    counter = iter(range(100))
    async with page(tmp_path, lambda peer: str(next(counter)), visitors=3) as server:
        for _ in range(6):
            await ask(server, "GET / HTTP/1.1")
        assert server.visitors == 3

"""The page that a table serves: its options, its address, and whom the WebSocket lets in."""

import asyncio
import zipfile
from pathlib import Path

import pytest

from protocol.errors import LocalError
from protocol.identity.keys import JoinLink
from table.__main__ import make_config, make_parser
from table.manager.server import TableServer
from tests.support.site_folder import write_folder
from web.release import write_wheel


def config(data: Path, *words: str):
    """Return the configuration of a table with these options."""
    return make_config(
        make_parser().parse_args(
            ["--data", str(data), "--listen", "127.0.0.1:0", "--workers=0", *words]
        )
    )


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Install a small page."""
    write_folder(tmp_path / "built")
    with zipfile.ZipFile(write_wheel(tmp_path / "built", tmp_path / "wheels")) as file:
        file.extractall(tmp_path / "site")
    monkeypatch.syspath_prepend(tmp_path / "site")


def test_page_opens_websocket_at_usual_ports(tmp_path: Path) -> None:
    ways = config(tmp_path, "--web").ways
    assert ways.page == ("127.0.0.1", 7581) and ways.web == ("127.0.0.1", 7580)
    ways = config(tmp_path, "--web", "127.0.0.2:80", "--ws", "81").ways
    assert ways.page == ("127.0.0.2", 80) and ways.web == ("127.0.0.1", 81)


async def shake(port: int, origin: str) -> str:
    """Ask for the WebSocket as a page of this origin does. Return the status of the answer."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    fields = (
        "GET /fairdeal HTTP/1.1",
        f"Host: 127.0.0.1:{port}",
        f"Origin: {origin}",
        "Upgrade: websocket",
        "Connection: Upgrade",
        "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
    )
    writer.write(("\r\n".join(fields) + "\r\n\r\n").encode())
    async with asyncio.timeout(20):
        status = (await reader.readline()).split()[1].decode()
    writer.close()
    return status


async def test_link_leads_to_page_whose_origin_alone_is_let_in(
    installed: None, tmp_path: Path
) -> None:
    words = ("--web", "127.0.0.1:0", "--ws", "127.0.0.1:0")
    async with TableServer(config(tmp_path / "table", *words)) as table:
        link = table.page_link
        assert link is not None and link == table.web_link
        assert JoinLink.parse(str(link)).page == link.page == f"http://127.0.0.1:{table.page_port}/"
        own = link.page.rstrip("/")
        others = (
            f"http://127.0.0.1:{link.port}",
            f"http://localhost:{table.page_port}",
            f"https://127.0.0.1:{table.page_port}",
            "null",
        )
        assert await shake(link.port, own) == "101"
        assert [await shake(link.port, origin) for origin in others] == ["403"] * len(others)
        reader, writer = await asyncio.open_connection("127.0.0.1", table.page_port)
        writer.write(b"GET / HTTP/1.1\r\nHost: rebound.example\r\n\r\n")
        assert (await reader.read()).endswith(b"<title>a page</title>\n")
        writer.close()


async def test_table_without_installed_page_says_what_to_install(tmp_path: Path) -> None:
    with pytest.raises(LocalError) as error:
        async with TableServer(config(tmp_path / "table", "--web", "127.0.0.1:0")):
            pass
    assert error.value.phrase.key == "wrong.page.none"


async def test_page_ends_when_the_table_cannot_listen(installed: None, tmp_path: Path) -> None:
    async with TableServer(config(tmp_path / "one")) as one:
        words = ("--web", "127.0.0.1:0", "--listen", f"127.0.0.1:{one.link.port}")
        with pytest.raises(LocalError) as error:
            async with TableServer(config(tmp_path / "two", *words)):
                pass
    assert error.value.phrase.key == "wrong.listen.taken"

"""The page that a table serves: its options, its address, and whom the WebSocket lets in."""

import asyncio
import resource
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from net.page.server import PageServer, VisitBounds
from protocol.errors import LocalError
from protocol.identity.keys import JoinLink
from table.__main__ import make_config, make_parser
from table.config import Bounds
from table.manager.server import TableServer
from table.net.listeners.trusted_proxies import parse_networks
from table.net.page_door import PageGate
from table.net.refusal_log import RefusalLog
from tests.support.site_folder import FILES, packages_with_page, served


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
    monkeypatch.syspath_prepend(packages_with_page(tmp_path))


def test_page_opens_websocket_at_usual_ports(tmp_path: Path) -> None:
    ways = config(tmp_path, "--web").ways
    assert ways.page == ("127.0.0.1", 7581) and ways.web == ("127.0.0.1", 7580)
    ways = config(tmp_path, "--web", "127.0.0.2:80", "--ws", "81").ways
    assert ways.page == ("127.0.0.2", 80) and ways.web == ("127.0.0.1", 81)


async def test_visitors_of_the_page_take_no_descriptors_of_players(
    installed: None, tmp_path: Path
) -> None:
    bounds = ("--bound", "connections=8", "--bound", "reserve=8", "--bound", "outside=8")

    async def limit(name: str, *words: str) -> int:
        """Return how many descriptors the process may have once a table is open."""
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (psutil.Process().num_fds() + 64, hard))
        try:
            async with TableServer(config(tmp_path / name, *bounds, *words)):
                return resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))

    alone = await limit("alone", "--ws", "127.0.0.1:0")
    with_page = await limit("page", "--ws", "127.0.0.1:0", "--web", "127.0.0.1:0")
    assert with_page - alone >= VisitBounds().visits


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
        (link,) = table.page_links
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


PROXY, OTHER = "127.0.0.2", "127.0.0.3"


@asynccontextmanager
async def page_with(
    folder: Path, proxies: tuple[str, ...] = (), visits: VisitBounds | None = None, **rates
):
    """Serve a small page behind a table's gate with these rates."""
    gate = PageGate(Bounds(**rates), RefusalLog(), parse_networks(proxies))
    server = PageServer("127.0.0.1", 0, served(folder), gate, visits)
    try:
        yield server
    finally:
        server.close()


async def visit(server: PageServer, local: str = "127.0.0.1", *fields: str) -> int:
    """Ask for the document from this address. Return the status of the answer."""
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port, local_addr=(local, 0))
    writer.write(("\r\n".join(("GET / HTTP/1.1", *fields)) + "\r\n\r\n").encode())
    async with asyncio.timeout(20):
        answer = await reader.read()
    writer.close()
    return int(answer.split()[1])


async def test_arrivals_of_one_address_have_a_rate(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    rates = {"arrivals_per_address": (3, 0.001)}
    async with page_with(tmp_path, **rates) as server:
        assert [await visit(server) for _ in range(5)] == [200] * 3 + [503] * 2
        assert await visit(server, OTHER) == 200
    (said,) = [text for text in caplog.messages if "turned away" in text]
    assert "too many in a short time from their address" in said


async def test_who_comes_rarely_finds_the_page_in_a_rush(tmp_path: Path) -> None:
    rates = {"arrivals": (3, 0.001), "rare_arrivals_per_address": (2, 0.001)}
    async with page_with(tmp_path, **rates) as server:
        assert [await visit(server) for _ in range(7)] == [200] * 5 + [503] * 2
        assert await visit(server, OTHER) == 200


async def test_named_proxy_says_for_whom_it_asks(tmp_path: Path) -> None:
    rates = {"arrivals_per_address": (2, 0.001)}
    async with page_with(tmp_path, (PROXY,), **rates) as server:
        assert await visit(server, PROXY) == 400
        assert await visit(server, PROXY, "X-Forwarded-For: somebody") == 400
        # what stands before the last address, anybody may have written
        for first in ("192.0.2.1", "192.0.2.2"):
            asked = f"X-Forwarded-For: {first}, 192.0.2.7"
            assert await visit(server, PROXY, asked) == 200
        assert await visit(server, PROXY, "X-Forwarded-For: 192.0.2.3, 192.0.2.7") == 503
        assert await visit(server, PROXY, "X-Forwarded-For: 192.0.2.8") == 200


async def test_word_of_unnamed_proxy_counts_for_nothing(tmp_path: Path) -> None:
    rates = {"arrivals_per_address": (2, 0.001)}
    async with page_with(tmp_path, (PROXY,), **rates) as server:
        asked = [f"X-Forwarded-For: 192.0.2.{last}" for last in range(3)]
        assert [await visit(server, OTHER, each) for each in asked] == [200, 200, 503]


async def test_bounds_of_a_proxys_visitors_are_their_own(tmp_path: Path) -> None:
    bounds = VisitBounds(bytes_at_once=len(FILES["index.html"]), bytes_per_second=0)
    async with page_with(tmp_path, (PROXY,), bounds) as server:
        for last, status in ((1, 200), (1, 429), (2, 200)):
            assert await visit(server, PROXY, f"X-Forwarded-For: 192.0.2.{last}") == status


async def test_silent_connections_of_a_proxy_make_room_for_its_visitors(tmp_path: Path) -> None:
    bounds = VisitBounds(visits=4, visits_here=2)
    async with page_with(tmp_path, (PROXY,), bounds) as server:
        idle = []
        for _ in range(8):
            idle.append(
                await asyncio.open_connection("127.0.0.1", server.port, local_addr=(PROXY, 0))
            )
            assert await visit(server, PROXY, "X-Forwarded-For: 192.0.2.1") == 200
            assert await visit(server, OTHER) == 200
        assert server.visits <= 4
        for _, writer in idle:
            writer.close()


def test_addresses_of_one_organisation_count_as_one_visitor() -> None:
    async def addresses() -> set[str | None]:
        gate = PageGate(Bounds(), RefusalLog())
        return {gate.address((f"2001:db8:1:{last}::5", 1, 0, 0)) for last in range(4)}

    assert asyncio.run(addresses()) == {"2001:db8:1::/48"}


async def test_visits_take_no_arrivals_of_the_table(installed: None, tmp_path: Path) -> None:
    asked = config(tmp_path / "table", "--web", "127.0.0.1:0", "--ws", "127.0.0.1:0")
    bounds = Bounds(arrivals_per_address=(3, 0.001))
    async with TableServer(replace(asked, bounds=bounds)) as table:
        seen = []
        for _ in range(5):
            reader, writer = await asyncio.open_connection("127.0.0.1", table.page_port)
            writer.write(b"GET / HTTP/1.1\r\n\r\n")
            seen.append(int((await reader.read()).split()[1]))
            writer.close()
        assert seen == [200] * 3 + [503] * 2
        link = table.web_link
        assert link is not None
        assert await shake(link.port, f"http://127.0.0.1:{table.page_port}") == "101"

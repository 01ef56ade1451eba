"""WebSocket port over real sockets: the same matches as over TCP, and limits for other clients."""

import asyncio
import socket
import sys
from random import Random

import pytest
from websockets.exceptions import InvalidStatus

from bots.dominoes import greedy_bot
from player.client.table_client import Plan
from protocol.audit.verdict import Verdict, audit
from protocol.codes import Code
from protocol.identity.keys import Identity, JoinLink
from protocol.limits import MAX_FRAME, MAX_UPGRADE
from protocol.session.session import Role, Session
from table.manager.server import TableServer
from tests.support.doors import HERE, closed_with, raw, request, stranger, ways
from tests.support.play import play
from tests.support.tables import config, guest, surviving, until
from tests.support.wire_client import Player, WireClient


async def at_the_web_door(table: TableServer, seed: int = 1, name: str = "Web") -> WireClient:
    return await (await WireClient(table.web_link, seed, name).connect()).greet()


def first_frame() -> bytes:
    """Return the first frame of a player."""
    rng = Random(5)
    return Session(Role.PLAYER, Identity(rng.randbytes(32)), rng.randbytes(32), rng).start()


@pytest.mark.match
async def test_match_over_tcp_and_websocket_is_clean(tmp_path):
    """Uses the programs' own connections: one over TCP, one over the WebSocket."""
    async with TableServer(config(tmp_path / "table", ways=ways())) as table:
        log = tmp_path / "ann.fairdeal"
        links = {"Ann": table.web_link, "Bob": table.link}
        outcomes = await asyncio.gather(
            *(
                play(
                    link,
                    Identity(Random(name).randbytes(32)),
                    name,
                    greedy_bot,
                    rng=Random(name),
                    plan=Plan(name),
                    log_path=log if name == "Ann" else None,
                )
                for name, link in links.items()
            )
        )
        assert [outcome.verdict for outcome in outcomes] == [Verdict.CLEAN, Verdict.CLEAN]
        assert audit(log.read_bytes()).verdict is Verdict.CLEAN
        await until(lambda: not table.connections)
        assert not table.metrics.errors


@pytest.mark.slow
async def test_invitation_table_works_over_websocket(tmp_path):
    async with TableServer(config(tmp_path, ways=ways(), invite=True)) as table:
        assert table.web_link.invite == table.link.invite != b""
        assert JoinLink.parse(str(table.web_link)) == table.web_link
        ann = await at_the_web_door(table)
        await ann.close()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "headers", "status"),
    [
        ("/", {}, 404),
        ("/fairdeal/", {}, 404),
        ("/fairdeal?a=b", {}, 404),
        ("", {"Origin": "https://example.org"}, 403),  # a page in a browser
        ("", {"Origin": "null"}, 403),
    ],
)
async def test_websocket_refuses_forbidden_requests(tmp_path, path, headers, status):
    async with TableServer(config(tmp_path, ways=ways())) as table:
        with pytest.raises(InvalidStatus) as refused:
            async with stranger(table, path, additional_headers=headers):
                pass
        assert refused.value.response.status_code == status
        await until(lambda: not table.connections)


PAGE = "https://play.example.org"


@pytest.mark.slow
@pytest.mark.parametrize("origin", [None, PAGE])
async def test_websocket_takes_programs_and_pages_of_named_origins(tmp_path, origin):
    headers = {} if origin is None else {"Origin": origin}
    async with (
        TableServer(config(tmp_path, ways=ways(origins=(PAGE,)))) as table,
        stranger(table, additional_headers=headers) as line,
    ):
        assert line.response.status_code == 101


@pytest.mark.slow
@pytest.mark.parametrize(
    "origin", [f"{PAGE}.evil.test", "http://play.example.org", f"{PAGE}:8443", "null"]
)
async def test_websocket_refuses_pages_of_other_origins(tmp_path, origin):
    async with TableServer(config(tmp_path, ways=ways(origins=(PAGE,)))) as table:
        with pytest.raises(InvalidStatus) as refused:
            async with stranger(table, additional_headers={"Origin": origin}):
                pass
        assert refused.value.response.status_code == 403


@pytest.mark.slow
@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        (b"GET /fairdeal HTTP/1.1\r\nHost: x\r\n\r\n", b"HTTP/1.1 426 "),
        (b"POST /fairdeal HTTP/1.1\r\nHost: x\r\n\r\n", b""),
        (b"\x16\x03\x01", b""),
        (b"GET \x16\r\n\r\n", b""),
        (request("/fairdeal", "X: " + "x" * 10_000), b""),
        (b"GET " + b"x" * MAX_UPGRADE, b"HTTP/1.1 431 "),
        (request("/fairdeal", "Sec-WebSocket-Extensions: permessage-deflate"), b"HTTP/1.1 101 "),
    ],
)
async def test_websocket_request_gets_right_answer(tmp_path, asked, answer):
    async with TableServer(
        config(tmp_path, ways=ways(), bounds={"handshake_seconds": 30})
    ) as table:
        reader, writer = await raw(table, asked)
        let_in = answer == b"HTTP/1.1 101 "
        said = await asyncio.wait_for(
            reader.readuntil(b"\r\n\r\n") if let_in else reader.read(), 60
        )
        assert said.startswith(answer) and b"Sec-WebSocket-Extensions" not in said
        assert (said == b"") == (answer == b"") or b" 4" in said[:16]
        writer.close()
        await until(lambda: not table.connections)


async def sent_text(line):
    await line.send("hello")


async def sent_half_a_frame(line):
    await line.send(first_frame()[:-1])


async def sent_two_frames(line):
    await line.send(first_frame() * 2)


async def sent_nothing_in_a_message(line):
    await line.send(b"")


async def sent_too_much(line):
    await line.send(bytes(MAX_FRAME + 5))


async def sent_too_much_in_pieces(line):
    async def pieces():
        for _ in range(17):
            yield bytes(4_096)

    await line.send(pieces())


@pytest.mark.slow
@pytest.mark.parametrize(
    "fault",
    [
        sent_text,
        sent_half_a_frame,
        sent_two_frames,
        sent_nothing_in_a_message,
        sent_too_much,
        sent_too_much_in_pieces,
    ],
)
async def test_message_other_than_one_frame_closes_websocket(tmp_path, fault):
    async with (
        TableServer(config(tmp_path, ways=ways())) as table,
        stranger(table, max_size=None) as line,
    ):
        await fault(line)
        await closed_with(line)
        assert table.metrics.errors == {Code.FRAME_SIZE: 1}
        await until(lambda: not table.connections)


@pytest.mark.slow
async def test_greeted_client_learns_reason_of_dismissal(tmp_path):
    async with TableServer(config(tmp_path, ways=ways())) as table:
        ann = await at_the_web_door(table)
        ann.writer.transport._line.protocol.send_text(b"hello")
        await ann.send("list")
        await ann.expect_closed(Code.FRAME_SIZE, error=Code.FRAME_SIZE)
        await ann.close()


@pytest.mark.slow
async def test_a_message_in_pieces_is_a_message(tmp_path):
    """Proxies may split messages (RFC 6455, 5.4)."""
    async with TableServer(config(tmp_path, ways=ways())) as table, stranger(table) as line:
        frame = first_frame()
        await line.send(bytes([byte]) for byte in frame)
        answer = await asyncio.wait_for(line.recv(), 60)
        assert int.from_bytes(answer[:4], "big") == len(answer) - 4


@pytest.mark.slow
async def test_a_frame_of_the_websocket_must_end_in_time(tmp_path):
    """Slow bytes would keep the connection open for ever. Over TCP the same limit counts from the
    first byte of a frame.
    """
    async with TableServer(
        config(tmp_path, ways=ways(), bounds={"frame_seconds": 0.1, "close_seconds": 1.5})
    ) as table:
        ann = await at_the_web_door(table)
        # beginning of a binary message of more than 125 bytes
        ann.writer.transport._line.transport.write(b"\x82\xfe")
        await ann.expect_closed(Code.TOO_SLOW, error=Code.TOO_SLOW)
        await ann.close()


@pytest.mark.slow
@pytest.mark.parametrize(
    "begun", [b"", b"GET /fairdeal HTTP/1.1\r\n", request(), request() + b"\x82\xfe"]
)
async def test_client_without_hello_is_dropped(tmp_path, begun):
    async with TableServer(
        config(tmp_path, ways=ways(), bounds={"handshake_seconds": 0.1})
    ) as table:
        reader, writer = await raw(table, begun)
        await asyncio.wait_for(reader.read(), 60)
        writer.close()
        await until(lambda: not table.connections)
        assert table.metrics.no_hello == 1


@pytest.mark.slow
async def test_pings_count_as_frames(tmp_path):
    """So a client that floods with pings is read more slowly, and only this client."""
    bounds = {"frames": (50, 50)}
    async with (
        TableServer(config(tmp_path, ways=ways(), bounds=bounds)) as table,
        stranger(table) as line,
    ):
        line.transport.write(b"\x89\x80\0\0\0\0" * 10_000)  # empty pings
        await until(lambda: table.metrics.pauses)
        honest = await guest(table, 2, "Ann")
        await honest.send("list")
        await honest.expect("tables")
        await honest.close()
        assert any(connection.intake.waiting for connection in table.connections)
        line.transport.abort()


@pytest.mark.slow
async def test_websocket_peer_that_does_not_read_is_cut_off(tmp_path):
    """Data in the socket's buffer counts too, as for any client."""
    async with TableServer(config(tmp_path, ways=ways(), bounds={"queued": 300_000})) as table:
        ann = await at_the_web_door(table)
        ann.writer.transport._line.transport.pause_reading()
        (connection,) = table.connections
        connection._transport.get_extra_info("socket").setsockopt(
            socket.SOL_SOCKET, socket.SO_SNDBUF, 4_096
        )
        async with asyncio.timeout(60):
            while connection.open:
                assert connection.queued <= 300_000 and table.queued == connection.queued
                connection.send(bytes(20_000))
                await asyncio.sleep(0)
        await until(lambda: not table.connections)
        assert table.metrics.slow_readers == 1 and table.queued == 0
        ann.writer.transport.abort()


@pytest.mark.slow
async def test_bounds_count_tcp_and_websocket_together(tmp_path):
    async with TableServer(config(tmp_path, ways=ways(), bounds={"per_address": 2})) as table:
        ann, bob = await guest(table, 1, "Ann"), await at_the_web_door(table, 2, "Bob")
        reader, writer = await raw(table)
        assert (await asyncio.wait_for(reader.read(), 60)).startswith(b"HTTP/1.1 503 ")
        assert table.metrics.refused == {"crowded": 1}
        writer.close()
        await ann.close()
        await bob.close()


@pytest.mark.match
async def test_strangers_at_websocket_stop_no_match(tmp_path):
    bounds = {"half_open": 8, "handshake_seconds": 60}
    async with surviving(tmp_path, bounds=bounds, ways=ways()) as table:
        slow = [
            await raw(table, begun)
            for begun in (b"", b"GET", request(), request() + b"\x82\xff") * 4
        ]
        async with stranger(table) as text:
            await sent_text(text)
            await closed_with(text)
        clients = [await at_the_web_door(table, 1, "Ann"), await guest(table, 2, "Bob")]
        for client in clients:
            await client.join()
        async with asyncio.timeout(240):
            players = await asyncio.gather(*(Player(client).run() for client in clients))
        assert (
            audit(players[0].file).verdict is Verdict.CLEAN and players[0].file == players[1].file
        )
        for client in clients:
            await client.close()
        for _, writer in slow:
            writer.close()
        await until(lambda: not table.connections)


@pytest.mark.process
async def test_programs_meet_over_tcp_and_websocket(tmp_path):
    """`fairdeal host --ws` prints both links, and any program accepts either."""
    table = await started(
        "table",
        "--listen",
        f"{HERE}:0",
        "--ws",
        "0",
        "--option",
        "target=1",
        "--option",
        "hand=1",
        "--once",
        "--data",
        str(tmp_path / "table"),
    )
    said = [(await table.stdout.readline()).decode().strip() for _ in range(5)]
    assert said[3] == "For players whose network blocks this link, there is the WebSocket link:"
    links = said[0], said[4].split()[-1]
    assert links[1].startswith("fairdeal+ws://127.0.0.1:")
    players = [
        await started(
            "player",
            link,
            "--name",
            name,
            "--bot",
            "greedy",
            "--data",
            str(tmp_path / name),
            "--log",
            str(tmp_path / f"{name}.fairdeal"),
        )
        for name, link in zip(("Ann", "Bob"), links, strict=True)
    ]
    async with asyncio.timeout(240):
        assert [await each.wait() for each in (*players, table)] == [0, 0, 0]
    logs = [(tmp_path / f"{name}.fairdeal").read_bytes() for name in ("Ann", "Bob")]
    assert logs[0] == logs[1] and audit(logs[0]).verdict is Verdict.CLEAN


async def started(*words: str) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        *words,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )

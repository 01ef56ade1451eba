"""Malformed bytes that no player sends: each gets its error, and the table plays on."""

import asyncio
import contextlib

import pytest

from protocol.codes import Code
from protocol.limits import MAX_FRAME, MAX_HANDSHAKE_FRAME, MAX_MESSAGE, TALK_ENVELOPE
from protocol.messages import table as messages
from protocol.messages.table import VERSION
from protocol.session.session import SessionClosed
from table.manager.server import TableServer
from tests.support.tables import close_all, config, guest, sanity, surviving, until
from tests.support.wire_client import WireClient

pytestmark = pytest.mark.slow

CROWD = {"per_address": 1000, "half_open": 1000}
LENGTHS = (
    0,
    1,
    MAX_HANDSHAKE_FRAME,
    MAX_HANDSHAKE_FRAME + 1,
    MAX_FRAME,
    MAX_FRAME + 1,
    2**31,
    2**32 - 1,
)


async def fresh(table: TableServer, seed: int = 1) -> WireClient:
    return await WireClient(table.link, seed).connect()


@pytest.mark.parametrize("length", LENGTHS)
async def test_frame_length_before_handshake_is_bounded(tmp_path, length):
    async with surviving(tmp_path) as table:
        client = await fresh(table)
        await client.write(length.to_bytes(4, "big") + bytes(min(length, MAX_HANDSHAKE_FRAME)))
        if length == MAX_HANDSHAKE_FRAME:  # a handshake with a key of zeros
            assert len(client.session.start()) < length
        if length == 1 or length == MAX_HANDSHAKE_FRAME:
            client.writer.write_eof()
        assert await client.read_to_end() == b""
        await client.close()


@pytest.mark.parametrize("length", LENGTHS)
async def test_frame_length_after_handshake_is_bounded(tmp_path, length):
    async with surviving(tmp_path) as table:
        client = await guest(table)
        body = bytes(min(length, MAX_FRAME))
        await client.write(length.to_bytes(4, "big") + body)
        wrong_length = length == 0 or length > MAX_FRAME
        await client.expect_closed(Code.FRAME_SIZE if wrong_length else Code.BAD_RECORD)
        await client.close()


async def test_excessive_announced_length_is_refused_before_its_bytes(tmp_path):
    async with surviving(tmp_path) as table:
        client = await guest(table)
        await client.write((MAX_FRAME + 1).to_bytes(4, "big"))
        await client.expect_closed(Code.FRAME_SIZE)
        await client.close()


@pytest.mark.parametrize(
    "data",
    [
        b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
        bytes.fromhex("16030100f1010000ed0303") + bytes(range(230)),  # a TLS hello
        b"SSH-2.0-OpenSSH_9.6\r\n",
        bytes(range(256)) * 40,
        b"\xff" * 70_000,
    ],
    ids=["http", "tls", "ssh", "garbage", "ones"],
)
@pytest.mark.parametrize("greeted", [False, True])
async def test_garbage_bytes_end_the_connection(tmp_path, data, greeted):
    async with surviving(tmp_path) as table:
        client = await (guest(table) if greeted else fresh(table))
        await client.write(data)
        if greeted:
            await client.expect_closed(Code.FRAME_SIZE)
        else:
            assert await client.read_to_end() == b""
        await client.close()


async def conversation(table: TableServer, stop: int, seed: int) -> WireClient:
    """Make a handshake and hello of which the table gets only the first `stop` bytes."""
    client = await fresh(table, seed)
    sent = 0

    async def send(data: bytes) -> bool:
        nonlocal sent
        await client.write(data[: stop - sent])
        sent += len(data)
        return sent >= stop

    if await send(client.session.start()):
        return client
    while not client.session.writable:
        client._take(await client.read())
    if await send(client.session.take_handshake_bytes()):
        return client
    await send(client.record("hello", VERSION, "Cut"))
    return client


async def whole_length(table: TableServer) -> int:
    """Return the number of bytes of a whole handshake and hello."""
    client = await fresh(table)
    first = client.session.start()
    await client.write(first)
    client._take(await client.read())
    last = client.session.take_handshake_bytes()
    size = len(first) + len(last) + len(client.record("hello", VERSION, "Cut"))
    await client.close(polite=False)
    return size


async def test_connection_cut_at_every_byte_is_closed(tmp_path):
    async with surviving(tmp_path, bounds=CROWD) as table:
        for stop in range(await whole_length(table)):
            client = await conversation(table, stop, seed=stop)
            client.writer.write_eof()
            await client.read_to_end()
            assert client.closed is None
            await client.close(polite=False)
        await until(lambda: not table.connections)


async def test_connection_silent_from_every_byte_is_closed(tmp_path):
    async with surviving(
        tmp_path, bounds=CROWD | {"handshake_seconds": 1.0, "close_seconds": 0.2}
    ) as table:
        clients = [
            await conversation(table, stop, seed=stop) for stop in range(await whole_length(table))
        ]
        told = 0
        for client in clients:
            established = client.session.writable
            rest = await client.read_to_end()
            if established and rest:
                client._take(rest)
                told += client.inbox[-1] == SessionClosed(Code.TOO_SLOW)
            await client.close(polite=False)
        assert told > 20  # peers that had proved their keys


async def test_hello_deadline_covers_the_whole_hello(tmp_path):
    async with surviving(tmp_path, bounds={"handshake_seconds": 0.3}) as table:
        client = await fresh(table)
        ended = asyncio.create_task(client.read_to_end())
        for byte in client.session.start() * 50:
            if ended.done():
                break
            client.writer.write(bytes([byte]))
            await asyncio.wait([ended], timeout=0.05)
        assert ended.done()
        await client.close(polite=False)


async def test_frame_deadline_covers_the_whole_frame(tmp_path):
    async with surviving(tmp_path, bounds={"frame_seconds": 0.4}) as table:
        client = await guest(table)
        ended = asyncio.create_task(client.read_to_end())
        whole = client.record("join", "a table of this name")
        for byte in whole[:-1]:
            if ended.done():
                break
            client.writer.write(bytes([byte]))
            await asyncio.wait([ended], timeout=0.05)
        assert ended.done()
        client._take(ended.result())
        await client.expect_closed(Code.TOO_SLOW, error=Code.TOO_SLOW)
        await client.close(polite=False)


async def test_every_frame_has_its_own_deadline(tmp_path):
    """Half frames arrive for longer than one frame may take: all of them are in time."""
    async with surviving(tmp_path, bounds={"frame_seconds": 2.0}) as table:
        client = await guest(table)
        began, rest = asyncio.get_running_loop().time(), b""
        while asyncio.get_running_loop().time() - began < 2.4:
            record = client.record("list")
            await client.write(rest + record[:7])
            rest = record[7:]
            await asyncio.sleep(0.4)
        await client.write(rest)
        await client.expect("tables")
        await client.close()


async def test_frame_beyond_read_limit_is_not_counted_as_slow(tmp_path):
    """A peer that has sent too much waits; its earlier frames are not counted as slow."""
    async with TableServer(
        config(tmp_path, bounds={"frame_seconds": 0.6, "frames": (6, 4)})
    ) as table:
        client = await guest(table)
        records = b"".join(client.record("list") for _ in range(8))
        await client.write(records[:9])
        (connection,) = table.connections
        await until(lambda: connection._session.has_partial)
        await client.write(records[9:])
        for _ in range(8):
            await client.expect("tables")
        await client.close(polite=False)


async def test_bad_names_do_not_stretch_the_deadline(tmp_path):
    async with surviving(tmp_path) as table:
        client = await (await fresh(table)).handshake()
        (connection,) = table.connections
        connection._deadline.set(0.3)  # seconds until the deadline
        message = None
        while client.session.writable:
            with contextlib.suppress(ConnectionError):
                await client.send("hello", VERSION, "\x07")
            message = await client.receive() or message
        while (last := await client.receive()) is not None:
            message = last
        assert message.values == [str(Code.TOO_SLOW)]
        assert client.closed == SessionClosed(Code.TOO_SLOW)
        await client.close()


async def test_player_sending_one_byte_at_a_time_is_served(tmp_path):
    async with surviving(tmp_path) as table:
        client = await fresh(table)
        for byte in client.session.start():
            await client.write(bytes([byte]))
        while not client.session.writable:
            client._take(await client.read())
        for byte in (
            client.session.take_handshake_bytes()
            + client.record("hello", VERSION, "Ann")
            + client.record("list")
        ):
            await client.write(bytes([byte]))
        await client.expect("welcome")
        await client.expect("tables")
        await client.close()


async def test_many_frames_in_one_segment_are_answered(tmp_path):
    async with surviving(tmp_path) as table:
        client = await fresh(table)
        await client.write(client.session.start())
        while not client.session.writable:
            client._take(await client.read())
        segment = client.session.take_handshake_bytes() + client.record("hello", VERSION, "Ann")
        await client.write(segment + b"".join(client.record("list") for _ in range(50)))
        await client.expect("welcome")
        for _ in range(50):
            await client.expect("tables")
        await client.close()


@pytest.mark.parametrize(
    ("payload", "code"),
    [
        (b"", Code.BAD_ENCODING),
        (b"\xc1", Code.BAD_ENCODING),
        (b"\x91\xa4lis", Code.BAD_ENCODING),
        (b"\x91\xa4list\x00", Code.BAD_ENCODING),
        (b"\x91" * 1000 + b"\x00", Code.BAD_ENCODING),
        (b"\xdd\xff\xff\xff\xff", Code.BAD_ENCODING),
        (b"\x80" * 1000, Code.BAD_ENCODING),
        (b"\x91\xd9\x04list", Code.BAD_ENCODING),
        (b"\x90", Code.BAD_MESSAGE),
        (b"\x91\xc4\x04list", Code.BAD_MESSAGE),
        (b"\x91\xa7unknown", Code.BAD_MESSAGE),
        (b"\x92\xa4list\x01", Code.BAD_MESSAGE),
        (b"\x92\xa4join\xc3", Code.BAD_MESSAGE),
        (messages.encode("hello", VERSION, "Ann"), Code.BAD_MESSAGE),
        (messages.encode("leave"), Code.BAD_MESSAGE),
        (messages.encode("post", bytes(32), b"x"), Code.BAD_MESSAGE),
        (messages.encode("replay", bytes(32), 0), Code.BAD_MESSAGE),
        (messages.encode("relay", bytes(32), 0, bytes(TALK_ENVELOPE)), Code.BAD_MESSAGE),
        (messages.encode("welcome", VERSION, "Ann", []), Code.BAD_MESSAGE),
        (messages.encode("error", "internal"), Code.BAD_MESSAGE),
        (b"\x92\xa4join\xbf" + b"a" * 31, Code.BAD_MESSAGE),
        (b"\x92\xa4join\xda\xf0\x00" + b"a" * 0xF000, Code.BAD_MESSAGE),
        (bytes(MAX_MESSAGE), Code.BAD_ENCODING),
    ],
)
async def test_message_against_the_protocol_is_refused(tmp_path, payload, code):
    async with surviving(tmp_path) as table:
        client = await guest(table)
        await client.send_payload(payload)
        await client.expect_closed(code, error=code)
        await client.close()


@pytest.mark.parametrize("name", ["list", "join", "leave"])
async def test_message_before_hello_is_refused(tmp_path, name):
    async with surviving(tmp_path) as table:
        client = await (await fresh(table)).handshake()
        await client.send(name, *([None] if name == "join" else []))
        await client.expect_closed(Code.BAD_MESSAGE, error=Code.BAD_MESSAGE)
        await client.close()


@pytest.mark.parametrize("length", [0, 25])
async def test_name_of_wrong_length_is_refused(tmp_path, length):
    async with surviving(tmp_path) as table:
        client = await (await fresh(table)).handshake()
        head = bytes([0x93]) + b"\xa5hello" + bytes([VERSION])
        await client.send_payload(head + bytes([0xA0 + length]) + b"a" * length)
        await client.expect_closed(Code.BAD_MESSAGE, error=Code.BAD_MESSAGE)
        await client.close()


async def test_changed_repeated_and_missing_records_end_the_session(tmp_path):
    async with surviving(tmp_path) as table:
        for wrong in ("changed", "repeated", "missing"):
            client = await guest(table)
            first, second = client.record("list"), client.record("list")
            data = {
                "changed": first[:-1] + bytes([first[-1] ^ 1]),
                "repeated": first + first,
                "missing": second,
            }[wrong]
            await client.write(data)
            if wrong == "repeated":
                await client.expect("tables")
            await client.expect_closed(Code.BAD_RECORD)
            await client.close()


async def test_records_of_another_connection_do_not_open(tmp_path):
    async with surviving(tmp_path) as table:
        ann, bob = await guest(table, 1, "Ann"), await guest(table, 2, "Bob")
        await bob.write(ann.record("list"))
        await bob.expect_closed(Code.BAD_RECORD)
        await sanity(table)
        await close_all(ann, bob)


async def test_identity_of_the_table_is_refused_as_player(tmp_path):
    async with surviving(tmp_path) as table:
        client = await WireClient(table.link, 1, identity=table.identity).connect()
        await client.handshake()
        await client.expect_closed(Code.BAD_IDENTITY, error=Code.BAD_IDENTITY)
        await client.close()


async def test_end_without_a_close_record_is_not_a_leave(tmp_path, caplog):
    async with TableServer(config(tmp_path)) as table:
        with caplog.at_level("INFO"):
            client = await guest(table)
            client.writer.write_eof()
            await client.expect_closed(None)
            await client.close(polite=False)
            await until(lambda: not table.connections)
    assert "cut_off" in caplog.text

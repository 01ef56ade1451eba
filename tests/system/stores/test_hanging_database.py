"""Database server that accepts connections but does not answer. It hides no other server, and
delays nobody for long.
"""

import asyncio
import struct
from contextlib import asynccontextmanager
from itertools import chain, repeat

import pytest

from table.storage.shared.backend import Unanswered
from table.storage.shared.postgres.connections import PostgresConnections
from table.storage.shared.postgres.store_address import parse_address
from tests.support.tables import until

pytestmark = pytest.mark.process

PATIENCE = 0.5  # seconds for an answer
TEXT, BOOLEAN = 25, 16  # PostgreSQL's numbers of types
SETTINGS = (
    (TEXT, b"on"),
    (TEXT, b"on"),
    (TEXT, b"on"),
    (BOOLEAN, b"t"),
    (BOOLEAN, b"f"),
    (TEXT, b"00000002"),
)
UNSAFE = ((TEXT, b"off"), *SETTINGS[1:])
CANCEL = struct.pack("!I", 80877102)
SAID_AT_FIRST = {
    b"client_encoding": b"UTF8",
    b"server_version": b"17.0",
    b"standard_conforming_strings": b"on",
}


def message(kind, body):
    return kind + struct.pack("!I", len(body) + 4) + body


def answer(*values):
    """Make an answer of one row in PostgreSQL's protocol (chapter 54)."""
    columns = b"".join(b"c\0" + struct.pack("!IHIhih", 0, 0, kind, -1, -1, 0) for kind, _ in values)
    row = b"".join(struct.pack("!I", len(value)) + value for _, value in values)
    count = struct.pack("!H", len(values))
    return (
        message(b"T", count + columns) + message(b"D", count + row) + message(b"C", b"SELECT 1\0")
    )


async def read(reader, kind=True):
    kind = await reader.readexactly(1) if kind else b""
    return kind, await reader.readexactly(struct.unpack("!I", await reader.readexactly(4))[0] - 4)


def server(hangs=False, told=None, open_lines=None):
    """Make a server that accepts a login, and then answers or hangs.

    `told` lists its settings, one for each connection in turn. `open_lines` collects open
    connections.
    """
    told, open_lines = told or repeat(SETTINGS), set() if open_lines is None else open_lines

    async def serve(reader, writer):
        settings = next(told)
        open_lines.add(writer)
        try:
            _, first = await read(reader, kind=False)
            if not first.startswith(CANCEL):
                said = b"".join(
                    message(b"S", b"\0".join((*pair, b""))) for pair in SAID_AT_FIRST.items()
                )
                writer.write(
                    message(b"R", bytes(4)) + said + message(b"K", bytes(8)) + message(b"Z", b"I")
                )
            while (asked := await read(reader))[0] != b"X":
                if not hangs:
                    writer.write(
                        answer(*(settings if b"fsync" in asked[1] else [(TEXT, b"1")]))
                        + message(b"Z", b"I")
                    )
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            open_lines.discard(writer)
            writer.close()

    return serve


@asynccontextmanager
async def lines(*serving):
    """Run these servers. Yield their addresses."""
    servers = [await asyncio.start_server(serve, "127.0.0.1", 0) for serve in serving]
    places = ",".join(f"127.0.0.1:{each.sockets[0].getsockname()[1]}" for each in servers)
    address = parse_address(
        f"postgresql://host@{places}/fairdeal?sslmode=disable&gssencmode=disable"
    )
    found = PostgresConnections(address, 2, PATIENCE, lambda wrong: None)
    try:
        yield found
    finally:
        await found.close()
        for each in servers:
            each.close()


async def test_hanging_database_server_is_treated_as_absent():
    async with asyncio.timeout(20 * PATIENCE), lines(server(hangs=True)) as there:
        wrong = await there.find()
    assert wrong is not None and wrong.key == "wrong.store.database"


async def test_writable_database_is_found_behind_a_hanging_server():
    """A search that gave up earlier still finds it in the background."""
    async with asyncio.timeout(20 * PATIENCE), lines(server(hangs=True), server()) as there:
        for tries in range(1, 10):
            try:
                assert await there.do(0, "SELECT 1") == [("1",)]
                break
            except Unanswered:
                assert tries < 4
        assert await there.do(1, "SELECT 1") == [("1",)]


async def test_line_to_database_that_became_unsafe_is_closed():
    """Each open connection would take one of the server's few places for good."""
    open_lines = set()
    changed = server(told=chain([SETTINGS], repeat(UNSAFE)), open_lines=open_lines)
    async with asyncio.timeout(20 * PATIENCE), lines(changed) as there:
        with pytest.raises(Unanswered):
            await there.do(0, "SELECT 1")
        await until(lambda: not open_lines)

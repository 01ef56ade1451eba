"""Frames and values from a table (chapter 2)."""

from conformance.case import CaseBody, CaseGroup
from conformance.player.connection import TableConnection
from conformance.player.environment import PlayerEnvironment
from protocol import wire
from protocol.codes import Code
from protocol.limits import MAX_FRAME, MAX_HANDSHAKE_FRAME

GROUP = CaseGroup("stream")


def _instead_of_the_handshake(size: int) -> CaseBody:
    async def run(arena: PlayerEnvironment) -> None:
        arena.table.second = lambda connection: size.to_bytes(4, "big")
        await arena.start()
        await arena.expect_dropped()

    return run


def _instead_of_the_welcome(size: int) -> CaseBody:
    async def run(arena: PlayerEnvironment) -> None:
        async def header(connection: TableConnection, *_: object) -> None:
            await connection.write(size.to_bytes(4, "big"))

        arena.table.on["hello"] = header
        await arena.start()
        await arena.expect_closed(Code.FRAME_SIZE)

    return run


for name, size in (
    ("no-bytes", 0),
    ("a-byte-too-many", MAX_HANDSHAKE_FRAME + 1),
    ("2^32-1-bytes", 2**32 - 1),
):
    GROUP.add(f"handshake-frame-of-{name}", "2.1.2", "dropped", _instead_of_the_handshake(size))
for name, size in (
    ("no-bytes", 0),
    ("a-byte-too-many", MAX_FRAME + 1),
    ("2^32-1-bytes", 2**32 - 1),
):
    GROUP.add(f"frame-of-{name}", "2.1.2", "frame_size", _instead_of_the_welcome(size))


@GROUP.case("2.1.1", "clean")
async def a_byte_at_a_time(arena: PlayerEnvironment) -> None:
    """A whole match over a line that delivers single bytes; a WebSocket: fragments (3.6.2)."""
    arena.table.split = True
    await arena.start()
    await arena.expect_clean()


@GROUP.case("3.4.1", "bad_record")
async def a_frame_too_short_for_a_record(arena: PlayerEnvironment) -> None:
    """Fifteen bytes: shorter than a tag."""

    async def hello(connection: TableConnection, *_: object) -> None:
        await connection.write(wire.encode_frame(bytes(15)))

    arena.table.on["hello"] = hello
    await arena.start()
    await arena.expect_closed(Code.BAD_RECORD)

"""Bytes: invalid lengths, streams that end anywhere, other protocols, and frames in any number of
pieces.
"""

import asyncio
import secrets

from conformance.case import CaseBody, CaseFailed, CaseGroup
from conformance.table.environment import TableEnvironment
from protocol.codes import Code
from protocol.limits import FRAME_HEADER, MAX_FRAME, MAX_HANDSHAKE_FRAME
from protocol.messages.table import VERSION

GROUP = CaseGroup("stream")

HELLO_OF_TLS = bytes.fromhex("16030100f1010000ed0303") + bytes(range(230))
HELLO_OF_HTTP = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
HELLO_OF_SSH = b"SSH-2.0-OpenSSH_9.6\r\n"


def length(size: int) -> bytes:
    """Return a frame's header."""
    return size.to_bytes(FRAME_HEADER, "big")


async def dropped(arena: TableEnvironment, data: bytes, end: bool = False) -> None:
    """Check that the table drops a new connection that sends these bytes, without an answer."""
    peer = await arena.peer()
    await peer.write(data)
    if end:
        peer.writer.write_eof()
    if await peer.read_to_end():
        raise CaseFailed("an answer to one who has not proved who it is")


def newcomer(data: bytes, end: bool = False) -> CaseBody:
    async def run(arena: TableEnvironment) -> None:
        await dropped(arena, data, end)

    return run


def guest(data: bytes, code: Code) -> CaseBody:
    async def run(arena: TableEnvironment) -> None:
        peer = await arena.guest()
        await peer.write(data)
        await peer.expect_closed(code)

    return run


for name, section, data in (
    ("first-frame-of-length-zero", "2.1.2", length(0)),
    ("first-frame-one-above-the-limit", "2.1.3", length(MAX_HANDSHAKE_FRAME + 1)),
    ("first-frame-of-a-later-frames-length", "2.1.3", length(MAX_FRAME)),
    ("first-frame-of-length-2-to-the-31", "2.1.2", length(2**31)),
    ("first-frame-of-length-2-to-the-32-less-1", "2.1.2", length(2**32 - 1)),
    ("first-frame-of-one-byte", "3.2.4", length(1) + b"\0"),
    (
        "first-frame-at-the-limit",
        "3.2.4",
        length(MAX_HANDSHAKE_FRAME) + b"\1" * MAX_HANDSHAKE_FRAME,
    ),
    ("http-request-first", "2.1.2", HELLO_OF_HTTP),
    ("tls-hello-first", "2.1.2", HELLO_OF_TLS),
    ("ssh-banner-first", "2.1.2", HELLO_OF_SSH),
    ("ones-first", "2.1.2", b"\xff" * 70_000),
):
    GROUP.add(name, section, "close without an answer", newcomer(data))
for name, data in (
    ("end-before-anything", b""),
    ("end-inside-the-first-length", b"\0\0"),
    ("end-inside-the-first-frame", length(32) + bytes(16)),
):
    GROUP.add(name, "3.5.2", "close without an answer", newcomer(data, end=True))

for name, section, data, code in (
    ("frame-of-length-zero", "2.1.2", length(0), Code.FRAME_SIZE),
    ("frame-one-above-the-limit", "2.1.3", length(MAX_FRAME + 1), Code.FRAME_SIZE),
    ("frame-of-length-2-to-the-31", "2.1.2", length(2**31), Code.FRAME_SIZE),
    ("frame-of-length-2-to-the-32-less-1", "2.1.2", length(2**32 - 1), Code.FRAME_SIZE),
    ("frame-of-one-byte", "3.4.3", length(1) + b"\0", Code.BAD_RECORD),
    ("frame-shorter-than-a-tag", "3.4.3", length(15) + bytes(15), Code.BAD_RECORD),
    (
        "frame-at-the-limit-that-does-not-open",
        "3.4.3",
        length(MAX_FRAME) + bytes(MAX_FRAME),
        Code.BAD_RECORD,
    ),
    ("http-request-in-a-session", "2.1.2", HELLO_OF_HTTP, Code.FRAME_SIZE),
):
    GROUP.add(name, section, str(code), guest(data, code))


@GROUP.case("2.1.2", "close without an answer")
async def random_bytes_first(arena: TableEnvironment) -> None:
    await dropped(arena, b"\x80" + secrets.token_bytes(2000))


@GROUP.case("2.1.1", "welcome")
async def one_byte_at_a_time(arena: TableEnvironment) -> None:
    peer = await arena.peer()
    for byte in peer.session.start():
        await peer.write(bytes([byte]))
    while not peer.session.writable:
        peer._take(await peer.read())
    for byte in peer.session.take_handshake_bytes() + peer.record("hello", VERSION, peer.name):
        await peer.write(bytes([byte]))
    await peer.expect("welcome")


@GROUP.case("2.1.1", "welcome")
async def many_frames_in_one_segment(arena: TableEnvironment) -> None:
    peer = await arena.peer()
    await peer.write(peer.session.start())
    while not peer.session.writable:
        peer._take(await peer.read())
    segment = peer.session.take_handshake_bytes() + peer.record("hello", VERSION, peer.name)
    await peer.write(segment + b"".join(peer.record("list") for _ in range(20)))
    await peer.expect("welcome")
    for _ in range(20):
        await peer.expect("tables")


@GROUP.case("2.1.1", "tables")
async def frame_cut_in_two_at_every_point(arena: TableEnvironment) -> None:
    peer = await arena.guest()
    for cut in range(1, FRAME_HEADER + 22):  # the length of this record
        record = peer.record("list")
        assert cut < len(record)
        await peer.write(record[:cut])
        # The pieces should travel separately; no assertion depends on it.
        await asyncio.sleep(0.002)
        await peer.write(record[cut:])
        await peer.expect("tables")


@GROUP.case("3.5.2", "close without a code")
async def end_inside_a_frame(arena: TableEnvironment) -> None:
    peer = await arena.guest()
    await peer.write(peer.record("list")[:-1])
    peer.writer.write_eof()
    if await peer.receive() is not None:
        raise CaseFailed("an answer to half a frame")
    if peer.closed is not None and peer.closed.code is not None:
        raise CaseFailed("a code for a connection that was cut off")

"""Records: changed, repeated, dropped, reordered, or copied from another session; and the end of a
session.
"""

import secrets

from conformance.case import CaseBody, CaseFailed, CaseGroup
from conformance.table.connection import PlayerConnection
from conformance.table.environment import TableEnvironment
from protocol import wire
from protocol.codes import Code
from protocol.session.session import CLOSE, MESSAGE

GROUP = CaseGroup("records")
BAD = str(Code.BAD_RECORD)


def sealed(peer: PlayerConnection, plaintext: bytes) -> bytes:
    """Return a record with any plaintext."""
    return peer.session._record(plaintext)


@GROUP.case("3.4.3", BAD)
async def record_changed_at_its_end(arena: TableEnvironment) -> None:
    peer = await arena.guest()
    record = peer.record("list")
    await peer.write(record[:-1] + bytes([record[-1] ^ 1]))
    await peer.expect_closed(Code.BAD_RECORD)


@GROUP.case("3.4.3", BAD)
async def record_changed_at_its_beginning(arena: TableEnvironment) -> None:
    peer = await arena.guest()
    record = peer.record("list")
    await peer.write(record[:4] + bytes([record[4] ^ 1]) + record[5:])
    await peer.expect_closed(Code.BAD_RECORD)


@GROUP.case("3.4.3", BAD)
async def record_repeated(arena: TableEnvironment) -> None:
    peer = await arena.guest()
    record = peer.record("list")
    await peer.write(record + record)
    await peer.expect("tables")
    await peer.expect_closed(Code.BAD_RECORD)


@GROUP.case("3.4.3", BAD)
async def record_left_out(arena: TableEnvironment) -> None:
    peer = await arena.guest()
    peer.record("list")
    await peer.send("list")
    await peer.expect_closed(Code.BAD_RECORD)


@GROUP.case("3.4.3", BAD)
async def records_in_the_other_order(arena: TableEnvironment) -> None:
    peer = await arena.guest()
    first = peer.record("list")
    second = peer.record("list")
    await peer.write(second + first)
    await peer.expect_closed(Code.BAD_RECORD)


@GROUP.case("3.4.3", BAD)
async def record_of_random_bytes(arena: TableEnvironment) -> None:
    peer = await arena.guest()
    await peer.write(wire.encode_frame(secrets.token_bytes(100)))
    await peer.expect_closed(Code.BAD_RECORD)


@GROUP.case("3.4.3", BAD)
async def right_record_after_a_forged_one(arena: TableEnvironment) -> None:
    peer = await arena.guest()
    await peer.write(wire.encode_frame(secrets.token_bytes(22)) + peer.record("list"))
    await peer.expect_closed(Code.BAD_RECORD)


@GROUP.case("3.4.1", BAD)
async def record_of_another_connection(arena: TableEnvironment) -> None:
    peer = await arena.guest()
    other = await arena.guest()
    await peer.write(other.record("list"))
    await peer.expect_closed(Code.BAD_RECORD)


@GROUP.case("3.4.1", BAD)
async def record_of_an_earlier_connection(arena: TableEnvironment) -> None:
    earlier = await arena.guest()
    record = earlier.record("list")
    await earlier.write(record)
    await earlier.expect("tables")
    await earlier.close()
    peer = await arena.back(earlier)
    await peer.write(record)
    await peer.expect_closed(Code.BAD_RECORD)


@GROUP.case("3.4.1", BAD)
async def record_of_the_table_reflected(arena: TableEnvironment) -> None:
    peer = await arena.guest()
    await peer.send("list")
    records = await peer.read()
    peer._take(records)
    await peer.expect("tables")
    await peer.write(records)
    await peer.expect_closed(Code.BAD_RECORD)


@GROUP.case("3.4.1", BAD)
async def record_with_associated_data(arena: TableEnvironment) -> None:
    peer = await arena.guest()
    assert peer.session._sender is not None
    await peer.write(
        wire.encode_frame(peer.session._sender.encrypt(MESSAGE + b"\x91\xa4list", b"fairdeal"))
    )
    await peer.expect_closed(Code.BAD_RECORD)


def plaintext(content: bytes) -> CaseBody:
    async def run(arena: TableEnvironment) -> None:
        peer = await arena.guest()
        await peer.write(sealed(peer, content))
        await peer.expect_closed(Code.BAD_RECORD)

    return run


for name, section, content in (
    ("record-without-a-type", "3.4.2", b""),
    ("record-of-unknown-type", "3.4.3", b"\x02\x91\xa4list"),
    ("close-with-an-unknown-code", "3.5.1", CLOSE + b"because"),
    ("close-with-a-body-that-is-no-text", "3.5.1", CLOSE + b"\xff"),
):
    GROUP.add(name, section, BAD, plaintext(content))


@GROUP.case("3.5.1", "silence")
async def message_after_a_close_record(arena: TableEnvironment) -> None:
    peer = await arena.guest()
    late = sealed(peer, CLOSE), peer.session._sender
    assert late[1] is not None
    await peer.write(late[0] + wire.encode_frame(late[1].encrypt(MESSAGE + b"\x91\xa4list")))
    if await peer.receive() is not None:
        raise CaseFailed("an answer to what came after a close record")


@GROUP.case("3.5.2", "the seat is kept")
async def end_without_a_close_record_in_a_match(arena: TableEnvironment) -> None:
    play = await arena.play()
    for player in play.players:
        await player.peer.close(polite=False)
    player = play.players[0]
    back = await arena.back(player.peer)
    await back.send("resume", player.peer.match_id, None, None)
    table, match_id, seat, entries, _ = await back.expect("match")
    if (match_id, seat, entries) != (player.peer.match_id, player.number, 1):
        raise CaseFailed("the match did not wait for one whose connection was cut")
    assert table

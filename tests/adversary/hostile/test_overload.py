"""Overload by connections, half-open handshakes, peers that do not read, and exceptions of our
own.
"""

import asyncio
import socket
from random import Random

import pytest

from conformance.table.environment import wire_terms
from protocol.codes import Code
from protocol.identity.keys import INVITE_SIZE
from protocol.limits import (
    HIGH_WATER,
    MAX_QUEUED,
    MAX_TALK_QUEUED,
    MAX_UNSENT,
    READ_CHUNK,
    RELAYS,
    TALK_ENVELOPE,
    TICKET,
)
from protocol.messages import table as messages
from protocol.messages.table import PING, VERSION, ConnectionPhase, Sender
from table.lobby.matches import Matches
from table.manager.handlers import HANDLERS
from table.manager.server import TableServer
from table.match.live_match import LiveMatch
from table.net.addresses import counted_address
from table.net.connection import Connection
from tests.support.tables import close_all, config, finish, guest, sanity, seated, surviving, until
from tests.support.wire_client import Player, WireClient, play_match

pytestmark = pytest.mark.slow

MANY = (1_000_000, 1_000_000)
PATIENT = {
    "frames": MANY,
    "frames_per_address": MANY,
    "requests": MANY,
    "requests_per_address": MANY,
}


def silent(table, seed: int):
    return WireClient(table.link, seed).connect()


@pytest.mark.parametrize(("bound", "last_word"), [("connections", 2), ("per_address", 1)])
async def test_connection_above_the_limit_is_refused(tmp_path, bound, last_word):
    async with surviving(tmp_path, bounds={bound: 10}) as table:
        clients = [await guest(table, seed, f"Guest {seed}") for seed in range(10)]
        one_more = await silent(table, 11)
        assert await one_more.read_to_end() == bytes([0, 0, 0, 1, last_word])
        assert len(table.connections) == 10
        await clients[0].close()
        await until(lambda: len(table.connections) == 9)
        clients[0] = await guest(table, 12, "Guest 12")
        for client in clients:
            await client.send("list")
            await client.expect("tables")
        await close_all(one_more, *clients)


async def test_half_open_flood_does_not_keep_honest_people_out(tmp_path):
    async with surviving(tmp_path, bounds={"half_open": 8, "handshake_seconds": 60}) as table:
        flood = [await silent(table, seed) for seed in range(40)]
        await until(lambda: len(table.connections) == 8)
        assert await flood[0].read_to_end() == b""
        await play_match(table.link)
        await close_all(*flood)


async def test_connections_are_limited_per_address(tmp_path):
    peers = {
        ("192.0.2.7", 5): "192.0.2.7",
        ("::ffff:192.0.2.7", 5, 0, 0): "192.0.2.7",
        ("2001:db8:1:2:3:4:5:6", 5, 0, 0): "2001:db8:1:2::/64",
        ("2001:db8:1:2::9%eth0", 5, 0, 3): "2001:db8:1:2::/64",
    }
    assert {peer: counted_address(peer) for peer in peers} == peers


async def narrow(table, seed: int, name: str, **values) -> WireClient:
    """Return a greeted client with small socket buffers, so that not reading has an effect soon."""
    client = WireClient(table.link, seed, name, **values)
    plain = socket.socket()
    plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    plain.setblocking(False)
    await asyncio.get_running_loop().sock_connect(plain, (table.link.host, table.link.port))
    client.reader, client.writer = await asyncio.open_connection(sock=plain, limit=1024)
    return await client.greet()


def at_table(table, client) -> Connection:
    return next(each for each in table.connections if each.identity == client.identity.public)


async def test_slow_spectator_is_cut_off_and_the_match_goes_on(tmp_path):
    async with surviving(tmp_path, bounds={"stall_seconds": 0.5}) as table:
        clients = await seated(table, 1, 2)
        players = [Player(client) for client in clients]
        others = asyncio.create_task(players[1].run())
        await players[0].run(until=20)
        slow = await narrow(table, 3, "Slow")
        await slow.send("spectate", None)
        await slow.expect("match")
        connection = at_table(table, slow)
        most = 0
        async with asyncio.timeout(60):
            while connection in table.connections:
                if connection.open:
                    slow.writer.write(
                        b"".join(slow.record("replay", slow.match_id, 0) for _ in range(50))
                    )
                await asyncio.sleep(0.01)
                most = max(most, connection.queued)
        assert 0 < most <= MAX_QUEUED
        await players[0].run()
        assert (await others).file == players[0].file
        await close_all(slow, *clients)


async def test_peer_requesting_without_reading_is_disconnected(tmp_path):
    async with surviving(
        tmp_path, bounds={"queued": 200_000, "stall_seconds": 60, **PATIENT}
    ) as table:
        slow = await narrow(table, 3, "Slow")
        connection = at_table(table, slow)
        async with asyncio.timeout(60):
            while connection in table.connections:
                slow.writer.write(b"".join(slow.record("list") for _ in range(500)))
                await asyncio.sleep(0)
        await sanity(table)
        await slow.close(polite=False)


async def deaf(table, seed: int, name: str) -> tuple[WireClient, Connection]:
    """Return a seated client that no longer reads, with enough queued to make the table stop
    fetching.
    """
    client = await narrow(table, seed, name)
    await client.join()
    await client.expect("match")
    connection = at_table(table, client)
    connection._transport.get_extra_info("socket").setsockopt(
        socket.SOL_SOCKET, socket.SO_SNDBUF, 4096
    )
    asked = connection.records_in
    async with asyncio.timeout(60):
        while connection.queued < HIGH_WATER + READ_CHUNK:
            # one portion at a time: what is underway would be queued afterwards
            if not connection.intake.waiting and connection.records_in >= asked:
                asked = connection.records_in + 50
                client.writer.write(b"".join(client.record("list") for _ in range(50)))
            await asyncio.sleep(0)
    return client, connection


SAID = bytes(TALK_ENVELOPE)
SAID_BY_A_SEAT = {
    "invite": (bytes(INVITE_SIZE),),
    "hello": (VERSION, "Ann"),
    "list": (),
    "find": (None, [], 0, 20),
    "create": (wire_terms(),),
    "join": (None,),
    "spectate": (None,),
    "ask_rules": (None,),
    "give_rules": (b"no rules",),
    "resume": (bytes(32), None, None),
    "leave": (),
    "tail": (1, bytes(32), [[b"no entry", bytes(64)]]),
    "replay": (0,),
    "post": (b"no entry",),
    "relay": (1, SAID),
    "pong": (bytes(32), bytes(PING)),
    "kept": (bytes(32), bytes(TICKET)),
    "appear": (0,),
    "vanish": (),
    "talk": ("hello",),
    "call": (bytes(32), "main"),
    "open": (bytes(32), 0),
    "send": (bytes(32), 0, b"data"),
    "grant": (bytes(32), 0, 1),
    "close": (bytes(32), 0),
    "witness": (None,),
    "which": ([],),
    "records": ([b"no record"],),
    "certify": (bytes(32),),
    "prove": (bytes(32),),
    "follow": (0, 0),
}
NOT_WHILE_SEATED = {
    name for name in SAID_BY_A_SEAT if ConnectionPhase.SEATED not in messages.MESSAGES[name].phases
}


def test_deaf_peer_cases_cover_every_seat_message():
    assert SAID_BY_A_SEAT.keys() == {
        name for name, row in messages.MESSAGES.items() if row.sender is Sender.PLAYER
    }


@pytest.mark.parametrize("name", SAID_BY_A_SEAT)
async def test_seat_message_never_waits_for_a_nonreading_seat(tmp_path, name):
    """The table goes on reading from the sender: its next message is answered, if this one did not
    end the connection.
    """
    bounds = {**PATIENT, "relays": MANY, "stall_seconds": 60}
    async with TableServer(config(tmp_path, bounds=bounds)) as table:
        ann = await guest(table, 1, "Ann")
        await ann.join()
        slow, connection = await deaf(table, 2, "Slow")
        await ann.expect("match")
        about = (ann.match_id,) if name in ("replay", "post", "relay", "tail") else ()
        hers = at_table(table, ann)
        ann.writer.write(
            b"".join(ann.record(name, *about, *SAID_BY_A_SEAT[name]) for _ in range(20))
        )
        ann.writer.write(ann.record("list"))
        async with asyncio.timeout(60):
            while (message := await ann.receive()) is not None and message.name != "tables":
                pass
        assert message is not None or name in NOT_WHILE_SEATED
        assert not hers.open or not hers.intake.waiting
        assert connection.busy and connection.open
        await close_all(ann, slow)


async def test_talk_before_an_entry_to_slow_reader_is_small(tmp_path):
    """However much is said to a slow reader, only its socket's buffer, the system's buffers and the
    queue fill.
    """
    async with TableServer(
        config(tmp_path, bounds={**PATIENT, "relays": MANY, "stall_seconds": 60})
    ) as table:
        ann = await guest(table, 1, "Ann")
        await ann.join()
        slow = await narrow(table, 2, "Slow")
        await slow.join()
        await slow.expect("match")
        await ann.expect("match")
        ann.writer.write(b"".join(ann.record("relay", ann.match_id, 1, SAID) for _ in range(600)))
        await ann.send("list")
        await ann.expect("tables")
        await slow.send("list")
        ahead = 0
        while (message := await slow.receive()).name != "tables":
            ahead += message.name == "relayed"
        assert 0 < ahead * len(SAID) < 16 * 1024 + MAX_UNSENT + MAX_TALK_QUEUED
        await close_all(ann, slow)


async def test_talker_to_a_nonreading_peer_still_posts_entries(tmp_path):
    """The talk is dropped: nothing more is queued for the other peer."""
    async with surviving(
        tmp_path, bounds={**PATIENT, "relays": MANY, "stall_seconds": 60}
    ) as table:
        ann = await guest(table, 1, "Ann")
        await ann.join()
        slow, connection = await deaf(table, 2, "Slow")
        await ann.expect("match")
        ann.writer.write(b"".join(ann.record("relay", ann.match_id, 1, SAID) for _ in range(500)))
        player = Player(ann)
        async with asyncio.timeout(60):
            await player.run(until=2)  # its own entry has arrived
        assert player.reader.log.sequence(0) == 1
        assert connection.busy and connection.queued < HIGH_WATER + 2 * READ_CHUNK
        await slow.close(polite=False)
        await until(lambda: connection not in table.connections)
        back = await guest(table, 22, "Slow", identity=slow.identity)
        await back.send("join", None)
        await back.expect("match")
        async with asyncio.timeout(60):
            await asyncio.gather(player.run(), Player(back).run())
        await close_all(ann, back)


async def test_talk_to_reading_peer_arrives_in_order(tmp_path):
    async with surviving(tmp_path, bounds={"relays": MANY}) as table:
        ann, bob = await seated(table, 1, 2)
        envelopes = [Random(number).randbytes(TALK_ENVELOPE) for number in range(200)]
        at_once = int(RELAYS[0])
        for first in range(0, len(envelopes), at_once):
            some = envelopes[first : first + at_once]
            ann.writer.write(
                b"".join(ann.record("relay", ann.match_id, 1, envelope) for envelope in some)
            )
            for envelope in some:
                assert (await bob.expect("relayed"))[2] == envelope
        await finish([ann, bob])
        await close_all(ann, bob)


async def test_remark_flood_is_dropped_with_one_notice(tmp_path):
    async with surviving(tmp_path, seats=3, bounds={"relays": (8, 0.001)}) as table:
        ann, bob, cleo = await seated(table, 1, 2, 3)
        ann.writer.write(b"".join(ann.record("relay", ann.match_id, 1, SAID) for _ in range(3_360)))
        await ann.expect_error(Code.TOO_MANY)
        await ann.send("relay", ann.match_id, 2, SAID)
        await ann.send("list")
        await ann.expect("tables")
        await cleo.expect("relayed")
        for _ in range(8):
            await bob.expect("relayed")
        await bob.send("list")
        await bob.expect("tables")
        await finish([ann, bob, cleo])
        await close_all(ann, bob, cleo)


async def test_exception_in_a_handler_closes_that_peer_only(tmp_path, caplog):
    def broken(*_):
        raise KeyError("".join(["what a ", "peer said"]))

    async with surviving(tmp_path, parts={"handlers": HANDLERS | {"list": broken}}) as table:
        ann, bob = await seated(table, 1, 2)
        other = await guest(table, 3, "Other")
        await other.send("list")
        await other.expect_closed(Code.INTERNAL, error=Code.INTERNAL)
        assert "KeyError" in caplog.text
        assert "what a peer said" not in caplog.text
        await finish([ann, bob])
        await close_all(ann, bob, other)


async def test_match_exception_disconnects_author_and_keeps_match(tmp_path):
    class Fragile(LiveMatch):
        def offer(self, raw, seat):
            if raw == b"x":
                raise RuntimeError
            return super().offer(raw, seat)

    class FragileMatches(Matches):
        match_type = Fragile

    async with surviving(tmp_path, parts={"matches": FragileMatches}) as table:
        ann, bob = await seated(table, 1, 2)
        others = asyncio.create_task(Player(bob).run())
        player = await Player(ann).run(until=10)
        await ann.send("post", ann.match_id, b"x")
        while await ann.receive() is not None:
            pass
        assert ann.closed.code is Code.INTERNAL
        player.client = await guest(table, 11, "Seat A", identity=ann.identity)
        await player.client.send("join", None)
        await player.run()
        assert (await others).file == player.file
        await close_all(ann, bob, player.client)


async def test_join_and_leave_flood_leaves_table_usable(tmp_path):
    async with surviving(tmp_path, seats=3, bounds=PATIENT) as table:
        ann, bob = await guest(table, 1, "Ann"), await guest(table, 2, "Bob")
        await bob.join()
        rounds = 300
        ann.writer.write(
            b"".join(ann.record("join", None) + ann.record("leave") for _ in range(rounds))
        )
        for _ in range(rounds):
            await ann.expect("left")
        assert len(table.lobby.tables["main"].waiting) == 1
        await close_all(ann, bob)

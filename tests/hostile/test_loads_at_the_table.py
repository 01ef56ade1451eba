"""Too much of everything: connections, half-open handshakes, peers that do not read, and our own bugs."""

import asyncio
import socket
from random import Random

import pytest

from conformance.table.arena import wire_terms
from protocol.codes import Code
from protocol.limits import MAX_QUEUED, READ_CHUNK
from table.handlers import HANDLERS
from table.matches import Matches
from table.net.connection import Connection
from table.net.peers import source
from table.room.live_match import LiveMatch
from tests.support.tables import CLOCK, close_all, finish, guest, sanity, seated, surviving, until
from tests.support.wire_client import Player, WireClient, play_match

pytestmark = pytest.mark.slow

MANY = (1_000_000, 1_000_000)
PATIENT = {"frames": MANY, "frames_per_address": MANY, "requests": MANY, "requests_per_address": MANY}


def silent(table, seed: int):
    return WireClient(table.link, seed).connect()


@pytest.mark.parametrize("bound", ["connections", "per_address"])
async def test_connections_up_to_the_limit_and_one_more(tmp_path, bound):
    async with surviving(tmp_path, bounds={bound: 10}) as table:
        clients = [await guest(table, seed, f"Guest {seed}") for seed in range(10)]
        one_more = await silent(table, 11)
        assert await one_more.read_to_end() == b""
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


async def test_connections_are_counted_by_address(tmp_path):
    peers = {
        ("192.0.2.7", 5): "192.0.2.7",
        ("::ffff:192.0.2.7", 5, 0, 0): "192.0.2.7",
        ("2001:db8:1:2:3:4:5:6", 5, 0, 0): "2001:db8:1:2::/64",
        ("2001:db8:1:2::9%eth0", 5, 0, 3): "2001:db8:1:2::/64",
    }
    assert {peer: source(peer) for peer in peers} == peers


async def narrow(table, seed: int, name: str, **values) -> WireClient:
    """A greeted client whose socket takes little, so that not reading shows soon."""
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
        async with asyncio.timeout(15):
            while connection in table.connections:
                if connection.open:
                    slow.writer.write(b"".join(slow.record("replay", slow.match_id, 0) for _ in range(50)))
                await asyncio.sleep(0.01)
                most = max(most, connection.queued)
        assert 0 < most <= MAX_QUEUED
        await players[0].run()
        assert (await others).file == players[0].file
        await close_all(slow, *clients)


async def test_peer_that_asks_and_does_not_read_is_cut_off_at_the_bound(tmp_path):
    async with surviving(tmp_path, bounds={"queued": 200_000, "stall_seconds": 60, **PATIENT}) as table:
        slow = await narrow(table, 3, "Slow")
        connection = at_table(table, slow)
        async with asyncio.timeout(15):
            while connection in table.connections:
                slow.writer.write(b"".join(slow.record("list") for _ in range(500)))
                await asyncio.sleep(0)
        await sanity(table)
        await slow.close(polite=False)


async def test_relays_to_one_that_does_not_read_hold_their_sender_and_nobody_else(tmp_path):
    async with surviving(tmp_path, bounds={"stall_seconds": 1.5}) as table:
        ann, other = await guest(table, 1, "Ann"), await guest(table, 3, "Other")
        slow = await narrow(table, 2, "Slow")
        await other.send("create", wire_terms("block-dominoes", [["target", 1]], "layered", [], CLOCK, 2))
        (elsewhere,) = await other.expect("created")
        await ann.join()
        await slow.join()
        await ann.expect("match")
        connection = at_table(table, slow)
        flood = b"".join(ann.record("relay", ann.match_id, 1, bytes(16_000)) for _ in range(800))
        ann.writer.write(flood)
        await until(lambda: connection.busy)
        await play_match(table.link, seed=50, table=elsewhere)
        assert connection.queued <= MAX_QUEUED
        assert connection.open
        assert not at_table(table, ann)._transport.is_reading()
        await until(lambda: connection not in table.connections)  # it never read: cut off
        await ann.send("list")
        await ann.expect("tables")  # its sender is heard again, after all that it sent
        back = await guest(table, 22, "Slow", identity=slow.identity)
        await back.send("join", None)
        await back.expect("match")
        await finish([ann, back])
        await close_all(ann, slow, back, other)


async def test_relays_to_one_that_reads_all_arrive_in_order(tmp_path):
    async with surviving(tmp_path) as table:
        ann, bob = await seated(table, 1, 2)
        envelopes = [Random(number).randbytes(1 + 37 * number % 16_000) for number in range(600)]
        flood = b"".join(ann.record("relay", ann.match_id, 1, envelope) for envelope in envelopes)
        assert len(flood) > 20 * READ_CHUNK
        ann.writer.write(flood)
        for envelope in envelopes:
            assert (await bob.expect("relayed"))[2] == envelope
        await finish([ann, bob])
        await close_all(ann, bob)


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


async def test_exception_in_the_match_closes_the_author_and_keeps_the_match(tmp_path):
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


async def test_join_and_leave_flood(tmp_path):
    async with surviving(tmp_path, seats=3, bounds=PATIENT) as table:
        ann, bob = await guest(table, 1, "Ann"), await guest(table, 2, "Bob")
        await bob.join()
        rounds = 300
        ann.writer.write(b"".join(ann.record("join", None) + ann.record("leave") for _ in range(rounds)))
        for _ in range(rounds):
            await ann.expect("left")
        assert len(table.lobby.tables["main"].waiting) == 1
        await close_all(ann, bob)

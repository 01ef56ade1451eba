"""A seat of a running match comes back to a table that is full, by its ticket: and nobody else."""

import asyncio
import socket
from contextlib import asynccontextmanager
from itertools import count

import pytest

from protocol.codes import Code
from protocol.messages.table import ConnectionPhase
from protocol.session.session import turned_away
from protocol.session.ticket import Ticket
from table.manager.server import TableServer
from tests.support.tables import close_all, config, guest, seated, until
from tests.support.wire_client import WireClient

pytestmark = pytest.mark.slow

FULL = {
    "in all": {"connections": 3},
    "of its address": {"per_address": 3},
    "too soon of its address": {"arrivals_per_address": (3, 0.0001)},
    "too soon in all": {"arrivals": (3, 0.0001), "rare_arrivals": (0.5, 0.000001)},
}
SEEDS = count(100)  # no key of a handshake comes twice
TURNED_AWAY = tuple(map(turned_away, (Code.TOO_MANY, Code.TOO_MANY_HERE)))


@asynccontextmanager
async def full_table(tmp_path, bounds, **values):
    """Run a table at which Ann and Bob play, and a third connection has the last place."""
    async with TableServer(config(tmp_path, bounds=bounds, **values)) as table:
        ann, bob = await seated(table, 1, 2)
        crowd = await guest(table, 3, "Eve")
        yield table, ann, bob
        await close_all(ann, bob, crowd)


async def come_back(table: TableServer, client: WireClient, ticket: Ticket | None) -> WireClient:
    """Bring a seat back over a new connection."""
    again = WireClient(table.link, next(SEEDS), client.name, client.identity, ticket=ticket)
    await (await again.connect()).greet()
    await again.send("resume", client.match_id, None, None)
    await again.expect("match")
    return again


async def is_turned_away(table: TableServer, client: WireClient, ticket: Ticket | None) -> bool:
    """Check that a connection with this ticket is turned away after its first message."""
    again = WireClient(table.link, next(SEEDS), client.name, client.identity, ticket=ticket)
    await again.connect()
    said = await said_to(again, again.session.start())
    return said in TURNED_AWAY


async def said_to(client: WireClient, data: bytes) -> bytes:
    """Return all that the table says to these bytes, until it hangs up."""
    await client.write(data)
    said = await client.read_to_end()
    await client.close(polite=False)
    return said


@pytest.mark.parametrize("bounds", FULL.values(), ids=FULL)
async def test_seat_with_ticket_comes_back_whatever_is_full(tmp_path, bounds):
    async with full_table(tmp_path, bounds) as (table, ann, _):
        ticket = await ann.keep_ticket()
        assert await is_turned_away(table, ann, None)
        again = await come_back(table, ann, ticket)
        assert again.seat == ann.seat
        await ann.expect_closed(Code.TAKEN_OVER)
        await again.send("list")
        await again.expect("tables")
        await again.close()


async def test_ticket_of_a_line_that_died_counts_again(tmp_path):
    async with full_table(tmp_path, FULL["in all"]) as (table, ann, _):
        ticket = await ann.keep_ticket()
        for _ in range(3):  # nothing is confirmed
            again = await come_back(table, ann, ticket)
            await again.close(polite=False)
        await (await come_back(table, ann, ticket)).close()


async def test_ticket_is_spent_once_the_next_is_kept(tmp_path):
    async with full_table(tmp_path, FULL["in all"]) as (table, ann, _):
        first = await ann.keep_ticket()
        again = await come_back(table, ann, first)
        second = await again.keep_ticket()
        await again.send("list")
        await again.expect("tables")
        assert second.shown[:16] != first.shown[:16]
        assert await is_turned_away(table, ann, first)
        third = await come_back(table, ann, second)
        await close_all(again, third)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda ticket: Ticket(bytes(72), ticket.secret),
        lambda ticket: Ticket(ticket.shown, bytes(32)),
        lambda ticket: Ticket(ticket.shown[:-1] + bytes([ticket.shown[-1] ^ 1]), ticket.secret),
    ],
    ids=["another", "without its secret", "changed"],
)
async def test_wrong_ticket_is_as_none(tmp_path, spoil):
    async with full_table(tmp_path, FULL["in all"]) as (table, ann, _):
        ticket = await ann.keep_ticket()
        assert await is_turned_away(table, ann, spoil(ticket))
        ann_again = await come_back(table, ann, ticket)
        await ann_again.close()


async def test_wrong_ticket_of_newcomer_with_a_place_does_no_harm(tmp_path):
    async with TableServer(config(tmp_path)) as table:
        client = WireClient(table.link, 5, "Cleo", ticket=Ticket(bytes(72), bytes(32)))
        await (await client.connect()).greet()
        await client.close()


async def test_other_key_with_ticket_gets_no_place(tmp_path):
    async with full_table(tmp_path, FULL["in all"]) as (table, ann, _):
        ticket = await ann.keep_ticket()
        other = await WireClient(table.link, 79, "Mallory", ticket=ticket).connect()
        await other.handshake()
        await other.expect_closed(Code.TOO_MANY, error=Code.TOO_MANY)
        await other.close()
        await (await come_back(table, ann, ticket)).close()


async def test_copy_of_first_message_counts_once(tmp_path):
    async with full_table(tmp_path, FULL["in all"]) as (table, ann, _):
        ticket = await ann.keep_ticket()
        lost = WireClient(table.link, 80, ann.name, ann.identity, ticket=ticket)
        seen = lost.session.start()  # an onlooker sees it, and the line dies
        await lost.connect()
        await lost.write(seen)
        assert await lost.read()
        for _ in range(20):
            onlooker = await WireClient(table.link, 81).connect()
            assert await said_to(onlooker, seen) in TURNED_AWAY
        again = await come_back(table, ann, ticket)
        await close_all(again, lost)


async def test_onlooker_with_many_copies_keeps_nobody_out(tmp_path):
    """It has recorded all first messages of a seat whose lines died, and sends them all the time."""
    async with full_table(tmp_path, FULL["in all"]) as (table, ann, _):
        ticket, seen = await ann.keep_ticket(), []
        for seed in range(6):
            lost = WireClient(table.link, 90 + seed, ann.name, ann.identity, ticket=ticket)
            seen.append(lost.session.start())
            await lost.connect()
            await lost.write(seen[-1])
            assert await lost.read()
            await lost.close(polite=False)
        over = asyncio.Event()

        async def repeat() -> None:
            number = 0
            while not over.is_set():
                number += 1
                onlooker = await WireClient(table.link, 81).connect(f"127.0.0.{2 + number % 200}")
                await said_to(onlooker, seen[number % len(seen)])

        onlookers = [asyncio.create_task(repeat()) for _ in range(4)]
        for _ in range(3):
            again = await come_back(table, ann, ticket)
            await again.close(polite=False)
        over.set()
        await asyncio.gather(*onlookers)


async def test_flood_of_half_open_connections_does_not_push_seat_out(tmp_path):
    bounds = {"connections": 8, "half_open": 4, "half_open_per_address": 2, "outside": 8}
    async with full_table(tmp_path, bounds) as (table, ann, _):
        ticket = await ann.keep_ticket()
        silent = []
        for number in range(100):
            address = f"127.0.0.{2 + number}"
            caller = socket.create_connection(
                (table.link.host, table.link.port), source_address=(address, 0)
            )
            silent.append(caller)
        await until(lambda: table.metrics.refused.total() > 50)
        again = WireClient(table.link, next(SEEDS), ann.name, ann.identity, ticket=ticket)
        await (await again.connect()).write(again.session.start())
        await until(lambda: any(each.ticket_seat for each in table.connections))
        for number in range(100):
            address = f"127.0.0.{2 + number}"
            caller = socket.create_connection(
                (table.link.host, table.link.port), source_address=(address, 0)
            )
            silent.append(caller)
        await until(lambda: table.metrics.refused.total() > 150)
        again._take(await again.read())
        await again.write(again.session.take_handshake_bytes())
        await again.hello()
        await again.send("resume", ann.match_id, None, None)
        await again.expect("match")
        await again.close()
        for caller in silent:
            caller.close()


async def test_connection_outside_that_says_nothing_is_turned_away(tmp_path):
    bounds = FULL["in all"] | {"outside_seconds": 0.2}
    async with full_table(tmp_path, bounds) as (table, _, _):
        silent = await WireClient(table.link, 82).connect()
        assert await said_to(silent, b"") in TURNED_AWAY
        assert table.metrics.refused.total() == 1


async def test_newest_connection_of_seat_has_its_reserve_place(tmp_path):
    async with full_table(tmp_path, FULL["in all"] | {"reserve": 1}) as (table, ann, bob):
        for client in (ann, bob):
            await client.keep_ticket()
        first = await come_back(table, ann, ann.ticket)
        ticket = await first.keep_ticket()
        second = await come_back(table, ann, ticket)
        await second.send("list")
        await second.expect("tables")
        await close_all(first, second)


async def test_ticket_of_match_that_is_over_is_none(tmp_path):
    async with full_table(tmp_path, FULL["in all"]) as (table, ann, _):
        ticket = await ann.keep_ticket()
        table.matches.feeds[ann.match_id].end()
        await until(lambda: ann.match_id not in table.matches.feeds or not ann.match_id)
        assert await is_turned_away(table, ann, ticket)


async def test_table_started_again_takes_ticket_of_before(tmp_path):
    async with full_table(tmp_path, {}) as (_, ann, bob):
        for client in (ann, bob):
            await client.keep_ticket()
    async with TableServer(config(tmp_path, bounds={"connections": 1})) as table:
        crowd = await guest(table, 3, "Eve")
        assert await is_turned_away(table, ann, None)
        again = [await come_back(table, client, client.ticket) for client in (ann, bob)]
        newer = await again[0].keep_ticket()
        await again[0].send("list")
        await again[0].expect("tables")
        assert await is_turned_away(table, ann, ann.ticket)
        last = await come_back(table, ann, newer)
        await close_all(crowd, *again, last)


async def test_flood_by_one_address_does_not_stop_seat_from_another(tmp_path):
    async with full_table(tmp_path, FULL["in all"]) as (table, ann, _):
        ticket = await ann.keep_ticket()
        for _ in range(300):
            await is_turned_away(table, ann, None)
        again = WireClient(table.link, next(SEEDS), ann.name, ann.identity, ticket=ticket)
        await (await again.connect("127.0.0.9")).greet()
        assert again.phase is ConnectionPhase.LOBBY
        await again.close()

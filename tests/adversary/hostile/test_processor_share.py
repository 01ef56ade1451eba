"""Addresses that cost more than their share of the processor: they wait, and nobody else does."""

import asyncio
import time
from dataclasses import replace

import pytest

from protocol.match.clock import Allowance
from scripts.benchmarks import entry_flood
from table.config import Creation
from table.manager.server import TableServer
from table.net.processor_time import Budget
from tests.adversary.hostile.test_tables_of_strangers import ELSEWHERE, elsewhere
from tests.support.tables import (
    close_all,
    config,
    finish,
    guest,
    hurried,
    seated,
    surviving,
    until,
)
from tests.support.wire_client import Player, WireClient

pytestmark = pytest.mark.slow

MANY = (100_000, 100_000)
TRIES = 4  # of a measurement
LONG = 5.0  # seconds of processor time; a table remembers two of them as owed


def owes(table: TableServer, address: str, seconds: float = LONG) -> None:
    """Let an address owe, as if it had spent so much."""
    budget = table.budget
    account = budget.account(address)
    owes.kept.append(account)
    budget.spend(account, seconds, table.loop.time())


owes.kept = []  # accounts nobody refers to


async def alive(client: WireClient) -> None:
    """Keep the table busy with somebody who owes nothing."""
    while True:
        await client.send("list")
        await client.expect("tables")
        await asyncio.sleep(0.05)


def connection_of(table: TableServer, client: WireClient):
    return next(
        each for each in table.connections if each.identity == client.identity.public and each.open
    )


class Unpaid(Budget):
    """A budget from which nothing is taken."""

    def _charge(self, account, seconds) -> None:
        account.in_turn = 0.0


async def flooded(tmp_path, steps: int, unpaid: bool) -> dict[str, float]:
    bounds = {"requests": MANY, "requests_per_address": MANY}
    settings = replace(config(tmp_path, bounds=bounds), creation=Creation.ANY)
    async with TableServer(settings) as table:
        if unpaid:
            table.budget.__class__ = Unpaid
        # what this process spends meanwhile: other programs use the machine, too
        return await entry_flood.measure(table.link, steps, 2.0, 200, time.process_time)


@pytest.mark.process
@pytest.mark.parametrize("steps", [entry_flood.CHEAP, entry_flood.COSTLY])
async def test_flood_of_valid_entries_slows_nobody_else(tmp_path, steps):
    for attempt in range(TRIES):  # a collection, or a machine that is very busy, harms some
        figures = await flooded(tmp_path / str(attempt), steps, unpaid=False)
        if entry_flood.is_unharmed(figures):
            return
    pytest.fail(f"the last figures: {figures}")


@pytest.mark.process
async def test_flood_without_charge_would_slow_everybody(tmp_path):
    for attempt in range(3):  # on a busy machine the flood itself gets little done
        figures = await flooded(tmp_path / str(attempt), entry_flood.COSTLY, unpaid=True)
        if not entry_flood.is_unharmed(figures):
            return
    pytest.fail(f"the flood is too small to show anything: {figures}")


ASKS = {"list": ((), "tables"), "find": ((None, [], 0, 50), "found")}


@pytest.mark.parametrize("name", ASKS)
async def test_who_owes_is_read_later_and_nothing_is_lost(tmp_path, name):
    values, answer = ASKS[name]
    async with surviving(
        tmp_path, bounds={"requests": MANY, "requests_per_address": MANY}
    ) as table:
        eve, ann = await elsewhere(table, 300), await guest(table, 1, "Ann")
        busy = asyncio.create_task(alive(ann))
        owes(table, ELSEWHERE)
        began = table.loop.time()
        for _ in range(20):
            await eve.send(name, *values)
        for _ in range(20):
            await eve.expect(answer)
        assert table.loop.time() - began > 1 and table.metrics.held > 0
        assert table.loop.time() - began < 20
        busy.cancel()
        await close_all(eve, ann)


async def test_seat_that_is_held_does_not_lapse(tmp_path):
    """Its step may take one second, and the table does not read from it for four."""
    async with surviving(
        tmp_path, bounds={"requests": MANY, "requests_per_address": MANY}
    ) as table:
        other = await guest(table, 9, "Other")
        busy = asyncio.create_task(alive(other))
        async with hurried(table, Allowance(extensions=0, step=1, turn=60)):
            ann, eve = await guest(table, 1, "Ann"), await elsewhere(table, 2)
            await ann.join()
            await eve.join()
        await ann.expect("match") if not ann.match_id else None
        await eve.expect("match") if not eve.match_id else None
        room = table.matches.feeds[ann.match_id]
        players = [Player(ann), Player(eve)]
        others = asyncio.create_task(players[0].run())
        await players[1].run(until=2)
        owes(table, ELSEWHERE)
        began = table.loop.time()
        await eve.send("pong", eve.match_id, bytes(8))  # so that it is noticed at once
        await until(lambda: connection_of(table, eve).intake.waiting)
        await players[1].run()
        assert table.loop.time() - began > 3
        assert players[1].reader.faults == () and not room.live.status.faults
        assert (await others).file == players[1].file
        busy.cancel()
        await close_all(ann, eve, other)


async def test_newcomer_that_is_held_is_not_cut_off(tmp_path):
    bounds = {"handshake_seconds": 0.5, "requests": MANY, "requests_per_address": MANY}
    async with TableServer(config(tmp_path, bounds=bounds)) as table:
        ann = await guest(table, 1, "Ann")
        busy = asyncio.create_task(alive(ann))
        owes(table, ELSEWHERE)
        began = table.loop.time()
        eve = await elsewhere(table, 300)
        assert table.loop.time() - began > 1 and table.metrics.no_hello == 0
        busy.cancel()
        await close_all(eve, ann)


async def test_entries_of_attacker_are_not_charged_to_victim(tmp_path):
    async with surviving(tmp_path) as table:
        ann, eve = await guest(table, 1, "Ann"), await elsewhere(table, 2)
        await ann.join()
        await eve.join()
        await eve.expect("match") if not eve.match_id else None
        await ann.expect("match") if not ann.match_id else None
        players = [Player(ann), Player(eve)]
        await asyncio.gather(players[0].run(until=2), players[1].run(until=2))
        payers = [connection_of(table, client).payer for client in (ann, eve)]
        before = [payer.spent for payer in payers]
        for _ in range(200):
            await eve.send("post", eve.match_id, b"no entry")
        refused = 0
        while refused < 200:
            message = await eve.receive()
            refused += message.name == "refused"
            await players[1].take(message)
        ann_spent, eve_spent = (
            payer.spent - since for payer, since in zip(payers, before, strict=True)
        )
        assert eve_spent > 0.005 and ann_spent < eve_spent / 10
        assert table.matches.feeds[ann.match_id].spent > 0
        await asyncio.gather(*(player.run() for player in players))
        await close_all(ann, eve)


async def test_spectators_pay_for_what_they_are_sent(tmp_path):
    async with surviving(tmp_path) as table:
        ann, bob = await seated(table, 1, 2)
        watchers = [await elsewhere(table, seed) for seed in range(300, 316)]
        for watcher in watchers:
            await watcher.send("spectate", None)
            await watcher.expect("match")
            await watcher.send("replay", watcher.match_id, 0)
        payers = [connection_of(table, client).payer for client in watchers]
        before = sum(payer.spent for payer in payers)
        await finish([ann, bob])
        seats = sum(connection_of(table, client).payer.spent for client in (ann, bob))
        watched = sum(payer.spent for payer in payers) - before
        assert watched > 0 and seats > 0
        await close_all(ann, bob, *watchers)


async def test_key_takes_its_debt_to_another_address(tmp_path):
    async with TableServer(config(tmp_path)) as table:
        eve = await elsewhere(table, 300)
        connection = connection_of(table, eve)
        connection.payer.charge(1.0)
        connection.payer.settle(table.loop.time())
        again = await WireClient(table.link, 300, "Eve", identity=eve.identity).connect("127.0.0.3")
        greeting = asyncio.create_task(again.greet())
        await until(lambda: table.budget.owed(table.budget.account("127.0.0.3"), table.loop.time()))
        await greeting
        await close_all(again, eve)

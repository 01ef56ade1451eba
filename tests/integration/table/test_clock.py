"""Whose time it is: a table, its workers and its players over real sockets, some of which stand
still (docs/protocol, 14.2).
"""

import asyncio
import os
import signal
import socket
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from protocol.match.clock import CLOCK_KINDS, Allowance
from protocol.match.log import decode_entry
from table.manager.server import TableServer
from tests.support.tables import close_all, config, guest, hurried, seated, until
from tests.support.wire_client import Player, WireClient
from tests.system.kill_table import TableProcess

pytestmark = pytest.mark.match

STEP = 3  # seconds
CLOCK = Allowance(extensions=0, step=STEP, turn=STEP)
STILL = 5.0  # seconds for which something stands still; more than a seat has
SOON = 0.5  # seconds in which a table that has counted them posts a clock entry
LINE = 1.0  # seconds for which a connection may hold up the clock


@asynccontextmanager
async def table_in(folder: Path, workers: int = 0) -> AsyncIterator[TableServer]:
    made = config(folder, bounds={"clock_line_seconds": LINE})
    async with TableServer(replace(made, workers=workers)) as table, hurried(table, CLOCK):
        yield table


async def begun(table: TableServer, entries: int = 6) -> tuple[list[WireClient], list[Player]]:
    """Begin a match, and play until there are so many entries."""
    clients = await seated(table, 1, 2)
    players = [Player(client) for client in clients]
    await asyncio.gather(*(player.run(until=entries) for player in players))
    return clients, players


def clock_entries(records) -> list[tuple[str, int]]:
    found = [decode_entry(record[0]) for record in records]
    return [(entry.kind, entry.body[0]) for entry in found if entry.kind in CLOCK_KINDS]


async def finish(table: TableServer, clients: list[WireClient], players: list[Player]) -> None:
    """Play to the end: nobody is named, or lapsed before."""
    room = table.matches.feeds[clients[0].match_id]
    for player in players:
        await player.answer()
    async with asyncio.timeout(60):
        await asyncio.gather(*(player.run() for player in players))
    assert players[0].reader.faults == () and room.over
    await close_all(*clients)


async def test_front_that_stands_still_takes_nobodys_time(tmp_path):
    async with table_in(tmp_path) as table:
        clients, players = await begun(table)
        room = table.matches.feeds[clients[0].match_id]
        await asyncio.sleep(0.1)  # it beats once more
        asyncio.get_running_loop().call_soon(time.sleep, STILL)
        await asyncio.sleep(SOON)
        assert clock_entries(room.records) == []
        await asyncio.sleep(STEP / 2)
        assert ("lapse", 0) not in clock_entries(room.records)
        await finish(table, clients, players)


@pytest.mark.process
async def test_stopped_table_takes_nobodys_time(tmp_path):
    rules = ("--game", "block-dominoes", "--target", "1", "--seats", "2", "--extensions", "0")
    times = ("--step-seconds", str(STEP), "--turn-seconds", str(STEP))
    table = TableProcess(tmp_path, *rules, *times)
    await table.start()
    clients = []
    for seed, name in ((1, "Ann"), (2, "Bob")):
        client = await (await WireClient(table.link, seed, name).connect()).greet()
        await client.join()
        clients.append(client)
    await clients[0].expect("match")
    players = [Player(client) for client in clients]
    await asyncio.gather(*(player.run(until=6) for player in players))
    os.kill(table.process.pid, signal.SIGSTOP)
    await asyncio.sleep(10)  # the time itself is tested
    os.kill(table.process.pid, signal.SIGCONT)
    await asyncio.sleep(SOON)
    async with asyncio.timeout(60):
        for player in players:
            await player.answer()
        await asyncio.gather(*(player.run() for player in players))
    assert clock_entries(players[0].records) == [] and players[0].reader.faults == ()
    await close_all(*clients)
    assert await table.stop() == 0


@pytest.mark.process
async def test_stopped_worker_takes_nobodys_time(tmp_path):
    """One seat's entry is at the worker, and the other has still to choose."""
    async with table_in(tmp_path, workers=1) as table:
        clients = await seated(table, 1, 2)
        ann, bob = players = [Player(client) for client in clients]
        room = table.matches.feeds[clients[0].match_id]
        await until(lambda: table.matches.pool._workers)
        (worker,) = table.matches.pool._workers
        os.kill(worker.process.pid, signal.SIGSTOP)
        process = psutil.Process(worker.process.pid)
        await until(lambda: process.status() == psutil.STATUS_STOPPED)
        playing = asyncio.create_task(ann.run())
        await until(lambda: room.machine._checking)
        await asyncio.sleep(STILL)  # the time itself is tested
        os.kill(worker.process.pid, signal.SIGCONT)
        await asyncio.sleep(SOON)
        # Bob may be warned: a worker can take long to start. If the time had run, he would lapse
        assert set(clock_entries(room.records)) <= {("warning", 1)}
        await asyncio.gather(playing, bob.run())
        assert players[0].reader.faults == () and room.over
        await close_all(*clients)


class Unread(WireClient):
    """A client that may stop reading, and whose system takes little for it."""

    async def connect(self, address: str | None = None) -> "Unread":
        line = socket.socket()
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        line.setblocking(False)
        where = self.link.host, self.link.port
        await asyncio.get_running_loop().sock_connect(line, where)
        self.reader, self.writer = await asyncio.open_connection(sock=line)
        return self


async def test_seat_that_reads_nothing_lapses_a_little_later(tmp_path):
    async with table_in(tmp_path) as table:
        ann = await guest(table, 1)
        bob = await (await Unread(table.link, 2, "Bob").connect()).greet()
        for client in (ann, bob):
            await client.join()
        await ann.expect("match")
        players = [Player(client) for client in (ann, bob)]
        await asyncio.gather(*(player.run(until=6) for player in players))
        room, seat = table.matches.feeds[ann.match_id], bob.seat
        (party,) = (party for party, of in room._parties.items() if of == seat)
        bob.writer.transport.pause_reading()
        while party.sent - party.written < 4096:  # what he asks for fills the buffers
            await bob.send("replay", bob.match_id, 0)
            await asyncio.sleep(0.01)
        number = room.stored
        playing = asyncio.create_task(players[0].run())
        await until(lambda: room.live.status.duty_since[seat] >= number)
        began = time.monotonic()
        assert room.machine.waited(seat, room._loop.time()) == 0
        await until(lambda: ("lapse", seat) in clock_entries(room.records))
        took = time.monotonic() - began
        assert STEP + LINE <= took < STEP + LINE + 1.5
        claimed = decode_entry(room.records[-1].entry).body[1] / 1000
        assert STEP <= claimed <= took - LINE + 0.1, "the table claims no more"
        await playing
        await close_all(ann)
        await bob.close(polite=False)


async def test_seat_that_is_away_has_no_more_time(tmp_path):
    async with table_in(tmp_path) as table:
        (ann, bob), players = await begun(table, 4)
        room = table.matches.feeds[ann.match_id]
        seat = bob.seat
        await bob.close(polite=False)
        await until(lambda: seat not in room.seated)
        number, playing = room.stored, asyncio.create_task(players[0].run())
        await until(lambda: room.live.status.duty_since[seat] >= number or room.over)
        began = time.monotonic()
        await until(lambda: ("lapse", seat) in clock_entries(room.records))
        assert time.monotonic() - began < STEP + LINE / 2
        await playing
        await close_all(ann)

"""Floods from one address or one peer: the table limits them, and nobody else notices."""

import asyncio
import json
import resource
import socket
import sys
import time
from contextlib import contextmanager

import pytest

from conformance.table.environment import wire_terms
from protocol.codes import Code
from protocol.limits import ACCEPT_RETRY_SECONDS
from tests.adversary.hostile.test_overload import at_table, narrow
from tests.support.tables import close_all, finish, guest, seated, surviving, until
from tests.support.wire_client import WireClient, play_match

pytestmark = pytest.mark.slow

SLOW = 0.001  # tokens a second: practically none in a test
TERMS = [wire_terms("block-dominoes", [["target", 1]], "layered", [], [], 2)]
PAIR = ((11, "Ann"), (12, "Bob"))
ELSEWHERE = "127.0.0.2"  # every address of 127.0.0.0/8 is this machine


class Elsewhere(WireClient):
    """Client at another address than everybody else in these tests."""

    async def connect(self) -> "WireClient":
        self.reader, self.writer = await asyncio.open_connection(
            self.link.host, self.link.port, local_addr=(ELSEWHERE, 0)
        )
        return self


async def silent_elsewhere(table, count: int) -> list[WireClient]:
    return [await Elsewhere(table.link, 500 + number).connect() for number in range(count)]


def ended(client: WireClient) -> bool:
    """Return whether this client has heard that the table closed its connection."""
    # what it was told last may not be read yet
    return client.reader._eof or client.reader.exception() is not None


async def test_half_open_flood_evicts_only_its_own_address(tmp_path):
    bounds = {"half_open": 10, "half_open_per_address": 6, "handshake_seconds": 60}
    async with surviving(tmp_path, bounds=bounds) as table:
        honest = await WireClient(table.link, 1).connect()
        flood = await silent_elsewhere(table, 7)  # one more than its share
        await until(lambda: table.metrics.gave_way == 1)
        await until(lambda: ended(flood[0]))
        assert not any(map(ended, flood[1:])) and len(table.connections) == 7
        flood += await silent_elsewhere(table, 30)
        await until(lambda: table.metrics.gave_way == 31)
        await honest.greet()  # although its connection is the oldest of all
        await close_all(honest, *flood)


async def test_small_messages_are_sent_without_delay(tmp_path):
    """Without no-delay each entry would wait 40 ms for the reader's system to acknowledge the
    previous one.
    """
    async with surviving(tmp_path) as table:
        ann = await guest(table, 1, "Ann")
        peer = at_table(table, ann)._transport.get_extra_info("socket")
        assert peer.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
        await close_all(ann)


@pytest.mark.process
async def test_flood_of_every_kind_leaves_matches_running(tmp_path):
    attempts, rate, seats = 600, 16, 4
    async with surviving(
        tmp_path, seats=seats, bounds={"arrivals_per_address": (60, rate)}
    ) as table:
        flooder = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "scripts.benchmarks.flooder",
            str(table.link),
            ELSEWHERE,
            str(attempts),
            stdout=asyncio.subprocess.PIPE,
        )
        before, seed = table.metrics.accepted, 200
        while flooder.returncode is None:
            await play_match(table.link, seats, seed)
            # the honest clients share one address, too, and stay within its rate
            await asyncio.sleep(seats / rate)
            seed += 10
        honest = seats * (seed - 200) // 10
        output, _ = await flooder.communicate()
        assert sum(json.loads(output)["counts"].values()) == attempts
        refused = table.metrics.refused  # those who wait outside are counted when they go
        await until(
            lambda: (
                table.metrics.accepted - before + refused["hasty"] + refused["crowded"]
                == honest + attempts
            )
        )
        assert refused["hasty"] + refused["crowded"] > attempts / 2


async def test_arrival_flood_of_one_address_keeps_nobody_else_out(tmp_path):
    async with surviving(tmp_path, bounds={"arrivals_per_address": (12, SLOW)}) as table:
        crowd = await silent_elsewhere(table, 13)
        await until(lambda: ended(crowd[12]))
        assert not any(map(ended, crowd[:12])) and len(table.connections) == 12
        assert dict(table.metrics.refused) == {"hasty": 1}
        await play_match(table.link)
        await close_all(*crowd)


async def test_messages_above_the_rate_wait_without_loss(tmp_path):
    """Session and hello use two of the sixty tokens; the next five come at three a second."""
    async with surviving(tmp_path, bounds={"frames": (60, 3), "requests": (100, 100)}) as table:
        hasty, calm = await guest(table, 1, "Hasty"), await guest(table, 2, "Calm")
        connection, loop = at_table(table, hasty), asyncio.get_running_loop()
        begun = loop.time()
        hasty.writer.write(b"".join(hasty.record("list") for _ in range(57)))
        for _ in range(57):
            await hasty.expect("tables")
        assert table.metrics.pauses == 0
        # one token that is left, and five more
        hasty.writer.write(b"".join(hasty.record("list") for _ in range(6)))
        await until(lambda: not connection._transport.is_reading())
        await calm.send("list")
        await calm.expect("tables")
        for _ in range(6):
            await hasty.expect("tables")
        assert loop.time() - begun >= 1.3
        await until(lambda: connection._transport.is_reading())
        await close_all(hasty, calm)


async def test_frames_of_one_address_are_bounded_together(tmp_path):
    bounds = {"frames_per_address": (300, 2), "requests": (500, 100)}
    async with surviving(tmp_path, bounds=bounds) as table:
        ann, bob = [
            await (await Elsewhere(table.link, seed, name).connect()).greet() for seed, name in PAIR
        ]
        for client in (ann, bob):  # session and hello: four of the 300 tokens are spent
            client.writer.write(b"".join(client.record("list") for _ in range(147)))
        for client in (ann, bob):
            for _ in range(147):
                await client.expect("tables")
        assert table.metrics.pauses == 0
        for client in (ann, bob):
            client.writer.write(b"".join(client.record("list") for _ in range(3)))
        await until(lambda: table.metrics.pauses >= 2)
        await play_match(table.link)
        for client in (ann, bob):
            for _ in range(3):
                await client.expect("tables")
        await close_all(ann, bob)


async def test_refused_entries_cost_more_of_the_rate(tmp_path):
    """Three bad entries cost 78 frames of the 100, with four more for session, hello, join and
    replay. The fourth is still taken; later frames wait.
    """
    async with surviving(tmp_path, bounds={"frames": (100, 20)}) as table:
        ann, bob = await seated(table, 1, 2)
        bad = ann.record("post", ann.match_id, b"x")
        ann.writer.write(bad + b"".join(ann.record("post", ann.match_id, b"x") for _ in range(4)))
        await until(lambda: table.metrics.pauses)
        for _ in range(4):
            assert (await ann.expect("refused"))[4] == str(Code.BAD_ENTRY)
        assert table.metrics.pauses == 1
        assert (await ann.expect("refused"))[4] == str(Code.BAD_ENTRY)
        assert table.metrics.refused_posts == {Code.BAD_ENTRY: 5}
        await finish([ann, bob])
        await close_all(ann, bob)


async def test_long_entries_cost_more_of_the_rate(tmp_path):
    """An entry of 17 kB counts as 512 frames more than a short one, whatever its content."""
    async with surviving(tmp_path, bounds={"frames": (530, 40)}) as table:
        ann, bob = await seated(table, 1, 2)
        ann.writer.write(ann.record("post", ann.match_id, bytes(1024)) + ann.record("list"))
        await ann.expect("refused")
        await ann.expect("tables")
        assert table.metrics.pauses == 0
        ann.writer.write(ann.record("post", ann.match_id, bytes(17 * 1024)) + ann.record("list"))
        await ann.expect("refused")
        assert table.metrics.pauses == 1
        await ann.expect("tables")
        await finish([ann, bob])
        await close_all(ann, bob)


async def test_lobby_requests_are_bounded_per_identity_across_connections(tmp_path):
    async with surviving(tmp_path, bounds={"requests": (5, SLOW)}) as table:
        ann = await guest(table, 1, "Ann")
        for _ in range(4):
            await ann.join()
            await ann.send("leave")
            await ann.expect("left")
        await ann.close()
        back = await guest(table, 9, "Ann", identity=ann.identity)
        await back.send("list")
        await back.expect("tables")
        for name, values in (
            ("create", TERMS),
            ("join", [None]),
            ("list", []),
            ("spectate", [None]),
        ):
            await back.send(name, *values)
            await back.expect_error(Code.TOO_MANY)
        assert table.metrics.declined == {Code.TOO_MANY: 4}
        await play_match(table.link)
        await close_all(back)


async def test_lobby_requests_of_one_address_are_bounded(tmp_path):
    async with surviving(tmp_path, bounds={"requests_per_address": (9, SLOW)}) as table:
        ann, bob = [
            await (await Elsewhere(table.link, seed, name).connect()).greet() for seed, name in PAIR
        ]
        for client in (ann, bob, ann, bob, ann, bob, ann, bob, ann):
            await client.send("list")
            await client.expect("tables")
        await bob.send("list")
        await bob.expect_error(Code.TOO_MANY)
        await play_match(table.link)
        await close_all(ann, bob)


async def queue(connection, size: int) -> None:
    """Send until `size` bytes wait for the peer to read."""
    while connection.queued < size:
        connection.send(bytes(20_000))
        await asyncio.sleep(0)


async def test_queue_total_above_limit_cuts_off_largest_holder(tmp_path):
    """Each queue is within its own bound; the second exceeds the table's total."""
    bounds = {"queued_in_all": 1_000_000, "queued": 900_000, "stall_seconds": 60}
    async with surviving(tmp_path, bounds=bounds) as table:
        more, less = await narrow(table, 3, "More"), await narrow(table, 4, "Less")
        first, second = at_table(table, more), at_table(table, less)
        await queue(first, 600_000)
        await queue(second, 350_000)
        assert first.open and table.queued == first.queued + second.queued
        await queue(second, 450_000)
        await until(lambda: first not in table.connections)
        assert second.open and table.metrics.slow_readers == 1
        await play_match(table.link)
        for client in (more, less):
            await client.close(polite=False)


async def test_listener_without_descriptors_pauses_without_spinning(tmp_path, caplog):
    async with surviving(tmp_path) as table:
        ann, bob = await seated(table, 1, 2)
        waiting = [socket.socket() for _ in range(3)]
        with few_descriptors():
            began = time.monotonic()
            for each in waiting:
                each.setblocking(False)
                each.connect_ex((table.link.host, table.link.port))
            await until(lambda: "cannot accept" in caplog.text)
            used = time.process_time()
            await ann.send("list")
            await ann.expect("tables")
            await asyncio.sleep(ACCEPT_RETRY_SECONDS / 2)
            tries = 1 + (time.monotonic() - began) // ACCEPT_RETRY_SECONDS
            assert 1 <= caplog.text.count("cannot accept") <= tries
            assert time.process_time() - used < ACCEPT_RETRY_SECONDS / 4
        await until(lambda: len(table.connections) == 5)
        for each in waiting:
            each.close()
        await finish([ann, bob])
        await close_all(ann, bob)


@contextmanager
def few_descriptors():
    """Leave this process no free file descriptor inside the context."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    probe = socket.socket()
    lowest = probe.fileno()  # the lowest descriptor that is free
    probe.close()
    resource.setrlimit(resource.RLIMIT_NOFILE, (lowest, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)

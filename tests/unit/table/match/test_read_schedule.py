"""Readers of stored logs: allowances by address, turns, and the cache of encoded entries."""

import asyncio
from dataclasses import dataclass, field

import pytest

from protocol.limits import ENTRY_OVERHEAD, READ_PART, READ_TURN
from protocol.match.log import Record
from table.config import Bounds
from table.match.read_schedule import EncodedEntries, ReadSchedule, cost_of
from tests.unit.table.match.test_hosted_match import in_virtual_time

HERE, THERE = "192.0.2.1", "192.0.2.2"


@dataclass(eq=False)
class Reader:
    """One who reads a log, and how much of it there is for it."""

    address: str
    left: int = 10**9
    parts: list[float] = field(default_factory=list)  # when it was sent one


class Log:
    """A log that is as long as its readers say, and takes a while to send."""

    def __init__(self) -> None:
        self.order: list[Reader] = []

    def read_on(self, reader: Reader, most: int) -> tuple[int, bool]:
        part = min(most, reader.left)
        reader.left -= part
        reader.parts.append(asyncio.get_running_loop().time())
        self.order.append(reader)
        return part, reader.left > 0


async def passed(seconds: float) -> None:
    await asyncio.sleep(seconds)


@in_virtual_time
async def test_address_reads_its_burst_and_then_its_rate():
    rate = 10 * READ_PART
    schedule, log = ReadSchedule(Bounds(log_bytes_per_address=(4 * READ_PART, rate))), Log()
    reader = Reader(HERE)
    schedule.add(log, reader, False)
    await passed(0.01)
    assert 4 <= len(reader.parts) <= 5
    await passed(10)
    assert 4 + 99 <= len(reader.parts) <= 5 + 101
    schedule.close()


@in_virtual_time
async def test_address_in_debt_takes_nothing_of_others():
    schedule, log = ReadSchedule(Bounds(log_bytes_per_address=(READ_PART, 1))), Log()
    greedy = [Reader(HERE) for _ in range(60)]
    for reader in greedy:
        schedule.add(log, reader, False)
    await passed(1)
    assert sum(len(reader.parts) for reader in greedy) <= 2
    assert not schedule.may_read(HERE)
    assert schedule.may_read(THERE)
    other = Reader(THERE, 100)
    schedule.add(log, other, False)
    await passed(0.001)
    assert other.left == 0
    schedule.close()


@in_virtual_time
async def test_seats_of_running_matches_have_their_own_allowance():
    bounds = Bounds(log_bytes_per_address=(1, 1), seat_log_bytes_per_address=(10**6, 10**6))
    schedule, log = ReadSchedule(bounds), Log()
    watcher, seat = Reader(HERE), Reader(HERE, 5 * READ_PART)
    schedule.add(log, watcher, False)
    schedule.add(log, seat, True)
    await passed(0.1)
    assert (len(watcher.parts), seat.left) == (1, 0)
    schedule.close()


@in_virtual_time
async def test_addresses_take_turns_however_many_read():
    schedule, log = ReadSchedule(Bounds()), Log()
    for _ in range(60):
        schedule.add(log, Reader(HERE), False)
    other = Reader(THERE, 20 * READ_PART)
    schedule.add(log, other, False)
    before = len(log.order)
    while other.left:
        await passed(0.0001)
    assert len(log.order) - before <= 2 * 20 + 2
    schedule.close()


@in_virtual_time
async def test_networks_of_one_organisation_share_one_turn():
    schedule, log = ReadSchedule(Bounds()), Log()
    for number in range(200):
        schedule.add(log, Reader(f"2001:db8:0:{number:x}::/64"), False)
    other = Reader("2001:db8:1::/64", 20 * READ_PART)
    schedule.add(log, other, False)
    before = len(log.order)
    while other.left:
        await passed(0.0001)
    assert len(log.order) - before <= 2 * 20 + 2
    schedule.close()


async def test_turn_ends_after_its_bytes_and_rests():
    schedule, log = ReadSchedule(Bounds()), Log()
    schedule.add(log, Reader(HERE), False)
    assert len(log.order) == READ_TURN // READ_PART
    schedule.add(log, Reader(THERE), False)  # no new turn at once
    assert len(log.order) == READ_TURN // READ_PART
    schedule.close()


@in_virtual_time
async def test_reader_that_has_gone_gets_no_turn():
    schedule, log = ReadSchedule(Bounds(log_bytes_per_address=(1, 10**6))), Log()
    reader = Reader(HERE)
    schedule.add(log, reader, False)
    assert schedule.waits(reader)
    schedule.remove(reader)
    assert not schedule.waits(reader)
    await passed(1)
    assert len(reader.parts) == 1


@pytest.mark.parametrize("most", [0, 1000])
def test_encoded_entries_are_shared_and_bounded(most):
    entries = EncodedEntries(most)
    record = Record(b"e" * 300, b"h" * 64)
    first = entries.message(b"m" * 32, 0, record)
    assert entries.message(b"m" * 32, 0, record) is first
    for number in range(1, 50):
        entries.message(b"m" * 32, number, record)
        assert entries.size <= max(most, len(first) + 5)
    assert entries.message(b"m" * 32, 0, record) == first
    assert entries.message(b"m" * 32, 0, Record(b"f" * 300, b"h" * 64)) != first
    assert cost_of(first) == len(first) + ENTRY_OVERHEAD

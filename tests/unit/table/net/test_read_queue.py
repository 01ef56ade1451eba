"""Connections that wait for processor time: their order, and who waits at all."""

import asyncio

from protocol.limits import PROCESSOR_TURN_SECONDS
from table.net.processor_time import Budget, ConnectionPayer
from table.net.read_queue import ReadQueue
from tests.support.tables import until

EVE, MALLORY, ANN = "192.0.2.1", "192.0.2.2", "192.0.2.3"


class Reader:
    """A connection that has brought some frames, each of which costs so much."""

    def __init__(self, line: ReadQueue, budget: Budget, address: str, seconds: float) -> None:
        self.line, self.payer, self.seconds = line, ConnectionPayer(budget, address), seconds
        self.frames, self.turns, self.log = 0, 0, []

    def bring(self, frames: int) -> None:
        self.frames += frames
        self.read()

    def take_turn(self) -> None:
        self.turns += 1
        self.read()

    def read(self) -> None:
        while self.frames:
            if self.line.must_wait(self.payer):
                self.line.enter(self.payer, self)
                return
            self.frames -= 1
            self.log.append(asyncio.get_running_loop().time())
            self.payer.charge(self.seconds)


def made(reserve: float = 0.01, share: float = 0.5) -> tuple[ReadQueue, Budget]:
    budget = Budget(100, reserve, share, 2.0)
    return ReadQueue(budget, asyncio.get_running_loop()), budget


async def test_who_owes_waits_and_nobody_else():
    line, budget = made()
    eve, ann = (Reader(line, budget, address, 0.02) for address in (EVE, ANN))
    eve.bring(50)
    assert eve.frames > 0 and len(line) == 1
    ann.bring(1)
    assert ann.frames == 0 and ann.turns == 0
    line.close()


async def test_all_that_waits_is_read_in_the_end():
    line, budget = made()
    eve, ann = Reader(line, budget, EVE, 0.02), Reader(line, budget, ANN, 0.00001)
    eve.bring(5)
    while eve.frames:
        ann.bring(1)
        await asyncio.sleep(0.001)
    loop = asyncio.get_running_loop()
    assert eve.log[-1] - eve.log[0] > 0.08, "four entries of 20 ms, half of the time"
    assert loop.time() and len(line) == 0 and not budget.waiting


async def test_connections_of_one_address_take_turns():
    line, budget = made(1000.0)
    readers = [Reader(line, budget, EVE, PROCESSOR_TURN_SECONDS * 2) for _ in range(3)]
    for reader in readers:
        reader.bring(4)
    while any(reader.frames for reader in readers):
        turns = [reader.turns for reader in readers]
        assert max(turns) - min(turns) <= 2
        await asyncio.sleep(0)
    assert all(reader.turns >= 3 for reader in readers)


async def test_one_step_for_each_turn_of_loop():
    line, budget = made(1000.0)
    eve = Reader(line, budget, EVE, PROCESSOR_TURN_SECONDS)
    eve.bring(20)
    for _ in range(5):
        before = eve.frames
        await asyncio.sleep(0)
        assert before - eve.frames <= 2
    line.close()


async def test_two_addresses_that_owe_take_turns():
    line, budget = made()
    eve, mallory = (Reader(line, budget, address, 0.005) for address in (EVE, MALLORY))
    eve.bring(20)
    mallory.bring(20)
    await until(lambda: not (eve.frames and mallory.frames))
    assert abs(eve.frames - mallory.frames) <= 3
    line.close()


async def test_connection_that_has_gone_is_forgotten():
    line, budget = made()
    eve = Reader(line, budget, EVE, 1.0)
    eve.bring(3)
    assert len(budget.waiting) == 1
    line.leave(eve.payer, eve)
    line.leave(eve.payer, eve)
    assert len(line) == 0 and not budget.waiting

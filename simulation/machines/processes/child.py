"""One process of a run: the coordinator, or a group of players. All that they say goes over the
server, also to players in this same process.

It ends when the round is over, when the server or the coordinator is gone, and when who has started
it is.
"""

import asyncio
import json
import signal
import sys
import time
from typing import Any

from protocol.errors import LocalError, RemoteError
from protocol.limits import MACHINES_BEAT_SECONDS, MACHINES_SILENT_SECONDS
from simulation.machines.coordinator import Coordinator
from simulation.machines.messages import (
    COORDINATOR,
    Alive,
    Check,
    Init,
    Instant,
    Lay,
    Look,
    Message,
    Out,
    Over,
    Points,
    Start,
    Wake,
    decode,
    encode,
)
from simulation.machines.player import Player
from simulation.machines.processes.child_spec import ProcessSpec, read_spec
from simulation.machines.processes.nats_connection import NatsConnection
from simulation.machines.result import to_plain
from simulation.machines.strategies import STRATEGIES

# microseconds
SILENT = MACHINES_SILENT_SECONDS * 1_000_000
SURE = 2 * MACHINES_BEAT_SECONDS * 1_000_000
FINE, FAILED, ORPHANED, SERVER_GONE = 0, 1, 4, 3  # exit codes
ASKED = Init | Lay | Look | Points  # what is answered


def microseconds() -> int:
    """Of the wall clock: instants are compared between machines."""
    return time.time_ns() // 1000


class LivenessTable:
    """Processes by the number of their first player; the coordinator's has its own number, and one
    player.
    """

    def __init__(self) -> None:
        self.heard: dict[int, tuple[int, Instant]] = {}

    def alive(self, first: int, players: int, now: Instant) -> None:
        """A process says that it is there, and for how many players."""
        self.heard[first] = players, now

    def missing(self, players: int) -> tuple[int, ...]:
        """Of so many, those for whom nobody has ever been there."""
        there = {first + each for first, (count, _) in self.heard.items() for each in range(count)}
        return tuple(each for each in range(players) if each not in there)

    def surely_heard(self, first: int, now: Instant) -> bool:
        """Whether a process was heard a moment ago, or never: who does not hear itself knows
        nothing of others.
        """
        return first not in self.heard or now - self.heard[first][1] <= SURE

    def silent(self, now: Instant) -> tuple[tuple[int, int], ...]:
        """Who was there and has said nothing for too long: first player and how many."""
        return tuple(
            (first, count) for first, (count, at) in self.heard.items() if now - at > SILENT
        )


class ProcessHost:
    """The machines of a process, at a line."""

    def __init__(self, spec: ProcessSpec, line: NatsConnection) -> None:
        self.spec, self.line = spec, line
        self.run = bytes.fromhex(spec.run)
        self.roll = LivenessTable()
        self.ended: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self.tasks = set[asyncio.Task[None]]()
        self.started = self.said = False  # that it has begun; what came of it
        self.coordinator = None if spec.plan is None else Coordinator(spec.plan)
        self.machines: dict[int, Player | Coordinator]
        if self.coordinator is not None:
            self.machines = {COORDINATOR: self.coordinator}
        else:
            numbers = range(spec.first, spec.first + spec.count)
            self.machines = {
                number: Player(number, STRATEGIES[spec.strategy]) for number in numbers
            }

    async def serve(self) -> int:
        """Until it is over; the exit code."""
        for number in self.machines:
            await self.line.listen(number, self._heard)
        await self.line.listen(None, self._heard)
        beat = asyncio.ensure_future(self._beat())
        ends: list[asyncio.Future[Any]] = [beat, self.ended, self.line.gone]
        await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        code = await self._ending(beat)
        beat.cancel()
        for task in self.tasks:
            task.cancel()
        return code

    async def _ending(self, beat: "asyncio.Future[None]") -> int:
        """What ended it. Raises: what went wrong in this process."""
        if self.line.gone.done():
            why = self.line.gone.result()
            if isinstance(why, Exception):
                raise why
            return SERVER_GONE
        if self.ended.done():
            return self.ended.result()
        await beat
        return FAILED

    async def _heard(self, data: bytes) -> None:
        """A message from whomever. What is not of this run, or not well-formed, or not to one of
        ours, is nothing.
        """
        try:
            sender, to, message = decode(self.run, data)
        except RemoteError:
            return
        if isinstance(message, Alive | Over):
            self._news(sender, message)
        elif to in self.machines:
            await self._send(to, self.machines[to].receive(sender, message, microseconds()))

    def _news(self, sender: int, message: Alive | Over) -> None:
        if isinstance(message, Alive):
            self.roll.alive(sender, message.players, microseconds())
        elif sender == COORDINATOR and self.coordinator is None:
            self._end(FINE)

    def _end(self, code: int) -> None:
        if not self.ended.done():
            self.ended.set_result(code)

    async def _send(self, sender: int, out: Out) -> None:
        for to, message in out:
            if isinstance(message, Wake | Check):
                self._later(to, message)
                continue
            if isinstance(message, Start) and not self.started:
                self.started = True
                print(json.dumps({"started": microseconds()}), flush=True)
            reply = sender if isinstance(message, ASKED) else None
            await self.line.send(to, encode(self.run, sender, to, message), reply)
        if self.coordinator is not None:
            await self._over()

    def _later(self, to: int, message: Wake | Check) -> None:
        """Said to oneself when its time has come."""

        def due() -> None:
            task = asyncio.ensure_future(self._due(to, message))
            self.tasks.add(task)
            task.add_done_callback(self.tasks.discard)

        asyncio.get_running_loop().call_later(max(0, message.at - microseconds()) / 1e6, due)

    async def _due(self, to: int, message: Message) -> None:
        # a timer may be early by the clock's grain
        now = max(microseconds(), int(getattr(message, "at", 0)))
        try:
            await self._send(to, self.machines[to].receive(to, message, now))
        except LocalError as error:
            if not self.line.gone.done():
                self.line.gone.set_result(error)

    async def _over(self) -> None:
        """The coordinator has done: what came of it goes to who started it, and the others may
        end.
        """
        assert self.coordinator is not None
        outcome = self.coordinator.outcome
        if outcome is None or self.said:
            return
        self.said = True
        print(json.dumps(to_plain(outcome)), flush=True)
        await self.line.send(None, encode(self.run, COORDINATOR, COORDINATOR, Over()))
        self._end(FINE)

    async def _beat(self) -> None:
        """Say that we are here, and see who is not."""
        begun = microseconds()
        message = encode(self.run, self.spec.first, self.spec.first, Alive(self.spec.count))
        while not self.ended.done():
            await self.line.send(None, message)
            await self._look(begun, microseconds())
            await asyncio.sleep(MACHINES_BEAT_SECONDS)

    async def _look(self, begun: Instant, now: Instant) -> None:
        silent = dict(self.roll.silent(now))
        late = now - begun > self.spec.wait * 1_000_000
        if self.spec.first in silent:  # we do not even hear ourselves
            self._end(SERVER_GONE)
        elif not self.roll.surely_heard(self.spec.first, now):
            return  # it may be the server that is silent
        elif self.coordinator is not None:
            await self._coordinate(silent, late, now)
        elif COORDINATOR in silent or (late and COORDINATOR not in self.roll.heard):
            self._end(ORPHANED)

    async def _coordinate(self, silent: dict[int, int], late: bool, now: Instant) -> None:
        """Begin when all are there; it is void when somebody is not any more."""
        coordinator = self.coordinator
        assert coordinator is not None
        missing = self.roll.missing(len(coordinator.players))
        gone = tuple(first + each for first, count in silent.items() for each in range(count))
        if gone:
            coordinator.void("silent", gone, now)
        elif missing and late:
            coordinator.void("unready", missing, now)
        elif not missing and not coordinator.begun:
            await self._send(COORDINATOR, coordinator.begin(now))
        await self._over()


async def _until_left_alone() -> None:
    """Until standard input ends: who started this process is gone."""
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), sys.stdin
    )
    await reader.read()


async def serve(spec: ProcessSpec) -> int:
    """A process's life, as part of a run; the exit code. Raises: LocalError."""
    line = await NatsConnection.connect(spec.url, bytes.fromhex(spec.run))
    code = FAILED
    try:
        code = await ProcessHost(spec, line).serve()
    finally:
        await line.close(flush=code == FINE)
    return code


async def _child(spec: ProcessSpec) -> int:
    serving, alone = asyncio.ensure_future(serve(spec)), asyncio.ensure_future(_until_left_alone())
    await asyncio.wait([serving, alone], return_when=asyncio.FIRST_COMPLETED)
    if serving.done():
        alone.cancel()
        return serving.result()
    serving.cancel()
    return ORPHANED


def main() -> int:
    """A process that was started by `launch`."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # who started us ends us
    spec = read_spec(sys.stdin.readline())
    try:
        return asyncio.run(_child(spec))
    except LocalError as error:
        print(error, file=sys.stderr)
        return FAILED


if __name__ == "__main__":
    sys.exit(main())

"""One process of a run: the coordinator, or a group of players. All messages go over the server,
also between players of one process.

The process ends when the round is over, when the server or the coordinator is gone, or when its
parent is gone.
"""

import asyncio
import json
import signal
import sys
import time
from typing import Any

from protocol.errors import LocalError, RemoteError
from protocol.i18n import english_text
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
# exit codes
FINE = 0
FAILED = 1
ORPHANED = 4
SERVER_GONE = 3
ASKED = Init | Lay | Look | Points  # requests that have an answer


def microseconds() -> int:
    """Time of the wall clock: machines compare their instants."""
    return time.time_ns() // 1000


class LivenessTable:
    """Signs of life of processes, by the number of a process's first player. The coordinator's
    process has its own number and counts as one player.
    """

    def __init__(self) -> None:
        self.heard: dict[int, tuple[int, Instant]] = {}

    def alive(self, first: int, players: int, now: Instant) -> None:
        """Note a sign of life of a process with `players` players."""
        self.heard[first] = players, now

    def missing(self, players: int) -> tuple[int, ...]:
        """Return the players whose process has never given a sign of life."""
        there = {first + each for first, (count, _) in self.heard.items() for each in range(count)}
        return tuple(each for each in range(players) if each not in there)

    def surely_heard(self, first: int, now: Instant) -> bool:
        """Check that the process of `first` was heard a moment ago, or never.

        A process that does not hear itself cannot judge the others.
        """
        return first not in self.heard or now - self.heard[first][1] <= SURE

    def silent(self, now: Instant) -> tuple[tuple[int, int], ...]:
        """Return the processes that have been silent for too long: first player and number of
        players.
        """
        return tuple(
            (first, count) for first, (count, at) in self.heard.items() if now - at > SILENT
        )


class ProcessHost:
    """The machines of this process, on a connection to the server."""

    def __init__(self, spec: ProcessSpec, line: NatsConnection) -> None:
        self.spec = spec
        self.line = line
        self.run = bytes.fromhex(spec.run)
        self.roll = LivenessTable()
        self.ended: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self.tasks = set[asyncio.Task[None]]()
        # the start, and the outcome, have been reported to the parent
        self.started = self.said = False
        if spec.plan is None:
            self.coordinator = None
        else:
            self.coordinator = Coordinator(spec.plan)
        self.machines: dict[int, Player | Coordinator]
        if self.coordinator is not None:
            self.machines = {COORDINATOR: self.coordinator}
        else:
            numbers = range(spec.first, spec.first + spec.count)
            self.machines = {
                number: Player(number, STRATEGIES[spec.strategy]) for number in numbers
            }

    async def serve(self) -> int:
        """Serve until the end of the run, and return the exit code."""
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
        """Find the reason of the end. Raises: the exception of this process."""
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
        """Handle a message. Ignore a message of another run, for another process, or not
        well-formed.
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
        """Deliver a timer when its time has come."""

        def due() -> None:
            task = asyncio.ensure_future(self._due(to, message))
            self.tasks.add(task)
            task.add_done_callback(self.tasks.discard)

        asyncio.get_running_loop().call_later(max(0, message.at - microseconds()) / 1e6, due)

    async def _due(self, to: int, message: Message) -> None:
        # a timer may fire early by the clock's resolution
        now = max(microseconds(), int(getattr(message, "at", 0)))
        try:
            await self._send(to, self.machines[to].receive(to, message, now))
        except LocalError as error:
            if not self.line.gone.done():
                self.line.gone.set_result(error)

    async def _over(self) -> None:
        """After the round, print the outcome for the parent and let the other processes end."""
        assert self.coordinator is not None
        outcome = self.coordinator.outcome
        if outcome is None or self.said:
            return
        self.said = True
        print(json.dumps(to_plain(outcome)), flush=True)
        await self.line.send(None, encode(self.run, COORDINATOR, COORDINATOR, Over()))
        self._end(FINE)

    async def _beat(self) -> None:
        """Send signs of life, and look for silent processes."""
        begun = microseconds()
        message = encode(self.run, self.spec.first, self.spec.first, Alive(self.spec.count))
        while not self.ended.done():
            await self.line.send(None, message)
            await self._look(begun, microseconds())
            await asyncio.sleep(MACHINES_BEAT_SECONDS)

    async def _look(self, begun: Instant, now: Instant) -> None:
        silent = dict(self.roll.silent(now))
        late = now - begun > self.spec.wait * 1_000_000
        if self.spec.first in silent:  # this process does not even hear itself
            self._end(SERVER_GONE)
        elif not self.roll.surely_heard(self.spec.first, now):
            return  # perhaps the server is silent
        elif self.coordinator is not None:
            await self._coordinate(silent, late, now)
        elif COORDINATOR in silent or (late and COORDINATOR not in self.roll.heard):
            self._end(ORPHANED)

    async def _coordinate(self, silent: dict[int, int], late: bool, now: Instant) -> None:
        """Begin when all players are there; end the round when one is gone."""
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


async def _wait_for_parent_end() -> None:
    """Wait for the end of standard input: the parent is gone."""
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), sys.stdin
    )
    await reader.read()


async def serve(spec: ProcessSpec) -> int:
    """Take part in a run, and return the exit code. Raises: LocalError."""
    line = await NatsConnection.connect(spec.url, bytes.fromhex(spec.run))
    code = FAILED
    try:
        code = await ProcessHost(spec, line).serve()
    finally:
        await line.close(flush=code == FINE)
    return code


async def _child(spec: ProcessSpec) -> int:
    serving = asyncio.ensure_future(serve(spec))
    alone = asyncio.ensure_future(_wait_for_parent_end())
    await asyncio.wait([serving, alone], return_when=asyncio.FIRST_COMPLETED)
    if serving.done():
        alone.cancel()
        return serving.result()
    serving.cancel()
    return ORPHANED


def main() -> int:
    """Run a process that `launcher` has started."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends this process
    spec = read_spec(sys.stdin.readline())
    try:
        return asyncio.run(_child(spec))
    except LocalError as error:
        print(english_text(error.phrase), file=sys.stderr)
        return FAILED


if __name__ == "__main__":
    sys.exit(main())

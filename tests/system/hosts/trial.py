"""A table of several hosts with bots, and the checks at the end, whatever faults occur."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from protocol.audit.verdict import Verdict, audit
from protocol.match.packed_log import plain_log
from tests.system.hosts.bots import Crowd
from tests.system.hosts.onlooker import Onlooker
from tests.system.hosts.processes import HostProcess, World, world

PAIRS = 8
PACE = 0.2  # seconds that a bot thinks
BEGUN_SECONDS = 120  # until all matches have begun
# until every match has gone on after a fault, on a busy machine
GOES_ON_SECONDS = 90
LOOK_ON_SECONDS = 90  # until as many matches are watched as there are pairs, on a busy machine
SEEN = "somebody who watches sees something"
BEATS_SECONDS = 20  # until all hosts know of a match, on a busy machine
END_SECONDS = 300  # for all matches to end
FILE_SECONDS = 60  # for the last log file to be written


@dataclass
class Trial:
    """The running parts of a trial."""

    world: World
    crowd: Crowd
    onlookers: dict[Onlooker, "asyncio.Task[None]"] = field(default_factory=dict)

    async def look_on(self) -> None:
        """Let as many spectators watch as there are pairs, each another match at a host that does
        not own it. Return when all see something. If a match ends before its spectator arrives, the
        spectator takes the next one.
        """
        ends, many = time.monotonic() + LOOK_ON_SECONDS, len(self.crowd.running)
        while len(self.onlookers) < many:
            if time.monotonic() > ends:
                self.crowd.recorder.wrong.append(f"not within {LOOK_ON_SECONDS} s: {SEEN}")
                return
            watched = {onlooker.match_id for onlooker in self.onlookers}
            for match_id in self.crowd.running.keys() - watched:
                await self._looks_on(match_id)
            await asyncio.sleep(0.05)

    async def _looks_on(self, match_id: bytes) -> None:
        """Let a spectator watch this match until its end."""
        ends = time.monotonic() + BEATS_SECONDS  # by then all hosts know the match and its owner
        while (people := self.crowd.running.get(match_id)) is not None:
            owner, onlooker = self.crowd.recorder.at[people[0]], Onlooker(self.crowd, match_id)
            watching = asyncio.create_task(onlooker.watch(owner))
            await self.until(partial(self._settled, onlooker, watching), GOES_ON_SECONDS, SEEN)
            if onlooker.seen and onlooker.port != owner:
                self.onlookers[onlooker] = watching
                return
            watching.cancel()
            if match_id in self.crowd.running and time.monotonic() > ends:
                self.crowd.recorder.wrong.append(
                    "who watches is not served but at the match's own host"
                )
                return

    def _settled(self, onlooker: Onlooker, watching: "asyncio.Task[None]") -> bool:
        """Check that the spectator sees something, or has ended."""
        return bool(onlooker.seen) or watching.done() or onlooker.match_id not in self.crowd.running

    def owned(self, host: HostProcess) -> list[bytes]:
        """Return the matches whose players are at this host."""
        at, running = self.crowd.recorder.at, self.crowd.running
        return [
            match_id
            for match_id, people in running.items()
            if {at.get(who) for who in people} == {host.port}
        ]

    async def until(self, condition: Callable[[], object], seconds: float, what: str) -> bool:
        """Wait for a condition. If it does not come, note an error and return False."""
        ends = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > ends:
                self.crowd.recorder.wrong.append(f"not within {seconds:.0f} s: {what}")
                return False
            await asyncio.sleep(0.05)
        return True

    async def goes_on(self, matches: list[bytes], moment: float, gone: int = 0) -> list[float]:
        """Wait until each match has a new entry after `moment` from another host than the one at
        port `gone`, or is over. Return the seconds.
        """
        recorder, running = self.crowd.recorder, self.crowd.running

        def waiting() -> list[bytes]:
            return [
                each
                for each in matches
                if each in running and recorder.next_after(each, moment, gone) is None
            ]

        await self.until(
            lambda: not waiting(), GOES_ON_SECONDS, f"a match goes on ({len(matches)} were to)"
        )
        times = [recorder.next_after(match_id, moment, gone) for match_id in matches]
        return [each - moment for each in times if each is not None]

    async def end(self) -> None:
        """Let all matches end, and check everything."""
        self.crowd.enough.set()
        await self.until(lambda: not self.crowd.running, END_SECONDS, "all matches are over")
        logs = {each.log for each in self.crowd.ended}
        await self.until(
            lambda: logs <= set(self.exported()), FILE_SECONDS, "the hosts have all log files"
        )
        wrong = self.crowd.recorder.wrong
        await asyncio.wait(
            self.onlookers.values(), timeout=FILE_SECONDS
        ) if self.onlookers else None
        for onlooker, watching in self.onlookers.items():
            watching.cancel()
            wrong += onlooker.wrong()
        for host in self.world.alive:
            if await host.stop() != 0:
                wrong.append(f"host {host.name} did not stop as it should")
        for log in self.exported():
            if audit(log).verdict is not Verdict.CLEAN:
                wrong.append("an audit of a host's log file is not clean")
        if len(set(self.exported()) - logs):
            wrong.append("hosts have log files of which no player has the same")
        for host in self.world.hosts:
            if "Traceback" in host.errors.read_text():
                wrong.append(f"host {host.name} printed a traceback")

    def exported(self) -> list[bytes]:
        """Return the log files of all hosts."""
        return [
            plain_log(path.read_bytes())
            for host in self.world.hosts
            for path in (host.folder / "logs").glob("*.fairdeal")
        ]

    def report(self) -> str:
        """Return the results in one line, and the errors."""
        recorder = self.crowd.recorder
        heads = sum(map(len, recorder.sent.values()))
        text = (
            f"{len(self.crowd.ended)} matches ended, {heads} heads, sent {recorder.received} "
            "times, "
        )
        return "\n".join([text + f"{len(recorder.wrong)} things wrong", *recorder.wrong])


@asynccontextmanager
async def trial(
    folder: Path, pairs: int = PAIRS, hosts: int = 3, pace: float = PACE, store: str = "nats"
) -> AsyncIterator[Trial]:
    """Let bots play during the block, which causes faults. Then end all matches, and check them."""
    async with world(folder, hosts, store=store) as there:
        crowd = Crowd(folder / "players", there.ways, pace)
        playing = asyncio.create_task(crowd.play(pairs))
        run = Trial(there, crowd)
        try:
            await run.until(lambda: len(crowd.running) == pairs, BEGUN_SECONDS, "all matches begin")
            yield run
            await run.end()
            await asyncio.wait({playing}, timeout=END_SECONDS)
        finally:
            playing.cancel()
            await asyncio.gather(playing, return_exceptions=True)

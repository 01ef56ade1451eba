"""A world from one seed: a table, its players, the lines between them and their faults, match after
match.
"""

import asyncio
import logging
import sys
import time
import traceback
from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from math import inf
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, Protocol
from unittest.mock import patch

from protocol.limits import LOST_TAIL_SECONDS, RETURN_SECONDS
from protocol.match.clock import LAPSE
from protocol.match.terms import Terms
from tests.properties.simulate.cheats import CHEATS
from tests.properties.simulate.checks import (
    Violation,
    Witness,
    check_audit,
    check_ends,
    check_left_over,
    check_logs,
    doubts_in,
)
from tests.properties.simulate.link import Network
from tests.properties.simulate.loop import Stuck, VirtualLoop
from tests.properties.simulate.parties import Parts, Person, Seated, TableHost
from tests.properties.simulate.weather import CALM, Weather

LONGEST_TROUBLE = 60.0  # seconds for which one fault may keep a seat away
EPOCH = 1_700_000_000  # Unix time at which every world begins
PATIENCE = 100_000.0  # virtual seconds that no match may exceed
# packages whose code must take time and randomness from its caller
OURS = ("protocol", "bots", "net", "table", "player")
USUAL = Parts()
# seconds after which nothing is awaited any more
SETTLED = 60.0 + max(RETURN_SECONDS, LOST_TAIL_SECONDS)


@dataclass(frozen=True)
class Spec:
    """Definition of a world; equal specs give equal worlds, byte for byte."""

    seed: int
    terms: Terms
    weather: Weather
    matches: int = 4
    cheat: str = ""  # one of `cheats.CHEATS`, which plays in its seat in all matches but the last
    impatient: bool = False  # the clock is so short that a seat with a fault may lapse
    # once in each match the table falsely declares that a seat's time is over
    lying: bool = False
    workers: int = 0  # of the table; 0: it folds itself


@dataclass
class Tally:
    """Events of a world."""

    matches: int = 0
    entries: int = 0
    seconds: float = 0.0  # of virtual time
    watched: int = 0  # number of times that a host served a spectator of another host's match
    happened: Counter[str] = field(default_factory=Counter)  # faults, by kind
    # the newest notes, for the report of a failure
    notes: deque[str] = field(default_factory=lambda: deque(maxlen=60))
    trace: bytes = b""  # digest of every byte that crossed a line, and when

    def add(self, other: "Tally") -> None:
        """Sum up; the traces are hashed together."""
        self.matches += other.matches
        self.entries += other.entries
        self.seconds += other.seconds
        self.watched += other.watched
        self.happened += other.happened
        self.trace = sha256(self.trace + other.trace).digest()


class Playable(Protocol):
    """A world that can be played."""

    tally: Tally

    @property
    def spec(self) -> object: ...

    async def run(self, folder: Path) -> None:
        """Play it. Raises: Violation, Stuck."""

    def end(self) -> None:
        """Stop everything that still runs."""


class Failed(Exception):
    """Failure of a world: the world, the time and the broken promise."""

    def __init__(self, spec: object, tally: Tally, what: str) -> None:
        super().__init__(what)
        self.spec, self.tally = spec, tally


def run_world(spec: Spec, parts: Parts = USUAL) -> Tally:
    """Play a world to its end. Raises: Failed."""
    loop = VirtualLoop()
    return play_world(loop, World(spec, loop, parts))


def play_world(loop: VirtualLoop, world: "Playable") -> Tally:
    """Play a world of any kind to its end, in its loop. Raises: Failed."""
    spec = world.spec
    try:
        with watched(loop), TemporaryDirectory(prefix="fairdeal-") as folder:
            loop.run_until_complete(world.run(Path(folder)))
    except (Violation, Stuck) as wrong:
        before = (
            f" (before that: {loop.errors[0]})"
            if loop.errors and loop.errors[0] != str(wrong)
            else ""
        )
        raise Failed(spec, world.tally, f"{type(wrong).__name__}: {wrong}{before}") from wrong
    except Exception as error:
        raise Failed(spec, world.tally, "".join(traceback.format_exception(error))) from error
    finally:
        world.end()
        loop.close()
    return world.tally


@contextmanager
def watched(loop: VirtualLoop) -> Iterator[None]:
    """Keep the table's error reports, and treat any use of the real clock or randomness as a
    violation.
    """
    with ExitStack() as stack:
        logger, notice = logging.getLogger("table"), _Notice(loop.errors)
        logger.addHandler(notice)
        stack.callback(logger.removeHandler, notice)
        for name in ("time.time", "time.time_ns", "time.monotonic", "time.monotonic_ns"):
            stack.enter_context(
                patch(name, partial(_no_clock, getattr(time, name.removeprefix("time."))))
            )
        for name in ("os.urandom", "random._urandom"):
            stack.enter_context(patch(name, _no_urandom))
        yield


def _no_clock(clock: Callable[[], float]) -> float:
    if sys._getframe(1).f_globals["__name__"].partition(".")[0] in OURS:
        raise Violation("something in the world looked at a clock that is not the world's")
    return clock()  # logging reads the clock


class _Notice(logging.Handler):
    """Log handler: every error that the table reports is the table's own, because nobody here
    breaks the protocol.
    """

    def __init__(self, errors: list[str]) -> None:
        super().__init__(logging.ERROR)
        self._errors = errors

    def emit(self, record: logging.LogRecord) -> None:
        self._errors.append(record.getMessage())


def _no_urandom(size: int) -> bytes:
    raise Violation("something in the world drew randomness that is not the seed's")


class Ground:
    """Common part of all worlds: a seed for all randomness, a clock, and notes."""

    spec: Any
    loop: VirtualLoop
    parts: Parts
    tally: Tally

    def random(self, *name: object) -> Random:
        """Return a random source from the seed, for one purpose."""
        return self.parts.random(f"{self.spec.seed} {' '.join(map(str, name))}")

    def now(self) -> float:
        """Return Unix time."""
        return EPOCH + self.loop.time()

    def note(self, who: str, what: str) -> None:
        """Note an event for the report of a failure."""
        self.tally.notes.append(f"{self.loop.time():10.3f} {who}: {what}")


class World(Ground):
    """One table and its players, for some matches."""

    def __init__(self, spec: Spec, loop: VirtualLoop, parts: Parts) -> None:
        self.spec, self.loop, self.parts = spec, loop, parts
        self.tally = Tally()
        self.witness = Witness()
        self.network = loop.network = Network(loop, self.random("network"))

    async def run(self, folder: Path) -> None:
        """Play all matches, and one in calm weather after them. Raises: Violation, Stuck."""
        self.table = TableHost(self, folder)
        self.people = [Person(self, number) for number in range(self.spec.terms.seats)]
        self.table.start()
        await self._settle()
        self.idle = self.table.found()
        for number in range(self.spec.matches + 1):
            last = number == self.spec.matches
            self.network.weather = CALM if last else self.spec.weather
            self.cheat = None if last else CHEATS.get(self.spec.cheat)
            self.loop.limit = self.loop.time() + PATIENCE / 10
            await self._match()
        await self.table.stop()
        if self.loop.errors:
            raise Violation(self.loop.errors[0])

    async def _look_after(self, sitting: dict[Person, asyncio.Task[Seated]]) -> None:
        """Send home people who lapsed before they heard that the match had begun: too few are left
        for another match.
        """
        while not all(task.done() for task in sitting.values()):
            await asyncio.sleep(SETTLED)
            waiting = [person for person, task in sitting.items() if not task.done()]
            for person in waiting:
                if len(waiting) < len(sitting) and person.disk.agreement is None:
                    person.go_home()

    async def _settle(self) -> None:
        await asyncio.sleep(SETTLED)
        await self.table.running()

    async def _match(self) -> None:
        self._before = set(self.table.disk.matches)
        sitting = {person: self.loop.create_task(person.sit()) for person in self.people}
        if self.spec.impatient:
            await self._look_after(sitting)
        places = await asyncio.gather(*sitting.values())
        weather, self.network.weather = self.network.weather, CALM
        await self._settle()
        self._check(places)
        check_left_over(self.table.found(), self.idle)
        self.witness.forget()
        self.network.weather = weather
        self._count()

    def _check(self, places: list[Seated]) -> None:
        match_id = next(iter(self.table.disk.matches.keys() - self._before))
        log = self.table.file(match_id)
        lying = self.spec.lying
        report = check_audit(log, self.spec.impatient or lying, self.cheat, lying)
        assert report.reader is not None
        gone = {report.reader.match.setup.people[fault.seat].name for fault in report.faults}
        gone |= {person.name for person in self.people if person.missed_it}
        check_logs(log, {place.name: place.file for place in places}, gone)
        check_ends(report, {place.name: place.end for place in places})
        self.witness.check(match_id, log)
        self.tally.matches += 1
        self.tally.entries += report.entries
        self.tally.happened["cheat named" if self.cheat else "seat lapsed"] += bool(report.faults)
        self.tally.happened["too late"] += sum(report.reader.match.late_counts)
        self.tally.happened["table doubted"] += sum(map(bool, doubts_in(report)))
        if self.loop.errors:
            raise Violation(self.loop.errors[0])

    def said_of(self, name: str, kind: str, waited: float) -> None:
        """Note that the table warned or lapsed a seat after `waited` seconds. Raises: Violation if
        the seat had no fault. A standstill of the table is none.
        """
        last = max(self.network.troubles.get(who, -inf) for who in (name, "table"))
        if not self.spec.lying and last < self.loop.time() - waited - LONGEST_TROUBLE:
            said = "lapsed" if kind == LAPSE else "was warned"
            raise Violation(f"{name} {said}, and nothing had befallen it")

    def _count(self) -> None:
        self.tally.happened += self.network.happened
        self.network.happened.clear()
        self.tally.seconds = self.loop.time()
        self.tally.trace = self.network.trace.digest()

    def end(self) -> None:
        """Stop everything that still runs."""
        self._count()
        self.loop.let_go()

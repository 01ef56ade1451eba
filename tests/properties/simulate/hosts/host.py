"""A host of a simulated table: its program, which crashes and restarts, is paused, and is cut off
from others.
"""

import asyncio
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from protocol.identity.keys import KEY_SIZE
from table.config import Config, Membership, Pace
from table.lobby.tables import LobbyTable
from table.manager.server import TableServer
from table.storage.disk.keys import KEY_FILE
from tests.properties.simulate.checks import Violation
from tests.properties.simulate.hosts.engine import Cut, SimulatedEngine
from tests.properties.simulate.link import Listener
from tests.properties.simulate.loop import Process
from tests.properties.simulate.parties import DOWN
from tests.support.guest_games.offline_match import GUESTS

if TYPE_CHECKING:
    from tests.properties.simulate.hosts.world import HostsWorld

PORT = 7500
PAUSES = (0.2, 9.0)  # seconds that a host is paused
CUTS = (0.5, 8.0)  # seconds that it is cut off
LONG_CUTS = (10.0, 40.0)  # seconds that its players do not hear it
PRUNES = 2.0  # seconds between two looks at what is to go from the store, where something is
LONG = 1e6  # seconds for which matches stay in the store where nothing is to go
JUMPS = (-100_000.0, 100_000.0)  # seconds by which its wall clock jumps


def address_of(number: int) -> str:
    """Return the address at which players find a host."""
    return f"host-{number}.table:{PORT + number}"


def table_of(party: int) -> str | None:
    """Return the table at which a party meets; None for the default table."""
    return f"table-{party}" if party else None


class HostProcess(Process):
    """Process that may be paused between any two steps."""

    pausable = True


class Host:
    """One host with its faults."""

    def __init__(self, world: "HostsWorld", number: int, key: bytes) -> None:
        self.world, self.number, self.name = world, number, f"host-{number}"
        self.rng = world.random(self.name)
        self.folder: Path = world.folder / self.name
        self.folder.mkdir()
        path = self.folder / KEY_FILE
        path.write_bytes(key)
        path.chmod(0o600)
        self.address = address_of(number)
        self.cut = Cut()
        self.starts, self.jumped = 0, 0.0
        self.table: TableServer | None = None  # table of the running program
        self._stopping = False

    def start(self) -> None:
        """Start the program."""
        world = self.world
        self.starts += 1
        self.process = HostProcess(world.loop, self.name, f"10.0.0.{self.number}")
        self.process.on_death[self._died] = None
        self._close = asyncio.Event()
        self.process.spawn(self._program(world.random(self.name, self.starts)))

    def now(self) -> float:
        """Unix seconds by its own clock."""
        return self.world.now() + self.jumped

    async def _program(self, rng: Random) -> None:
        world, parts = self.world, self.world.parts
        member = Membership(
            "simulated",
            self.name,
            self.address,
            Pace(prune=PRUNES) if world.spec.kept else Pace(),
            engine=partial(self._engine, self.starts),
        )
        config = Config(
            self.folder,
            port=PORT + self.number,
            terms=world.spec.terms,
            games=GUESTS,
            rng=rng,
            now=self.now,
            cluster=member,
            addresses=world.addresses,
        )
        table = parts.table(
            config, None, partial(Listener, world.network), world.matches_type(self)
        )
        await table.__aenter__()  # no `async with`: no code may run when the process is killed
        for number in range(1, world.spec.parties):  # a table without a creator is never removed
            table.lobby.add(LobbyTable(number, world.spec.terms, None))
        self.table = table
        await self._close.wait()
        await table.stop()

    def _engine(self, start: int, store: str, name: str) -> SimulatedEngine:
        rng, kept = self.world.random(self.name, start, "engine"), self.world.spec.kept or LONG
        return SimulatedEngine(self.world.store, self.process, self.cut, rng, kept)

    def _died(self) -> None:
        if self.table is not None:
            self.world.tally.watched += self.table.metrics.followed
        self.table = None
        self.process.go_on()
        if not self._stopping:
            self.world.network.happened["host died"] += 1
            self.world.note(self.name, "died")
            self.world.network.later(self.rng.uniform(*DOWN), self.start)

    # --- faults ---

    def die(self) -> None:
        """End the process as `kill -9` does."""
        self.process.kill()

    def pause(self) -> None:
        """Stop the process for a while as SIGSTOP does."""
        process = self.process
        self.world.note(self.name, "stopped")
        process.pause()
        self._later(PAUSES, process.go_on)

    def lose_the_store(self) -> None:
        """Cut the host off from the store: it gets no answers, or its requests do not arrive, or
        both.
        """
        cut = self.cut
        cut.requests, cut.answers = self.rng.choice(((True, False), (False, True), (True, True)))
        self.world.note(self.name, f"{cut}")

        def mend() -> None:
            cut.requests = cut.answers = False

        self._later(CUTS, mend)

    def lose_the_others(self) -> None:
        """Cut the host off from the other hosts, in one direction."""
        cut = self.cut
        cut.said, cut.heard = self.rng.choice(((True, False), (False, True), (True, True)))
        self.world.note(self.name, f"{cut}")

        def mend() -> None:
            cut.said = cut.heard = False

        self._later(CUTS, mend)

    def lose_the_players(self) -> None:
        """Cut the host off from the players, in one direction."""
        where = self.rng.choice((self.world.network.mute, self.world.network.deaf))
        where.add(self.name)
        self._later(CUTS, partial(where.discard, self.name))

    def lose_the_players_for_long(self) -> None:
        """Let the host hear its players, while they do not hear it."""
        mute = self.world.network.mute
        mute.add(self.name)
        self._later(LONG_CUTS, partial(mute.discard, self.name))

    def fail_while_loading(self) -> None:
        """Die or hang: a match is being loaded."""
        self._befall(self.rng.choice((self.die, self.pause)))

    def jump(self) -> None:
        """Set its wall clock."""
        self.jumped = self.rng.uniform(*JUMPS)

    def befall(self) -> None:
        """Let one of these faults happen."""
        some = (
            self.die,
            self.pause,
            self.pause,
            self.lose_the_store,
            self.lose_the_store,
            self.lose_the_players,
            self.lose_the_others,
        )
        self._befall(self.rng.choice((*some, self.jump)))

    def fall(self) -> None:
        """Kill the process, without a worse fault."""
        self._befall(self.die)

    def _befall(self, what: Callable[[], None]) -> None:
        self.world.network.happened[what.__name__] += 1
        if self.process.alive:
            what()

    def _later(self, span: tuple[float, float], work: Callable[[], object]) -> None:
        self.world.network.later(self.rng.uniform(*span), work)

    async def stop(self) -> None:
        """End the program as a person does. Raises: Violation if anything is left over."""
        self._stopping = True
        self._close.set()
        await asyncio.sleep(10)
        if left := self.process.open_tasks() + self.process.timers():
            raise Violation(f"{self.name} has stopped, and this is left of it: {left}")
        self.process.kill()


def new_key(rng: Random) -> bytes:
    """Return a table's key in the form of its file."""
    return rng.randbytes(KEY_SIZE)

"""What hosts of one table carry together, in entries for each CPU second of the busiest, and what
the store adds to it.

Each host has the same number of matches, equally long; of several rounds the median counts, and
each number of hosts is held against the one host of its round. All matches have begun, but players
move at one host after the other, some matches at a time, unless they are told to move everywhere
`together`: on one machine busy hosts take the caches from each other, which is no part of what
hosts cost each other. The cluster's moves and the local journal's are timed in turns, a few matches
each, at one host each.
"""

import asyncio
import itertools
import secrets
import tempfile
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

import psutil

from commandline.children import python_child
from protocol.identity.keys import JoinLink
from scripts.benchmarks.move_times import quantile
from scripts.clusters.canned import Canned, Number, record
from scripts.clusters.driver import Moves, Played, come, play
from table.cluster.membership import chosen
from tests.support.nats_cluster import StoreCluster
from tests.support.postgres_cluster import PostgresCluster
from tests.system.hosts.processes import servers

START_SECONDS = 120  # for a host, on a busy machine
AT_A_TIME = 32  # matches in which players move
FEW = 4  # matches at once while moves are timed
TURNS = 5  # of the store and of the journal, while moves are timed


@dataclass
class Host:
    """A host's process, and where players find it."""

    process: psutil.Process
    link: JoinLink

    @property
    def cpu(self) -> float:
        """Seconds so far."""
        return cpu(self.process)

    @property
    def memory(self) -> int:
        """Bytes."""
        return int(self.process.memory_info().rss)


def cpu(process: psutil.Process) -> float:
    """Seconds of this process so far, and of those it had started and that have ended."""
    times = process.cpu_times()
    return float(times.user + times.system + times.children_user + times.children_system)


@dataclass
class Figures:
    """Of one run."""

    hosts: int
    entries: int
    seconds: float
    busiest: float  # CPU seconds of the host that took most
    store: float  # CPU seconds of all servers
    driver: float  # CPU seconds of the connections that played
    memory: float  # bytes of a match at its host, connections not counted
    matches: int

    @property
    def rate(self) -> float:
        """Entries for each CPU second of the busiest host."""
        return self.entries / self.busiest

    @property
    def evened(self) -> float:
        """The same in units of what the players' connections need for an entry, which is the same
        work each time.

        On a machine that others use the CPU time of the same work doubles and more from one minute
        to the next.
        """
        return self.rate * self.driver / self.entries


@dataclass
class Ground:
    """A store, and a folder for hosts."""

    cluster: StoreCluster | PostgresCluster | None  # None: there is only the journal
    folder: Path
    runs: Iterator[int] = field(default_factory=itertools.count)

    def store_cpu(self) -> float:
        """Seconds of all servers so far."""
        pids = self.cluster.pids() if self.cluster is not None else []
        return sum(cpu(psutil.Process(pid)) for pid in pids)


@asynccontextmanager
async def host(
    ground: Ground, name: str, run: str, tables: Sequence[int], journal: bool = False
) -> AsyncIterator[Host]:
    """A host with these tables, over the store or with a journal of its own; stopped at the end."""
    data = Path(tempfile.mkdtemp(dir=ground.folder))
    words = ["--name", name, "--data", str(data), "--run", run, "--tables", *map(str, tables)]
    if not journal and ground.cluster is not None:
        words += ["--store", ground.cluster.link()]
    child = python_child("-m", "scripts.clusters.host", *words)
    process = await asyncio.create_subprocess_exec(
        *child.command,
        env=child.environ,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    try:
        assert process.stdout is not None
        async with asyncio.timeout(START_SECONDS):
            line = await process.stdout.readline()
        assert line, "a host did not start; it says why above"
        yield Host(psutil.Process(process.pid), JoinLink.parse(line.decode()))
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


def shared_out(hosts: Sequence[str], each: int) -> dict[str, list[int]]:
    """So many tables for each of these hosts: the numbers of those that are at home there."""
    found: dict[str, list[int]] = {name: [] for name in hosts}
    for number in itertools.count(1):
        home = found[chosen(f"table-{number}".encode(), hosts) or hosts[0]]
        if len(home) < each:
            home.append(number)
        elif min(map(len, found.values())) == each:
            return found
    raise AssertionError


def recorded(run: str, tables: Sequence[int]) -> list[Canned]:
    """Matches for these tables."""
    return [record(Number(run, table)) for table in tables]


async def carried(ground: Ground, hosts: int, each_has: int, together: bool) -> Figures:
    """What so many hosts need for so many matches each."""
    matches = hosts * each_has
    run = f"{hosts} {next(ground.runs)} {secrets.token_hex(4)}"
    tables = shared_out([f"host-{place}" for place in range(hosts)], each_has)
    canned = recorded(
        run, [number for turn in zip(*tables.values(), strict=True) for number in turn]
    )
    async with AsyncExitStack() as stack:
        there = [
            await stack.enter_async_context(host(ground, name, run, tables[name]))
            for name in tables
        ]
        played = await come(canned, [each.link for each in there])
        empty = [each.memory for each in there]
        await asyncio.gather(*(match.begin() for match in played))
        before = [each.cpu for each in there]
        store = ground.store_cpu()
        own = time.process_time()
        begun = time.time()
        playing = asyncio.create_task(_in_turns(played, matches if together else AT_A_TIME, hosts))
        most = empty
        while not playing.done():
            most = [max(old, each.memory) for old, each in zip(most, there, strict=True)]
            await asyncio.wait({playing}, timeout=0.25)
        await playing
        busiest = max(each.cpu - old for each, old in zip(there, before, strict=True))
        return Figures(
            hosts,
            sum(each.entries for each in canned),
            time.time() - begun,
            busiest,
            ground.store_cpu() - store,
            time.process_time() - own,
            (sum(most) - sum(empty)) / matches,
            matches,
        )


async def _in_turns(played: Sequence[Played], at_a_time: int, hosts: int) -> None:
    """Some of one host, some of the next: their matches stand in turns."""
    if len(played) <= at_a_time:
        return await play(played, Moves(), len(played))
    for start in range(0, len(played), hosts * at_a_time):
        for place in range(hosts):
            await play(
                played[start + place : start + hosts * at_a_time : hosts], Moves(), at_a_time
            )
    return None


async def moves(ground: Ground, turns: int = TURNS) -> tuple[list[float], list[float]]:
    """Seconds of each move over the store and over a journal, in turns."""
    run = f"moves {next(ground.runs)} {secrets.token_hex(4)}"
    tables = range(1, turns * FEW + 1)
    canned = recorded(run, tables)
    stored = Moves()
    kept = Moves()
    async with (
        host(ground, "over-store", run, tables) as one,
        host(ground, "own", run, tables, journal=True) as two,
    ):
        for turn in range(turns):
            for place, noted in ((one, stored), (two, kept)):
                played = await come(canned[turn * FEW : (turn + 1) * FEW], [place.link])
                await asyncio.gather(*(match.begin() for match in played))
                await play(played, noted, FEW)
    return stored.seconds, kept.seconds


async def load(hosts: Sequence[int], matches: int, rounds: int, together: bool, store: str) -> bool:
    """Print all figures; whether they are what they must be. `matches`: at each host."""
    with tempfile.TemporaryDirectory(prefix="fairdeal-load-") as name:
        folder = Path(name)
        async with servers(folder / "nodes", store) as cluster:
            ground = Ground(cluster, folder)
            found: list[dict[int, Figures]] = []
            for _ in range(rounds):
                found.append({})
                for count in hosts:
                    found[-1][count] = await carried(ground, count, matches, together)
                    _say(found[-1][count])
            fine = _growth(hosts, found)
            return _moves(*await moves(ground)) and fine


def _say(found: Figures) -> None:
    per_entry = 1e6 / found.entries  # microseconds of each, from seconds of all
    print(
        f"{found.hosts} hosts, {found.matches} matches, {found.entries} entries, "
        f"{found.seconds:.1f} s: "
        f"{found.rate:,.0f} entries for each CPU s of the busiest host; CPU us an entry: store "
        f"{per_entry * found.store:.0f}, players' connections {per_entry * found.driver:.0f}; "
        f"{60 * found.matches / found.seconds:,.0f} matches a minute, "
        f"{found.memory / 1024:.0f} kB a match",
        flush=True,
    )


MUST_GROW = {2: 1.8, 4: 3.4}  # by how much, with so many hosts


def _growth(hosts: Sequence[int], found: list[dict[int, Figures]]) -> bool:
    """Whether it grows as it must with more hosts: as measured, and with the machine's slowness
    taken out.
    """
    fine = True
    for count in hosts:
        if count in MUST_GROW and 1 in hosts:
            bare = median(each[count].rate / each[1].rate for each in found)
            growth = median(each[count].evened / each[1].evened for each in found)
            fine &= growth >= MUST_GROW[count]
            print(
                f"{count} hosts carry {growth:.2f} times what one does ({bare:.2f} as the "
                "machine was busy); "
                f"must be {MUST_GROW[count]}"
            )
    return fine


MOST_DEARER = 3.0  # times that a move may take, of what it takes with the local journal


def _moves(stored: list[float], kept: list[float]) -> bool:
    """Whether a move over the store takes no more than it may."""
    fine = True
    for share in (0.5, 0.99):
        here = quantile(stored, share)
        there = quantile(kept, share)
        print(
            f"p{100 * share:.0f} of a move: {1e3 * here:.1f} ms over the store, "
            f"{1e3 * there:.1f} ms with the journal"
        )
        fine &= here <= MOST_DEARER * there
    return fine

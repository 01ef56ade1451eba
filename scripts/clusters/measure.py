"""Capacity of several hosts of one table, in entries per CPU second of the busiest host, and
additional cost of the store.

Every host has the same number of equally long matches. Several rounds are run and the median
counts; each is compared with a single host in the same round. All matches begin at once, but
players move at one host at a time, in some matches at a time. With `together` they move at all
hosts. On one machine busy hosts compete for caches, which has nothing to do with a cluster. Moves
over the store and over a local journal are timed in turns, a few matches each, at one host.
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
from scripts.clusters.match_player import Moves, Played, come, play
from scripts.clusters.recorded_match import Number, RecordedMatch, record
from table.cluster.membership import chosen
from tests.support.nats_cluster import StoreCluster
from tests.support.postgres_cluster import PostgresCluster
from tests.system.hosts.processes import servers

START_SECONDS = 120  # seconds to start a host on a busy machine
AT_A_TIME = 32  # matches in which players move at the same time
FEW = 4  # parallel matches while moves are timed
TURNS = 5  # number of turns of store and journal while moves are timed


@dataclass
class Host:
    """Process of a host, with its link."""

    process: psutil.Process
    link: JoinLink

    @property
    def cpu(self) -> float:
        """CPU seconds so far."""
        return cpu(self.process)

    @property
    def memory(self) -> int:
        """Memory in bytes."""
        return int(self.process.memory_info().rss)


def cpu(process: psutil.Process) -> float:
    """Return the CPU seconds of a process and of its ended children."""
    times = process.cpu_times()
    return float(times.user + times.system + times.children_user + times.children_system)


@dataclass
class Figures:
    """Figures of one run."""

    hosts: int
    entries: int
    seconds: float
    busiest: float  # CPU seconds of the busiest host
    store: float  # CPU seconds of all servers of the store
    driver: float  # CPU seconds of the players' connections
    memory: float  # bytes per match at its host, without connections
    matches: int

    @property
    def rate(self) -> float:
        """Entries per CPU second of the busiest host."""
        return self.entries / self.busiest

    @property
    def evened(self) -> float:
        """The rate, with the time of the players' connections for an entry as unit. This work is
        always the same.

        On a shared machine, CPU time of the same work may double from one minute to the next.
        """
        return self.rate * self.driver / self.entries


@dataclass
class Ground:
    """A store, and a folder for hosts."""

    cluster: StoreCluster | PostgresCluster | None  # None: only a journal on disk
    folder: Path
    runs: Iterator[int] = field(default_factory=itertools.count)

    def store_cpu(self) -> float:
        """Return the CPU seconds of all servers so far."""
        pids = self.cluster.pids() if self.cluster is not None else []
        return sum(cpu(psutil.Process(pid)) for pid in pids)


@asynccontextmanager
async def host(
    ground: Ground, name: str, run: str, tables: Sequence[int], journal: bool = False
) -> AsyncIterator[Host]:
    """Run a host for these tables, over the store or with its own journal. Stop it at the end."""
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


def assign_tables(hosts: Sequence[str], each: int) -> dict[str, list[int]]:
    """Choose `each` table numbers for each of these hosts: numbers whose home is the host."""
    found: dict[str, list[int]] = {name: [] for name in hosts}
    for number in itertools.count(1):
        home = found[chosen(f"table-{number}".encode(), hosts) or hosts[0]]
        if len(home) < each:
            home.append(number)
        elif min(map(len, found.values())) == each:
            return found
    raise AssertionError


def record_matches(run: str, tables: Sequence[int]) -> list[RecordedMatch]:
    """Record matches for these tables."""
    return [record(Number(run, table)) for table in tables]


async def measure_load(ground: Ground, hosts: int, each_has: int, together: bool) -> Figures:
    """Measure the cost of `each_has` matches at each of `hosts` hosts."""
    matches = hosts * each_has
    run = f"{hosts} {next(ground.runs)} {secrets.token_hex(4)}"
    tables = assign_tables([f"host-{place}" for place in range(hosts)], each_has)
    recorded = record_matches(
        run, [number for turn in zip(*tables.values(), strict=True) for number in turn]
    )
    async with AsyncExitStack() as stack:
        there = [
            await stack.enter_async_context(host(ground, name, run, tables[name]))
            for name in tables
        ]
        played = await come(recorded, [each.link for each in there])
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
            sum(each.entries for each in recorded),
            time.time() - begun,
            busiest,
            ground.store_cpu() - store,
            time.process_time() - own,
            (sum(most) - sum(empty)) / matches,
            matches,
        )


async def _in_turns(played: Sequence[Played], at_a_time: int, hosts: int) -> None:
    """Play some matches of one host, then some of the next. `played` has the hosts in turns."""
    if len(played) <= at_a_time:
        return await play(played, Moves(), len(played))
    for start in range(0, len(played), hosts * at_a_time):
        for place in range(hosts):
            await play(
                played[start + place : start + hosts * at_a_time : hosts], Moves(), at_a_time
            )
    return None


async def moves(ground: Ground, turns: int = TURNS) -> tuple[list[float], list[float]]:
    """Measure the seconds of each move over the store and over a journal, in turns."""
    run = f"moves {next(ground.runs)} {secrets.token_hex(4)}"
    tables = range(1, turns * FEW + 1)
    recorded = record_matches(run, tables)
    stored = Moves()
    kept = Moves()
    async with (
        host(ground, "over-store", run, tables) as one,
        host(ground, "own", run, tables, journal=True) as two,
    ):
        for turn in range(turns):
            for place, noted in ((one, stored), (two, kept)):
                played = await come(recorded[turn * FEW : (turn + 1) * FEW], [place.link])
                await asyncio.gather(*(match.begin() for match in played))
                await play(played, noted, FEW)
    return stored.seconds, kept.seconds


async def load(hosts: Sequence[int], matches: int, rounds: int, together: bool, store: str) -> bool:
    """Print all figures. Return True if they are within the limits. `matches` is the number at each
    host.
    """
    with tempfile.TemporaryDirectory(prefix="fairdeal-load-") as name:
        folder = Path(name)
        async with servers(folder / "nodes", store) as cluster:
            ground = Ground(cluster, folder)
            found: list[dict[int, Figures]] = []
            for _ in range(rounds):
                found.append({})
                for count in hosts:
                    found[-1][count] = await measure_load(ground, count, matches, together)
                    _say(found[-1][count])
            fine = _growth(hosts, found)
            return _moves(*await moves(ground)) and fine


def _say(found: Figures) -> None:
    per_entry = 1e6 / found.entries  # converts seconds of all entries into microseconds per entry
    print(
        f"{found.hosts} hosts, {found.matches} matches, {found.entries} entries, "
        f"{found.seconds:.1f} s: "
        f"{found.rate:,.0f} entries for each CPU s of the busiest host; CPU us an entry: store "
        f"{per_entry * found.store:.0f}, players' connections {per_entry * found.driver:.0f}; "
        f"{60 * found.matches / found.seconds:,.0f} matches a minute, "
        f"{found.memory / 1024:.0f} kB a match",
        flush=True,
    )


MUST_GROW = {2: 1.8, 4: 3.4}  # number of hosts -> required growth of the rate


def _growth(hosts: Sequence[int], found: list[dict[int, Figures]]) -> bool:
    """Check that the rate grows enough with more hosts, in entries and in units of the connections'
    work.
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


MOST_DEARER = 3.0  # permitted ratio of a move over the store to one with the local journal


def _moves(stored: list[float], kept: list[float]) -> bool:
    """Check that a move over the store takes no longer than permitted."""
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

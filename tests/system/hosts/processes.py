"""Hosts of one table as processes: started, killed, held up and told to stop."""

import asyncio
import secrets
import signal
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from protocol.identity.keys import Identity, JoinLink
from tests.support.nats_cluster import StoreCluster, store_cluster
from tests.support.ports import free_ports
from tests.support.postgres_cluster import PostgresCluster, postgres_cluster

START_SECONDS = 120  # for a host to begin, on a busy machine
STOP_SECONDS = 60  # for one that is told to stop
NAMES = ("north", "east", "south", "west")
BOUNDS = (  # for players who come all at once, from one address, again and again
    "per_address=1000",
    "half_open=1000",
    "half_open_per_address=1000",
    "arrivals=4000/1000",
    "arrivals_per_address=2000/1000",
    "frames_per_address=100000/100000",
    "requests=1000/1000",
    "requests_per_address=4000/1000",
    "tables_per_address=200",
    "creations_per_address=1000/1000",
    "seats_per_address=1000",
)


@dataclass
class HostProcess:
    """`fairdeal host --cluster` with a name, a folder and a port of its own, the same from one
    start to the next.
    """

    name: str
    folder: Path
    words: Sequence[str]
    port: int
    process: asyncio.subprocess.Process | None = None

    @property
    def errors(self) -> Path:
        """What it has said on its standard error, ever."""
        return self.folder / "stderr.txt"

    @property
    def alive(self) -> bool:
        """Whether there is a process."""
        return self.process is not None and self.process.returncode is None

    async def start(self) -> JoinLink:
        """Returns when it listens."""
        self.folder.mkdir(exist_ok=True)
        with self.errors.open("ab") as errors:
            self.process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-u",
                "-m",
                "fairdeal",
                "host",
                "--listen",
                f"127.0.0.1:{self.port}",
                "--host-name",
                self.name,
                "--data",
                str(self.folder),
                *self.words,
                stdout=asyncio.subprocess.PIPE,
                stderr=errors,
            )
        assert self.process.stdout is not None
        line = await asyncio.wait_for(self.process.stdout.readline(), START_SECONDS)
        assert line, f"host {self.name} did not start: {self.errors.read_text()[-2000:]}"
        return JoinLink.parse(line.decode())

    def signal(self, number: signal.Signals) -> None:
        """SIGKILL, SIGSTOP, SIGCONT, SIGTERM."""
        assert self.process is not None
        self.process.send_signal(number)

    async def ended(self, seconds: float = STOP_SECONDS) -> int:
        """Wait until it is gone; its exit code."""
        assert self.process is not None
        await asyncio.wait_for(self.process.wait(), seconds)
        assert self.process.returncode is not None
        return self.process.returncode

    async def kill(self) -> None:
        """As kill -9 does, one that is held up, too."""
        if self.alive:
            self.signal(signal.SIGKILL)
            await self.ended()

    async def stop(self) -> int:
        """Politely; its exit code."""
        self.signal(signal.SIGTERM)
        return await self.ended()


@dataclass
class World:
    """A store's servers and the hosts of one table."""

    cluster: StoreCluster | PostgresCluster
    hosts: list[HostProcess]
    identity: Identity  # the table's
    links: dict[int, JoinLink] = field(default_factory=dict)  # by port

    @property
    def alive(self) -> list[HostProcess]:
        """Those that run, or are held up."""
        return [host for host in self.hosts if host.alive]

    def ways(self) -> list[JoinLink]:
        """A link to each host that is there, with the others as further addresses."""
        places = tuple((link.host, link.port) for link in self.links.values())
        chosen = [self.links[host.port] for host in self.alive]
        return [
            replace(link, other_hosts=tuple(each for each in places if each[1] != link.port))
            for link in chosen
        ]

    async def start(self, *hosts: HostProcess) -> None:
        """These, or all, at the same time."""
        chosen = hosts or tuple(self.hosts)
        for host, link in zip(
            chosen, await asyncio.gather(*(host.start() for host in chosen)), strict=True
        ):
            self.links[host.port] = link


STORES = ("nats", "postgres")


@asynccontextmanager
async def servers(
    folder: Path, store: str = "nats"
) -> AsyncIterator[StoreCluster | PostgresCluster]:
    """Three NATS servers in this folder, or a database with a synchronous standby; gone at the
    end.
    """
    assert store in STORES
    folder.mkdir(exist_ok=True)
    async with store_cluster(folder) if store == "nats" else postgres_cluster() as cluster:
        yield cluster


@asynccontextmanager
async def world(
    folder: Path, hosts: int = 3, words: Sequence[str] = (), store: str = "nats"
) -> AsyncIterator[World]:
    """Servers and so many hosts, all started; gone at the end."""
    secret = secrets.token_bytes(32)
    key = folder / "table.signer"
    key.touch(0o600)
    key.write_bytes(secret)
    async with servers(folder / "nodes", store) as cluster:
        bounds = [part for bound in BOUNDS for part in ("--bound", bound)]
        usual = ["--cluster", cluster.link(), "--key", str(key), *bounds, *words]
        ports = free_ports(hosts)
        made = [
            HostProcess(NAMES[n], folder / NAMES[n], usual, port) for n, port in enumerate(ports)
        ]
        there = World(cluster, made, Identity(secret))
        try:
            await there.start()
            yield there
        finally:
            for host in made:
                await host.kill()

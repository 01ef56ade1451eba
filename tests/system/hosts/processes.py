"""Hosts of one table as processes: started, killed, stopped and terminated."""

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

START_SECONDS = 120  # for a host to start on a busy machine
STOP_SECONDS = 60  # for a host to end after SIGTERM
NAMES = ("north", "east", "south", "west")
BOUNDS = (  # for players that connect all at once from one address, again and again
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
    """`fairdeal host --cluster` with its own name, folder and port, which stay the same over
    restarts.
    """

    name: str
    folder: Path
    words: Sequence[str]
    port: int
    process: asyncio.subprocess.Process | None = None

    @property
    def errors(self) -> Path:
        """File with everything that the host ever wrote to standard error."""
        return self.folder / "stderr.txt"

    @property
    def alive(self) -> bool:
        """True if the process exists."""
        return self.process is not None and self.process.returncode is None

    async def start(self) -> JoinLink:
        """Start the host, and return when it listens."""
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
        """Send SIGKILL, SIGSTOP, SIGCONT or SIGTERM."""
        assert self.process is not None
        self.process.send_signal(number)

    async def ended(self, seconds: float = STOP_SECONDS) -> int:
        """Wait for its end, and return the exit code."""
        assert self.process is not None
        await asyncio.wait_for(self.process.wait(), seconds)
        assert self.process.returncode is not None
        return self.process.returncode

    async def kill(self) -> None:
        """Kill it with SIGKILL, even if it is stopped."""
        if self.alive:
            self.signal(signal.SIGKILL)
            await self.ended()

    async def stop(self) -> int:
        """Send SIGTERM, and return the exit code."""
        self.signal(signal.SIGTERM)
        return await self.ended()


@dataclass
class World:
    """Servers of a store, and the hosts of one table."""

    cluster: StoreCluster | PostgresCluster
    hosts: list[HostProcess]
    identity: Identity  # identity of the table
    links: dict[int, JoinLink] = field(default_factory=dict)  # port -> link

    @property
    def alive(self) -> list[HostProcess]:
        """Return the hosts whose process exists."""
        return [host for host in self.hosts if host.alive]

    def ways(self) -> list[JoinLink]:
        """Return a link to each running host, with the others as further addresses."""
        places = tuple((link.host, link.port) for link in self.links.values())
        chosen = [self.links[host.port] for host in self.alive]
        return [
            replace(link, other_hosts=tuple(each for each in places if each[1] != link.port))
            for link in chosen
        ]

    async def start(self, *hosts: HostProcess) -> None:
        """Start these hosts, or all, at the same time."""
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
    """Run three NATS servers in this folder, or a database with a synchronous standby. End them
    after the block.
    """
    assert store in STORES
    folder.mkdir(exist_ok=True)
    async with store_cluster(folder) if store == "nats" else postgres_cluster() as cluster:
        yield cluster


@asynccontextmanager
async def world(
    folder: Path, hosts: int = 3, words: Sequence[str] = (), store: str = "nats"
) -> AsyncIterator[World]:
    """Run servers and `hosts` hosts. End them after the block.

    A folder in which they ran before has their key, and what they stored.
    """
    key = folder / "table.signer"
    if not key.exists():
        key.touch(0o600)
        key.write_bytes(secrets.token_bytes(32))
    secret = key.read_bytes()
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

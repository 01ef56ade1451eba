"""Three real NATS servers with JetStream on this machine, each a separate process, as a store for a
table.
"""

import asyncio
import re
import signal
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path

from fairdeal.cluster.store_servers import NODES, answers
from table.storage.shared.nats.engine import NatsEngine
from table.storage.shared.nats.store_address import NatsAddress, parse_address
from tests.support.certificates import Authority
from tests.support.docs import ROOT
from tests.support.nats import program
from tests.support.ports import free_ports

SECONDS = 240  # seconds for servers to start
# accounts as in the operators' manual
USERS = re.search(r"(?s)```\n(accounts \{.*?)```", (ROOT / "docs/cluster.md").read_text("utf-8"))


class StoreCluster:
    """Servers, by number from 0."""

    def __init__(
        self, folder: Path, sync: str = "always", authority: Authority | None = None
    ) -> None:
        """Prepare the servers. `authority` signs certificates for servers and clients. Without it
        they use no TLS.
        """
        self._folder, self._sync, self._authority = folder, sync, authority
        ports = free_ports(3 * NODES)
        self.clients, self.monitors, self._routes = (
            ports[:NODES],
            ports[NODES : 2 * NODES],
            ports[2 * NODES :],
        )
        self.nodes: list[asyncio.subprocess.Process | None] = [None] * NODES
        self.room = ["1GB"] * NODES  # disk limit of each server

    def address(self, user: str = "host") -> NatsAddress:
        """Return the address for a host's configuration."""
        return parse_address(self.link(user))

    def link(self, user: str = "host") -> str:
        """Return the same address as text for a command line."""
        login = self._folder / user
        login.touch(0o600)
        login.write_text(f"{user}:secret")
        hosts = ",".join(f"127.0.0.1:{port}" for port in self.clients)
        link = f"{hosts}?monitor={','.join(map(str, self.monitors))}&login={login}"
        if self._authority is None:
            return f"nats://{link}"
        certificate, key = self._authority.issue(user)
        return f"tls://{link}&ca={self._authority.file}&cert={certificate}&key={key}"

    def _tls(self) -> str:
        """Return the TLS section of a server's configuration."""
        if self._authority is None:
            return ""
        certificate, key = self._authority.issue("server", "127.0.0.1")
        files = f"cert_file: '{certificate}', key_file: '{key}', ca_file: '{self._authority.file}'"
        return f"tls {{ {files}, verify: true, handshake_first: true }}"

    def configuration(self, node: int) -> str:
        """Return the configuration file of a server."""
        routes = ", ".join(f"nats://127.0.0.1:{port}" for port in self._routes)
        assert USERS is not None
        return f"""
            {USERS[1]}
            server_name: n{node}
            listen: 127.0.0.1:{self.clients[node]}
            {"http" if self._authority is None else "https"}: 127.0.0.1:{self.monitors[node]}
            {self._tls()}
            jetstream {{ store_dir: "{self._folder}/{node}", sync_interval: {self._sync}, max_mem: 64MB
                max_file: {self.room[node]} }}
            cluster {{
                name: fairdeal, listen: 127.0.0.1:{self._routes[node]}, routes: [{routes}]
                no_advertise: true  # to clients: some tests have somebody in the middle
            }}
        """

    async def start(self, *nodes: int) -> None:
        """Start these servers, or all, unless they run already."""
        for node in nodes or range(NODES):
            file = self._folder / f"{node}.conf"
            file.write_text(self.configuration(node))
            self.nodes[node] = await asyncio.create_subprocess_exec(
                program(),
                "-c",
                str(file),
                stdout=asyncio.subprocess.DEVNULL,
                stderr=asyncio.subprocess.DEVNULL,
            )

    async def listens(self) -> bool:
        """Wait for the servers. Return True if all of them listen on all their ports."""
        with suppress(TimeoutError):
            async with asyncio.timeout(SECONDS):
                for node, process in enumerate(self.nodes):
                    for port in (self.clients[node], self.monitors[node], self._routes[node]):
                        while not await answers(port):
                            if process is None or process.returncode is not None:
                                return False
                            await asyncio.sleep(0.02)
                return all(
                    process is not None and process.returncode is None for process in self.nodes
                )
        return False

    def pids(self) -> list[int]:
        """Return the process ids of all running servers."""
        return [process.pid for process in self.nodes if process is not None]

    def signal(self, node: int, number: signal.Signals) -> None:
        """Send a signal: SIGKILL, SIGTERM, SIGSTOP or SIGCONT."""
        process = self.nodes[node]
        assert process is not None
        process.send_signal(number)

    async def stop(self, nodes: Sequence[int] = range(NODES)) -> None:
        """Kill servers, even stopped ones, and wait for their end."""
        for node in nodes:
            process, self.nodes[node] = self.nodes[node], None
            if process is not None and process.returncode is None:
                process.kill()
                await process.wait()


@asynccontextmanager
async def store_cluster(
    folder: Path,
    sync: str = "always",
    authority: Authority | None = None,
    shards: int | None = None,
) -> AsyncIterator[StoreCluster]:
    """Start three servers. If they are safe, an operator has also created the streams, with so many
    shards.
    """
    cluster = StoreCluster(folder, sync, authority)
    try:
        await cluster.start()
        if not await cluster.listens():  # another program has taken a port in the meantime
            await cluster.stop()
            cluster = StoreCluster(folder, sync, authority)
            await cluster.start()
            assert await cluster.listens(), "the NATS servers do not start"
        if sync == "always":
            await make_streams(cluster, shards)
        yield cluster
    finally:
        await cluster.stop()


async def make_streams(cluster: StoreCluster, shards: int | None = None) -> None:
    """Create the streams, as an operator does once."""
    engine = NatsEngine(replace(cluster.address("operator"), shards=shards), "operator")
    await engine.open()
    await engine.close()

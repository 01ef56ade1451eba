"""The programs of a demonstration: hosts that may be killed, and bots, all processes that end with
this one.
"""

import asyncio
import secrets
from asyncio.subprocess import DEVNULL, PIPE, Process
from pathlib import Path

from commandline.children import python_child
from fairdeal.cluster.store_servers import free_ports
from protocol.errors import LocalError
from protocol.match.log_file import SUFFIX

OPEN_SECONDS = 60.0  # for a host to listen, on a slow machine
_LOOPBACK = "127.0.0.1"


async def start_program(*words: str, stdout: int | None = DEVNULL) -> Process:
    """Start `fairdeal` with these arguments, in a session of its own: Ctrl-C must reach only this
    process.
    """
    child = python_child("-m", "fairdeal.child", *words)
    return await asyncio.create_subprocess_exec(
        *child.command,
        env=child.environ,
        stdin=PIPE,
        stdout=stdout,
        stderr=DEVNULL,
        start_new_session=True,
    )


class HostProgram:
    """One host of the table."""

    def __init__(self, name: str, store: str, folder: Path, key: Path) -> None:
        self.name, self._port = name, free_ports(1)[0]
        self._words = (
            "--cluster",
            store,
            "--host-name",
            name,
            "--key",
            str(key),
            "--data",
            str(folder / name),
        )
        self._process: Process | None = None

    async def start(self) -> str:
        """Start the host, and return its link once it listens; the port is the same each time.
        Raises: LocalError if it does not listen.
        """
        listen = ("--listen", f"{_LOOPBACK}:{self._port}")
        self._process = await start_program(
            "host", *listen, *self._words, "--log-level", "error", stdout=PIPE
        )
        assert self._process.stdout is not None
        try:
            async with asyncio.timeout(OPEN_SECONDS):
                line = await self._process.stdout.readline()
        except TimeoutError:
            line = b""
        if not line:
            raise LocalError("wrong.cluster.no_start")
        return line.decode().strip()

    async def kill(self) -> None:
        """Kill the host without notice, as a power failure does; do nothing if it is gone."""
        if self._process is not None and self._process.returncode is None:
            self._process.kill()
            await self._process.wait()


def new_key(folder: Path) -> Path:
    """Write a new key for all hosts of the table, and return its path."""
    key = folder / "table.signer"
    key.touch(0o600)
    key.write_bytes(secrets.token_bytes(32))
    return key


class Pair:
    """One match between two bots."""

    def __init__(self, number: int, names: tuple[str, str], folder: Path) -> None:
        self.number = number
        self.names = names
        self._folder = folder
        self.table = ""  # id of the bots' table
        self._bots: list[Process] = []

    async def start_bot(self, link: str, *words: str) -> None:
        """Start the next of the two bots, with these arguments."""
        name = self.names[len(self._bots)]
        own = (
            "--name",
            name,
            "--data",
            str(self._folder / name),
            "--log",
            str(self._log(name)),
            "--quiet",
        )
        self._bots.append(await start_program("join", link, *own, *words))

    def _log(self, name: str) -> Path:
        return self._folder / f"{name}{SUFFIX}"

    @property
    def logs(self) -> list[bytes]:
        """Return the logs of the two bots, received and checked, from disk."""
        files = map(self._log, self.names)
        return [file.read_bytes() if file.exists() else b"" for file in files]

    @property
    def over(self) -> bool:
        """Check whether both bots have ended."""
        return len(self._bots) == len(self.names) and all(
            bot.returncode is not None for bot in self._bots
        )

    @property
    def succeeded(self) -> bool:
        """Check that both bots found no fault."""
        return self.over and not any(bot.returncode for bot in self._bots)

    async def stop(self) -> None:
        """Stop both bots."""
        for bot in self._bots:
            if bot.returncode is None:
                bot.kill()
            await bot.wait()

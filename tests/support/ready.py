"""Programs that need not import everything anew: each is forked off one process that has.

`python -m player` takes a second of a processor to begin, and plays for a tenth of one. Tests that start programs by
the hundred to see what they do, not how they are started, run the same command line this way.
"""

import asyncio
import contextlib
import multiprocessing
import os
import runpy
import sys
import threading
from collections.abc import Sequence
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess

from conformance.program import Program
from tests.support.garbage import collect_seldom

PROCESSES = multiprocessing.get_context("forkserver")
PROCESSES.set_forkserver_preload(
    [
        "__main__",
        "tests.support.ready",
        "tests.support.warm",
        "tests.conformance.broken.__main__",
        "player.cli",
        "player.program",
        "player.screens",
        "player.peer.commands",
    ]
)


class Ready(Program):
    """A command line `python -m MODULE ...`, run in a process that is there at once."""

    async def run(self, words: Sequence[str], listen: bool) -> "Child":
        """See `Program`."""
        python, option, *rest = words
        assert (python, option) == (sys.executable, "-m"), words
        child = Child(rest)
        await child.begin(listen)
        return child


class Child:
    """A `Running`."""

    def __init__(self, words: Sequence[str]) -> None:
        self._words = words
        self._ours, self._theirs = PROCESSES.Pipe()
        self._process: BaseProcess | None = None
        self._code: int | None = None
        self.pid = 0
        self.stdout: asyncio.StreamReader | None = None
        self._reading: asyncio.BaseTransport | None = None

    async def begin(self, listen: bool) -> None:
        """Start it; when this returns it leads its group. `listen`: what it prints is `stdout`."""
        said, output = PROCESSES.Pipe(duplex=False) if listen else (None, None)
        self._process = PROCESSES.Process(target=_run, args=(self._words, self._theirs, output), daemon=True)
        self._process.start()
        self._theirs.close()
        if said is not None and output is not None:
            output.close()
            await self._listen(said)
        self.pid = await asyncio.to_thread(self._ours.recv)

    async def _listen(self, said: Connection) -> None:
        self.stdout = reader = asyncio.StreamReader()
        pipe = open(os.dup(said.fileno()), "rb", 0)  # noqa: SIM115 (its transport closes it)
        said.close()
        loop = asyncio.get_running_loop()
        self._reading, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), pipe)

    @property
    def returncode(self) -> int | None:
        """See `Running`."""
        return self._process.exitcode if self._process else self._code

    async def wait(self) -> int:
        """See `Running`."""
        process, self._process = self._process, None
        if process is not None:
            await asyncio.to_thread(process.join)
            self._code = process.exitcode
            process.close()
            self._ours.close()
            if self._reading is not None:
                self._reading.close()
        return self._code or 0


def _run(words: Sequence[str], tests: Connection, output: Connection | None) -> None:
    """As `python -m` does it, in a session of its own and without a terminal."""
    os.setsid()
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere if output is None else output.fileno(), 1)
    os.dup2(nowhere, 2)
    sys.stdout, sys.stderr = (open(number, "w", closefd=False) for number in (1, 2))  # noqa: SIM115 (to the end)
    settle(tests)
    tests.send(os.getpid())
    sys.argv[1:] = words[1:]
    runpy.run_module(words[0], run_name="__main__", alter_sys=True)


def settle(tests: Connection) -> None:
    """The beginning of a forked process.

    It ends when the tests close the other end of this pipe, be it because they were killed; and it looks neither
    through what it found for garbage, nor as often as others through what it makes (`tests.support.garbage`).
    """

    def watch() -> None:
        with contextlib.suppress(EOFError, OSError):
            tests.recv()
        os._exit(0)

    threading.Thread(target=watch, daemon=True).start()
    collect_seldom()

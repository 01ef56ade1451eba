"""Programs forked from a process that has imported all modules.

A player's program takes a second of CPU time to start, and plays for a tenth of a second. Tests
that run hundreds of programs, and do not test their start, run the same command line in this way.
"""

import asyncio
import contextlib
import multiprocessing
import os
import runpy
import signal
import sys
import threading
from collections.abc import Sequence
from io import FileIO
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import NamedTuple

from conformance.program import TestProgram
from tests.support.garbage import collect_seldom

PROCESSES = multiprocessing.get_context("forkserver")
PROCESSES.set_forkserver_preload(
    [
        "__main__",
        "tests.support.ready",
        "tests.support.warm",
        "tests.conformance.broken.__main__",
        "player.cli.join_command",
        "player.cli.table_visits",
        "player.cli.screen_choice",
        "player.cli.direct_commands",
    ]
)


class Ready(TestProgram):
    """A command line of Python, `-m MODULE ...`, run in a forked process without delay."""

    async def run(self, words: Sequence[str]) -> "Child":
        """Run as `TestProgram` does; errors are in the output."""
        python, option, *rest = words
        assert (python, option) == (sys.executable, "-m"), words
        child = Child(rest)
        await child.begin(listen=True, errors=True)
        return child


async def ready(*words: str, typed: bool = False, errors: Path | None = None) -> "Child":
    """Run Python with `-m MODULE ...`. `stdout` has its whole output, including errors unless
    `errors` names a file for them.

    With `typed`, the program reads what is written to `stdin`.
    """
    child = Child(words)
    await child.begin(listen=True, errors=errors or True, typed=typed)
    return child


class Child:
    """A `Running`, with the methods of `asyncio.subprocess.Process` that tests use."""

    def __init__(self, words: Sequence[str]) -> None:
        self._words = words
        self._ours, self._theirs = PROCESSES.Pipe()
        self._process: BaseProcess | None = None
        self._code: int | None = None
        self.pid = 0
        self.stdout: asyncio.StreamReader | None = None
        self.stderr: asyncio.StreamReader | None = None
        self._reading: asyncio.BaseTransport | None = None
        self.stdin: FileIO | None = None

    async def begin(self, listen: bool, errors: bool | Path = False, typed: bool = False) -> None:
        """Start the process, and wait until it leads its own process group.

        With `listen`, `stdout` has its output. `errors` is a file for its errors; True means that
        they are printed.
        """
        said, output = PROCESSES.Pipe(duplex=False) if listen else (None, None)
        heard, typing = PROCESSES.Pipe(duplex=False) if typed else (None, None)
        ends = Ends(
            heard, output, errors if isinstance(errors, Path) else output if errors else None
        )
        self._process = PROCESSES.Process(
            target=_run, args=(self._words, self._theirs, ends), daemon=True
        )
        self._process.start()
        for end in (self._theirs, heard, output):
            if end is not None:
                end.close()
        if typing is not None:
            self.stdin = open(os.dup(typing.fileno()), "wb", 0)  # noqa: SIM115 (closed when it has ended)
            typing.close()
        if said is not None:
            await self._listen(said)
        self.pid = await asyncio.to_thread(self._ours.recv)

    def kill(self) -> None:
        """Send SIGKILL if the process runs."""
        self._send(signal.SIGKILL)

    def terminate(self) -> None:
        """Send SIGTERM if the process runs."""
        self._send(signal.SIGTERM)

    def _send(self, number: signal.Signals) -> None:
        if self.returncode is None:
            # the process may have ended without our notice
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, number)

    async def communicate(self) -> tuple[bytes, None]:
        """Return the rest of its output, up to its end."""
        assert self.stdout is not None
        said = await self.stdout.read()
        await self.wait()
        return said, None

    async def _listen(self, said: Connection) -> None:
        self.stdout = reader = asyncio.StreamReader()
        pipe = open(os.dup(said.fileno()), "rb", 0)  # noqa: SIM115 (its transport closes it)
        said.close()
        loop = asyncio.get_running_loop()
        self._reading, _ = await loop.connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(reader), pipe
        )

    @property
    def returncode(self) -> int | None:
        """Return code as in `Running`."""
        return self._process.exitcode if self._process else self._code

    async def wait(self) -> int:
        """Wait as in `Running`."""
        process, self._process = self._process, None
        if process is not None:
            await asyncio.to_thread(process.join)
            self._code = process.exitcode
            process.close()
            self._ours.close()
            for each in (self.stdin, self._reading):
                if each is not None:
                    each.close()
        return self._code or 0


class Ends(NamedTuple):
    """Input, output and errors of a child: a pipe, a file to append to, or nothing."""

    heard: Connection | None
    output: Connection | None
    errors: Connection | Path | None


def _run(words: Sequence[str], tests: Connection, ends: Ends) -> None:
    """Run a module as Python does for `-m`, in a new session without a terminal."""
    os.setsid()
    for number, end in enumerate(ends):
        os.dup2(_descriptor(end), number)
    sys.stdin = open(0, closefd=False)  # noqa: SIM115 (to the end)
    sys.stdout = open(1, "w", closefd=False)  # noqa: SIM115 (to the end)
    sys.stderr = open(2, "w", buffering=1, closefd=False)  # noqa: SIM115 (to the end; by lines, as Python's own)
    settle(tests)
    tests.send(os.getpid())
    sys.argv[1:] = words[1:]
    runpy.run_module(words[0], run_name="__main__", alter_sys=True)


def _descriptor(end: Connection | Path | None) -> int:
    if isinstance(end, Connection):
        return end.fileno()
    return os.open(end or os.devnull, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)


def settle(tests: Connection) -> None:
    """Prepare a forked process.

    The process ends when the tests close the other end of the pipe, for example because they were
    killed. Its garbage collector ignores inherited objects, and runs rarely
    (`tests.support.garbage`).
    """

    def watch() -> None:
        with contextlib.suppress(EOFError, OSError):
            tests.recv()
        os._exit(0)

    threading.Thread(target=watch, daemon=True).start()
    collect_seldom()

"""A program under test: start it by the command that a person types, kill it as a crash does, and
start it again.
"""

import asyncio
import contextlib
import os
import shlex
import signal
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Callable, Sequence
from typing import Protocol

from conformance.case import CaseFailed


class ProcessHandle(Protocol):
    """A process that leads its own process group; `asyncio.subprocess.Process` is one."""

    stdout: asyncio.StreamReader | None

    @property
    def pid(self) -> int:
        """The id of the process and of its group."""

    @property
    def returncode(self) -> int | None:
        """The exit code; None while the process runs."""

    async def wait(self) -> int:
        """Wait until the process has ended, and return its exit code."""


class TestProgram:
    """A command line as a shell takes it; words in braces, such as `{data}`, are placeholders."""

    def __init__(self, command: str, who: str) -> None:
        """`who` names the program in errors, for example `the player`."""
        self.command = command
        self._who = who
        self._process: ProcessHandle | None = None

    def wants(self, word: str) -> bool:
        """Check that the command has a placeholder of this name."""
        return f"{{{word}}}" in self.command

    async def start(self, listen: bool = False, **filled: object) -> None:
        """Start the program. With `listen`, its output is readable by `line_with`. Raises:
        CaseFailed.
        """
        words = shlex.split(self.command)
        for name, value in filled.items():
            words = [word.replace(f"{{{name}}}", str(value)) for word in words]
        try:
            self._process = await self.run(words, listen)
        except OSError as error:
            raise CaseFailed(
                f"the command of {self._who} cannot be run ({error.strerror})"
            ) from None

    async def run(self, words: Sequence[str], listen: bool) -> ProcessHandle:
        """Start a process for these words. Raises: OSError."""
        output = PIPE if listen else DEVNULL
        return await asyncio.create_subprocess_exec(
            *words, stdin=DEVNULL, stdout=output, stderr=DEVNULL, start_new_session=True
        )

    async def line_with(self, word: str, seconds: float) -> str:
        """Return the first line of output that contains `word`. Raises: CaseFailed after
        `seconds`.
        """
        assert self._process is not None
        assert self._process.stdout is not None
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while line := await self._process.stdout.readline():
                    if word in (text := line.decode(errors="replace")):
                        return text
        raise CaseFailed(f"{self._who} does not print a line with {word}")

    async def kill(self) -> None:
        """Kill the whole process group at once: the command may be a shell with children."""
        await self._end(signal.SIGKILL)

    async def stop(self, seconds: float) -> None:
        """Ask the program to end, as the system does at shutdown. Raises: CaseFailed if the program
        still runs after `seconds`.
        """
        try:
            async with asyncio.timeout(seconds):
                await self._end(signal.SIGTERM)
        except TimeoutError:
            await self.kill()
            raise CaseFailed(f"{self._who} does not end when it is told to") from None

    async def stand_still(self, seconds: float) -> None:
        """Stop the process group for a while, as SIGSTOP does."""
        assert self._process is not None
        for number, pause in ((signal.SIGSTOP, seconds), (signal.SIGCONT, 0.0)):
            os.killpg(self._process.pid, number)
            await asyncio.sleep(pause)

    async def _end(self, number: signal.Signals) -> None:
        if self._process is None:
            return
        if self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, number)
        await self._process.wait()


Programs = Callable[[str, str], TestProgram]  # arguments as for `TestProgram`

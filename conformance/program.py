"""A program under test: started by the command that a person would type, killed as a crash would,
started again.
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
    """A process that leads a group of its own, as `asyncio.subprocess.Process` has it."""

    stdout: asyncio.StreamReader | None

    @property
    def pid(self) -> int:
        """Its number, and its group's."""

    @property
    def returncode(self) -> int | None:
        """None while it runs."""

    async def wait(self) -> int:
        """Until it has ended."""


class TestProgram:
    """A command line as a shell would have it; words in braces, as `{data}`, are filled in."""

    def __init__(self, command: str, who: str) -> None:
        """`who`: what to call it when it cannot be run, as `the player`."""
        self.command, self._who = command, who
        self._process: ProcessHandle | None = None

    def wants(self, word: str) -> bool:
        """Whether the command has a place for this."""
        return f"{{{word}}}" in self.command

    async def start(self, listen: bool = False, **filled: object) -> None:
        """Start it. `listen`: what it prints is read (`line_with`). Raises: Failed."""
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
        """A process for these words. Raises: OSError."""
        output = PIPE if listen else DEVNULL
        return await asyncio.create_subprocess_exec(
            *words, stdin=DEVNULL, stdout=output, stderr=DEVNULL, start_new_session=True
        )

    async def line_with(self, word: str, seconds: float) -> str:
        """The first line it prints that has this in it. Raises: Failed."""
        assert self._process is not None
        assert self._process.stdout is not None
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while line := await self._process.stdout.readline():
                    if word in (text := line.decode(errors="replace")):
                        return text
        raise CaseFailed(f"{self._who} does not print a line with {word}")

    async def kill(self) -> None:
        """End it at once, with all that it has started: the command may be a shell's."""
        await self._end(signal.SIGKILL)

    async def stop(self, seconds: float) -> None:
        """Ask it to end, as the system does before it goes down. Raises: Failed if it does not."""
        try:
            async with asyncio.timeout(seconds):
                await self._end(signal.SIGTERM)
        except TimeoutError:
            await self.kill()
            raise CaseFailed(f"{self._who} does not end when it is told to") from None

    async def _end(self, number: signal.Signals) -> None:
        if self._process is None:
            return
        if self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, number)
        await self._process.wait()


Programs = Callable[[str, str], TestProgram]  # by what `TestProgram` takes

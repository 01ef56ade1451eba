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
from conformance.trace import OutputLines, Trace
from protocol.limits import READ_CHUNK

MOST_LINES = 1_000  # of output that nobody has asked for yet
END_SECONDS = 1.0  # to read the rest of a program's output after its end


class ProcessHandle(Protocol):
    """A process that leads its own process group; `asyncio.subprocess.Process` is one."""

    stdout: asyncio.StreamReader | None
    stderr: asyncio.StreamReader | None

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

    def __init__(self, command: str, who: str, trace: Trace | None = None) -> None:
        """`who` names the program in errors, for example `the player`. `trace` gets its output."""
        self.command = command
        self._who = who
        self._trace = trace
        self._process: ProcessHandle | None = None
        self._heard: asyncio.Queue[str] = asyncio.Queue()
        self._readers: list[asyncio.Task[None]] = []

    def wants(self, word: str) -> bool:
        """Check that the command has a placeholder of this name."""
        return f"{{{word}}}" in self.command

    async def start(self, **filled: object) -> None:
        """Start the program; its output is read, and noted in the trace. Raises: CaseFailed."""
        words = shlex.split(self.command)
        for name, value in filled.items():
            words = [word.replace(f"{{{name}}}", str(value)) for word in words]
        try:
            self._process = await self.run(words)
        except OSError as error:
            raise CaseFailed(
                f"the command of {self._who} cannot be run ({error.strerror})"
            ) from None
        self._heard = asyncio.Queue()
        process = self._process
        for stream, name in ((process.stdout, "output"), (process.stderr, "errors")):
            if stream is not None:
                self._readers.append(asyncio.create_task(self._read(stream, name)))

    async def run(self, words: Sequence[str]) -> ProcessHandle:
        """Start a process for these words. Raises: OSError."""
        return await asyncio.create_subprocess_exec(
            *words, stdin=DEVNULL, stdout=PIPE, stderr=PIPE, start_new_session=True
        )

    async def _read(self, stream: asyncio.StreamReader, name: str) -> None:
        """Read output of the program until its end."""
        lines = OutputLines(self._trace, f"{self._who}, {name}")
        if self._trace is not None:
            self._trace.output.append(lines)
        rest = b""
        while data := await stream.read(READ_CHUNK):
            lines.feed(data)
            *whole, rest = (rest + data).split(b"\n")
            rest = rest[-READ_CHUNK:]
            for line in whole:
                if self._heard.qsize() < MOST_LINES:
                    self._heard.put_nowait(line.decode(errors="replace"))

    async def line_with(self, word: str, seconds: float) -> str:
        """Return the first line of output that contains `word`. Raises: CaseFailed after
        `seconds`.
        """
        assert self._process is not None
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while word not in (line := await self._next_line()):
                    """Another line."""
                return line
        raise CaseFailed(f"{self._who} does not print a line with {word}")

    async def _next_line(self) -> str:
        """Return the next line of output. Raises: CaseFailed if the program has ended."""
        while self._heard.empty() and any(not reader.done() for reader in self._readers):
            heard = asyncio.create_task(self._heard.get())
            try:
                await asyncio.wait([heard, *self._readers], return_when=asyncio.FIRST_COMPLETED)
                if heard.done():
                    return heard.result()
            finally:
                heard.cancel()
        if self._heard.empty():
            raise CaseFailed(f"{self._who} ended before it printed what the kit needs")
        return self._heard.get_nowait()

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

    async def exit_code(self, seconds: float) -> int:
        """Wait until the program ends by itself, and return its exit code. Raises: CaseFailed after
        `seconds`.
        """
        assert self._process is not None
        try:
            async with asyncio.timeout(seconds):
                code = await self._process.wait()
        except TimeoutError:
            raise CaseFailed(f"{self._who} does not end") from None
        await end_readers(self._readers)
        return code

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
        await end_readers(self._readers)


async def end_readers(readers: list[asyncio.Task[None]]) -> None:
    """Let readers of a program's output come to its end, and end them."""
    if readers:
        await asyncio.wait(readers, timeout=END_SECONDS)
    for reader in readers:
        reader.cancel()
    await asyncio.gather(*readers, return_exceptions=True)
    readers.clear()


Programs = Callable[[str, str, Trace], TestProgram]  # arguments as for `TestProgram`

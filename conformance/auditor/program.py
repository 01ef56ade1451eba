"""An auditor under test: a program that is given logs and answers with verdicts.

It is started in one of two ways, by the command that a person types:

- With `{log}` in the command it is started anew for each log, with the path of a file, and prints
  one JSON object.
- Without, it is started once. Each line of its input is a JSON object with the path of a file,
  `{"log": PATH}`; for each it prints one line, a JSON object.

The object is that of `fairdeal audit --json` (docs/protocol, 10.4.2); members that the kit does not
compare may be left out.
"""

import asyncio
import contextlib
import json
import os
import shlex
import signal
from asyncio.subprocess import DEVNULL, PIPE
from pathlib import Path
from typing import Any

from conformance.case import CaseFailed
from conformance.program import end_readers
from conformance.trace import OutputLines
from protocol.limits import READ_CHUNK

MOST_PROCESSES = 3  # whose last error output is kept
ANSWER_SECONDS = 60.0  # for one log; the longest takes our own auditor two seconds
MOST_OUTPUT = 4 * 1024 * 1024  # bytes of one answer
TOO_LATE = "the auditor gave no verdict in time"


class AuditorProgram:
    """The program of a command line. Logs are judged one after the other where it is started once."""

    def __init__(self, command: str, seconds: float = ANSWER_SECONDS) -> None:
        self._words = shlex.split(command)
        self._seconds = seconds
        self._once = "{log}" not in command
        self._process: asyncio.subprocess.Process | None = None
        self._turn = asyncio.Lock()
        self.output: list[OutputLines] = []  # error output of the newest processes
        self._readers: list[asyncio.Task[None]] = []

    async def judge(self, log: Path) -> dict[str, Any]:
        """Return the program's verdict on a log. Raises: CaseFailed."""
        line = await (self._ask(log) if self._once else self._run(log))
        try:
            said = json.loads(line)
        except (ValueError, RecursionError):
            raise CaseFailed("the auditor printed no JSON") from None
        if not isinstance(said, dict):
            raise CaseFailed("the auditor printed JSON that is no object")
        return said

    async def close(self) -> None:
        """End the program."""
        process, self._process = self._process, None
        if process is not None:
            await _kill(process)
        await end_readers(self._readers)

    async def _run(self, log: Path) -> bytes:
        """Start the program for one log, and return all that it prints."""
        words = [word.replace("{log}", str(log)) for word in self._words]
        process = await self._start(words, DEVNULL)
        assert process.stdout is not None
        try:
            async with asyncio.timeout(self._seconds):
                said = await process.stdout.read(MOST_OUTPUT)
                await process.wait()
        except TimeoutError:
            raise CaseFailed(TOO_LATE) from None
        finally:
            await _kill(process)
            await end_readers(self._readers)
        if not said:
            raise CaseFailed(f"the auditor printed nothing, and ended with {process.returncode}")
        return said

    async def _ask(self, log: Path) -> bytes:
        """Give the running program one log, and return the line that it answers.

        The time of an answer begins with its question: it has no wait for earlier answers in it.
        """
        async with self._turn:
            answered = False
            try:
                async with asyncio.timeout(self._seconds):
                    line = await self._exchange(json.dumps({"log": str(log)}).encode() + b"\n")
                answered = True
                return line
            except TimeoutError:
                raise CaseFailed(TOO_LATE) from None
            finally:
                # A late answer must not be taken for that to the next log, also if the runner has
                # given the case up meanwhile. So the next log gets a new process.
                if not answered:
                    await self.close()

    async def _exchange(self, question: bytes) -> bytes:
        """Write a line to the program, started if need be, and return the line that it answers."""
        if self._process is None:
            self._process = await self._start(self._words, PIPE)
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(question)
            await process.stdin.drain()
            line = await process.stdout.readline()
        except ConnectionError:
            line = b""
        except ValueError:
            raise CaseFailed("the auditor printed a line without an end") from None
        if not line.endswith(b"\n"):
            code = await process.wait()
            raise CaseFailed(f"the auditor ended with {code}, and without a verdict")
        return line

    async def _start(self, words: list[str], given: int) -> asyncio.subprocess.Process:
        try:
            process = await asyncio.create_subprocess_exec(
                *words,
                stdin=given,
                stdout=PIPE,
                stderr=PIPE,
                limit=MOST_OUTPUT,
                start_new_session=True,
            )
        except OSError as error:
            raise CaseFailed(
                f"the command of the auditor cannot be run ({error.strerror})"
            ) from None
        assert process.stderr is not None
        lines = OutputLines(None, "errors")
        self.output = [*self.output[-MOST_PROCESSES:], lines]
        self._readers.append(asyncio.create_task(_read(process.stderr, lines)))
        return process


async def _read(stream: asyncio.StreamReader, lines: OutputLines) -> None:
    """Read error output, so that the program never waits for its reader."""
    while data := await stream.read(READ_CHUNK):
        lines.feed(data)


async def _kill(process: asyncio.subprocess.Process) -> None:
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    await process.wait()

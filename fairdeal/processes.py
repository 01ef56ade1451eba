"""The programs of one `fairdeal play`, `fairdeal host --play` or `fairdeal app`: a table and bots,
all processes that end with this one.
"""

import asyncio
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from commandline.children import python_child
from commandline.game_plugins import FLAG
from protocol.errors import LocalError
from protocol.identity.keys import JoinLink
from protocol.limits import MAX_TABLE_REPORTS

END_SECONDS = 6.0  # for programs to stop after a request
OPEN_SECONDS = 30.0  # for a table to open, on a slow machine
# the person has chosen these terms: breakable keys were asked for by name
OWN_TERMS = "--breakable-keys"


class Programs:
    """The running programs. `folder` is for their temporary data; `plugins` are the names of game
    plug-ins that they load.
    """

    def __init__(self, folder: Path, plugins: Sequence[str] = ()) -> None:
        self._folder = folder
        self._plugins = [word for name in plugins for word in (FLAG, name)]
        self._running: dict[str, Process] = {}
        self._ends: dict[str, asyncio.Task[int]] = {}
        self._reports: set[asyncio.Task[None]] = set()  # tasks that write the reports of tables
        # standard output of the table; its first line, the link, has been read
        self._output: asyncio.StreamReader | None = None

    async def open_table(self, *words: str, patience: float | None = OPEN_SECONDS) -> str:
        """Open a table, and return its link. Wait `patience` seconds; None: for as long as opening
        takes. Raises: LocalError if the table cannot open, with its reason.
        """
        report_file = self._folder / "table.txt"
        report_file.write_bytes(b"")
        process = await self._start("table", "host", *words, stdout=PIPE, stderr=PIPE)
        assert process.stdout is not None
        assert process.stderr is not None
        writing = asyncio.create_task(_write_reports(process.stderr, report_file))
        self._reports.add(writing)
        writing.add_done_callback(self._reports.discard)
        async with asyncio.timeout(patience):
            link = (await process.stdout.readline()).decode().strip()
        if link:
            self._output = process.stdout
            return link
        await process.wait()
        await writing
        lines = report_file.read_text("utf-8", "replace").strip().splitlines()
        if not lines:
            raise LocalError("wrong.no_table_opened.silent")
        raise LocalError("wrong.no_table_opened", why=lines[-1].rpartition("error: ")[2])

    async def read_page_link(self, patience: float = OPEN_SECONDS) -> JoinLink:
        """Return the first link to a page for browsers that the open table prints for guests.
        Raises: LocalError if it prints none within `patience` seconds.
        """
        assert self._output is not None, "a table is open"
        with suppress(TimeoutError):
            async with asyncio.timeout(patience):
                while line := await self._output.readline():
                    with suppress(LocalError):
                        link = JoinLink.parse(line.decode())
                        if link.page:
                            return link
        raise LocalError("wrong.no_table_opened.silent")

    async def start_bot(self, link: str, name: str, *words: str) -> None:
        """Start a bot with this name at the table."""
        own = ("--name", name, "--data", str(self._folder / name), "--again", "--quiet")
        await self._start(name, "join", link, *own, *words, stdout=DEVNULL, stderr=DEVNULL)

    async def start_guest(self, name: str, *words: str) -> None:
        """Start a program `name` without a terminal, such as a bot for one match."""
        await self._start(name, *words, stdout=DEVNULL, stderr=DEVNULL)

    def is_running(self, name: str) -> bool:
        """Return True while the program `name` runs."""
        return name in self._ends and not self._ends[name].done()

    async def start_in_terminal(self, *words: str) -> Process:
        """Start a program that has this terminal, and this process's group: Ctrl-C reaches both."""
        child = python_child("-m", "fairdeal", *words, *self._plugins)
        return await asyncio.create_subprocess_exec(*child.command, env=child.environ)

    async def wait_for_end(self, name: str) -> None:
        """Wait for the end of the program `name`."""
        await asyncio.shield(self._ends[name])

    async def run_matches(self, matches: Coroutine[Any, Any, int], stop: Callable[[], None]) -> int:
        """Run `matches`, and return the exit code. If a program ends first, call `stop`. Raises:
        LocalError for this program.
        """
        playing = asyncio.create_task(matches)
        await asyncio.wait([playing, *self._ends.values()], return_when=asyncio.FIRST_COMPLETED)
        ended = [name for name, end in self._ends.items() if end.done()]
        if ended and not playing.done():
            stop()
            await playing
            raise LocalError("wrong.program_stopped", name=ended[0])
        return await playing

    async def stop(self, *names: str) -> None:
        """Stop these programs, or all: close their input, and kill those that do not end."""
        chosen = [name for name in names or tuple(self._running) if name in self._running]
        for name in chosen:
            if (stdin := self._running[name].stdin) is not None:
                stdin.close()
        ends = [self._ends[name] for name in chosen]
        if ends:
            await asyncio.wait(ends, timeout=END_SECONDS)
        for name in chosen:
            if self._running[name].returncode is None:
                self._running[name].kill()
        await asyncio.gather(*ends)
        for name in chosen:
            self._running.pop(name, None)
            self._ends.pop(name, None)
        if not self._running and self._reports:
            await asyncio.wait(self._reports, timeout=END_SECONDS)

    async def _start(
        self, name: str, *words: str, stdout: int | None = None, stderr: int | None = None
    ) -> Process:
        """Start a program in a session of its own: Ctrl-C must reach only this process."""
        child = python_child("-m", "fairdeal.child", *words, *self._plugins)
        process = await asyncio.create_subprocess_exec(
            *child.command,
            env=child.environ,
            stdin=PIPE,
            stdout=stdout,
            stderr=stderr,
            start_new_session=True,
        )
        self._running[name] = process
        self._ends[name] = asyncio.create_task(process.wait())
        return process


async def _write_reports(reports: asyncio.StreamReader, path: Path) -> None:
    """Write a program's reports to a file. Before the file would exceed `MAX_TABLE_REPORTS` bytes,
    it replaces the old file, and a new one begins.
    """
    while data := await reports.read(MAX_TABLE_REPORTS):
        with suppress(OSError):  # a full disk ends no table
            _append(path, data)


def _append(path: Path, data: bytes) -> None:
    """Raises: OSError."""
    if path.stat().st_size + len(data) > MAX_TABLE_REPORTS:
        path.replace(path.with_name(f"{path.stem}-old{path.suffix}"))
    with path.open("ab") as file:
        file.write(data)

"""A table that the kit starts, so that a case can kill it and start it again with the same data
folder.
"""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from conformance.case import CaseFailed
from conformance.program import TestProgram
from conformance.trace import Trace
from protocol.errors import LocalError
from protocol.identity.keys import SCHEME, JoinLink

START_SECONDS = 30.0  # for a table to start on a busy machine
STOP_SECONDS = 20.0  # for a table to end after a request


class TableProcess(Protocol):
    """A table with its own data folder."""

    async def start(self) -> JoinLink:
        """Start the table, and return its link. Raises: CaseFailed."""

    async def kill(self) -> None:
        """Kill the table at once."""

    async def stop(self) -> None:
        """Ask the table to end, and wait. Raises: CaseFailed."""

    async def stand_still(self, seconds: float) -> None:
        """Stop the table for a while, as SIGSTOP does."""


# arguments: the data folder, and the trace that gets the table's output
TableStarter = Callable[[Path, Trace], TableProcess]


class CommandTable:
    """A `TableProcess` that a command starts; the command prints the join link."""

    def __init__(self, command: str, data: Path, trace: Trace) -> None:
        self._program = TestProgram(command, "the table", trace)
        self._data = data

    async def start(self) -> JoinLink:
        """See `TableProcess`."""
        await self._program.start(data=self._data)
        line = await self._program.line_with(SCHEME, START_SECONDS)
        found = re.search(rf"{SCHEME}\S+", line)
        try:
            return JoinLink.parse(found.group() if found else "")
        except LocalError:
            raise CaseFailed("what the table prints is no join link") from None

    async def kill(self) -> None:
        """See `TableProcess`."""
        await self._program.kill()

    async def stop(self) -> None:
        """See `TableProcess`."""
        await self._program.stop(STOP_SECONDS)

    async def stand_still(self, seconds: float) -> None:
        """See `TableProcess`."""
        await self._program.stand_still(seconds)


def table_starter(command: str) -> TableStarter:
    """Return a starter of tables by this command. Raises: LocalError."""
    if "{data}" not in command:
        raise LocalError("conformance.wrong.table")
    return lambda data, trace: CommandTable(command, data, trace)

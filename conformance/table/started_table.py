"""A table that the kit starts itself, so that it can be killed and started again with what it has
on disk.
"""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from conformance.case import CaseFailed
from conformance.program import TestProgram
from protocol.errors import LocalError
from protocol.identity.keys import SCHEME, JoinLink

START_SECONDS = 30.0  # for a table to begin, on a busy machine
STOP_SECONDS = 20.0  # to end when it is told to


class TableProcess(Protocol):
    """A table on a data folder of its own."""

    async def start(self) -> JoinLink:
        """Start it; where it listens. Raises: Failed."""

    async def kill(self) -> None:
        """End it at once."""

    async def stop(self) -> None:
        """Tell it to end, and wait. Raises: Failed."""


TableStarter = Callable[[Path], TableProcess]  # by data folder


class CommandTable:
    """A `TableProcess` that a command starts, which prints its join link."""

    def __init__(self, command: str, data: Path) -> None:
        self._program, self._data = TestProgram(command, "the table"), data

    async def start(self) -> JoinLink:
        """See `TableProcess`."""
        await self._program.start(listen=True, data=self._data)
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


def table_starter(command: str) -> TableStarter:
    """Tables that this command starts. Raises: LocalError."""
    if "{data}" not in command:
        raise LocalError("the table's command must have {data} in it, where its folder goes")
    return lambda data: CommandTable(command, data)

"""Appends that wait for the same connection, as one statement: they share a commit, and the wait for
the standbys. While one statement is under way the next ones gather.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

from protocol.limits import MAX_GROUP_APPENDS, MAX_GROUP_BYTES
from table.storage.shared.backend import Conflict
from table.storage.shared.postgres import statements

Execute = Callable[[str, dict[str, Any]], Awaitable[list[Any]]]


class _Append(NamedTuple):
    """An append to a subject that has items, and what becomes of it."""

    subject: str
    after: int
    data: bytes
    number: "asyncio.Future[int]"


class AppendGroups:
    """The appends over one connection. Each stands or fails by itself."""

    def __init__(self, execute: Execute) -> None:
        """`execute` runs a statement over the connection. Raises: Unanswered."""
        self._execute = execute
        self._waiting: list[_Append] = []
        self._working: asyncio.Task[None] | None = None

    async def append(self, subject: str, after: int, data: bytes) -> int:
        """Return the number of the new item. Raises: Conflict, Unanswered."""
        loop = asyncio.get_running_loop()
        one = _Append(subject, after, data, loop.create_future())
        self._waiting.append(one)
        if self._working is None or self._working.done():
            self._working = loop.create_task(self._work())
        return await one.number

    def close(self) -> None:
        """Ask for nothing more. Nothing is answered after that."""
        if self._working is not None:
            self._working.cancel()

    async def _work(self) -> None:
        while group := self._next():
            try:
                rows = await self._execute(
                    statements.APPEND_GROUP,
                    {
                        "subjects": [one.subject for one in group],
                        "afters": [one.after for one in group],
                        "data": [one.data for one in group],
                    },
                )
            except Exception as error:  # whatever it is, no append may wait for ever
                _fail(group, error)
            else:
                _tell(group, {str(subject): int(number) for subject, number in rows})

    def _next(self) -> list[_Append]:
        """Take the appends of the next statement: one of a subject, since each needs the one before."""
        group: dict[str, _Append] = {}
        later: list[_Append] = []
        size = 0
        for one in self._waiting:
            if one.number.done():  # nobody waits for it any more
                continue
            size += len(one.data)
            full = len(group) >= MAX_GROUP_APPENDS or size > MAX_GROUP_BYTES
            if one.subject in group or (group and full):
                later.append(one)
            else:
                group[one.subject] = one
        self._waiting = later
        return list(group.values())


def _fail(group: list[_Append], error: Exception) -> None:
    """Give each append the error of the statement."""
    for one in group:
        if not one.number.done():
            one.number.set_exception(error)


def _tell(group: list[_Append], numbers: dict[str, int]) -> None:
    """Give each append its number; those without one are conflicts."""
    for one in group:
        if one.number.done():
            continue
        if one.subject in numbers:
            one.number.set_result(numbers[one.subject])
        else:
            one.number.set_exception(Conflict())

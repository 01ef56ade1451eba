"""A store in a PostgreSQL database, as `table.stores.log.Engine` has it: one row for each item.

A commit that is acknowledged has been written to the server's disk, and to that of its synchronous standbys if it has
any; the host looks at the settings for that when it starts and every minute, and appends nothing while they are others.
"""

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import psycopg

from protocol.errors import LocalError
from protocol.view.phrase import Phrase, phrase
from table.stores.log import Conflict, Item, Unanswered
from table.stores.postgres import statements

CONNECTIONS = 8  # of a host; each does one thing at a time, and a subject has always the same
ANSWER_SECONDS = 5.0  # for a commit, standbys and all; then nobody knows what has become of it
CONNECT_SECONDS = 10
CHECK_SECONDS = 60.0
HEAR_SECONDS = 0.25  # between two looks at what hosts have said
_MOST = 8 << 20  # bytes of an item
_BEATS = "b."  # which connection what hosts say goes over

log = logging.getLogger(__name__)


class PostgresEngine:
    """A few connections, made anew when they break."""

    most = _MOST

    def __init__(
        self, address: str, host: str, check_seconds: float = CHECK_SECONDS, answer_seconds: float = ANSWER_SECONDS
    ) -> None:
        """`address`: postgresql://…; a password belongs into the file that `passfile` names. `host`: this one's."""
        self._address, self._host, self._every = address, f"h.{host.encode().hex()}", check_seconds
        self._patience = answer_seconds
        # and one more for what hosts say: matches that wait for an answer make no host seem gone
        self._lines: list[psycopg.AsyncConnection[Any] | None] = [None] * (CONNECTIONS + 1)
        self._locks = [asyncio.Lock() for _ in self._lines]
        self._safe = asyncio.Event()
        self._checking: asyncio.Task[None] | None = None
        self._hearing: asyncio.Task[None] | None = None

    async def open(self) -> None:
        """See `Engine.open`."""
        try:
            for statement in statements.SCHEMA.split(";"):
                await self._do("", statement)
            wrong = await self._look()
        except Unanswered:
            wrong = phrase("wrong.store.database")
        if wrong is not None:
            await self.close()
            raise LocalError(wrong)
        self._safe.set()
        self._checking = asyncio.get_running_loop().create_task(self._check())

    async def close(self) -> None:
        """See `Engine.close`."""
        if self._checking is not None:
            self._checking.cancel()
        if self._hearing is not None:
            self._hearing.cancel()
        for place, line in enumerate(self._lines):
            self._lines[place] = None
            if line is not None:
                await line.close()

    @property
    def safe(self) -> bool:
        """See `Engine.safe`."""
        return self._safe.is_set()

    async def append(self, subject: str, after: int, data: bytes) -> int:
        """See `Logs.append`."""
        await self._safe.wait()
        statement = statements.APPEND if after else statements.BEGIN
        rows = await self._do(subject, statement, {"subject": subject, "after": after, "data": data})
        if not rows:
            raise Conflict
        return int(rows[0][0])

    async def next(self, subject: str, after: int) -> Item | None:
        """See `Logs.next`."""
        return _item(await self._do(subject, statements.NEXT, (subject, after)))

    async def last(self, subject: str) -> Item | None:
        """See `Logs.last`."""
        return _item(await self._do(subject, statements.LAST, (subject,)))

    async def names(self, prefix: str) -> list[str]:
        """See `Logs.names`."""
        return [str(row[0]) for row in await self._do(prefix, statements.NAMES, (prefix,))]

    async def erase(self, subject: str) -> None:
        """See `Logs.erase`. The database writes over the bytes when it next vacuums the table."""
        await self._do(subject, statements.ERASE, {"subject": subject})

    async def beat(self) -> None:
        """See `Engine.beat`: a commit, since a read may come from one that leads no more."""
        await self._do(self._host, statements.BEAT, (self._host,))

    async def announce(self, data: bytes) -> None:
        """See `Engine.announce`: a row for each host, in a table that no log is written for."""
        with suppress(Unanswered):
            await self._do(_BEATS, statements.ANNOUNCE, {"host": self._host, "data": data})

    async def hear(self, heard: Callable[[bytes], None]) -> None:
        """See `Engine.hear`."""
        self._hearing = asyncio.get_running_loop().create_task(self._hear(heard))

    async def _hear(self, heard: Callable[[bytes], None]) -> None:
        """What changes: what stands there already may have been said by one who is gone."""
        known: dict[str, int] | None = None
        while True:
            with suppress(Unanswered):
                rows = await self._do(_BEATS, statements.HEAR)
                for host, number, data in rows if known is not None else ():
                    if known is not None and number != known.get(host):
                        heard(bytes(data))
                known = {host: number for host, number, _ in rows}
            await asyncio.sleep(HEAR_SECONDS)

    async def _do(self, subject: str, statement: str, given: Sequence[Any] | Mapping[str, Any] = ()) -> list[Any]:
        """The rows of one statement, which is a transaction. Raises: Unanswered; the connection is another then."""
        place = CONNECTIONS if subject == _BEATS else sum(subject.encode()) % CONNECTIONS
        try:
            async with asyncio.timeout(self._patience), self._locks[place]:
                return await self._ask(place, statement, given)
        except TimeoutError:
            raise Unanswered from None

    async def _ask(self, place: int, statement: str, given: Sequence[Any] | Mapping[str, Any]) -> list[Any]:
        """Over the connection that is ours now. Raises: Unanswered; and then, or if it is cancelled, it is another."""
        line: psycopg.AsyncConnection[Any] | None = None
        try:
            line = self._lines[place] or await psycopg.AsyncConnection.connect(
                self._address, autocommit=True, connect_timeout=CONNECT_SECONDS
            )
            self._lines[place] = line
            cursor = await line.execute(statement.encode(), given)
            return await cursor.fetchall() if cursor.description else []
        except BaseException as error:
            self._lines[place] = None
            if line is not None:
                await line.close()
            if isinstance(error, (psycopg.Error, OSError)):
                raise Unanswered from None
            raise

    async def _check(self) -> None:
        while True:
            await asyncio.sleep(self._every)
            try:
                wrong = await self._look()
            except Unanswered:
                continue
            except Exception as error:  # whatever it is, it must be looked again
                self._safe.clear()
                log.error("no match goes on: the look at the store has failed (%s)", type(error).__name__)
                continue
            if wrong is None:
                self._safe.set()
            else:
                self._safe.clear()
                log.error("no match goes on: %s", LocalError(wrong))

    async def _look(self) -> Phrase | None:
        """What is wrong with the settings."""
        ((fsync, pages, commit, standbys, recovers),) = await self._do("", statements.SETTINGS)
        if recovers:
            return phrase("wrong.store.standby")
        if fsync != "on" or pages != "on":
            return phrase("wrong.store.fsync")
        if commit not in (("on", "remote_apply") if standbys else ("on", "local", "remote_write", "remote_apply")):
            return phrase("wrong.store.commit")
        return None


def _item(rows: Sequence[Any]) -> Item | None:
    return Item(int(rows[0][0]), bytes(rows[0][1])) if rows else None

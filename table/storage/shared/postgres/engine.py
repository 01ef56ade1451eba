"""A store in a PostgreSQL database, as `table.storage.shared.backend.StoreBackend` has it: one row for each item.

A commit that is acknowledged has been written to the server's disk, and to that of its synchronous
standbys if it has any; the host looks at the settings for that when it starts and every minute, and
appends nothing while they are others.
"""

import asyncio
import logging
import time
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from protocol.errors import LocalError
from protocol.i18n import english_text
from protocol.view.phrase import Phrase, phrase
from table.storage.shared.backend import (
    AgedItem,
    AgedSubject,
    Conflict,
    Held,
    Item,
    Unanswered,
    Walk,
)
from table.storage.shared.match_subjects import PARTS
from table.storage.shared.postgres import statements
from table.storage.shared.postgres.append_groups import AppendGroups
from table.storage.shared.postgres.connections import Given, PostgresConnections
from table.storage.shared.postgres.safety_check import NOBODY, SAYS_NOTHING
from table.storage.shared.postgres.store_address import parse_address

CONNECTIONS = 8  # of a host; each does one thing at a time, and a subject has always the same
# of these, for appends to subjects that have items. With fewer, more appends share a commit; two, so that
# a row that somebody holds stops half of them only
APPENDING = 2
ANSWER_SECONDS = 5.0  # for a commit, standbys and all; then nobody knows what has become of it
CHECK_SECONDS = 60.0
MAKE_TRIES = 3
PAGE = 64  # subjects that one statement gives
HEAR_SECONDS = 0.25  # between two looks at what hosts have said
_MOST = 8 << 20  # bytes of an item
_BEATS = "b."  # which connection what hosts say goes over

log = logging.getLogger(__name__)


class PostgresEngine:
    """A few connections, made anew when they break."""

    most = _MOST
    parts = PARTS

    def __init__(
        self,
        address: str,
        host: str,
        check_seconds: float = CHECK_SECONDS,
        answer_seconds: float = ANSWER_SECONDS,
        wall: Callable[[], float] = time.time,
    ) -> None:
        """`address`: see `table.storage.shared.postgres.store_address`; `host`: this one's name; `wall`:
        Unix seconds of this host. Raises: LocalError.
        """
        self._wall = wall
        self._host, self._every = f"h.{host.encode().hex()}", check_seconds
        # and one more for what hosts say: matches that wait for an answer make no host seem gone
        self._lines = PostgresConnections(
            parse_address(address), CONNECTIONS + 1, answer_seconds, self._judged
        )
        self._groups = [AppendGroups(partial(self._lines.do, which)) for which in range(APPENDING)]
        self._safe = asyncio.Event()
        self._opened = False
        self._beats = 0  # of ours that were acknowledged
        self._said: Phrase | None = None  # what was wrong last
        self._lost: Phrase | None = None  # that the database has lost what it had acknowledged
        self._checking: asyncio.Task[None] | None = None
        self._hearing: asyncio.Task[None] | None = None

    async def open(self) -> None:
        """See `Engine.open`."""
        try:
            wrong = await self._lines.find()
            if wrong is None:
                await self._make_tables()
        except Unanswered:
            wrong = phrase(NOBODY)
        if wrong is not None:
            await self.close()
            raise LocalError(wrong)
        self._opened = True
        self._checking = asyncio.get_running_loop().create_task(self._check())

    async def _make_tables(self) -> None:
        for statement in statements.SCHEMA.split(";"):
            await self._make(statement)
        # asked first: to add a column takes a lock, even if it is there
        for column, statement in statements.COLUMNS.items():
            if (await self._do("", statements.HAS_COLUMN, column))[0][0] == 0:
                await self._make(statement)
        for statement in statements.INDEXES.split(";"):
            await self._make(statement)

    async def _make(self, statement: str) -> None:
        """Make a table. Of two hosts that do so at once, one hears of an error, and is right the
        next time.
        """
        for _ in range(MAKE_TRIES - 1):
            with suppress(Unanswered):
                await self._do("", statement)
                return
        await self._do("", statement)

    async def close(self) -> None:
        """See `Engine.close`."""
        if self._checking is not None:
            self._checking.cancel()
        if self._hearing is not None:
            self._hearing.cancel()
        for group in self._groups:
            group.close()
        await self._lines.close()

    @property
    def safe(self) -> bool:
        """See `Engine.safe`."""
        return self._safe.is_set()

    async def append(self, subject: str, after: int, data: bytes) -> int:
        """See `Logs.append`."""
        await self._safe.wait()
        if after:
            return await self._groups[_place(subject) % APPENDING].append(subject, after, data)
        rows = await self._do(subject, statements.BEGIN, {"subject": subject, "data": data})
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
        rows = await self._do(prefix, statements.NAMES, _bounds(prefix))
        return [str(row[0]) for row in rows]

    async def erase(self, subject: str) -> None:
        """See `Logs.erase`. The database writes over the bytes when it next vacuums the table."""
        await self._do(subject, statements.ERASE, {"subject": subject})

    async def last_aged(self, subject: str) -> AgedItem | None:
        """See `SharedLog.last_aged`."""
        given = {"subject": subject, "wall": self._wall()}
        rows = await self._do(subject, statements.LAST_AGED, given)
        return (
            AgedItem(Item(int(rows[0][0]), bytes(rows[0][1])), float(rows[0][2])) if rows else None
        )

    def oldest(self, prefix: str) -> Walk:
        """See `SharedLog.oldest`: an index has the first items in order."""
        return _IndexWalk(partial(self._do, prefix, statements.OLDEST), prefix, self._wall)

    async def held(self, prefix: str) -> Held:
        """See `SharedLog.held`: a sum over one narrow row for each subject."""
        ((subjects, size),) = await self._do(prefix, statements.HELD, _bounds(prefix))
        return Held(int(subjects), int(size))

    async def purge(self, subject: str, last: int) -> int:
        """See `SharedLog.purge`."""
        if not self._safe.is_set():
            raise Unanswered
        rows = await self._do(subject, statements.PURGE, {"subject": subject, "last": last})
        return int(rows[0][0]) if rows else 0

    async def trim(self, subject: str, first: int) -> None:
        """See `SharedLog.trim`."""
        if not self._safe.is_set():
            raise Unanswered
        await self._do(subject, statements.TRIM, {"subject": subject, "first": first})

    async def beat(self) -> None:
        """See `Engine.beat`: a commit, since a read may come from one that leads no more.

        Beats are counted where they are kept: a database that counts less than it had acknowledged
        has lost something.
        """
        ((count,),) = await self._do(self._host, statements.BEAT, (self._host,))
        if count <= self._beats and self._lost is None:
            self._lost = phrase("wrong.store.database.lost")
            self._judged(None)
        self._beats = max(self._beats, count)

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

    async def _do(self, subject: str, statement: str, given: Given = ()) -> list[Any]:
        """Over the connection that is this subject's. Raises: Unanswered."""
        others = CONNECTIONS - APPENDING
        which = CONNECTIONS if subject == _BEATS else APPENDING + _place(subject) % others
        return await self._lines.do(which, statement, given)

    async def _look(self) -> Phrase | None:
        """What is wrong with the servers, as far as is known."""
        wrong = await self._lines.find()
        return self._said if wrong is not None and wrong.key in SAYS_NOTHING else wrong

    async def _check(self) -> None:
        while True:
            await asyncio.sleep(self._every)
            before = self._said
            try:
                wrong = await self._look()
            except Exception as error:  # whatever it is, it must be looked again
                self._safe.clear()
                log.error(
                    "no match goes on: the look at the store has failed (%s)", type(error).__name__
                )
                continue
            self._judged(wrong)
            if before is not None and before == self._said:
                self._say(before)

    def _judged(self, wrong: Phrase | None) -> None:
        """The servers have been looked at."""
        wrong = self._lost or wrong
        if wrong is not None:
            self._safe.clear()
        else:
            self._safe.set()
        if self._opened and wrong != self._said:
            self._say(wrong)
        self._said = wrong

    def _say(self, wrong: Phrase | None) -> None:
        if wrong is None:
            log.info("the store is safe again")
        else:
            log.error("no match goes on: %s", english_text(wrong))


class _IndexWalk:
    """The first items of some subjects in pages, the oldest first."""

    def __init__(
        self,
        page: Callable[[Given], Awaitable[list[Any]]],
        prefix: str,
        wall: Callable[[], float],
    ) -> None:
        """`page` asks for the rows behind one; `wall`: Unix seconds of this host."""
        self._page, self._wall = page, wall
        first, end = _bounds(prefix)
        self._behind: dict[str, Any] = {"at": "-infinity", "subject": "", "most": PAGE}
        self._behind |= {"first": first, "end": end}
        self._rows: deque[Any] = deque()

    async def next(self) -> AgedSubject | None:
        """See `Walk.next`."""
        if not self._rows:
            self._rows.extend(await self._page(self._behind | {"wall": self._wall()}))
        if not self._rows:
            return None
        subject, at, age = self._rows.popleft()
        self._behind |= {"subject": subject, "at": at}
        return AgedSubject(subject, float(age))


def _bounds(prefix: str) -> tuple[str, str]:
    """The first subject that begins with this, and what follows the last one, by bytes."""
    return prefix, prefix[:-1] + chr(ord(prefix[-1]) + 1)


def _item(rows: Sequence[Any]) -> Item | None:
    return Item(int(rows[0][0]), bytes(rows[0][1])) if rows else None


def _place(subject: str) -> int:
    """Return a number of a subject, by which it gets a connection."""
    return sum(subject.encode())

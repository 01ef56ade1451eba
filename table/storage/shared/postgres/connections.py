"""Connections to whichever of a database's servers takes writes: looked at first, and made anew
when they break.
"""

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import psycopg
from psycopg.errors import Diagnostic

from protocol.view.phrase import Phrase
from table.storage.shared.backend import Unanswered
from table.storage.shared.postgres import statements
from table.storage.shared.postgres.safety_check import (
    SAYS_NOTHING,
    PostgresServer,
    SafetyReport,
    judge,
)
from table.storage.shared.postgres.store_address import PostgresAddress

CONNECT_SECONDS = 10
CANCEL_SECONDS = 0.5  # for a server to hear that a statement is given up
LOOK_SECONDS = 2.0  # for a server to say how it is set
# for one that has not to hear that nobody waits for it any more: nothing depends on it
HANG_SECONDS = 0.1
FIND_SECONDS = 0.5  # between two looks for the server that takes writes

Connection = psycopg.AsyncConnection[Any]
Given = Sequence[Any] | Mapping[str, Any]
log = logging.getLogger(__name__)


class PostgresConnections:
    """So many connections, each of which does one thing at a time."""

    def __init__(
        self,
        places: Sequence[PostgresAddress],
        count: int,
        patience: float,
        judged: Callable[[Phrase | None], None],
    ):
        """`patience`: seconds for an answer; `judged` hears what is wrong with the servers (None:
        nothing, and there is one to write to), whenever they were looked at and it is known."""
        logging.getLogger("psycopg").setLevel(
            logging.CRITICAL
        )  # what servers say when a line breaks is not for our log
        self._places, self._patience, self._judged = places, patience, judged
        self._lines: list[Connection | None] = [None] * count
        self._made: dict[Connection, int] = {}  # after which look
        self._looks = 0
        self._locks = [asyncio.Lock() for _ in range(count)]
        self._look: asyncio.Task[Phrase | None] | None = None  # the newest one
        self._primary: PostgresAddress | None = None
        self._timeline = 0  # the greatest that was seen
        # of which a commit may have been given up by the server
        self._warned: set[Connection] = set()
        self._next_look = 0.0

    async def do(self, which: int, statement: str, given: Given = ()) -> list[Any]:
        """The rows of one statement, which is a transaction. Raises: Unanswered; the connection is
        another then.
        """
        asking = asyncio.create_task(self._in_turn(which, statement, given))
        try:
            await asyncio.wait({asking}, timeout=self._patience)
            if asking.done():
                return asking.result()
        finally:
            await _given_up(asking)
        raise Unanswered

    async def _in_turn(self, which: int, statement: str, given: Given) -> list[Any]:
        async with self._locks[which]:
            return await self._ask(which, statement, given)

    async def find(self) -> Phrase | None:
        """Look at all servers, and what is wrong with them; None: the one to write to is known.
        What was connected to another one is not any more. Who comes meanwhile has the same look,
        which nobody who gives up takes with him: one server that hangs would keep all others from
        being found. Raises: Unanswered if it is closed."""
        if self._look is None or self._look.done():
            self._look = asyncio.create_task(self._find())
            self._look.add_done_callback(lambda look: look.cancelled() or look.exception())
        look = self._look
        await asyncio.wait({look})
        if look.cancelled():
            raise Unanswered
        return look.result()

    async def close(self) -> None:
        """Let go of all connections."""
        if self._look is not None:
            self._look.cancel()
            await asyncio.wait({self._look})
        await self._let_go()

    async def _let_go(self) -> None:
        for which, line in enumerate(self._lines):
            self._lines[which] = None
            if line is not None:
                self._made.pop(line, None)
                await line.close()

    async def _find(self) -> Phrase | None:
        await self._pause()
        self._looks += 1
        servers = await asyncio.gather(*map(self._server, self._places))
        found = judge(servers, self._timeline)
        self._timeline = max(
            [
                self._timeline,
                *(server.said.timeline for server in servers if server.said is not None),
            ]
        )
        if isinstance(found, Phrase):
            if found.key not in SAYS_NOTHING:
                self._judged(found)
            elif self._primary is not None:
                log.warning(
                    "no server of the store takes writes now: matches wait for one that does"
                )
            self._primary = None
            return found
        if self._places[found] != self._primary:
            await self._let_go()
        self._primary = self._places[found]
        self._judged(None)
        return None

    async def _server(self, place: PostgresAddress) -> PostgresServer:
        """What a server says; one that hangs is as one that is not there."""
        asking = asyncio.create_task(self._says(place))
        try:
            await asyncio.wait({asking}, timeout=min(LOOK_SECONDS, self._patience))
            return PostgresServer(place.name, asking.result() if asking.done() else None)
        except (psycopg.Error, OSError) as error:
            return PostgresServer(place.name, None, distrusted="certificate" in str(error))
        finally:
            await _given_up(asking, HANG_SECONDS)

    async def _says(self, place: PostgresAddress) -> SafetyReport:
        """Raises: psycopg.Error, OSError."""
        line = await self._connect(place)
        try:
            return await _said(line)
        finally:
            await line.close()

    async def _connect(self, place: PostgresAddress) -> Connection:
        return await psycopg.AsyncConnection.connect(
            place.conninfo, autocommit=True, connect_timeout=CONNECT_SECONDS
        )

    async def _ask(self, which: int, statement: str, given: Given) -> list[Any]:
        """Over the connection that is ours now. Raises: Unanswered; and then, or if it is
        cancelled, it is another.
        """
        line: Connection | None = None
        try:
            line = self._lines[which] or await self._new(which)
            cursor = await line.execute(statement.encode(), given)
            rows = await cursor.fetchall() if cursor.description else []
            if line in self._warned:
                raise Unanswered
            return rows
        except BaseException as error:
            await self._drop(which, line)
            if isinstance(error, (psycopg.Error, OSError)):
                raise Unanswered from None
            raise

    async def _drop(self, which: int, line: Connection | None) -> None:
        # one that was just made is nobody's yet
        line, self._lines[which] = line or self._lines[which], None
        if line is None or self._made.pop(line, 0) == self._looks:
            # it may not be the one any more; of what was made before, this is known
            self._primary = None
        if line is not None:
            self._warned.discard(line)
            await line.close()

    async def _new(self, which: int) -> Connection:
        """A connection to the server that takes writes, with the settings that it must have.
        Raises: Unanswered.
        """
        if self._primary is None or (self._look is not None and not self._look.done()):
            await self.find()
        if self._primary is None:
            raise Unanswered
        primary, look = self._primary, self._looks
        line = self._lines[which] = await self._connect(primary)
        self._made[line] = look
        line.add_notice_handler(lambda notice: self._noticed(line, notice))
        if isinstance(
            judge([PostgresServer(primary.name, await _said(line))], self._timeline), Phrase
        ):
            raise Unanswered
        return line

    async def _pause(self) -> None:
        """A moment since the last look."""
        loop = asyncio.get_running_loop()
        await asyncio.sleep(self._next_look - loop.time())
        self._next_look = loop.time() + FIND_SECONDS

    def _noticed(self, line: Connection, notice: Diagnostic) -> None:
        """A commit whose wait for the standbys is cut short, by an operator or when the server
        stops, says so in a warning and is acknowledged all the same."""
        if notice.severity_nonlocalized == "WARNING":
            self._warned.add(line)


async def _given_up(asking: asyncio.Task[Any], seconds: float = CANCEL_SECONDS) -> None:
    """What has no answer yet is cancelled: the first time psycopg tells the server, for seconds if
    that hangs; the second time it lets go of the line."""
    for _ in range(2):
        if not asking.done():
            asking.cancel()
            await asyncio.wait({asking}, timeout=seconds)
    if asking.done() and not asking.cancelled():
        asking.exception()  # it is nobody's any more


async def _said(line: Connection) -> SafetyReport:
    """Raises: psycopg.Error."""
    cursor = await line.execute(statements.SETTINGS)
    ((fsync, pages, commit, waits, recovers, timeline),) = await cursor.fetchall()
    return SafetyReport(fsync, pages, commit, waits, recovers, int(timeline, 16))

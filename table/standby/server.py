"""The standby's process: who may talk to it, and what it does with what they say."""

import asyncio
import logging
import secrets
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path

from net.addresses import resolve
from net.socket_options import keep_alive
from protocol.errors import LocalError, RemoteError
from protocol.identity.keys import Identity, fingerprint
from protocol.limits import HANDSHAKE_SECONDS, MAX_STANDBY_LINES, READ_CHUNK, STANDBY_BEAT_SECONDS
from protocol.session.session import MessageReceived, Role, Session
from table.net.addresses import listen_error
from table.standby.messages import NAME, PROLOGUE
from table.standby.standby_protocol import StandbyProtocol
from table.storage.disk.journal import Journal
from table.storage.disk.replication_state import Diverged, ReplicationState
from table.storage.disk.replication_state import Role as Standings
from table.storage.disk.writer import describe

SILENT_SECONDS = 6 * STANDBY_BEAT_SECONDS  # then the line is taken to be gone
RNG = secrets.SystemRandom()

log = logging.getLogger(__name__)


def open_standby(data: Path, kind: type[Journal] = Journal) -> Journal:
    """The journal of a standby in this folder, a new one if there is nothing in it.

    Raises: LocalError if the folder is a table's, or cannot be used.
    """
    journal = kind(data)
    role = journal.standing.role
    if role is Standings.LONE and journal.unused():
        journal.stand(ReplicationState(Standings.EMPTY, secrets.token_bytes(NAME)))
    elif not role.following:
        journal.close()
        key = "wrong.standby.host" if role is Standings.PROMOTED else "wrong.standby.table"
        raise LocalError(key, path=str(data))
    return journal


class StandbyServer:
    """A standby that listens: `async with Server(...) as server: ...`."""

    def __init__(
        self, journal: Journal, identity: Identity, now: Callable[[], float] = time.time
    ) -> None:
        """`identity`: the table's; nobody else's is let in."""
        self._journal, self._identity, self._now = journal, identity, now
        self._lines: dict[asyncio.Task[object], None] = {}
        self._feeding: asyncio.Task[object] | None = None  # the line that may write

    async def listen(self, host: str, port: int) -> int:
        """Begin; the port that was taken. Raises: LocalError."""
        address = await resolve(host, port)
        try:
            self._server = await asyncio.start_server(self._serve, *address)
        except OSError as error:
            raise listen_error(error, host, port) from None
        return int(self._server.sockets[0].getsockname()[1])

    async def close(self) -> None:
        """Let go of everything but the journal."""
        self._server.close()
        lines = list(self._lines)
        for line in lines:
            line.cancel()
        await asyncio.gather(*lines, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        line = asyncio.current_task()
        assert line is not None
        if len(self._lines) >= MAX_STANDBY_LINES:  # strangers that say nothing keep no primary out
            # nor do many of them
            RNG.choice([each for each in self._lines if each is not self._feeding]).cancel()
        self._lines[line] = None
        try:
            keep_alive(writer.get_extra_info("socket"))
            await self._talk(line, reader, writer)
        except (OSError, TimeoutError, asyncio.CancelledError) as error:
            log.debug("a line to a primary is over (%s)", type(error).__name__)
        finally:
            del self._lines[line]
            if self._feeding is line:
                self._feeding = None
                log.warning("the primary is gone; this standby waits for it")
            writer.transport.abort()

    async def _talk(
        self,
        line: "asyncio.Task[object]",
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        ours = fingerprint(self._identity.public)
        session = Session(Role.TABLE, self._identity, RNG.randbytes(32), RNG, ours, PROLOGUE)
        following = StandbyProtocol(self._journal)
        try:
            async with asyncio.timeout(HANDSHAKE_SECONDS):
                while not session.writable and (data := await reader.read(READ_CHUNK)):
                    self._take(session, following, data, writer)
            if session.writable:
                await self._take_over(line)
            while session.writable:
                async with asyncio.timeout(SILENT_SECONDS):
                    await writer.drain()
                    data = await reader.read(READ_CHUNK)
                if not data:
                    return
                self._take(session, following, data, writer)
        except RemoteError as error:
            log.info(
                "a line is closed: what came on it is no primary's of this table (%s)", error.code
            )
        finally:
            following.ended()

    async def _take_over(self, line: "asyncio.Task[object]") -> None:
        """The newest line is the one that counts: the other one is what a primary that crashed has
        left.
        """
        old, self._feeding = self._feeding, line
        if old is not None:
            old.cancel()
            await asyncio.wait([old])
        log.info("the primary is here")

    def _take(
        self,
        session: Session,
        following: StandbyProtocol,
        data: bytes,
        writer: asyncio.StreamWriter,
    ) -> None:
        """Take what has come. What is written of it is on disk when this returns, and only then
        answered.
        """
        for event in session.receive(data):
            answer = (
                self._heard(following, event.payload)
                if isinstance(event, MessageReceived)
                else None
            )
            if answer is not None:
                writer.write(session.send(answer))
        writer.write(session.take_handshake_bytes())

    def _heard(self, following: StandbyProtocol, message: bytes) -> bytes | None:
        """Raises: RemoteError, ConnectionError: without an answer there is no use in the line."""
        try:
            return following.heard(message, int(self._now()))
        except Diverged:
            log.error(
                "the primary's journal and this one do not hold the same: empty this folder, "
                "and pair them anew"
            )
        except (OSError, sqlite3.Error) as error:
            log.error("the journal cannot be written (%s); the primary waits", describe(error))
        raise ConnectionAbortedError

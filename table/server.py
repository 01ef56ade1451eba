"""The table manager: listens, admits peers, and brings together connections, lobby, matches and journal."""

import asyncio
import contextlib
import logging
import sqlite3
import time
from collections import Counter
from types import TracebackType

from protocol.codes import Code
from protocol.errors import LocalError, RemoteError
from protocol.identity import JoinLink, fingerprint
from protocol.limits import SPARE_DESCRIPTORS
from protocol.messages import Phase, encode
from protocol.session import Role, Session
from protocol.setup import Person, Setup
from table.addresses import advertised, resolve
from table.config import Config
from table.connection import Connection
from table.handlers import handle, tell_waiting
from table.host import Host
from table.journal import Journal
from table.keys import load_identity
from table.lobby import Lobby, LobbyTable
from table.peers import allow_descriptors
from table.room import Room

log = logging.getLogger(__name__)


class Table:
    """A table manager in this event loop: `async with Table(config) as table: ... table.link ...`.

    Raises on entry: LocalError, saying what to do, if it cannot listen or use its directory.
    """

    def __init__(self, config: Config) -> None:
        self.config, self.bounds = config, config.bounds
        self.lobby = Lobby(config.terms, config.name, config.bounds)
        self.first_match = asyncio.Event()  # a match has ended, and its people have been told
        self.connections: set[Connection] = set()
        self._most = config.bounds.connections
        self._half_open: dict[Connection, None] = {}  # has not said hello; oldest first
        self._people: dict[bytes, Connection] = {}
        self._addresses: Counter[str] = Counter()
        self._rooms: set[Room] = set()  # until all their people have been sent everything
        self._static = config.rng.randbytes(32)  # of sessions; thrown away with the process
        self._empty = asyncio.Event()  # there is no connection
        self._empty.set()

    async def __aenter__(self) -> "Table":
        self.identity = load_identity(self.config.data)
        self.journal = Journal(self.config.data)
        try:
            await self._listen()
        except BaseException:
            self.journal.close()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()

    @property
    def address(self) -> str:
        """The address it listens on."""
        return str(self._server.sockets[0].getsockname()[0])

    @property
    def link(self) -> JoinLink:
        """The join link, with the port that was really taken."""
        port = self._server.sockets[0].getsockname()[1]
        return JoinLink(advertised(self.address), port, fingerprint(self.identity.public))

    async def stop(self) -> None:
        """Stop accepting, tell everybody, and give them `close_seconds` to read it."""
        self._server.close()
        for connection in list(self.connections):
            connection.end(Code.CLOSING)
        for room in self._rooms:
            room.close()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._empty.wait(), self.bounds.close_seconds)
        for connection in list(self.connections):
            connection.abort()
        await self._empty.wait()
        self.journal.close()

    async def _listen(self) -> None:
        loop = asyncio.get_running_loop()
        wanted = self.bounds.connections + SPARE_DESCRIPTORS
        self._most = allow_descriptors(wanted) - SPARE_DESCRIPTORS
        address = await resolve(self.config.host, self.config.port)
        try:
            self._server = await loop.create_server(lambda: Connection(self, loop), *address, backlog=128)
        except OSError as error:
            raise LocalError(
                f"Cannot listen on {self.config.host} port {self.config.port} ({error.strerror}). "
                "Choose another address with --listen; port 0 takes any free port."
            ) from None

    # --- what connections report (connection.Gate) ---

    def admit(self, connection: Connection) -> bool:
        """Within the bounds; when too many have not said hello, the oldest of them makes room."""
        crowded = self._addresses[connection.address] >= self.bounds.per_address
        if crowded or len(self.connections) >= self._most or not self._server.is_serving():
            return False
        if len(self._half_open) >= self.bounds.half_open:
            next(iter(self._half_open)).end(Code.TOO_MANY, error=True)
        self.connections.add(connection)
        self._empty.clear()
        self._addresses[connection.address] += 1
        self._half_open[connection] = None
        return True

    def open_session(self) -> Session:
        """A session of ours."""
        return Session(Role.TABLE, self.identity, self._static, self.config.rng)

    def identified(self, connection: Connection) -> None:
        """The newest connection of an identity goes on, the one before is closed."""
        if connection.identity == self.identity.public:
            raise RemoteError(Code.BAD_IDENTITY)
        before = self._people.get(connection.identity)
        self._people[connection.identity] = connection
        if before is not None:
            before.end(Code.TAKEN_OVER)

    def greeted(self, connection: Connection) -> None:
        """The peer has said hello."""
        self._half_open.pop(connection, None)
        connection.greeted()
        log.info("%r is here", connection)

    def message(self, connection: Connection, payload: bytes) -> None:
        """A message of an identified peer."""
        handle(self, connection, payload)

    def ending(self, connection: Connection) -> None:
        """Take the connection out of everything but the count."""
        self._half_open.pop(connection, None)
        if self._people.get(connection.identity) is connection:
            del self._people[connection.identity]
        if connection.room is not None:
            connection.room.leave(connection)
        self.release(connection)

    def lost(self, connection: Connection) -> None:
        """The connection counts no more."""
        self.connections.discard(connection)
        self._addresses[connection.address] -= 1
        if not self._addresses[connection.address]:
            del self._addresses[connection.address]
        if not self.connections:
            self._empty.set()

    # --- seats ---

    def reserve(self, table: LobbyTable, connection: Connection) -> None:
        """Keep a seat; the last one begins the match. Raises: Declined."""
        self.lobby.reserve(table, connection)
        connection.phase, connection.forgiven = Phase.WAITING, None
        tell_waiting(table)
        if len(table.waiting) == table.terms.seats:
            self._begin(table)

    def release(self, connection: Connection) -> None:
        """Free a seat that was kept."""
        table = self.lobby.release(connection)
        if table is not None:
            tell_waiting(table)
        self.lobby.sweep(self._people)

    def _begin(self, table: LobbyTable) -> None:
        """Everybody who waits is seated; if the match cannot be put on disk, they are back in the lobby."""
        host = Host(self.identity, self._setup(table), self.config.rng)
        people = self.lobby.clear(table)
        try:
            room = Room(table.table_id, host, self.journal, self.config.patience, self.bounds, self)
        except sqlite3.Error as error:
            log.error("no match: the journal cannot be written (%s)", type(error).__name__)
            for connection in people:
                connection.send_error(Code.INTERNAL)
                connection.forgiven, connection.phase = connection.phase, Phase.LOBBY
                connection.send(encode("left"))
            return
        table.room = room
        self._rooms.add(room)
        log.info("match %s begins with %d seats", room, len(people))
        for connection in people:
            connection.forgiven = Phase.WAITING
            room.enter(connection)

    def _setup(self, table: LobbyTable) -> Setup:
        terms = table.terms
        return Setup(
            self.identity.public,
            self.config.name,
            table.table_id,
            self.config.rng.randbytes(32),
            int(time.time()),
            terms.game,
            terms.options,
            terms.dealing,
            terms.dealing_options,
            tuple(Person(connection.name, connection.identity) for connection in table.waiting),
        )

    def match_over(self, room: Room) -> None:
        """The table is free for the next match; the log becomes a file."""
        self.lobby.tables[room.table_id].room = None
        self.lobby.sweep(self._people)
        try:
            self.journal.export(room.match_id, room.host.match.setup.created)
        except (OSError, sqlite3.Error) as error:
            log.error("match %s: its log stays in the journal; the file cannot be written (%s)", room, error)

    def match_settled(self, room: Room) -> None:
        """Everybody has been sent all of a match."""
        self._rooms.discard(room)
        self.first_match.set()

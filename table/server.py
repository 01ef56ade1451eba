"""The table manager: listens, admits peers, and brings together connections, lobby, matches and journal."""

import asyncio
import contextlib
import errno
import logging
import os
from functools import partial
from types import TracebackType

from net.addresses import advertised, resolve
from protocol.codes import Code
from protocol.errors import LocalError, RemoteError
from protocol.identity.keys import JoinLink, fingerprint
from protocol.limits import SPARE_DESCRIPTORS
from protocol.match.terms import Terms
from protocol.messages.table import Phase, encode
from protocol.session.session import Role, Session
from table.config import Config
from table.disk.journal import Journal
from table.disk.keys import load_identity
from table.disk.writer import Writer
from table.handlers import handle, tell_waiting
from table.lobby import Lobby, LobbyTable
from table.matches import Matches
from table.metrics import Metrics
from table.net.admission import Admission, Origin, Refusal
from table.net.connection import Connection
from table.net.listener import Listener
from table.net.peers import allow_descriptors
from table.net.rates import Buckets
from table.room.storage import NewTable, NoTable, Storage

log = logging.getLogger(__name__)


class Table:
    """A table manager in this event loop: `async with Table(config) as table: ... table.link ...`.

    Raises on entry: LocalError, saying what to do, if it cannot listen or use its directory.
    """

    def __init__(self, config: Config, storage: Storage | None = None) -> None:
        """`storage`: what to use instead of the journal in `config.data`."""
        self._storage = storage
        self._awaiting: asyncio.TimerHandle | None = None
        self.config, self.bounds = config, config.bounds
        self.lobby = Lobby(config.terms, config.name, config.bounds)
        self.first_match = asyncio.Event()  # a match has ended, and its people have been told
        self.metrics = Metrics()
        self.connections: dict[Connection, None] = {}  # in the order they came
        self._admitted = 0  # connections, ever
        self.requests = Buckets(config.bounds.requests, config.bounds.addresses_kept)  # to the lobby, by identity
        self.queued = 0  # bytes, for all connections
        self._relieving = False  # `_relieve` is due in this turn
        self._people: dict[bytes, Connection] = {}
        self._stopping = False
        self._awaited: set[bytes] = set()  # who has created a table, and may come back after a restart
        self._static = config.rng.randbytes(32)  # of sessions; thrown away with the process
        self._empty = asyncio.Event()  # there is no connection
        self._empty.set()

    async def __aenter__(self) -> "Table":
        self.loop = asyncio.get_running_loop()
        self.identity = load_identity(self.config.data)
        self.storage = self._storage or Writer(Journal(self.config.data), self.bounds.retry_seconds, self.metrics)
        self.matches = Matches(
            self.identity, self.config, self.lobby, self.storage, self.metrics, self._sweep, self.first_match.set
        )
        try:
            self._restore()
            await self._listen()
        except BaseException:
            self._let_go()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()

    @property
    def address(self) -> str:
        """The address it listens on."""
        return str(self._listener.host)

    @property
    def link(self) -> JoinLink:
        """The join link, with the port that was really taken."""
        return JoinLink(advertised(self.address), self._listener.port, fingerprint(self.identity.public))

    async def stop(self) -> None:
        """Stop accepting, tell everybody, and give them `close_seconds` to read it."""
        self._stopping = True
        self._listener.close()
        for connection in list(self.connections):
            connection.end(Code.CLOSING)
        self.matches.close()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._empty.wait(), self.bounds.close_seconds)
        for connection in list(self.connections):
            connection.abort()
        await self._empty.wait()
        self._let_go()

    def _let_go(self) -> None:
        """What nobody hears of any more: timers, and what is still to be put on disk."""
        self.matches.close()
        if self._awaiting is not None:
            self._awaiting.cancel()
        self.storage.close()

    async def _listen(self) -> None:
        wanted = self.bounds.connections + SPARE_DESCRIPTORS
        most = allow_descriptors(wanted) - SPARE_DESCRIPTORS
        self.admission: Admission[Connection] = Admission(self.bounds, most)
        address = await resolve(self.config.host, self.config.port)
        try:
            self._listener = Listener(*address, self._knock, lambda: Connection(self, self.loop))
        except OSError as error:
            why = os.strerror(error.errno or errno.EADDRINUSE)  # without what Python adds: the address, a second time
            raise LocalError(
                f"Cannot listen on {self.config.host} port {self.config.port} ({why}). "
                "Choose another address with --listen; port 0 takes any free port."
            ) from None

    # --- what connections report (connection.Gate) ---

    def _knock(self, address: str) -> bool:
        """Whether somebody from this address may connect; nothing is set up for it yet."""
        refusal = self.admission.knock(address, self.loop.time())
        if refusal is not None:
            self.metrics.refused[refusal] += 1
        return refusal is None

    def admit(self, connection: Connection) -> Origin[Connection] | None:
        """Asked again, for those that were accepted in the same turn."""
        address = connection.address
        refusal = self.admission.crowded(address) if self._listener.open else Refusal.CLOSED
        if refusal is not None:
            self.metrics.refused[refusal] += 1
            return None
        gives_way = self.admission.enter(connection, address)
        self.connections[connection] = None
        self._admitted += 1
        connection.ordinal = self._admitted
        self._empty.clear()
        self.metrics.accepted += 1
        if gives_way is not None:
            self.metrics.gave_way += 1
            gives_way.end(Code.TOO_MANY, error=True)
        return self.admission.origin(address)

    def overfull(self) -> None:
        """Too much is queued for all peers together."""
        if not self._relieving:
            self._relieving = True
            self.loop.call_soon(self._relieve)

    def _relieve(self) -> None:
        """Those for whom most is queued are cut off, until the rest is within the bound."""
        self._relieving = False
        for connection in self.connections:
            connection.recount()
        while self.queued > self.bounds.queued_in_all:
            max(self.connections, key=lambda each: each.queued).cut_off()

    def open_session(self) -> Session:
        """A session of ours."""
        return Session(Role.TABLE, self.identity, self._static, self.config.rng)

    def identified(self, connection: Connection) -> None:
        """The newest connection of an identity goes on, another one is closed.

        Newest is what was admitted last, not who proved the key last: the end of a handshake may have been held up on
        its way, and its peer be here again meanwhile.
        """
        if connection.identity == self.identity.public:
            raise RemoteError(Code.BAD_IDENTITY)
        other = self._people.get(connection.identity)
        if other is not None and other.ordinal > connection.ordinal:
            connection.end(Code.TAKEN_OVER)
            return
        self._people[connection.identity] = connection
        if other is not None:
            other.end(Code.TAKEN_OVER)

    def greeted(self, connection: Connection) -> None:
        """The peer has said hello."""
        self.admission.greeted(connection, connection.address)
        connection.greeted()
        log.info("%r is here", connection)

    def message(self, connection: Connection, payload: bytes) -> None:
        """A message of an identified peer."""
        handle(self, connection, payload)

    def ending(self, connection: Connection) -> None:
        """Take the connection out of everything but the count."""
        self.admission.greeted(connection, connection.address)
        if self._people.get(connection.identity) is connection:
            del self._people[connection.identity]
        if connection.room is not None:
            connection.room.leave(connection)
        self.release(connection)

    def lost(self, connection: Connection) -> None:
        """The connection counts no more."""
        self.connections.pop(connection, None)
        self.admission.leave(connection, connection.address)
        if not self.connections:
            self._empty.set()

    # --- seats ---

    def reserve(self, table: LobbyTable, connection: Connection) -> None:
        """Keep a seat; the last one begins the match. Raises: Declined."""
        self.lobby.reserve(table, connection)
        connection.phase, connection.forgiven = Phase.WAITING, None
        tell_waiting(table)
        if len(table.waiting) == table.terms.seats:
            self.matches.begin(table)

    def create(self, terms: Terms, connection: Connection) -> None:
        """Put up a table; its creator is told once it is on disk. Raises: Declined."""
        table = self.lobby.create(terms, connection.identity)
        change = NewTable(table.number, terms, connection.identity)
        self.storage.submit(change, partial(self._created, table, connection))

    def release(self, connection: Connection) -> None:
        """Free a seat that was kept."""
        table = self.lobby.release(connection)
        if table is not None:
            tell_waiting(table)
        self._sweep()

    def _created(self, table: LobbyTable, connection: Connection) -> None:
        connection.send(encode("created", table.table_id))
        if table.table_id not in self.lobby.tables:  # its creator has gone before it was on disk
            self._forget(table)

    def _sweep(self) -> None:
        """Take away tables that nobody needs. Whoever is sent away because we stop may come back to its own."""
        if self._stopping:
            return
        for table in self.lobby.sweep(self._people.keys() | self._awaited):
            self._forget(table)

    def _forget(self, table: LobbyTable) -> None:
        self.storage.submit(NoTable(table.number), lambda: None)

    # --- from before a restart ---

    def _restore(self) -> None:
        """Go on where the table was stopped. Raises: LocalError if what is on disk cannot be used."""
        kept = self.storage.load()
        self.lobby.last_number = kept.last_number
        for number, terms, creator in kept.tables:
            self.lobby.add(LobbyTable(number, terms, creator))
        for match in kept.matches:
            self.matches.restore(match)
        for match_id in kept.unexported:
            self.storage.export(match_id)
        self._awaited = {table.creator for table in kept.tables}
        self._awaiting = self.loop.call_later(self.bounds.return_seconds, self._await_no_more)

    def _await_no_more(self) -> None:
        self._awaited = set()
        self._sweep()

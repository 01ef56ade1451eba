"""The table manager: listens, admits peers, and hands what they say to the manager."""

import asyncio
import contextlib
import errno
import logging
import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from types import TracebackType
from typing import TYPE_CHECKING, Protocol

import protocol.crypto.group  # noqa: F401  # now, not in the middle of a match: see there
from commandline.game_plugins import FLAG
from net.addresses import advertised_host, make_link, resolve
from net.listener import AdmissionCheck, Listener, ProtocolFactory
from protocol.codes import Code
from protocol.errors import LocalError
from protocol.identity.address import parse_address_text
from protocol.identity.keys import JoinLink
from protocol.limits import LIFE_SECONDS, MAX_HOSTS, SPARE_DESCRIPTORS
from protocol.session.session import Role, Session, turned_away
from table.config import WEB_PATH, Config
from table.lobby.matches import Matches
from table.lobby.peer import Peer
from table.lobby.tables import Lobby
from table.manager.handlers import HANDLERS, Handler, handle
from table.manager.manager import TableManager
from table.metrics import Metrics
from table.net.addresses import allow_descriptors, source
from table.net.admission import Admission, Refusal
from table.net.connection import Admitted, Connection
from table.net.listeners.listeners import Listeners
from table.net.processor_time import Budget, ConnectionPayer
from table.net.read_line import ReadLine
from table.net.refusal_log import RefusalLog
from table.signer.signer import Key, signer_of
from table.standby.primary import journal_of
from table.storage.disk.keys import load_identity, load_invite
from table.storage.interface import Storage
from table.workers.pool import FoldPool

if TYPE_CHECKING:
    from table.storage.shared.store import SharedStore

log = logging.getLogger(__name__)


class Listening(Protocol):
    """A socket that accepts, or what stands for it: `net.listener.Listener` is the real one."""

    host: str
    port: int
    open: bool

    def close(self) -> None:
        """Accept nobody any more."""


# to who is turned away from the WebSocket door
BUSY = b"HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"

Listen = Callable[[str, int, AdmissionCheck, ProtocolFactory], Listening]


class TableServer:
    """A table manager in this event loop: `async with Table(config) as table: ... table.link ...`.

    Raises on entry: LocalError, saying what to do, if it cannot listen or use its directory.
    """

    # of a table of several hosts: a test plants its faults in a subclass
    store_type: "type[SharedStore] | None" = None
    pool_type = FoldPool  # likewise, of a table with workers

    def __init__(
        self,
        config: Config,
        storage: Storage | None = None,
        listen: Listen = Listener,
        matches: type[Matches] = Matches,
        handlers: Mapping[str, Handler] = HANDLERS,
        observe: Callable[[Storage], Storage] = lambda storage: storage,
    ) -> None:
        """`storage`: what to use instead of the journal in `config.data`; `observe`: what looks at
        how it does. The others are what a test hands in."""
        self._observe = observe
        self._storage, self._listen_on, self._matches, self._handlers = (
            storage,
            listen,
            matches,
            handlers,
        )
        self._awaiting: asyncio.TimerHandle | None = None
        self._looking: asyncio.TimerHandle | None = None  # for dead lines
        self.config, self.bounds = config, config.bounds
        self.metrics = Metrics()
        self.connections: dict[Connection, None] = {}  # in the order they came
        self._admitted = 0  # connections, ever
        self.queued = 0  # bytes, for all connections
        self._refusals = RefusalLog()
        self._relieving = False  # `_relieve` is due in this turn
        self._static = config.rng.randbytes(32)  # of sessions; thrown away with the process
        self._signer = contextlib.AsyncExitStack()  # if it is a process of its own
        self._empty = asyncio.Event()  # there is no connection
        self._empty.set()

    async def __aenter__(self) -> "TableServer":
        self.loop = asyncio.get_running_loop()
        self.budget = Budget(self.bounds.addresses_kept)
        self.line = ReadLine(self.budget, self.loop)
        self.identity = await self._key()
        self._begin()
        try:
            self.manager.invite = load_invite(self.config.data) if self.config.invite else b""
            self._start_workers()
            await self.manager.restore()
            self._awaiting = self.loop.call_later(
                self.bounds.return_seconds, self.manager.await_no_more
            )
            self._looking = self.loop.call_later(LIFE_SECONDS, self._look)
            await self._listen()
            if self.manager.cluster is not None:
                from table.cluster.startup import found_at

                self.manager.cluster.open(found_at(self.config, self.link))
        except BaseException:
            await self._let_go()
            await self._signer.aclose()
            raise
        return self

    def _begin(self) -> None:
        """Make what it has on disk, or shares, and its lobby. Raises: LocalError."""
        shared: SharedStore | None = None
        if self.config.cluster is not None:
            # it takes a while to load, and most have one host
            from table.cluster.startup import joined, shared_store

            shared = shared_store(self.config, self.identity.public, self.metrics, self.store_type)
        self.storage = self._observe(self._storage or shared or self._journal())
        self.manager = TableManager(
            self.identity, self.config, self.storage, self.metrics, self._matches
        )
        if shared is not None:
            self.manager.joins(joined(self.config, shared, self.manager))

    def _start_workers(self) -> None:
        if self.config.workers:
            flags = [word for name in self.config.plugins for word in (FLAG, name)]
            self.matches.pool = self.pool_type(self.config.workers, flags)
            self.matches.pool.start()

    async def _key(self) -> Key:
        if self.config.signer is None:
            return load_identity(self.config.data, self.config.key)
        from table.signer.client import RemoteSigner

        return await self._signer.enter_async_context(RemoteSigner(self.config.signer))

    def _journal(self) -> Storage:
        return journal_of(self.config, self.identity, self.metrics)

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.stop()

    @property
    def address(self) -> str:
        """The address it listens on."""
        return str(self._listener.host)

    @property
    def link(self) -> JoinLink:
        """The join link, with the port that was really taken, and with the invitation: for who
        hosts, and no log.
        """
        link = make_link(self.address, self._listener.port, self.identity.public)
        named = [
            address
            for text in self.config.addresses
            if (address := parse_address_text(text)) and not address.web_scheme
        ]
        more = tuple((other.host, other.port) for other in named if other not in link.addresses)[
            : MAX_HOSTS - 1
        ]
        return replace(link, invite=self.manager.invite, other_hosts=more)

    @property
    def web_link(self) -> JoinLink | None:
        """The join link to its WebSocket door, as players find it; None if it has none."""
        if self._web is None:
            return None
        port = self._web.port
        seen = self.config.ways.link or replace(
            self.link,
            host=advertised_host(self._web.host),
            port=port,
            web_scheme="ws",
            path=WEB_PATH,
            other_hosts=(),
        )
        return replace(seen, fingerprint=self.link.fingerprint, invite=self.link.invite)

    @property
    def lobby(self) -> Lobby:
        """Its tables."""
        return self.manager.lobby

    @property
    def matches(self) -> Matches:
        """Its matches."""
        return self.manager.matches

    async def stop(self) -> None:
        """Stop accepting, tell everybody, and give them `close_seconds` to read it."""
        self.manager.closing = True
        if self.manager.cluster is not None:
            from table.cluster.drain import drain

            await drain(self.manager.cluster, self.storage)
        self._shut()
        for connection in list(self.connections):
            connection.end(Code.CLOSING)
        self.matches.close()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self.bounds.close_seconds):
                await self._empty.wait()
        for connection in list(self.connections):
            connection.abort()
        await self._empty.wait()
        await self._let_go()
        await self._signer.aclose()

    async def _let_go(self) -> None:
        """What nobody hears of any more: timers, and what is still to be put on disk."""
        self.matches.close()
        self.line.close()
        self.manager.meeting.close()
        self.manager.moderation.close()
        for timer in (self._awaiting, self._looking):
            if timer is not None:
                timer.cancel()
        if self.manager.cluster is not None:
            self.manager.cluster.close()
        self.storage.close()
        if self.matches.pool is not None:
            await self.matches.pool.close()
        if self.manager.cluster is not None:
            await self.manager.cluster.store.closed()

    def _look(self) -> None:
        """Drop the connections whose lines are dead (docs/protocol, 4.9)."""
        now = self.loop.time()
        self._looking = self.loop.call_later(LIFE_SECONDS, self._look)
        for peer in list(self.manager.people.values()):
            peer.look(now)

    def _shut(self) -> None:
        """Nobody comes in any more."""
        self._listener.close()
        self._doors.close()
        if self._web is not None:
            self._web.close()

    async def _listen(self) -> None:
        self._doors = Listeners(self, self.loop, self.config.ways)
        spare = SPARE_DESCRIPTORS + self._doors.descriptors
        most = allow_descriptors(self.bounds.connections + spare) - spare
        self.admission: Admission[Connection] = Admission(self.bounds, most)
        self._listener = await self._listen_at(
            self.config.host, self.config.port, self._doors.plain, _last_word
        )
        self._web: Listening | None = None
        if self.config.ways.web is not None:
            try:
                self._web = await self._listen_at(
                    *self.config.ways.web, self._doors.web(), lambda refusal: BUSY
                )
            except BaseException:
                self._shut()
                raise

    async def _listen_at(
        self,
        host: str,
        port: int,
        factory: ProtocolFactory,
        last_word: Callable[[Refusal], bytes],
    ) -> Listening:
        """`last_word`: to who is turned away. Raises: LocalError."""

        def admits(peer: object) -> bytes | None:
            refusal = self._doors.turned_away(source(peer))
            return None if refusal is None else last_word(refusal)

        address = await resolve(host, port)
        try:
            return self._listen_on(*address, admits, factory)
        except OSError as error:
            # without what Python adds: the address, a second time
            why = os.strerror(error.errno or errno.EADDRINUSE)
            raise LocalError("wrong.listen.taken", host=host, port=port, why=why) from None

    # --- waiting.Desk ---

    def knock(self, address: str) -> bool:
        """Whether somebody from this address may connect; nothing is set up for it yet."""
        return self.refusal_of(address) is None

    def refusal_of(self, address: str) -> Refusal | None:
        """Why somebody from this address may not connect, if it may not."""
        now = self.loop.time()
        refusal = self.admission.knock(address, now)
        if refusal is not None:
            self.metrics.refused[refusal] += 1
            self._refusals.add(refusal, address, now)
        return refusal

    def admit(self, connection: Connection) -> Admitted | None:
        """Asked again, for those that were accepted in the same turn."""
        address = connection.address
        closed = not self._listener.open or signer_of(self.identity).away
        refusal = Refusal.CLOSED if closed else self.admission.crowded(address)
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
        origin = self.admission.origin(address)
        session = Session(Role.TABLE, self.identity, self._static, self.config.rng)
        peer = Peer(connection, origin.requests, self)
        return Admitted(peer, origin.frames, session, ConnectionPayer(self.budget, address))

    def overfull(self) -> None:
        """Too much is queued for all peers together."""
        if not self._relieving:
            self._relieving = True
            self.loop.call_soon(self._relieve)

    def _relieve(self) -> None:
        """Those for whom most is queued are cut off, until the rest is within the bound."""
        self._relieving = False
        for connection in self.connections:
            connection.outbox.recount()
        while self.queued > self.bounds.queued_in_all:
            max(self.connections, key=lambda each: each.queued).cut_off()

    def settled(self, connection: Connection) -> None:
        """The connection is half open no more."""
        self.admission.greeted(connection, connection.address)

    def lost(self, connection: Connection) -> None:
        """The connection counts no more."""
        self.connections.pop(connection, None)
        self.admission.leave(connection, connection.address)
        if not self.connections:
            self._empty.set()

    # --- peer.House ---

    def identified(self, peer: Peer) -> None:
        """See `House`."""
        self.manager.identified(peer)

    def message(self, peer: Peer, payload: bytes) -> None:
        """See `House`."""
        handle(self.manager, peer, payload, self._handlers)

    def seated(self, peer: Peer) -> None:
        """See `House`."""
        self.manager.meeting.leave(peer)

    def ended(self, peer: Peer) -> None:
        """See `House`."""
        self.manager.ended(peer)


def _last_word(refusal: Refusal) -> bytes:
    """Return the bytes for a newcomer that the TCP port turns away."""
    return turned_away(Code.TOO_MANY_HERE if refusal.of_address else Code.TOO_MANY)

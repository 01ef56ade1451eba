"""Server of a table manager: listens, admits peers, and hands their messages to the manager."""

import asyncio
import contextlib
import logging
import socket
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING

import protocol.crypto.group  # noqa: F401  # now, not in the middle of a match: see there
from commandline.game_plugins import FLAG
from net.addresses import advertised_host, is_wildcard, make_link, resolve
from net.listener import Listener, ListenerFactory, OpenListener, ProtocolFactory
from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.identity.address import parse_address_text
from protocol.identity.keys import JoinLink
from protocol.limits import LIFE_SECONDS, MAX_HOSTS, SPARE_DESCRIPTORS
from protocol.messages.relay import LABEL, guest_address, signed_fields
from protocol.session.session import Role, Session
from protocol.session.ticket import TicketShown
from table.config import LIVE_FIELDS, WEB_PATH, Bounds, Config
from table.lobby.matches import Matches
from table.lobby.peer import Peer
from table.lobby.tables import Lobby
from table.manager.handlers import HANDLERS, Handler, handle
from table.manager.manager import TableManager
from table.metrics import Metrics
from table.net.addresses import allow_descriptors, counted_address, listen_error
from table.net.admission import Admission, ArrivalDecision, Refusal
from table.net.connection import Connection, ConnectionSetup
from table.net.directories import Directories, Offer, OwnPlace
from table.net.last_words import BUSY, last_word
from table.net.listeners.listeners import Listeners
from table.net.page_door import PageGate, open_page, served_origin
from table.net.processor_time import Budget, ConnectionPayer
from table.net.read_queue import ReadQueue
from table.net.refusal_log import RefusalLog
from table.net.relays.relays import Relays
from table.net.tickets import TicketSeat
from table.signer.signer import Key, signer_of
from table.standby.primary import journal_of
from table.storage.disk.keys import load_identity, load_invite, shown_history
from table.storage.interface import Storage
from table.workers.pool import FoldPool

if TYPE_CHECKING:
    from net.page.server import PageServer
    from table.storage.shared.store import SharedStore

log = logging.getLogger(__name__)


class TableServer:
    """A table manager in this event loop: `async with TableServer(config) as table: ... table.link`.

    Raises on entry: LocalError, with advice, if it cannot listen or use its directory.
    """

    # of a table of several hosts: a test plants its faults in a subclass
    store_type: "type[SharedStore] | None" = None
    pool_type = FoldPool  # likewise, of a table with workers

    def __init__(
        self,
        config: Config,
        storage: Storage | None = None,
        listen: ListenerFactory = Listener,
        matches: type[Matches] = Matches,
        handlers: Mapping[str, Handler] = HANDLERS,
        observe: Callable[[Storage], Storage] = lambda storage: storage,
    ) -> None:
        """`storage`: store to use instead of the journal in `config.data`. `observe`: wraps the store,
        to measure it. Tests pass the other arguments.
        """
        self._observe = observe
        self._storage, self._listen_on, self._matches, self._handlers = (
            storage,
            listen,
            matches,
            handlers,
        )
        self._return_timer: asyncio.TimerHandle | None = None
        self._silence_timer: asyncio.TimerHandle | None = None  # for dead lines
        self.config, self.bounds = config, config.bounds
        self.metrics = Metrics()
        self.connections: dict[Connection, None] = {}  # in the order they came
        self._admitted = 0  # connections, ever
        self.queued = 0  # bytes, for all connections
        self.refusals = RefusalLog()
        self._relieving = False  # `_cut_off_longest_queues` is due in this turn
        self._static = config.rng.randbytes(32)  # of sessions; thrown away with the process
        self._signer = contextlib.AsyncExitStack()  # if it is a process of its own
        self._empty = asyncio.Event()  # there is no connection
        self._empty.set()
        self._relays: Relays | None = None
        self._directories: Directories | None = None

    async def __aenter__(self) -> "TableServer":
        self.loop = asyncio.get_running_loop()
        self.budget = Budget(self.bounds.addresses_kept)
        self.read_queue = ReadQueue(self.budget, self.loop)
        self.identity = await self._key()
        self._begin()
        try:
            self.manager.invite = load_invite(self.config.data) if self.config.invite else b""
            public = signer_of(self.identity).public
            self.manager.key_history = shown_history(self.config.data, public)
            self._start_workers()
            await self.manager.restore()
            self._return_timer = self.loop.call_later(
                self.bounds.return_seconds, self.manager.stop_awaiting_creators
            )
            self._silence_timer = self.loop.call_later(LIFE_SECONDS, self._check_silence)
            self.matches.watch_loop()
            await self._listen()
            try:
                self._publish()
            except BaseException:
                self._stop_listening()
                raise
        except BaseException:
            await self._release()
            await self._signer.aclose()
            raise
        return self

    def _publish(self) -> None:
        """Tell the relays, the directories and the other hosts where the table listens. Raises:
        LocalError.
        """
        self.manager.link = self.link
        self._relays = self._call_relays()
        self._directories = self._report_to_directories()
        if self.manager.cluster is not None:
            from table.cluster.startup import found_at

            self.manager.cluster.open(found_at(self.config, self.link))

    def _call_relays(self) -> Relays:
        """Call the relays that the host names. Raises: LocalError."""
        signer, ways = signer_of(self.identity), self.config.ways
        relays = Relays(
            self,
            ways.relays,
            signer.public,
            lambda challenge, relay: signer.sign(LABEL, *signed_fields(challenge, relay)),
            self.config.rng,
            believed=ways.relay_addresses,
        )
        relays.start()
        return relays

    def _report_to_directories(self) -> Directories:
        """Report to the directories that the host names."""
        signer, host = signer_of(self.identity), self.address
        relays = self.relay_links
        directories = Directories(
            self.config.ways.directories,
            signer.public,
            signer.sign,
            offer=self._offer,
            place=OwnPlace(
                "" if relays or is_wildcard(host) else host,
                socket.AF_UNSPEC if relays else _family(host),
                self.link.port,
                relays[0].addresses[0] if relays else None,
            ),
            now=self.config.now,
            rng=self.config.rng,
        )
        directories.start()
        return directories

    def _offer(self) -> Offer:
        """Return what there is for players now, at all tables."""
        taken, free = self.lobby.seats
        games = frozenset(table.played.game.name for table in self.lobby.tables.values())
        return Offer(self.config.name, games, taken, free)

    def _begin(self) -> None:
        """Open the store, and make the manager. Raises: LocalError."""
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
            self.manager.join_cluster(joined(self.config, shared, self.manager))

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
        """The join link, with the real port and the invitation: for the host, and not for a log."""
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
        """The join link to its WebSocket listener, as players find it; None if it has none."""
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
    def page_port(self) -> int:
        """The port of the page for browsers; 0 without one."""
        return 0 if self._page is None else self._page.port

    @property
    def page_links(self) -> tuple[JoinLink, ...]:
        """The links to the page for browsers that lead to this table: by the page that it serves, or
        by the one that its host names.
        """
        web = self.web_link
        ways = () if web is None else (web,)
        if self._page is not None:
            return tuple(replace(link, page=f"{served_origin(self._page)}/") for link in ways)
        page = self.config.ways.page_elsewhere
        return (
            tuple(replace(link, page=page) for link in (*ways, *self.relay_links)) if page else ()
        )

    @property
    def relay_links(self) -> tuple[JoinLink, ...]:
        """The join links by way of the relays that the host names, one for each."""
        whose = self.link.fingerprint
        assert whose is not None
        return tuple(
            replace(self.link, other_hosts=()).with_address(guest_address(relay, whose))
            for relay in self.config.ways.relays
        )

    @property
    def open_relays(self) -> int:
        """The number of relays at which guests find the table now."""
        return 0 if self._relays is None else self._relays.open

    @property
    def lobby(self) -> Lobby:
        """The lobby with its tables."""
        return self.manager.lobby

    @property
    def matches(self) -> Matches:
        """The matches."""
        return self.manager.matches

    async def stop(self) -> None:
        """Stop accepting, tell everybody, and give them `close_seconds` to read it."""
        self.manager.closing = True
        if self.manager.cluster is not None:
            from table.cluster.drain import drain

            await drain(self.manager.cluster, self.storage)
        self._stop_listening()
        for connection in list(self.connections):
            connection.end(Code.CLOSING)
        self.matches.close()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self.bounds.close_seconds):
                await self._empty.wait()
        for connection in list(self.connections):
            connection.abort()
        await self._empty.wait()
        self.refusals.tell(self.loop.time(), ends=True)
        await self._release()
        await self._signer.aclose()

    async def _release(self) -> None:
        """Stop all that needs no connection: relays, timers, workers and the store."""
        if self._directories is not None:
            await self._directories.close()
        if self._relays is not None:
            await self._relays.close()
        self.matches.close()
        self.read_queue.close()
        self.manager.chat.close()
        self.manager.moderation.close()
        self.manager.drain.close()
        for timer in (self._return_timer, self._silence_timer):
            if timer is not None:
                timer.cancel()
        if self.manager.cluster is not None:
            self.manager.cluster.close()
        self.storage.close()
        if self.matches.pool is not None:
            await self.matches.pool.close()
        if self.manager.cluster is not None:
            await self.manager.cluster.store.closed()

    def _check_silence(self) -> None:
        """Drop the connections whose lines are dead (docs/protocol, 4.9), and write lines of the log
        that are due.
        """
        now = self.loop.time()
        self.refusals.tell(now)
        self._silence_timer = self.loop.call_later(LIFE_SECONDS, self._check_silence)
        for peer in list(self.manager.people.values()):
            peer.look(now)

    def _stop_listening(self) -> None:
        """Accept no more connections."""
        self._listener.close()
        self._listeners.close()
        if self._page is not None:
            self._page.close()
        if self._web is not None:
            self._web.close()

    async def _listen(self) -> None:
        ways = self.config.ways
        self._page: PageServer | None = None
        if ways.page is not None:
            self._page = await open_page(
                ways.page, PageGate(self.bounds, self.refusals, ways.proxies)
            )
            ways = replace(ways, origins=(*ways.origins, served_origin(self._page)))
        try:
            await self._open_listeners(Listeners(self, self.loop, ways))
        except BaseException:
            if self._page is not None:
                self._page.close()
            raise

    async def _open_listeners(self, listeners: Listeners) -> None:
        self._listeners = listeners
        self.admission: Admission[Connection] = Admission(*self._within_descriptors(self.bounds))
        self._listener = await self._listen_at(
            self.config.host, self.config.port, self._listeners.plain, last_word
        )
        self._web: OpenListener | None = None
        if self.config.ways.web is not None:
            try:
                self._web = await self._listen_at(
                    *self.config.ways.web, self._listeners.web(), lambda refusal: BUSY
                )
            except BaseException:
                self._stop_listening()
                raise

    def _within_descriptors(self, bounds: Bounds) -> tuple[Bounds, int]:
        """Return the bounds with places beyond `connections` as descriptors allow, and how many
        connections there may be.
        """
        visits = 0 if self._page is None else self._page.bounds.visits
        spare = SPARE_DESCRIPTORS + self._listeners.descriptors + visits
        wanted = bounds.connections + bounds.reserve + bounds.outside + bounds.tickets_shown
        allowed = max(1, allow_descriptors(wanted + spare) - spare)
        # with too few descriptors all have their share of them, and newcomers one at least
        bounds = replace(
            bounds,
            reserve=bounds.reserve * allowed // wanted,
            outside=bounds.outside * allowed // wanted,
            tickets_shown=bounds.tickets_shown * allowed // wanted,
        )
        return bounds, max(1, bounds.connections * allowed // wanted)

    def configure(self, config: Config) -> None:
        """Take over what may change while the table runs (`table.config.LIVE_BOUNDS` and
        `LIVE_FIELDS`). Who is connected stays.
        """
        live = {name: getattr(config, name) for name in LIVE_FIELDS}
        self.config = replace(self.config, **live)
        self.bounds = self.config.bounds
        self.admission.configure(*self._within_descriptors(self.bounds))
        self.manager.configure(self.config)

    async def _listen_at(
        self,
        host: str,
        port: int,
        factory: Callable[[Refusal | None], asyncio.BaseProtocol],
        refusal_bytes: Callable[[Refusal], bytes],
    ) -> OpenListener:
        """`factory`: makes the protocol of a connection; `refusal_bytes`: makes the answer to a peer
        that is turned away. Raises: LocalError.
        """

        def admits(peer: object) -> bytes | ProtocolFactory | None:
            comes, refusal = self._listeners.judge_arrival(counted_address(peer))
            if refusal is None:
                return None
            return partial(factory, refusal) if comes else refusal_bytes(refusal)

        address = await resolve(host, port)
        try:
            return self._listen_on(*address, admits, partial(factory, None))
        except OSError as error:
            raise listen_error(error, host, port) from None

    # --- ProxyAdmission ---

    def judge_arrival(self, address: str) -> ArrivalDecision:
        """See `ProxyAdmission`."""
        refusal = self.admission.count_arrival(address, self.loop.time())
        return ArrivalDecision(refusal is None or self._may_wait(refusal, address), refusal)

    def _may_wait(self, refusal: Refusal, address: str) -> bool:
        """Tell if a newcomer for whom there is no place may show a ticket."""
        waits = self.admission.may_wait(address, self.loop.time())
        if not waits:
            self._count_refusal(refusal, address)
        return waits

    def _count_refusal(self, refusal: Refusal, address: str) -> None:
        self.metrics.refused[refusal] += 1
        self.refusals.turned_away(refusal, address, self.loop.time())

    def admit(self, connection: Connection) -> ConnectionSetup | None:
        """See `ConnectionAcceptor`. The bounds are checked again, for connections of the same turn."""
        address = connection.address
        closed = not self._listener.open or signer_of(self.identity).away
        if closed:
            self.metrics.refused[Refusal.CLOSED] += 1
            return None
        if connection.refusal is None:
            crowded = self.admission.crowded(address)
            if crowded is not None and not self._may_wait(crowded, address):
                return None
            connection.refusal = crowded
        self.connections[connection] = None
        self._admitted += 1
        connection.ordinal = self._admitted
        self._empty.clear()
        if connection.refusal is not None:
            self._make_room(self.admission.wait_outside(connection, address))
        else:
            self.metrics.accepted += 1
            self._make_room(self.admission.enter(connection, address))
        origin = self.admission.origin(address)
        session = Session(
            Role.TABLE, self.identity, self._static, self.config.rng, takes_tickets=True
        )
        peer = Peer(connection, origin.requests, self)
        return ConnectionSetup(peer, origin.frames, session, ConnectionPayer(self.budget, address))

    def _make_room(self, gives_way: Connection | None) -> None:
        """Close a connection that has to make room for another one."""
        if gives_way is None:
            return
        if gives_way.refusal is not None:
            self.turn_away(gives_way)
        else:
            self.metrics.gave_way += 1
            gives_way.end(Code.TOO_MANY, error=True)

    def first_message_received(self, connection: Connection, ticket: TicketShown | None) -> None:
        """See `ConnectionAcceptor`. A good ticket lets its bearer in beyond all bounds; any other ticket
        counts as none.
        """
        tickets = self.matches.tickets
        seat = None if ticket is None else tickets.check(ticket)
        if (
            ticket is not None
            and seat is not None
            and self.manager.people_of(seat.match_id) is not None
            and tickets.take(ticket, seat, self.loop.time())
        ):
            connection.let_in(seat)
            for other in self.admission.accept_ticket(connection, connection.address, seat):
                self._make_room(other)
        elif connection.refusal is not None:
            self.turn_away(connection)

    def turn_away(self, connection: Connection) -> None:
        """See `ConnectionAcceptor`."""
        refusal = connection.refusal
        assert refusal is not None
        connection.turn_away(last_word(refusal))

    def _take_seat(self, peer: Peer, seat: TicketSeat) -> None:
        """Give a place to the player of the seat, who has shown a ticket, in the reserve if need be.
        Raises: RemoteError if the peer is somebody else, and there is no place.
        """
        connection = peer.connection
        people = self.manager.people_of(seat.match_id)
        if people is None or (people and people[seat.seat] != connection.identity):
            if self.admission.has_ticket_place(connection):
                raise RemoteError(Code.TOO_MANY)
            return
        self.metrics.tickets += 1
        peer.has_free_request = True
        self._make_room(self.admission.give_place(connection, connection.address))

    def queue_limit_exceeded(self) -> None:
        """See `ConnectionAcceptor`."""
        if not self._relieving:
            self._relieving = True
            self.loop.call_soon(self._cut_off_longest_queues)

    def _cut_off_longest_queues(self) -> None:
        """Cut off the peers with the longest queues, until the rest is within the bound."""
        self._relieving = False
        for connection in self.connections:
            connection.outbox.recount()
        while self.queued > self.bounds.queued_in_all:
            max(self.connections, key=lambda each: each.queued).cut_off()

    def half_open_ended(self, connection: Connection) -> None:
        """See `ConnectionAcceptor`."""
        self.admission.end_half_open(connection, connection.address)

    def connection_closed(self, connection: Connection) -> None:
        """See `ConnectionAcceptor`."""
        if connection.refusal is not None:
            self._count_refusal(connection.refusal, connection.address)
        self.connections.pop(connection, None)
        self.admission.leave(connection, connection.address)
        if not self.connections:
            self._empty.set()

    # --- PeerObserver ---

    def identified(self, peer: Peer) -> None:
        """See `PeerObserver`."""
        seat = peer.connection.ticket_seat
        if seat is not None:
            self._take_seat(peer, seat)
        self.manager.identified(peer)

    def message(self, peer: Peer, payload: bytes) -> None:
        """See `PeerObserver`."""
        handle(self.manager, peer, payload, self._handlers)

    def seated(self, peer: Peer) -> None:
        """See `PeerObserver`."""
        self.manager.chat.leave(peer)

    def ended(self, peer: Peer) -> None:
        """See `PeerObserver`."""
        self.manager.ended(peer)


def _family(host: str) -> int:
    """Return the address family of a listener. A directory lists the address from which the table
    calls, so the table must listen with the same family.
    """
    return socket.AF_INET6 if ":" in host else socket.AF_INET

"""The relay: sockets, clock and loop around its rules."""

import asyncio
import contextlib
import logging
from dataclasses import dataclass, field, replace
from functools import partial
from random import Random
from secrets import SystemRandom
from types import TracebackType

from net.addresses import advertised_host, resolve
from net.listener import Listener, ProtocolFactory
from net.page.server import PageServer
from protocol.identity.address import Address
from protocol.limits import (
    CLOSE_SECONDS,
    MAX_HALF_OPEN,
    MAX_RELAY_CONNECTIONS,
    MAX_RELAY_HELD_IN_ALL,
    MAX_VISITS,
    REFUSED_LOG_SECONDS,
    RELAY_ARRIVALS_PER_ADDRESS,
    RELAY_BYTES,
    RELAY_BYTES_TOGETHER,
    RELAY_LOOK_SECONDS,
    RELAY_PING_SECONDS,
    RELAY_PROCESSOR_SHARE,
    RELAY_SILENCE_SECONDS,
    RELAY_TURN_SECONDS,
    RELAY_WAIT_SECONDS,
    SPARE_DESCRIPTORS,
    STALL_SECONDS,
)
from relay.byte_rates import SharedRates
from relay.connection import Accounts, RelayConnection
from relay.rules import Effects, End, Join, Refuse, RelayBounds, Say, State, Switchboard
from table.config import Bounds, Network, Rate
from table.net.addresses import allow_descriptors, counted_address, listen_error
from table.net.admission import Admission
from table.net.last_words import BUSY
from table.net.listeners.pending_proxied import PendingProxied
from table.net.listeners.trusted_proxies import TrustedProxies
from table.net.page_door import PageGate, open_page, served_origin
from table.net.processor_time import Budget, ConnectionPayer
from table.net.read_queue import ReadQueue
from table.net.refusal_log import RefusalLog
from table.net.token_bucket import TokenBucket

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class RelayConfig:
    """Configuration of one relay."""

    host: str
    port: int
    # URLs by which tables and guests call it; none: the address at which it listens
    urls: tuple[Address, ...] = ()
    origins: tuple[str, ...] = ()  # of pages in browsers that may connect (RFC 6454)
    proxies: tuple[Network, ...] = ()  # which name their clients in X-Forwarded-For
    web: tuple[str, int] | None = None  # host and port at which the page for browsers is served
    connections: int = MAX_RELAY_CONNECTIONS
    bounds: RelayBounds = field(default_factory=RelayBounds)
    door: Bounds = field(
        default_factory=lambda: Bounds(arrivals_per_address=RELAY_ARRIVALS_PER_ADDRESS)
    )  # arrivals and connections by address
    bytes_of_one: Rate = RELAY_BYTES
    bytes_together: Rate = RELAY_BYTES_TOGETHER
    held_in_all: int = MAX_RELAY_HELD_IN_ALL
    wait_seconds: float = RELAY_WAIT_SECONDS
    stall_seconds: float = STALL_SECONDS
    silence_seconds: float = RELAY_SILENCE_SECONDS
    ping_seconds: float = RELAY_PING_SECONDS
    look_seconds: float = RELAY_LOOK_SECONDS
    refused_log_seconds: float = REFUSED_LOG_SECONDS
    rng: Random = field(default_factory=SystemRandom)


def _web_server_origin(url: Address) -> str:
    """Return the origin of a page at the web server of a relay's URL: RFC 6454, section 6.2."""
    scheme = "https" if url.web_scheme == "wss" else "http"
    return str(replace(url, path="")).replace(url.web_scheme, scheme, 1)


class RelayServer:
    """A relay in this event loop: `async with RelayServer(config) as relay: ... relay.urls ...`.

    Raises on entry: LocalError if it cannot listen.
    """

    def __init__(self, config: RelayConfig) -> None:
        self.config = config
        self.origins = config.origins  # with that of the page that it serves
        self._page: PageServer | None = None
        self.wait_seconds, self.stall_seconds = config.wait_seconds, config.stall_seconds
        self.named = TrustedProxies(config.proxies)
        self.pending = PendingProxied(MAX_HALF_OPEN, config.door.handshake_seconds)
        self.connections: dict[RelayConnection, None] = {}  # that count by address
        self._lines: dict[RelayConnection, None] = {}  # of tables, one for each guest
        self._expected: set[RelayConnection] = set()  # lines that have not shown their token
        self._refusals = RefusalLog(config.refused_log_seconds)
        # keys of the buckets that connections share: of a line its table, of others the address
        self._rate_keys: dict[RelayConnection, str] = {}
        self._rates = SharedRates(config.bytes_together)
        self._taken = 0  # bytes since the last count of held bytes
        self._empty = asyncio.Event()
        self._empty.set()

    async def __aenter__(self) -> "RelayServer":
        self._loop = asyncio.get_running_loop()
        self.budget = Budget(self.config.door.addresses_kept, share=RELAY_PROCESSOR_SHARE)
        self.read_queue = ReadQueue(self.budget, self._loop, RELAY_TURN_SECONDS)
        # a guest has two sockets
        wanted = 2 * self.config.connections
        visits = 0 if self.config.web is None else MAX_VISITS
        spare = SPARE_DESCRIPTORS + MAX_HALF_OPEN + visits
        allowed = max(2, allow_descriptors(wanted + spare) - spare)
        self._admission: Admission[RelayConnection] = Admission(
            self.config.door, min(self.config.connections, allowed // 2)
        )
        host, port = await resolve(self.config.host, self.config.port)
        # before the listener: a connection needs all that follows, so nothing is waited for then
        await self._serve_page()
        try:
            self._listener = Listener(host, port, self._admits, self.make_connection)
        except OSError as error:
            if self._page is not None:
                self._page.close()
            raise listen_error(error, host, port) from None
        here = Address(advertised_host(self._listener.host), self._listener.port, "ws")
        self.urls = self.config.urls or (here,)
        self.paths = tuple(sorted({url.path for url in self.urls}, key=len, reverse=True))
        self.switchboard: Switchboard[RelayConnection] = Switchboard(
            frozenset(map(str, self.urls)), self.config.bounds, self.config.rng
        )
        self._look_timer = self._loop.call_later(self.config.look_seconds, self._look)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._listener.close()
        if self._page is not None:
            self._page.close()
        self._look_timer.cancel()
        self.pending.close()
        self.read_queue.close()
        everybody = [*self.connections, *self._lines]
        for connection in everybody:
            connection.end()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(CLOSE_SECONDS):
                await self._empty.wait()
        for connection in everybody:
            connection.abort()
        await self._empty.wait()
        self._refusals.tell(self._loop.time(), ends=True)

    @property
    def port(self) -> int:
        """The port that it listens on."""
        return int(self._listener.port)

    @property
    def page(self) -> str:
        """The address of the page that it serves; empty without a page. Behind a web server it is
        the root of the host of the first URL.
        """
        if self._page is None:
            return ""
        return f"{_web_server_origin(self.config.urls[0]) if self.config.urls else served_origin(self._page)}/"

    async def _serve_page(self) -> None:
        """Open the page if it is asked for. Raises: LocalError."""
        if self.config.web is None:
            return
        gate = PageGate(self.config.door, self._refusals, self.config.proxies)
        self._page = await open_page(self.config.web, gate)
        own = (served_origin(self._page), *map(_web_server_origin, self.config.urls))
        self.origins = tuple(dict.fromkeys((*self.config.origins, *own)))

    # --- newcomers ---

    def _admits(self, peer: object) -> bytes | ProtocolFactory | None:
        address = counted_address(peer)
        if self.named.may_have(address) or self.may_connect(address):
            return None
        if len(self._expected) < min(self.switchboard.expected_lines(address), MAX_HALF_OPEN):
            return partial(self.make_connection, expected=True)
        return BUSY

    def make_connection(self, expected: bool = False) -> RelayConnection:
        """Make the protocol of a new connection."""
        return RelayConnection(self, self._loop, expected)

    def may_connect(self, address: str) -> bool:
        """See `ConnectionOwner`."""
        now = self._loop.time()
        return not self._refusals.turned_away(
            self._admission.count_arrival(address, now), address, now
        )

    def has_token(self, token: bytes) -> bool:
        """See `ConnectionOwner`."""
        return self.switchboard.has_token(token)

    def enter(self, connection: RelayConnection) -> bool:
        """See `ConnectionOwner`. Asked again, for those that were accepted in the same turn."""
        address = connection.address
        now = self._loop.time()
        if connection.expected and self._listener.open:
            self._expected.add(connection)
            self._lines[connection] = None
            self._empty.clear()
            return True
        crowded = self._admission.crowded(address)
        if not self._listener.open or self._refusals.turned_away(crowded, address, now):
            return False
        self.connections[connection] = None
        self._empty.clear()
        gives_way = self._admission.enter(connection, address)
        if gives_way is not None:
            gives_way.refuse()
        return True

    # --- what the rules decide ---

    def add_table(self, connection: RelayConnection) -> None:
        """See `ConnectionOwner`."""
        connection.accept()
        connection.control()
        self._do(self.switchboard.add_table(connection, connection.address))

    def table_message(self, connection: RelayConnection, payload: bytes) -> None:
        """See `ConnectionOwner`."""
        self._do(self.switchboard.table_message(connection, payload))
        if self.switchboard.state(connection) is State.OPEN:
            connection.claimed()
            self._greeted(connection)

    def add_guest(self, connection: RelayConnection, fingerprint: str) -> None:
        """See `ConnectionOwner`."""
        self._greeted(connection)
        self._do(self.switchboard.add_guest(connection, fingerprint, connection.address))

    def add_line(self, connection: RelayConnection, token: bytes) -> None:
        """See `ConnectionOwner`."""
        self._do(self.switchboard.add_line(connection, token))

    def time_out(self, connection: RelayConnection) -> None:
        """See `ConnectionOwner`."""
        connection.refuse()

    def accounts_of(self, connection: RelayConnection) -> Accounts:
        """See `ConnectionOwner`."""
        payer = ConnectionPayer(self.budget, connection.address)
        whose = self.switchboard.table_of(connection)
        if whose:
            payer.identify(whose.encode())
        key = whose or connection.address
        self._rate_keys[connection] = key
        own = TokenBucket(self.config.bytes_of_one)
        return Accounts(payer, (own, self._rates.enter(key)))

    def remove(self, connection: RelayConnection) -> None:
        """See `ConnectionOwner`."""
        self._do(self.switchboard.remove(connection))

    def forget(self, connection: RelayConnection) -> None:
        """See `ConnectionOwner`."""
        if connection in self.connections:
            del self.connections[connection]
            self._admission.leave(connection, connection.address)
        self._expected.discard(connection)
        self._lines.pop(connection, None)
        if (key := self._rate_keys.pop(connection, None)) is not None:
            self._rates.leave(key)
        if not self.connections and not self._lines:
            self._empty.set()

    def _greeted(self, connection: RelayConnection) -> None:
        if connection in self.connections:
            self._admission.end_half_open(connection, connection.address)

    def _do(self, effects: Effects[RelayConnection]) -> None:
        for effect in effects:
            match effect:
                case Say(party, message):
                    party.say(message)
                case End(party):
                    party.end()
                case Refuse(party):
                    party.refuse()
                case Join(guest, line):
                    self._join(guest, line)

    def _join(self, guest: RelayConnection, line: RelayConnection) -> None:
        """Connect a guest and a line. The line counts with its guest, and not by its address: all
        guests of a table would share the bounds of the table's address.
        """
        if line in self.connections:
            del self.connections[line]
            self._admission.leave(line, line.address)
        self._expected.discard(line)
        self._lines[line] = None
        guest.partner, line.partner = line, guest
        line.accept()
        guest.accept()

    # --- signs of life, and memory ---

    def _look(self) -> None:
        now = self._loop.time()
        self._look_timer = self._loop.call_later(self.config.look_seconds, self._look)
        self._rates.forget(now)
        self._refusals.tell(now)
        for connection in [*self.connections, *self._lines]:
            silent = now - connection.heard
            if silent > self.config.silence_seconds:
                connection.abort()
            elif silent > self.config.ping_seconds and not connection.pinged:
                connection.ping()

    def count_bytes(self, size: int) -> None:
        """See `ConnectionOwner`. Held bytes are counted whenever enough have come, so that a count
        costs little for each byte.
        """
        self._taken += size
        if self._taken > self.config.held_in_all // 4:
            self._taken = 0
            self._relieve()

    def _relieve(self) -> None:
        held = {each: each.held for each in [*self.connections, *self._lines]}
        total = sum(held.values())
        if total <= self.config.held_in_all:
            return
        for connection in sorted(held, key=held.__getitem__, reverse=True):
            connection.abort()
            total -= held[connection]
            if total <= self.config.held_in_all:
                break

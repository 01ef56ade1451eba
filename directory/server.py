"""The directory: sockets, clocks and files around its rules."""

import asyncio
import contextlib
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from secrets import SystemRandom
from types import TracebackType

from directory.connection import DirectoryConnection
from directory.list_file import read_list, write_list
from directory.rules import Caller, DirectoryBounds, Registry
from net.addresses import advertised_host, resolve
from net.listener import Listener, ProtocolFactory
from protocol.directory.link import ReportLink
from protocol.directory.reachable import is_callable
from protocol.directory.table_list import encode_list
from protocol.errors import LocalError
from protocol.identity.address import Address
from protocol.identity.keys import Identity, fingerprint
from protocol.limits import (
    CLOSE_SECONDS,
    DIRECTORY_NONCE,
    DIRECTORY_SECONDS,
    LIST_LIFE_SECONDS,
    LIST_RENEWAL_SECONDS,
    LIST_SECONDS,
    MAX_DIRECTORY_CONNECTIONS,
    REFUSED_LOG_SECONDS,
)
from protocol.messages.directory import DirectoryMessage, Refused, Report
from table.config import Bounds
from table.net.addresses import counted_address, listen_error, widest_group
from table.net.admission import Admission
from table.net.refusal_log import RefusalLog

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class DirectoryConfig:
    """One directory. `file`: where its list is written; `address`: how tables call it, if not where
    it listens.
    """

    host: str
    port: int
    identity: Identity
    file: Path
    address: Address | None = None
    relays: tuple[Address, ...] = ()
    bounds: DirectoryBounds = field(default_factory=DirectoryBounds)
    door: Bounds = field(default_factory=Bounds)
    connections: int = MAX_DIRECTORY_CONNECTIONS
    seconds: float = DIRECTORY_SECONDS
    list_seconds: float = LIST_SECONDS
    refused_log_seconds: float = REFUSED_LOG_SECONDS
    clock: Callable[[], float] = time.time  # seconds since 1970
    may_list: Callable[[Address], bool] = is_callable
    rng: Random = field(default_factory=SystemRandom)


class DirectoryServer:
    """A directory in this event loop: `async with DirectoryServer(config) as directory: ...`.

    Raises on entry: LocalError if it cannot listen, or its list cannot be read or written.
    """

    def __init__(self, config: DirectoryConfig) -> None:
        self.config = config
        self.public = config.identity.public
        self.seconds = config.seconds
        self.registry = Registry(self.public, config.relays, config.bounds, config.may_list)
        self.connections: dict[DirectoryConnection, None] = {}
        self._admission: Admission[DirectoryConnection] = Admission(
            replace(config.door, connections=config.connections), config.connections
        )
        self._refusals = RefusalLog(config.refused_log_seconds)
        self._number = 0  # of the newest list
        self._made = 0.0  # when, by the loop's clock
        self._failed = False  # the newest list could not be written
        self._stopping = asyncio.Event()
        self._empty = asyncio.Event()
        self._empty.set()

    async def __aenter__(self) -> "DirectoryServer":
        self._loop = asyncio.get_running_loop()
        config = self.config
        before = read_list(config.file, self.public)
        if before is not None:
            self._number = before.number
            self.registry.restore(before.reports, config.clock())
        try:
            await self.publish()
        except OSError as error:
            raise LocalError(
                "wrong.directory.file", path=str(config.file), why=str(error.strerror)
            ) from None
        host, port = await resolve(config.host, config.port)
        try:
            self._listener = Listener(host, port, self._admits, lambda: DirectoryConnection(self))
        except OSError as error:
            raise listen_error(error, host, port) from None
        self._publishing = asyncio.create_task(self._keep_publishing())
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._listener.close()
        for connection in list(self.connections):
            connection.abort()
        async with asyncio.timeout(CLOSE_SECONDS):
            await self._empty.wait()
        self._stopping.set()
        await self._publishing
        self._refusals.tell(self._loop.time(), ends=True)

    @property
    def port(self) -> int:
        """The port that it listens on."""
        return int(self._listener.port)

    @property
    def link(self) -> ReportLink:
        """The link by which tables report."""
        here = Address(advertised_host(str(self._listener.host)), self.port)
        return ReportLink(self.config.address or here, fingerprint(self.public))

    # --- the list ---

    async def publish(self) -> None:
        """Write a new list. Its number grows also if the file is lost, as long as the clock does not
        go back. Raises: OSError.
        """
        now = self.config.clock()
        self._made = self._loop.time()
        self._number = max(self._number + 1, int(now))
        data = encode_list(
            self.registry.list_now(now),
            self._number,
            int(now) + LIST_LIFE_SECONDS,
            self.config.identity,
        )
        # a number is used once, so nobody is shown two lists with it
        await asyncio.to_thread(write_list, self.config.file, data)

    async def _try_to_publish(self) -> None:
        try:
            await self.publish()
            self._failed = False
        except OSError as error:
            self.registry.changed = True
            if not self._failed:
                self._failed = True
                log.error("cannot write the list: %s", error.strerror)

    async def _keep_publishing(self) -> None:
        while not self._stopping.is_set():
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self.config.list_seconds):
                    await self._stopping.wait()
            self._refusals.tell(self._loop.time())
            due = self._loop.time() - self._made >= LIST_RENEWAL_SECONDS
            if self.registry.changed or due:
                await self._try_to_publish()

    # --- newcomers ---

    def _admits(self, peer: object) -> bytes | ProtocolFactory | None:
        address = counted_address(peer)
        now = self._loop.time()
        refusal = self._admission.count_arrival(address, now)
        return b"" if self._refusals.turned_away(refusal, address, now) else None

    def nonce(self) -> bytes:
        """See `ConnectionOwner`."""
        return self.config.rng.randbytes(DIRECTORY_NONCE)

    def enter(self, connection: DirectoryConnection) -> bool:
        """See `ConnectionOwner`. Asked again, for those that were accepted in the same turn."""
        address = connection.address
        now = self._loop.time()
        crowded = self._admission.crowded(address)
        if not self._listener.open or self._refusals.turned_away(crowded, address, now):
            return False
        self.connections[connection] = None
        self._empty.clear()
        gives_way = self._admission.enter(connection, address)
        if gives_way is not None:
            gives_way.abort()
        return True

    def answer(self, connection: DirectoryConnection, report: Report) -> DirectoryMessage:
        """See `ConnectionOwner`."""
        caller = Caller(connection.host, widest_group(connection.address), connection.nonce)
        answer = self.registry.answer(report, caller, self.config.clock(), self._loop.time())
        if isinstance(answer, Refused):
            log.debug("a report is refused: %s", answer.code)
        return answer

    def forget(self, connection: DirectoryConnection) -> None:
        """See `ConnectionOwner`."""
        del self.connections[connection]
        self._admission.leave(connection, connection.address)
        if not self.connections:
            self._empty.set()

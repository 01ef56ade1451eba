"""Discovery of lines to one other person: outgoing calls, the own acceptor, and the addresses that
the other side is told.
"""

import asyncio
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Protocol

from net.addresses import own_addresses
from player.client.connection import Connection, Listener
from player.client.environment import Environment
from player.lobby.pipe_connection import through_table
from player.multipath.dialer import Call, Dialer, LineWaiter, Route, keep_lines
from player.multipath.line_set import LineCallbacks, LineKind, LineSet, LineUser
from player.multipath.transports import LineTransports, kind_of
from protocol.codes import Code
from protocol.errors import LocalError, RemoteError
from protocol.identity.keys import JoinLink, fingerprint
from protocol.messages.lines import RUN, Endpoint
from protocol.messages.lobby import Purpose

FINAL = (Code.WRONG_TABLE_KEY, Code.BAD_IDENTITY, Code.BAD_HANDSHAKE)  # trying again would not help
# What a person is told when it goes on over another kind of line.
MOVED = {
    LineKind.LAN: "lines.moved.lan",
    LineKind.DIRECT: "lines.moved.direct",
    LineKind.RELAY: "lines.moved.relay",
}
NAMELESS = "Player"  # what the table is told: it need not know who goes through it


class LineParty(LineUser, LineWaiter, Protocol):
    """A match without a table, or a trade, that needs lines to one other person."""

    on_finish: Callable[[], None]

    @property
    def about(self) -> bytes | None:
        """Return the purpose of the lines (32 bytes that both sides know); None while it is
        unknown.
        """

    @property
    def partner(self) -> bytes | None:
        """The key at the other end; None while nobody has come."""

    @property
    def begun(self) -> bool:
        """Return True if there is something to continue. Before that, a called person must answer
        at once.
        """

    def came(self, peer: bytes, /) -> None:
        """Take one more line to the owner of this key."""

    def moved(self, kind: LineKind, /) -> None:
        """Note that another kind of line is in use."""

    def restarted(self) -> None:
        """The other program was started anew: it knows nothing but what it has on disk."""


class LineAcceptor(Protocol):
    """An acceptor of incoming connections. `failed` completes with an error of this program."""

    failed: "asyncio.Future[None]"

    async def open(self, host: str, port: int) -> int:
        """Listen, there too; the port. Raises: LocalError."""

    async def close(self) -> None:
        """Listen no more, and hang up on all callers that are no line."""


@dataclass(frozen=True)
class LineTerms:
    """The permitted lines. `share`: the person lets the other side know addresses. `table`: a table
    that carries one more line, for when others break. `purpose`: purpose of a pipe through it.

    `runs`: state which run of the program speaks (30.1.3), even where no address is told. `in_match`
    returns True while a match of the person at a table is not over: the table keeps one connection of a
    key, and that is the match's.
    """

    purpose: Purpose
    share: bool = False
    table: JoinLink | None = None
    runs: bool = False
    in_match: Callable[[JoinLink], bool] = lambda link: False


def call_of(environment: Environment, link: JoinLink) -> Call:
    """Return a call of a link."""

    async def call(hearing: Listener) -> Connection:
        identity = environment.identity
        rng = environment.rng
        return await environment.connect(link, identity, rng, link.fingerprint, hearing)

    return call


def route_to(environment: Environment, link: JoinLink) -> Route:
    """The way to who has given us this link."""
    return Route(f"{link.host} {link.port}", kind_of(link.host), call_of(environment, link))


class LineDiscovery:
    """All lines of one side, with their acceptor and their dialer. To be made in a running loop.

    Without `share` or `table` there is one line at a time, as with a program that knows nothing of
    lines.
    """

    def __init__(
        self,
        party: LineParty,
        environment: Environment,
        line_terms: LineTerms,
        door: Callable[[LineTransports], LineAcceptor],
        routes: Iterable[Route] = (),
    ) -> None:
        """Make the lines. `routes`: ways to the person who sent the invitation; without them this
        side waits. `door` makes the acceptor of these lines.
        """
        self._party = party
        self._environment = environment
        self._line_terms = line_terms
        self._listens: tuple[str, int] | None = None
        if line_terms.share or line_terms.table or line_terms.runs:
            ways = self._ways
        else:
            ways = None
        run = environment.rng.randbytes(RUN)
        told = (party.moved, party.restarted, party.came)
        plan = LineCallbacks(run, self._about, ways, self._found, *told)
        self.transports = LineTransports(LineSet(party, plan, environment.steady))
        self.door = door(self.transports)
        self._own_routes = list(routes)
        table = line_terms.table
        if table:
            relays = [Route(str(table), LineKind.RELAY, self._through(table), standby=True)]
        else:
            relays = []
        self._calls = Dialer(self.transports, [*self._own_routes, *relays], self._dial)
        self._tasks: list[asyncio.Task[Any]] = [asyncio.create_task(self.transports.beat())]

    # --- what our side is, for the set of lines ---

    def _about(self) -> bytes | None:
        return self._party.about

    def _ways(self) -> tuple[Endpoint, ...]:
        if self._listens is None:
            return ()
        host, port = self._listens
        return tuple(Endpoint(address, port) for address in own_addresses(host))

    def _found(self, ways: tuple[Endpoint, ...]) -> None:
        self._calls.found(ways)

    # --- listening and calling ---

    async def listen(self, host: str, port: int) -> int:
        """Listen; the port. Raises: LocalError."""
        port = await self.door.open(host, port)
        if self._line_terms.share:
            self._listens = (host, port)
            if host == "0.0.0.0":  # noqa: S104  # the other family too, if this machine has it
                with suppress(LocalError):
                    await self.door.open("::", port)
        return port

    def _dial(self, way: Endpoint) -> Call:
        """Call an address that the other side names. The owner of its key must answer there."""
        partner = self._party.partner
        assert partner is not None, "ways are told to somebody"
        return call_of(
            self._environment, JoinLink(way.address, way.port, fingerprint(partner), direct=True)
        )

    def _through(self, table: JoinLink) -> Call:
        async def call(hearing: Listener) -> Connection:
            partner = self._party.partner
            if self._line_terms.in_match(table):
                raise LocalError("cardpage.meet.match")
            if partner is None:  # nobody has come yet: there is nobody to name to the table
                raise RemoteError(Code.NOT_INVITED)
            return await through_table(
                table, self._environment, NAMELESS, (partner, self._line_terms.purpose), hearing
            )

        return call

    async def see_through(self, patience: float | None) -> None:
        """Keep lines until the party has finished. `patience`: seconds without a line; None for
        ever.

        Raises: LocalError or RemoteError if nobody, or somebody else, answers at the link, or if
        this program fails.
        """
        finished = asyncio.Event()
        self._party.on_finish = finished.set
        if self._party.finished:  # it was told to stop meanwhile
            finished.set()
        self._tasks += [
            asyncio.create_task(self._keep(patience)),
            asyncio.create_task(finished.wait()),
        ]
        ends: set[asyncio.Future[Any]] = {*self._tasks, self.transports.failed, self.door.failed}
        done, _ = await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        for end in done:
            end.result()

    async def _keep(self, patience: float | None) -> None:
        for route in self._own_routes:
            await self._begin(route)
        # who waits for somebody waits for as long as it takes
        while not self._own_routes and not self._party.begun:
            self.transports.changed.clear()
            await self.transports.changed.wait()
        await keep_lines(self._party, self._calls, self.transports, self._environment.rng, patience)

    async def _begin(self, route: Route) -> None:
        party = self._party
        code = await self._calls.call(route, must=not party.begun)
        if not party.begun and code in FINAL:
            raise RemoteError(code or Code.BAD_HANDSHAKE)
        if self.transports.lines.kind is None and not party.finished:
            party.detached(code or Code.CUT_OFF)

    async def close(self) -> None:
        """Hang up everywhere, and listen no more."""
        self._calls.stop()
        for task in self._tasks:
            task.cancel()
        await self.door.close()
        await self.transports.close()

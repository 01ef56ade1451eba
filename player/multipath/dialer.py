"""Calls the other side, wherever it can be called, while there is no line to it or none of the best
kind.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import Any, Protocol

from player.client.connection import Connection
from player.client.connection import Listener as Hearing
from player.multipath.line_set import LineKind
from player.multipath.transports import LineTransports, kind_of
from protocol.codes import Code
from protocol.errors import LocalError, RemoteError
from protocol.limits import LINE_PAUSES, LINE_TRIES, MAX_WAYS_CALLED
from protocol.messages.lines import Endpoint, callable_endpoints

LOST_PAUSE = 5.0  # seconds between two rounds of calls at most, while there is no line at all
# of a pause, up or down by chance: both sides do not call each other at the same moments
JITTER = 0.5
# of a line after which the next loss is a new one; else a peer could hold us for ever
USEFUL_SECONDS = 60.0

Call = Callable[[Hearing], Awaitable[Connection]]


@dataclass(frozen=True)
class Route:
    """One way to the other side. `call` raises LocalError or RemoteError if nobody answers.

    `named`: the other side names this way, and may be wrong; any other way is tried for ever.
    `standby`: this way is kept beside better ones, for when they break.
    """

    where: str
    kind: LineKind
    call: Call
    named: bool = False
    standby: bool = False


class Dialer:
    """The routes that there are, the calls under way, and how often each was made in vain. To be
    made in a loop.
    """

    def __init__(
        self, transports: LineTransports, routes: Iterable[Route], dial: Callable[[Endpoint], Call]
    ) -> None:
        """`dial` makes a call of an address that the other side names."""
        self._transports = transports
        self._dial = dial
        self._routes = list(routes)
        self._named: set[Endpoint] = set()
        self._tries: dict[str, int] = {}
        # by the loop's clock: one that fails at once is not called at once
        self._not_before: dict[str, float] = {}
        self._under_way: dict[str, asyncio.Task[Code | None]] = {}

    def found(self, ways: tuple[Endpoint, ...]) -> None:
        """The other side can be called there, it says; what it said before counts no more."""
        fit = [
            way
            for way in callable_endpoints(ways, same_machine=self._transports.on_this_machine)
            if self._may_try(way)
        ]
        named = [
            Route(f"{way.address} {way.port}", kind_of(way.address), self._dial(way), named=True)
            for way in fit
        ]
        self._routes = [route for route in self._routes if not route.named] + named
        self._transports.changed.set()

    def _may_try(self, way: Endpoint) -> bool:
        """A peer that names others again and again has us knock at no more than so many."""
        if way not in self._named and len(self._named) < MAX_WAYS_CALLED:
            self._named.add(way)
        return way in self._named

    @property
    def wanted(self) -> list[Route]:
        """The routes that would be better than what stands."""
        lines = self._transports.lines
        return [route for route in self._routes if self._lacking(route, lines.kind, lines.standing)]

    def _lacking(self, route: Route, used: LineKind | None, standing: frozenset[LineKind]) -> bool:
        if route.named and self._tries.get(route.where, 0) >= LINE_TRIES:
            return False
        better = used is None or route.kind < used
        return better or (route.standby and route.kind not in standing)

    def begin(self, pause: float) -> None:
        """Call everywhere where it would be better, and not again in so many seconds."""
        now = asyncio.get_running_loop().time()
        for route in self.wanted:
            if route.where not in self._under_way and now >= self._not_before.get(route.where, 0):
                self._not_before[route.where] = now + pause
                task = self._under_way[route.where] = asyncio.create_task(self.call(route))
                task.add_done_callback(partial(self._ended, route.where))

    def _ended(self, where: str, task: "asyncio.Task[Code | None]") -> None:
        del self._under_way[where]
        if (
            not task.cancelled()
            and (error := task.exception()) is not None
            and not self._transports.failed.done()
        ):
            self._transports.failed.set_exception(error)

    async def call(self, route: Route, *, must: bool = False) -> Code | None:
        """One call, until there is a line or none; why it ended without one. Raises: LocalError if
        it `must` answer.
        """
        self._tries[route.where] = self._tries.get(route.where, 0) + 1
        try:
            hearing = _DialedListener(self._transports, route.kind)
            connection = await route.call(hearing)
        except (LocalError, RemoteError):
            if must:
                raise
            return None
        ends: set[asyncio.Future[Any]] = {connection.gone, hearing.stands}
        await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        if not hearing.stands.done():
            return connection.gone.result()
        self._tries.pop(route.where, None)
        return None

    def stop(self) -> None:
        """Call nobody any more."""
        for task in self._under_way.values():
            task.cancel()


class _DialedListener:
    """The listener of one outgoing connection."""

    def __init__(self, transports: LineTransports, kind: LineKind) -> None:
        self._transports = transports
        self._kind = kind
        self._connection: Connection | None = None
        self.stands: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def established(self, connection: Connection, table_key: bytes) -> None:
        self._connection = connection
        self.stands.set_result(None)
        self._transports.adopt(connection, self._kind, table_key)

    def received(self, payload: bytes) -> None:
        assert self._connection is not None
        self._transports.received(self._connection, payload)


class LineWaiter(Protocol):
    """The patience of a line's user."""

    @property
    def finished(self) -> bool:
        """Return True if nothing is left to do."""

    @property
    def number(self) -> int:
        """Return the user's progress: a greater number means that the lines were of use."""

    def lost_for_good(self) -> None:
        """Note that nobody was reached for as long as the person wanted to wait."""


async def keep_lines(
    user: LineWaiter, calls: Dialer, transports: LineTransports, rng: Random, patience: float | None
) -> None:
    """Call, and call again, until the rider has finished. `patience`: seconds without a line, or
    None: for ever.
    """
    waiting = _Patience(user, patience)
    while not user.finished:
        transports.changed.clear()
        pause = waiting.pause(transports.lines.kind) * rng.uniform(1 - JITTER, 1 + JITTER)
        calls.begin(pause)
        await _changed(transports, pause if calls.wanted or transports.lines.kind is None else None)
        if waiting.over(transports.lines.kind) and not user.finished:
            user.lost_for_good()


async def _changed(transports: LineTransports, seconds: float | None) -> None:
    """Wait until a line has come or gone, or for so long."""
    try:
        async with asyncio.timeout(seconds):
            await transports.changed.wait()
    except TimeoutError:
        return


class _Patience:
    """The time without a line, and the pause between two rounds of calls."""

    def __init__(self, user: LineWaiter, seconds: float | None) -> None:
        self._user = user
        self._seconds = seconds
        self._reached = user.number
        self._pause = LINE_PAUSES[0]
        self._kind: LineKind | None = None  # over what we went when we looked last
        self._begun = self._since = asyncio.get_running_loop().time()

    def over(self, kind: LineKind | None) -> bool:
        """Return True if nobody was reached for too long. `kind`: kind of the present line."""
        now = asyncio.get_running_loop().time()
        lost = self._kind is not None and kind is None
        moved = None not in (kind, self._kind) and kind is not self._kind
        useful = self._user.number > self._reached or now - self._since > USEFUL_SECONDS
        if lost and useful:
            self._reached = self._user.number
            self._begun = now
        if moved or (lost and useful):
            self._pause = LINE_PAUSES[0]
        if self._kind is None and kind is not None:
            self._since = now
        self._kind = kind
        return kind is None and self._seconds is not None and now - self._begun >= self._seconds

    def pause(self, kind: LineKind | None) -> float:
        """Seconds until the next round; longer each time, until something comes of it."""
        pause = self._pause
        self._pause = min(2 * pause, LOST_PAUSE if kind is None else LINE_PAUSES[1])
        return min(pause, LOST_PAUSE) if kind is None else pause

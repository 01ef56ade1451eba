"""Connections of a trade on the cards page: one side waits and the other calls, or both meet at a
table.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from net.addresses import make_link, parse_address
from player.cards.trades.table_trade import TableTrade
from player.cards.trades.trade_line import TradeCallbacks, TradeOverLines
from player.cards.trades.trade_reach import TradeReach
from player.cards.trades.trader import Trader
from player.client.connection import Connect, Connection, Listener, connect
from player.client.environment import Environment
from player.client.reconnect import KEEP_TRYING_SECONDS
from player.client.seat import Seat
from player.lobby.pipe_connection import through_table
from player.multipath.dialer import Route
from player.multipath.discovery import NAMELESS, route_to
from player.multipath.line_set import LineKind
from player.ui.web.cards.trade_window import TradeWindow
from protocol.errors import LocalError, RemoteError
from protocol.identity.keys import Identity, JoinLink
from protocol.ledger.trading import events
from protocol.messages.lobby import TRADE
from protocol.view.phrase import Phrase, phrase

Tell = Callable[[events.TradeEvent], None]


@dataclass(frozen=True)
class _Session:
    """A trade window with its lines. `there` is done when a partner has connected."""

    window: TradeWindow
    ride: TradeOverLines
    reach: TradeReach
    there: "asyncio.Future[None]"


class TradeConnections:
    """Connections for one trade window at a time. `make` creates a trader that reports events to
    its argument. `listen`: address at which this side waits; `spare`: another one while that is
    taken; None: no other. `in_match` returns True while a match of the person at a table is not over.
    """

    def __init__(
        self,
        identity: Identity,
        rng: Random,
        listen: str,
        make: Callable[[Tell], Trader],
        connect: Connect = connect,
        spare: str | None = None,
        in_match: Callable[[JoinLink], bool] = lambda link: False,
    ) -> None:
        self._identity = identity
        self._listen = listen
        self._spare = spare
        self._make = make
        self._in_match = in_match
        self._environment = Environment(
            identity, rng, Seat, None, lambda event: None, connect=connect
        )
        self._session: _Session | None = None
        self._running: dict[asyncio.Task[None], _Session] = {}
        self.changed: Callable[[], None] = lambda: None

    async def listen(self, window: TradeWindow) -> None:
        """Wait for a partner, who comes by the link of `window`. Raises: LocalError."""
        host, asked = parse_address(self._listen)
        session = await self._begin(window)
        try:
            host, port = await self._open(session, host, asked)
        except BaseException:
            await session.reach.close()
            raise
        link = make_link(host, port, self._identity.public, direct=True)
        window.show_link(link, port_is_fixed=port == asked)
        self._follow(session)

    async def _open(self, session: _Session, host: str, port: int) -> tuple[str, int]:
        """Listen for the partner, and return host and port. Raises: LocalError."""
        try:
            return host, await session.reach.listen(host, port)
        except LocalError:
            if self._spare is None:
                raise
        host, port = parse_address(self._spare)
        return host, await session.reach.listen(host, port)

    async def call(self, window: TradeWindow, link: JoinLink) -> None:
        """Call a partner who waits at `link`. The person may hang up before the partner answers.
        Raises: LocalError.
        """
        session = await self._begin(window, route_to(self._environment, link))
        task = self._follow(session)
        ends: set[asyncio.Future[None]] = {task, session.there}
        await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        if not session.there.done():
            try:
                task.result()
            except RemoteError as error:
                raise LocalError("wrong.cannot", why=error.phrase) from None

    async def meet(
        self, window: TradeWindow, trade: TableTrade, failed: Callable[[Phrase], None]
    ) -> None:
        """Meet the partner of `trade`, whose program does the same, through the table. `failed` gets
        the reason if the two do not meet.
        """
        session = await self._begin(window, self._through_table(trade))

        def ended(task: "asyncio.Task[None]") -> None:
            error = None if task.cancelled() else task.exception()
            if isinstance(error, RemoteError):
                failed(phrase("cardpage.meet.failed", name=trade.name, why=error.phrase))
            elif isinstance(error, LocalError):
                failed(error.phrase)
            elif error is not None:
                raise error

        self._follow(session).add_done_callback(ended)

    def _through_table(self, trade: TableTrade) -> Route:
        async def call(listener: Listener) -> Connection:
            # the table keeps one connection of a key, and a match has a clock
            if self._in_match(trade.link):
                raise LocalError("cardpage.meet.match")
            whom = (trade.partner, TRADE)
            return await through_table(trade.link, self._environment, NAMELESS, whom, listener)

        return Route(str(trade.link), LineKind.RELAY, call)

    async def _begin(self, window: TradeWindow, *routes: Route) -> _Session:
        for earlier in self._running.values():
            earlier.reach.leave()  # the second call leaves at once
        if self._running:
            await asyncio.wait(set(self._running))
        trader = window.trader = self._make(window.hear)
        there: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        def away(away: bool) -> None:
            window.show_away(away)
            if not there.done():
                there.set_result(None)
            self.changed()

        ride = TradeOverLines(
            trader,
            self._identity.public,
            TradeCallbacks(lambda: self.changed(), away, anew=window.start_anew),
        )
        reach = TradeReach(ride, self._environment, routes)
        self._session = _Session(window, ride, reach, there)
        return self._session

    def _follow(self, session: _Session) -> "asyncio.Task[None]":
        task = asyncio.create_task(self._see_through(session))
        self._running[task] = session
        task.add_done_callback(self._running.pop)
        return task

    async def _see_through(self, session: _Session) -> None:
        """Keep the lines of a session until its end. The window shows a connection that breaks
        later.

        Raises: LocalError, RemoteError, if no partner was reached.
        """
        ride = session.ride
        try:
            await session.reach.see_through(KEEP_TRYING_SECONDS)
        except (LocalError, RemoteError):
            if not ride.begun:
                raise
            session.window.show_lost()
        finally:
            await session.reach.close()
        if ride.code is not None:
            session.window.show_lost()
        self.changed()

    def hang_up(self) -> None:
        """Close all connections. Signatures stay valid."""
        session = self._session
        self._session = None
        if session is not None:
            session.reach.leave()

    async def settle(self) -> None:
        """Wait until the connections that are hung up have ended: the partner may still receive the
        last payloads.
        """
        if self._running:
            await asyncio.wait(set(self._running))

    async def close(self) -> None:
        """Close all connections, and wait until they have ended."""
        self.hang_up()
        for session in self._running.values():
            session.reach.leave()  # the second call leaves at once
        await self.settle()

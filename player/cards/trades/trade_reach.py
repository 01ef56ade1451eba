"""All lines to the one person one trades with: whoever comes first, or who is called."""

import asyncio
from collections.abc import Iterable

from player.cards.trades.trade_line import TradeRide
from player.connection import Connection
from player.lines.callers import Callers
from player.lines.calling import Route
from player.lines.reaching import Ground, Reaching
from player.lines.wiring import Wiring, kind_of
from player.seat.environment import Environment
from protocol.codes import Code
from protocol.identity.keys import JoinLink
from protocol.messages.lobby import TRADE

GOODBYE_SECONDS = 10  # for the other to hear what was said last, when we leave


class TradeReach(Reaching):
    """`share`: the person lets the other know addresses; `table`: through which there is a line,
    too.
    """

    def __init__(
        self,
        ride: TradeRide,
        environment: Environment,
        routes: Iterable[Route] = (),
        *,
        share: bool = False,
        table: JoinLink | None = None,
    ) -> None:
        """`routes`: to who waits for us; without, we wait for somebody."""
        self._ride = ride
        ground = Ground(TRADE, share, table, runs=True)
        super().__init__(
            ride, environment, ground, lambda wiring: _Door(wiring, environment), routes
        )

    def leave(self) -> None:
        """End it from here; who does not say that they have heard it is waited for only so long."""
        self._ride.leave()
        if not self._ride.finished:
            asyncio.get_running_loop().call_later(GOODBYE_SECONDS, self._ride.lost_for_good)


class _Door:
    """Where they come in."""

    def __init__(self, wiring: Wiring, environment: Environment) -> None:
        self._wiring = wiring
        self._callers = Callers(self, environment.identity, environment.rng)
        self.failed = self._callers.failed

    async def open(self, host: str, port: int) -> int:
        """Listen, there too; the port. Raises: LocalError."""
        return await self._callers.listen(host, port)

    def established(self, connection: Connection, peer: bytes) -> None:
        """Somebody is there. The first one stays, and may come by several lines; the set of lines
        sends others away.
        """
        self._wiring.adopt(connection, kind_of(connection.remote), peer)

    def received(self, connection: Connection, peer: bytes, payload: bytes) -> None:
        """A message; of who was sent away, the lines know nothing."""
        self._wiring.received(connection, payload)

    def gone(self, connection: Connection, code: Code | None) -> None:
        """What that means for the trade, the lines know."""

    async def close(self) -> None:
        """Listen no more. Those who are in are hung up on with their lines."""
        await self._callers.close(but=self._wiring.connections)

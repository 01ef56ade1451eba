"""Lines to the partner of a trade. Either side may wait or call."""

import asyncio
from collections.abc import Callable, Iterable

from player.cards.trades.trade_line import TradeOverLines
from player.client.connection import Connection
from player.client.environment import Environment
from player.multipath.acceptor import Acceptor
from player.multipath.dialer import Route
from player.multipath.discovery import LineDiscovery, LineTerms
from player.multipath.transports import LineTransports, kind_of
from protocol.codes import Code
from protocol.identity.keys import JoinLink
from protocol.messages.lobby import TRADE

GOODBYE_SECONDS = 10  # wait for the partner to receive the last payloads, when this side leaves


class TradeReach(LineDiscovery):
    """Lines of a trade. `share`: tell the partner the addresses of this computer; `table`: a table
    that carries one more line.
    """

    def __init__(
        self,
        ride: TradeOverLines,
        environment: Environment,
        routes: Iterable[Route] = (),
        *,
        share: bool = False,
        table: JoinLink | None = None,
        in_match: Callable[[JoinLink], bool] = lambda link: False,
    ) -> None:
        """`routes`: routes to a waiting partner; empty: this side waits. `in_match`: see
        `LineTerms`.
        """
        self._ride = ride
        line_terms = LineTerms(TRADE, share, table, runs=True, in_match=in_match)
        super().__init__(
            ride, environment, line_terms, lambda transports: _Door(transports, environment), routes
        )

    def leave(self) -> None:
        """Leave the trade. Wait at most `GOODBYE_SECONDS` for the partner's confirmation."""
        self._ride.leave()
        if not self._ride.finished:
            asyncio.get_running_loop().call_later(GOODBYE_SECONDS, self._ride.lost_for_good)


class _Door:
    """Listener for connections of the partner."""

    def __init__(self, transports: LineTransports, environment: Environment) -> None:
        self._transports = transports
        self._callers = Acceptor(self, environment.identity, environment.rng)
        self.failed = self._callers.failed

    async def open(self, host: str, port: int) -> int:
        """Listen at a further address, and return the port. Raises: LocalError."""
        return await self._callers.listen(host, port)

    def established(self, connection: Connection, peer: bytes) -> None:
        """Pass a new connection to the lines. The first key is the partner and may open several
        lines; the lines refuse other keys.
        """
        self._transports.adopt(connection, kind_of(connection.remote), peer)

    def received(self, connection: Connection, peer: bytes, payload: bytes) -> None:
        """Pass on a message; the lines ignore refused connections."""
        self._transports.received(connection, payload)

    def gone(self, connection: Connection, code: Code | None) -> None:
        """Pass on the end of a connection; the lines decide about the trade."""

    async def close(self) -> None:
        """Stop listening. Open connections end with their lines."""
        await self._callers.close(but=self._transports.connections)

"""The place where a person trades: with people whose links it can call, or at tables."""

from collections.abc import Callable
from dataclasses import dataclass

from player.cards.trades.table_trade import TableTrade, TableTradeFile
from protocol.identity.keys import JoinLink


def _stay(link: JoinLink) -> None:
    """Stay with the cards after a trade."""


@dataclass(frozen=True)
class TradePlace:
    """The ways to other people. `calls`: a program can call others and wait for them; a page in a
    browser has no such connections. `file` has the trade through a table that is not over; None:
    nothing is stored. `leave` goes back to the table of a trade.
    """

    calls: bool = True
    file: TableTradeFile | None = None
    leave: Callable[[JoinLink], None] = _stay

    def store(self, trade: TableTrade) -> None:
        """Store a trade that begins. Raises: LocalError."""
        if self.file is not None:
            self.file.write(trade)

    def forget(self) -> None:
        """Delete the stored trade. Raises: LocalError."""
        if self.file is not None:
            self.file.forget()

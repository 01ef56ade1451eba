"""A trade that was agreed before, for scripts: signed if exactly this comes and goes, and refused
otherwise.
"""

from collections.abc import Callable
from dataclasses import dataclass

from player.cards.card_names import NoSuchCard, one_card
from player.cards.terminal.trade_text import Table
from player.cards.trades.trader import Trader
from protocol.ledger.trading import events
from protocol.ledger.trading.messages import TradePhase
from protocol.ledger.trading.trade_session import TradeSession
from protocol.view.phrase import phrase


@dataclass
class Agreed:
    """`give`: own cards; `want`: what the other's cards are called; `calling`: whether this side
    proposes.
    """

    table: Table
    give: tuple[bytes, ...]
    want: tuple[str, ...]
    calling: bool
    leave: Callable[[], None]
    tell: Callable[..., None]
    _left: bool = False
    _offered: bool = False
    _proposed: bool = False

    def go_on(self, trader: Trader) -> bool:
        """Do one thing that can be done by now; whether there was one. Raises: LocalError."""
        trading = trader.trading
        if trading is None or self._left or trader.over or trading.phase is TradePhase.CLOSED:
            return False
        if self.table.traded:
            self._left = True
            self.leave()
        elif trader.terms is not None:
            self._answer(trader, trader.terms)
        elif not self._offered and trading.phase is TradePhase.TALKING:
            self._offered = True
            trader.act(lambda trading: trading.offer(self.give))
        elif self.calling and not self._proposed and self._matches(trader):
            self._proposed = True
            trader.act(TradeSession.propose)
        else:
            return False
        return True

    def anew(self) -> None:
        """The other side has begun anew: nothing lies on the table."""
        self._offered = self._proposed = False

    def _matches(self, trader: Trader) -> bool:
        """Whether the other offers exactly what is wanted, and all about it is here."""
        offered = self.table.offered
        return offered is not None and self._wanted(trader, offered.give) == set(offered.give)

    def _wanted(self, trader: Trader, among: tuple[bytes, ...]) -> set[bytes]:
        names = trader.showing().names(
            card for card in among if card in trader.collection.index.instances
        )
        try:
            return {one_card(text, names) for text in self.want}
        except NoSuchCard:
            return set()

    def _answer(self, trader: Trader, terms: events.TradeSummary) -> None:
        exactly = set(terms.given) == set(self.give) and self._wanted(
            trader, terms.received
        ) == set(terms.received)
        if (
            exactly
            and not terms.reserved
            and trader.proposal(terms).allowed
            and len(self.want) == len(terms.received)
        ):
            trader.terms = None
            trader.act(lambda trading: trading.sign(terms.id))
            return
        self.tell(phrase("cards.trade.not_agreed"))
        trader.terms = None
        trader.act(lambda trading: trading.reject(terms.id))
        self.leave()

"""A trade for scripts: signed if exactly the agreed cards come and go, and refused otherwise."""

from collections.abc import Callable
from dataclasses import dataclass

from player.cards.card_names import NoSuchCard, resolve_card
from player.cards.trades.trader import Trader
from player.ui.terminal.cards.trade_text import TradeTable
from protocol.ledger.trading import events
from protocol.ledger.trading.messages import TradePhase
from protocol.ledger.trading.trade_session import TradeSession
from protocol.view.phrase import phrase


@dataclass
class ScriptedTrade:
    """The agreed cards of a trade, and the steps to it. `give`: own cards; `want`: names of the
    partner's cards; `calling`: true if this side proposes.
    """

    table: TradeTable
    give: tuple[bytes, ...]
    want: tuple[str, ...]
    calling: bool
    leave: Callable[[], None]
    tell: Callable[..., None]
    _left: bool = False
    _offered: bool = False
    _proposed: bool = False

    def go_on(self, trader: Trader) -> bool:
        """Take one step that is possible now. Return False if none is. Raises: LocalError."""
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
        """Handle a restart of the partner's program: offers and proposal are void."""
        self._offered = self._proposed = False

    def _matches(self, trader: Trader) -> bool:
        """Check that the partner offers exactly the wanted cards, and that their records are
        here.
        """
        offered = self.table.offered
        return offered is not None and self._wanted(trader, offered.give) == set(offered.give)

    def _wanted(self, trader: Trader, among: tuple[bytes, ...]) -> set[bytes]:
        names = trader.showing().names(
            card for card in among if card in trader.collection.index.instances
        )
        try:
            return {resolve_card(text, names) for text in self.want}
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

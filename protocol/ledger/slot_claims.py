"""Index of the trades that stand in each slot of a growing set of records (docs/protocol, 24.3).

The records of a slot alone determine this, even if records that they depend on are unknown.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator

from protocol.ledger.alarms import Claim, claim_of_slot
from protocol.ledger.record_contents import CardTransfer, Trade, Waive
from protocol.ledger.view import replaced_transfer

_Card = tuple[bytes, bytes]  # a trade, and an instance in it


def claim_of_transfer(trade: Trade, one: CardTransfer) -> Claim:
    """Return the claim of a trade for the slot of this transfer."""
    return claim_of_slot(one, trade.giver(one))


class SlotIndex:
    """Trades by slot. `standing`: the trades that count in each slot; `waivers`: by trade, the
    parties that waived it.

    Each change returns the trades whose validity may change.
    """

    def __init__(self) -> None:
        # nearly always a single trade, for which a tuple is small
        self.standing: dict[Claim, Collection[bytes]] = {}
        self.waivers: dict[bytes, set[bytes]] = {}
        self._signed: dict[bytes, Trade] = {}
        # by slot: all trades, including waived ones
        self._all: dict[Claim, list[bytes]] = defaultdict(list)
        # by trade: trades that want to replace it
        self._over: dict[bytes, list[bytes]] = defaultdict(list)
        # by trade and card: number of standing trades that replace this trade for this card
        self._props: dict[_Card, int] = {}

    def trade(self, trade_id: bytes, trade: Trade) -> set[bytes]:
        """Add a trade."""
        self._signed[trade_id] = trade
        for one in trade.transfers:
            self._all[claim_of_transfer(trade, one)].append(trade_id)
            if one.over is not None:
                self._over[one.over].append(trade_id)
            self._props[trade_id, one.instance] = self._is_supported(trade_id, trade, one)
        touched = {trade_id}
        for one in trade.transfers:
            touched |= self._judge(trade_id, one)
        return touched

    def waive(self, waive: Waive) -> set[bytes]:
        """Add a waive."""
        waivers = self.waivers.setdefault(waive.trade, set())
        trade = self._signed.get(waive.trade)
        if waive.creator in waivers:
            return set()
        waivers.add(waive.creator)
        if trade is None:
            return set()
        touched = {waive.trade}
        for one in trade.transfers:
            touched |= self._judge(waive.trade, one)
        return touched

    def contested(self, trade: Trade, one: CardTransfer) -> bool:
        """Check for several standing trades in the slot of this transfer."""
        return len(self.standing.get(claim_of_transfer(trade, one), ())) > 1

    def _is_supported(self, trade_id: bytes, trade: Trade, one: CardTransfer) -> int:
        above = set(self._over.get(trade_id, ()))
        return sum(self._rests_on(other, trade, one, trade_id) for other in above)

    def _rests_on(self, above: bytes, trade: Trade, one: CardTransfer, trade_id: bytes) -> bool:
        """Check that a standing trade `above` replaces this trade for this card."""
        other = self._signed[above]
        return any(
            each.over == trade_id
            and replaced_transfer(other, each, trade) == one
            and self._stands(above, each)
            for each in other.transfers
        )

    def _stands(self, trade_id: bytes, one: CardTransfer) -> bool:
        return trade_id in self.standing.get(claim_of_transfer(self._signed[trade_id], one), ())

    def _judge(self, trade_id: bytes, one: CardTransfer) -> set[bytes]:
        """Update whether a trade stands for a card, and then the trades that it replaces, as far as
        they change.
        """
        touched: set[bytes] = set()
        for name, each in self._down(trade_id, one):
            trade = self._signed[name]
            stands = bool(self._props[name, each.instance]) or trade.receiver(
                each
            ) not in self.waivers.get(name, ())
            if stands == self._stands(name, each):
                break
            touched |= self._put(name, each, stands)
            below = replaced_transfer(trade, each, self._signed.get(each.over or b""))
            if below is not None and each.over is not None:
                self._props[each.over, each.instance] += 1 if stands else -1
        return touched

    def _down(self, trade_id: bytes, one: CardTransfer) -> Iterator[tuple[bytes, CardTransfer]]:
        yield trade_id, one
        while one.over is not None:
            trade_id, below = (
                one.over,
                replaced_transfer(self._signed[trade_id], one, self._signed.get(one.over)),
            )
            if below is None:
                return
            one = below
            yield trade_id, one

    def _put(self, trade_id: bytes, one: CardTransfer, stands: bool) -> set[bytes]:
        """Add a trade to its slot, or remove it. Returns all trades of the slot if it becomes
        contested or uncontested.
        """
        claim = claim_of_transfer(self._signed[trade_id], one)
        there = self.standing.get(claim, ())
        before = len(there) > 1
        many = there if isinstance(there, set) else set(there)
        (many.add if stands else many.discard)(trade_id)
        self.standing[claim] = many if len(many) > 1 else tuple(many)
        if before != (len(many) > 1):
            return set(self._all[claim])
        return {trade_id}

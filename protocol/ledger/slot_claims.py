"""Which trades stand in which slots while records come in (docs/protocol, 24.3): what is there is
said by the records alone, whether or not what they rest on is known."""

from collections import defaultdict
from collections.abc import Collection, Iterator

from protocol.ledger.alarms import Claim, claim_of_slot
from protocol.ledger.record_contents import CardTransfer, Trade, Waive
from protocol.ledger.view import replaced_transfer

_Card = tuple[bytes, bytes]  # a trade, and an instance in it


def claim_of_transfer(trade: Trade, one: CardTransfer) -> Claim:
    """What a trade fills by this transfer."""
    return claim_of_slot(one, trade.giver(one))


class SlotIndex:
    """`standing`: the trades that count in each slot; `waivers`: who says to have never finished a
    trade.

    Each change gives the trades whose worth may be another by it.
    """

    def __init__(self) -> None:
        # nearly always one, which takes little as a tuple
        self.standing: dict[Claim, Collection[bytes]] = {}
        self.waivers: dict[bytes, set[bytes]] = {}
        self._signed: dict[bytes, Trade] = {}
        self._all: dict[Claim, list[bytes]] = defaultdict(
            list
        )  # the trades that name a slot, also those that were waived
        # trades that say that they are over this one
        self._over: dict[bytes, list[bytes]] = defaultdict(list)
        # how many standing trades are over this one at this card
        self._props: dict[_Card, int] = {}

    def trade(self, trade_id: bytes, trade: Trade) -> set[bytes]:
        """A trade has come."""
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
        """A waive has come."""
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
        """Whether several stand in the slot of this transfer."""
        return len(self.standing.get(claim_of_transfer(trade, one), ())) > 1

    def _is_supported(self, trade_id: bytes, trade: Trade, one: CardTransfer) -> int:
        above = set(self._over.get(trade_id, ()))
        return sum(self._rests_on(other, trade, one, trade_id) for other in above)

    def _rests_on(self, above: bytes, trade: Trade, one: CardTransfer, trade_id: bytes) -> bool:
        """Whether a trade stands over this one at this card."""
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
        """See whether a trade stands at a card, and what it is over, and so on down."""
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
        """Into its slot or out of it; all that have the slot, if it is contested now and was not,
        or the other way.
        """
        claim = claim_of_transfer(self._signed[trade_id], one)
        there = self.standing.get(claim, ())
        before = len(there) > 1
        many = there if isinstance(there, set) else set(there)
        (many.add if stands else many.discard)(trade_id)
        self.standing[claim] = many if len(many) > 1 else tuple(many)
        return set(self._all[claim]) if before != (len(many) > 1) else {trade_id}

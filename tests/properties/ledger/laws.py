"""Laws of every view of the ledger, whatever was signed."""

from collections import Counter

from protocol.ledger.record_contents import Trade
from protocol.ledger.trade_links import find_transfer
from protocol.ledger.view import LedgerView


def check(it: LedgerView) -> None:
    """Raise `AssertionError` unless every card has one owner and every moved card had an origin."""
    assert it.settled <= it.live <= it.trades.keys()
    places = Counter(
        (one.instance, one.prev) for key in it.live for one in it.trades[key].transfers
    )
    assert not places or max(places.values()) == 1, "two owners"
    for key in it.live:
        for one in it.trades[key].transfers:
            assert _is_on_the_way(it, one.instance, key), "a trade holds that no card went by"
    kept = Counter(owner for owner, held in it.holdings.items() for _ in held)
    made = Counter(instance.creator for instance in it.instances.values())
    assert sum(kept.values()) == len(it.instances)
    for person in kept | made:
        assert made[person] + _moved(it, person) == kept[person], (
            "cards in less cards out are not cards owned"
        )


def _is_on_the_way(it: LedgerView, instance: bytes, trade: bytes) -> bool:
    tip = it.last_trades[instance]
    while tip is not None and tip != trade:
        found = find_transfer(it.trades[tip], instance)
        assert found is not None
        tip = found.prev
    return tip == trade


def _moved(it: LedgerView, person: bytes) -> int:
    total = 0
    for trade in (it.trades[key] for key in it.live):
        assert isinstance(trade, Trade)
        total += sum(
            (trade.receiver(one) == person) - (trade.giver(one) == person)
            for one in trade.transfers
        )
    return total

"""Trades of one giver that contradict each other (docs/protocol, 24.3).

A giver may sign several trades of a card from one place only if, of any two, the later one covers
the earlier. A trade covers the trades that it is over, directly or further down. It also covers the
trades whose waives by the card's receiver it lists, itself or through what it is over.

A trade counts once all waives that it lists are known, and all that it is over counts. Everything
here depends on such trades alone, so a conflict never ends, whatever else becomes known.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from protocol.ledger.record_contents import CardTransfer, Trade, Waive
from protocol.ledger.records import waive_id
from protocol.ledger.trade_links import replaced_transfer, transfer_of
from protocol.limits import MAX_TRADE_WAIVES

# a trade lists all trades between the one that it is over and itself, so at most these many trades
# stand between two neighbours that were there before; each halves the distance of their labels
_DISTANCE = 1 << MAX_TRADE_WAIVES + 1


class GivenPlace(NamedTuple):
    """A card, the trade by which its giver received it (None: the giver made it), and the giver."""

    instance: bytes
    prev: bytes | None
    giver: bytes


def given_place(trade: Trade, one: CardTransfer) -> GivenPlace:
    """Return the place from which this transfer gives a card."""
    return GivenPlace(one.instance, one.prev, trade.giver(one))


def given_places(trade: Trade) -> tuple[GivenPlace, ...]:
    """Return the places of all transfers of a trade."""
    return tuple(given_place(trade, one) for one in trade.transfers)


def replaced_trades(trade: Trade, one: CardTransfer, trades: Mapping[bytes, Trade]) -> list[bytes]:
    """Return the trades that a transfer is over, directly or further down, the newest first."""
    found = []
    while one.over is not None:
        below = trades.get(one.over)
        under = replaced_transfer(trade, one, below)
        if below is None or under is None:
            break
        found.append(one.over)
        trade = below
        one = under
    return found


class PlaceOrder:
    """Counted trades of one giver at one place, each after those that it covers.

    `clear` is False once two of them conflict; the order is of no use then. A trade may come
    between earlier ones. It gets a label between theirs, so no other trade changes its label.

    `waives`: the known waives; they include all that the trades list.
    """

    def __init__(self, instance: bytes, waives: Mapping[bytes, Waive]) -> None:
        self.instance = instance
        self.waives = waives
        self.names: list[bytes] = []
        self.clear = True
        self.trades: dict[bytes, Trade] = {}
        self._labels: list[int] = []  # ascending, of `names`
        self._at: dict[bytes, int] = {}  # labels by trade

    def add(self, name: bytes, trade: Trade) -> bool:
        """Add a trade whose replaced trades are here. Return False after a conflict."""
        one = transfer_of(trade, self.instance)
        self.trades[name] = trade
        if self.clear:
            place, covered = self._place(trade, one)
            last = place == len(self.names)
            self.clear = covered and (last or self._cover(self.waive_of(name), place))
        if self.clear:
            label = self._label(place)
            self.names.insert(place, name)
            self._labels.insert(place, label)
            self._at[name] = label
        return self.clear

    def covers_all(self, trade: Trade, one: CardTransfer) -> bool:
        """Check that a new trade covers all trades here."""
        return self.clear and self._place(trade, one) == (len(self.names), True)

    def uncovered(self, over: bytes | None) -> list[bytes]:
        """Return the trades here that a new trade over `over` must list."""
        return self.names[self._after(over) :]

    def waive_of(self, name: bytes) -> bytes:
        """Return the id of the waive of a trade here by the card's receiver."""
        trade = self.trades[name]
        return waive_id(name, trade.receiver(transfer_of(trade, self.instance)))

    def _after(self, name: bytes | None) -> int:
        """Return the number of trades up to this one. 0 for None, and for a trade elsewhere."""
        label = None if name is None else self._at.get(name)
        return 0 if label is None else bisect_left(self._labels, label) + 1

    def _label(self, place: int) -> int:
        """Return a label for a trade at this position."""
        if place == len(self.names):
            return self._labels[-1] + _DISTANCE if self.names else 0
        after = self._labels[place]
        before = self._labels[place - 1] if place else after - 2 * _DISTANCE
        label = (before + after) // 2
        assert before < label < after, "neighbours are far enough apart"
        return label

    def _place(self, trade: Trade, one: CardTransfer) -> tuple[int, bool]:
        """Return the number of leading trades up to the last that this trade covers by itself, and
        whether it covers all of these.
        """
        below = self._after(one.over)
        named = (self.waives[waive] for waive in trade.waives)
        listed = {self._after(waive.trade) for waive in named if self._is_by_receiver(waive)}
        place = max(below, *listed, 0)
        return place, all(number in listed for number in range(below + 1, place + 1))

    def _is_by_receiver(self, waive: Waive) -> bool:
        """Check for a waive of a trade here by the card's receiver."""
        if waive.trade not in self._at:
            return False
        trade = self.trades[waive.trade]
        return waive.creator == trade.receiver(transfer_of(trade, self.instance))

    def _cover(self, waive: bytes, place: int) -> bool:
        """Check that all trades from this place on list the waive, or are over one that does.

        A trade lists all trades between the one that it is over and itself. So only the first
        trades need a look: each later one is over one of these, or over one that is.
        """
        covering: set[bytes] = set()
        for name in self.names[place : place + MAX_TRADE_WAIVES + 1]:
            trade = self.trades[name]
            if transfer_of(trade, self.instance).over not in covering and waive not in trade.waives:
                return False
            covering.add(name)
        return True


class Conflicts:
    """Conflicts in a growing set of records. Each change returns the trades whose validity may
    change.
    """

    def __init__(self) -> None:
        self.trades: dict[bytes, Trade] = {}
        self.waivers: dict[bytes, set[bytes]] = {}  # by trade: keys that have waived it
        self._waives: dict[bytes, Waive] = {}
        # most places have one trade, which stands for an order of its own
        self._orders: dict[GivenPlace, PlaceOrder | bytes] = {}
        # all trades of a giver at a place, including those that do not count yet
        self._signed: dict[GivenPlace, list[bytes]] = defaultdict(list)
        # by card and trade that does not count yet: transfers that are over it
        self._waiting: dict[tuple[bytes, bytes | None], list[tuple[bytes, CardTransfer]]] = {}
        # by missing waive: trades that list it; and the number of waives that a trade lacks
        self._listing: dict[bytes, list[bytes]] = {}
        self._lacking: dict[bytes, int] = {}
        self._counted: set[tuple[bytes, bytes]] = set()  # instance, trade
        # by trade, and giver of a card in later trades: these that are over it
        self._over: dict[tuple[bytes, bytes], list[bytes]] = defaultdict(list)

    def trade(self, name: bytes, trade: Trade) -> set[bytes]:
        """Add a trade."""
        self.trades[name] = trade
        for one in trade.transfers:
            self._signed[given_place(trade, one)].append(name)
            if one.over is not None:
                self._over[one.over, trade.giver(one)].append(name)
        missing = [waive for waive in trade.waives if waive not in self._waives]
        for waive in missing:
            self._listing.setdefault(waive, []).append(name)
        if missing:
            self._lacking[name] = len(missing)
            return {name}
        return {name} | self._count(name)

    def waive(self, name: bytes, waive: Waive) -> set[bytes]:
        """Add a waive."""
        self._waives[name] = waive
        self.waivers.setdefault(waive.trade, set()).add(waive.creator)
        touched = {waive.trade, *self._over.get((waive.trade, waive.creator), ())}
        for trade in self._listing.pop(name, ()):
            self._lacking[trade] -= 1
            if not self._lacking[trade]:
                del self._lacking[trade]
                touched |= self._count(trade)
        return touched

    def conflict(self, place: GivenPlace) -> bool:
        """Check for two trades of this giver from this place that conflict."""
        order = self._orders.get(place)
        return isinstance(order, PlaceOrder) and not order.clear

    def places_of(self, trade: Trade) -> set[GivenPlace]:
        """Return the places of a trade that have a conflict."""
        return {place for place in given_places(trade) if self.conflict(place)}

    def order(self, place: GivenPlace) -> PlaceOrder:
        """Return the counted trades of a giver at a place."""
        order = self._orders.get(place)
        if isinstance(order, PlaceOrder):
            return order
        made = PlaceOrder(place.instance, self._waives)
        if order is not None:
            made.add(order, self.trades[order])
        return made

    def signed(self, place: GivenPlace) -> list[bytes]:
        """Return all known trades of a giver at a place."""
        return self._signed.get(place, [])

    def knows_waive(self, name: bytes) -> bool:
        """Check for a waive with this id."""
        return name in self._waives

    def denied(self, trade: Trade, one: CardTransfer) -> bool:
        """Check that the giver has waived the trade that a transfer is directly over."""
        return one.over is not None and trade.giver(one) in self.waivers.get(one.over, ())

    def _count(self, name: bytes) -> set[bytes]:
        """Count the transfers of a trade whose waives are known, and all that waited for them."""
        touched: set[bytes] = set()
        ready = [(name, one) for one in self.trades[name].transfers]
        while ready:
            name, one = ready.pop()
            trade = self.trades[name]
            if not self._may_count(trade, one):
                self._waiting.setdefault((one.instance, one.over), []).append((name, one))
                continue
            place = given_place(trade, one)
            touched.add(name)
            if place not in self._orders:
                self._orders[place] = name
            else:
                order = self._orders[place] = self.order(place)
                before = order.clear
                if before != order.add(name, trade):
                    touched.update(self._signed[place])
            self._counted.add((one.instance, name))
            ready += self._waiting.pop((one.instance, name), ())
        return touched

    def _may_count(self, trade: Trade, one: CardTransfer) -> bool:
        """Check what a transfer is over."""
        if one.over is None:
            return True
        there = (one.instance, one.over) in self._counted
        under = replaced_transfer(trade, one, self.trades[one.over]) if there else None
        return under is not None and under.index + 1 == one.index


def conflicting_pair(
    place: GivenPlace, trades: Mapping[bytes, Trade], waives: Mapping[bytes, Waive]
) -> tuple[bytes, bytes] | None:
    """Return the two trades that stand for a conflict among counted trades of a place. `waives`:
    those that they list, at least.

    The trades are taken by ascending index and id. The first that conflicts with an earlier one is
    the second of the pair; the first of the pair is the first that it conflicts with.
    """
    order = PlaceOrder(place.instance, waives)
    moved = {name: transfer_of(trade, place.instance) for name, trade in trades.items()}
    before: list[bytes] = []
    for name in sorted(trades, key=lambda name: (moved[name].index, name)):
        if not order.add(name, trades[name]):
            return _first_rival(name, before, trades, moved), name
        before.append(name)
    return None


def _first_rival(
    name: bytes,
    before: Iterable[bytes],
    trades: Mapping[bytes, Trade],
    moved: Mapping[bytes, CardTransfer],
) -> bytes:
    """Return the first trade among `before` that conflicts with the trade `name`."""
    trade = trades[name]
    chain = replaced_trades(trade, moved[name], trades)
    listed = set(trade.waives).union(*(trades[below].waives for below in chain))
    waive = waive_id(name, trade.receiver(moved[name]))
    covering: set[bytes] = set()
    for other in before:
        rival = trades[other]
        if waive in rival.waives or moved[other].over in covering:
            covering.add(other)
        elif other not in chain and waive_id(other, rival.receiver(moved[other])) not in listed:
            return other
    raise AssertionError("a conflict is between two trades")

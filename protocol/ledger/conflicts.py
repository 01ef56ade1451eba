"""Trades of one giver that contradict each other (docs/protocol, 24.3).

A giver may sign several trades of a card from one place only if, of any two, the later one covers
the earlier. A trade covers the trades that it is over, directly or further down. It also covers the
trades whose waives by the card's receiver it lists, itself or through what it is over.

A trade counts once all waives that it lists are known, and all that it is over counts. Everything
here depends on such trades alone, so a conflict never ends, whatever else becomes known.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from protocol.ledger.record_contents import CardTransfer, Trade, Waive
from protocol.ledger.records import waive_id
from protocol.ledger.trade_links import replaced_transfer, transfer_of


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

    `clear` is False once two of them conflict; the order is of no use then.
    """

    def __init__(self, instance: bytes) -> None:
        self.instance = instance
        self.names: list[bytes] = []
        self.clear = True
        self.trades: dict[bytes, Trade] = {}
        self._at: dict[bytes, int] = {}
        # by id of its receiver's waive: a trade
        self._waived: dict[bytes, bytes] = {}

    def add(self, name: bytes, trade: Trade) -> bool:
        """Add a trade whose replaced trades are here. Return False after a conflict."""
        one = transfer_of(trade, self.instance)
        place, covered = self._place(trade, one)
        waive = waive_id(name, trade.receiver(one))
        self.trades[name] = trade
        self._waived[waive] = name
        self.clear = self.clear and covered and self._cover(waive, place)
        if self.clear:
            self.names.insert(place, name)
            for number in range(place, len(self.names)):
                self._at[self.names[number]] = number
        return self.clear

    def covers_all(self, trade: Trade, one: CardTransfer) -> bool:
        """Check that a new trade covers all trades here."""
        return self.clear and self._place(trade, one) == (len(self.names), True)

    def uncovered(self, over: bytes | None) -> list[bytes]:
        """Return the trades here that a new trade over `over` must list."""
        return self.names[0 if over is None else self._at[over] + 1 :]

    def waive_of(self, name: bytes) -> bytes:
        """Return the id of the waive of a trade here by the card's receiver."""
        trade = self.trades[name]
        return waive_id(name, trade.receiver(transfer_of(trade, self.instance)))

    def _place(self, trade: Trade, one: CardTransfer) -> tuple[int, bool]:
        """Return the number of leading trades up to the last that this trade covers by itself, and
        whether it covers all of these.
        """
        below = -1 if one.over is None else self._at.get(one.over, -1)
        named = (self._waived.get(waive) for waive in trade.waives)
        listed = {self._at[name] for name in named if name in self._at}
        place = 1 + max(below, *listed, -1)
        return place, all(number in listed for number in range(below + 1, place))

    def _cover(self, waive: bytes, place: int) -> bool:
        """Check that all trades from this place on list the waive, or are over one that does."""
        covering: set[bytes] = set()
        for name in self.names[place:]:
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
        self._waives: set[bytes] = set()
        self._orders: dict[GivenPlace, PlaceOrder] = {}
        # all trades of a giver at a place, including those that do not count yet
        self._signed: dict[GivenPlace, list[bytes]] = defaultdict(list)
        # by missing waive, or by card and trade that does not count yet
        self._waiting: dict[object, list[tuple[bytes, CardTransfer]]] = {}
        self._counted: set[tuple[bytes, bytes]] = set()  # instance, trade
        # by trade: trades that are over it
        self._over: dict[bytes, list[bytes]] = defaultdict(list)

    def trade(self, name: bytes, trade: Trade) -> set[bytes]:
        """Add a trade."""
        self.trades[name] = trade
        for one in trade.transfers:
            self._signed[given_place(trade, one)].append(name)
            if one.over is not None:
                self._over[one.over].append(name)
        touched = {name}
        for one in trade.transfers:
            touched |= self._count([(name, one)])
        return touched

    def waive(self, name: bytes, waive: Waive) -> set[bytes]:
        """Add a waive."""
        self._waives.add(name)
        self.waivers.setdefault(waive.trade, set()).add(waive.creator)
        return {waive.trade, *self._over.get(waive.trade, ())} | self._count(
            self._waiting.pop(name, [])
        )

    def conflict(self, place: GivenPlace) -> bool:
        """Check for two trades of this giver from this place that conflict."""
        order = self._orders.get(place)
        return order is not None and not order.clear

    def places_of(self, trade: Trade) -> set[GivenPlace]:
        """Return the places of a trade that have a conflict."""
        return {place for place in given_places(trade) if self.conflict(place)}

    def order(self, place: GivenPlace) -> PlaceOrder:
        """Return the counted trades of a giver at a place."""
        return self._orders.get(place) or PlaceOrder(place.instance)

    def signed(self, place: GivenPlace) -> list[bytes]:
        """Return all known trades of a giver at a place."""
        return self._signed.get(place, [])

    def knows_waive(self, name: bytes) -> bool:
        """Check for a waive with this id."""
        return name in self._waives

    def denied(self, trade: Trade, one: CardTransfer) -> bool:
        """Check that the giver has waived the trade that a transfer is directly over."""
        return one.over is not None and trade.giver(one) in self.waivers.get(one.over, ())

    def _count(self, ready: list[tuple[bytes, CardTransfer]]) -> set[bytes]:
        """Count transfers whose waives and replaced trades count, and all that waited for them."""
        touched: set[bytes] = set()
        while ready:
            name, one = ready.pop()
            trade = self.trades[name]
            missing = self._missing(trade, one)
            if missing is not None:
                self._waiting.setdefault(missing, []).append((name, one))
                continue
            place = given_place(trade, one)
            order = self._orders.setdefault(place, PlaceOrder(one.instance))
            before = order.clear
            touched.add(name)
            if before != order.add(name, trade):
                touched.update(self._signed[place])
            self._counted.add((one.instance, name))
            ready += self._waiting.pop((one.instance, name), ())
        return touched

    def _missing(self, trade: Trade, one: CardTransfer) -> object:
        for waive in trade.waives:
            if waive not in self._waives:
                return waive
        if one.over is None:
            return None
        there = (one.instance, one.over) in self._counted
        under = replaced_transfer(trade, one, self.trades[one.over]) if there else None
        if under is None or under.index + 1 != one.index:
            return one.instance, one.over
        return None


def conflicting_pair(
    place: GivenPlace, trades: Mapping[bytes, Trade]
) -> tuple[bytes, bytes] | None:
    """Return the two trades that stand for a conflict among counted trades of a place.

    The trades are taken by ascending index and id. The first that conflicts with an earlier one is
    the second of the pair; the first of the pair is the first that it conflicts with.
    """
    order = PlaceOrder(place.instance)
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

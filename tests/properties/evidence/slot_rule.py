"""The rule before trades listed waives, as a comparison: a slot takes one trade until its receiver
waives it.

Only the search uses this module. It shows that the search finds what was wrong with this rule.
"""

from collections import defaultdict
from collections.abc import Iterable

from protocol.ledger.conflicts import given_place
from protocol.ledger.record_contents import CardTransfer, Instance, Trade, Waive
from protocol.ledger.records import LedgerRecord, parents
from protocol.ledger.trade_links import links_hold, replaced_transfer, transfer_of

Slot = tuple[bytes, bytes | None, bytes | None, bytes]


class SlotView:
    """View of a set of records by the rule before."""

    def __init__(self, records: Iterable[LedgerRecord]) -> None:
        self.records = {record.id: record for record in records}
        contents = {name: record.content for name, record in self.records.items()}
        self.trades = {name: it for name, it in contents.items() if isinstance(it, Trade)}
        self.instances = {name: it for name, it in contents.items() if isinstance(it, Instance)}
        self.waivers: dict[bytes, set[bytes]] = defaultdict(set)
        for content in contents.values():
            if isinstance(content, Waive):
                self.waivers[content.trade].add(content.creator)
        self.standing = self._standing()
        self.live: set[bytes] = set()
        for name in self._whole():
            if links_hold(self.trades[name], self.records, self.instances) and self._holds(name):
                self.live.add(name)

    @property
    def dead(self) -> set[bytes]:
        """No trade was dead for ever."""
        return set()

    def named(self) -> set[bytes]:
        """Return the keys that alarms name."""
        found = {slot[3] for slot, there in self.standing.items() if len(there) > 1}
        for name, trade in self.trades.items():
            found |= self.waivers[name] & {trade.a, trade.b}
        return found

    def owner(self, instance: bytes) -> tuple[bytes, bytes | None]:
        """Return the owner of a card, with the trade by which the owner got it."""
        tip: bytes | None = None
        owner = self.instances[instance].creator
        while after := [
            name
            for name in self.live
            for one in self.trades[name].transfers
            if (one.instance, one.prev) == (instance, tip)
        ]:
            tip = after[0]
            owner = self.trades[tip].receiver(transfer_of(self.trades[tip], instance))
        return owner, tip

    def next_transfer(self, instance: bytes) -> CardTransfer | None:
        """Return the next transfer of a card; None if it is burnt."""
        owner, tip = self.owner(instance)
        over: bytes | None = None
        while there := self.standing.get((instance, tip, over, owner)):
            (first, *others) = sorted(there)
            if others or owner in self.waivers[first]:
                return None
            over = first
        before = over or tip
        index = 0 if before is None else 1 + transfer_of(self.trades[before], instance).index
        return CardTransfer(instance, 0, index, tip, over)

    def gave_away(self, instance: bytes, prev: bytes | None, holder: bytes) -> bool:
        """Check that the holder has given the card away from this place, or twice."""
        place = (instance, prev)
        if any(
            slot[:2] == place and slot[3] == holder and len(there) > 1
            for slot, there in self.standing.items()
        ):
            return True
        return any(
            given_place(self.trades[name], one) == (*place, holder)
            for name in self.live
            for one in self.trades[name].transfers
        )

    def _standing(self) -> dict[Slot, set[bytes]]:
        standing: dict[Slot, set[bytes]] = defaultdict(set)
        todo = [
            (name, one)
            for name, trade in self.trades.items()
            for one in trade.transfers
            if trade.receiver(one) not in self.waivers[name]
        ]
        while todo:
            name, one = todo.pop()
            trade = self.trades[name]
            slot = standing[_slot(trade, one)]
            if name not in slot:
                slot.add(name)
                below = replaced_transfer(trade, one, self.trades.get(one.over or b""))
                if below is not None and one.over is not None:
                    todo.append((one.over, below))
        return standing

    def _whole(self) -> list[bytes]:
        order: list[bytes] = []
        there: set[bytes] = set()
        rest = set(self.records)
        while ready := [
            name for name in rest if there.issuperset(parents(self.records[name].content))
        ]:
            there |= set(ready)
            rest -= set(ready)
            order += [name for name in ready if name in self.trades]
        return order

    def _holds(self, name: bytes) -> bool:
        trade = self.trades[name]
        return not self.waivers[name] & {trade.a, trade.b} and all(
            not self._contested(trade, one)
            and (one.prev is None or one.prev in self.live)
            and self._given_up(trade, one)
            for one in trade.transfers
        )

    def _contested(self, trade: Trade, one: CardTransfer) -> bool:
        return len(self.standing.get(_slot(trade, one), ())) > 1

    def _given_up(self, trade: Trade, one: CardTransfer) -> bool:
        while one.over is not None:
            under = one.over
            below = self.trades.get(under)
            found = replaced_transfer(trade, one, below)
            if below is None or found is None or under in self.live:
                return False
            if self._contested(below, found) or below.giver(found) in self.waivers[under]:
                return False
            trade = below
            one = found
        return True


def _slot(trade: Trade, one: CardTransfer) -> Slot:
    return one.instance, one.prev, one.over, trade.giver(one)

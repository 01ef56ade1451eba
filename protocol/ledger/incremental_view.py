"""Incremental ledger view: the same result as `view`, computed anew only where a new record may
change it.

Links are hashes, so no trade can depend on itself. Touched trades are examined once each, by depth.
Dependent trades follow only where a result has changed.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable
from heapq import heapify, heappop, heappush
from typing import TypeVar

from protocol.ledger.alarms import Alarm, Alarms
from protocol.ledger.attestations import Attestations
from protocol.ledger.conflicts import given_places
from protocol.ledger.record_contents import (
    Attestation,
    CardTransfer,
    Creator,
    FraudProof,
    Instance,
    Trade,
    Waive,
)
from protocol.ledger.records import LedgerRecord, parents
from protocol.ledger.trade_links import (
    good_instance,
    links_hold,
    replacement_chain,
    transfer_of,
)
from protocol.ledger.view import LedgerView, Place

Item = TypeVar("Item")


class IncrementalLedgerView(LedgerView):
    """Same result as `view` of all added records, in any order."""

    def __init__(self, records: Iterable[LedgerRecord] = ()) -> None:
        super().__init__()
        self._words = Attestations()
        self._records: dict[bytes, LedgerRecord] = {}
        self._alarms = Alarms(self.conflicts, self._records)
        # by incomplete record: number of its parents that are missing or incomplete
        self._missing: dict[bytes, int] = {}
        self._waiting: dict[bytes, list[bytes]] = defaultdict(list)
        # of complete records: all their ancestors are in the set
        self._depths: dict[bytes, int] = {}
        # by trade: complete trades that link to it
        self._after: dict[bytes, list[bytes]] = defaultdict(list)
        self._linked: set[bytes] = set()  # complete trades with valid links
        # linked trades by the places they continue from
        self._places: dict[Place, list[bytes]] = {}
        # linked trades attested by a quorum
        self._certified: dict[Place, set[bytes]] = defaultdict(set)
        # (trade, card): this trade, and all that it is over at this card, are dead
        self._given_up: set[tuple[bytes, bytes]] = set()
        # (trade, card): the giver has waived this trade, or one that it is over at this card
        self._denied: set[tuple[bytes, bytes]] = set()
        self._live_at: dict[Place, bytes] = {}
        for record in records:
            self.add(record)

    def add(self, record: LedgerRecord) -> None:
        """Add a record. A record that is in the set changes nothing."""
        if record.id in self._records:
            return
        self._records[record.id] = record
        touched, spoken = self._said(record)
        entered = self._enter(record)
        certified = self._count(spoken | entered)
        settled = self._look_at(certified, self._update_settled)
        mates = {mate for trade_id in settled for mate in self._successors(trade_id)}
        turned = self._look_at((touched | entered | mates) & self.trades.keys(), self._update_state)
        self._update_owners(turned)

    @property
    def alarms(self) -> tuple[Alarm, ...]:
        """Alarms of the set in their usual order."""
        return self._alarms.found()

    def _said(self, record: LedgerRecord) -> tuple[set[bytes], set[bytes]]:
        """Note what a record says; return the trades touched by trades and waives, and the trades
        touched by attestations.
        """
        content = record.content
        touched: set[bytes] = set()
        spoken: set[bytes] = set()
        match content:
            case Trade():
                touched = self.conflicts.trade(record.id, content)
            case Waive():
                touched = self.conflicts.waive(record.id, content)
            case Attestation():
                spoken = self._words.seen(content)
            case FraudProof():
                spoken = self._words.lie(content.creator)
            case Creator():
                spoken = self._words.creator(content)
        self._alarms.add(record, touched)
        return touched, spoken

    def _enter(self, record: LedgerRecord) -> set[bytes]:
        """Complete a record and all records that waited for it. Returns the trades among them."""
        above = parents(record.content)
        absent = [parent for parent in above if parent not in self._depths]
        if absent:
            self._missing[record.id] = len(absent)
            for parent in absent:
                self._waiting[parent].append(record.id)
            return set()
        ready = [record.id]
        entered = set()
        while ready:
            key = ready.pop()
            if self._enter_whole(self._records[key]):
                entered.add(key)
            for child in self._waiting.pop(key, ()):
                self._missing[child] -= 1
                if not self._missing[child]:
                    del self._missing[child]
                    ready.append(child)
        return entered

    def _enter_whole(self, record: LedgerRecord) -> bool:
        """Add a complete record to the view. Returns True for a trade."""
        content = record.content
        key = record.id
        self._depths[key] = 1 + max(
            (self._depths[parent] for parent in parents(content)), default=-1
        )
        if isinstance(content, Instance) and good_instance(
            content, self._records[content.type].content
        ):
            self.instances[key] = content
            self.last_trades[key] = None
            self.holdings.setdefault(content.creator, set()).add(key)
        if not isinstance(content, Trade):
            return False
        self.trades[key] = content
        for link in {
            link for one in content.transfers for link in (one.prev, one.over) if link is not None
        }:
            self._after[link].append(key)
        if links_hold(content, self._records, self.instances):
            self._linked.add(key)
            for one in content.transfers:
                self._places.setdefault((one.instance, one.prev), []).append(key)
        return True

    def _successors(self, trade_id: bytes) -> Iterable[bytes]:
        """Return the trades that continue from the same places as a trade, with the trade
        itself.
        """
        for one in self.trades[trade_id].transfers:
            yield from self._places.get((one.instance, one.prev), ())

    def _count(self, spoken: set[bytes]) -> set[bytes]:
        """Check the quorums of these trades. Returns the trades that may be settled now, or no
        longer.
        """
        touched: set[bytes] = set()
        for trade_id in spoken & self.trades.keys():
            trade = self.trades[trade_id]
            first = trade.transfers[0]
            before = trade_id in self._certified.get((first.instance, first.prev), ())
            now = trade_id in self._linked and self._words.enough(trade_id, trade, self.instances)
            if now != before:
                touched |= self._update_certified(trade_id, trade, now)
        return touched

    def _update_certified(self, trade_id: bytes, trade: Trade, now: bool) -> set[bytes]:
        """Note that a trade has its quorum now, or no longer. Returns the trades to examine.

        A new quorum can settle only this trade, and unsettle others. A lost quorum may settle
        others.
        """
        touched = {trade_id}
        for one in trade.transfers:
            there = self._certified[one.instance, one.prev]
            (there.add if now else there.discard)(trade_id)
            touched |= there & self.settled if now else there
        return touched

    def _look_at(self, trades: Iterable[bytes], look: Callable[[bytes], bool]) -> set[bytes]:
        """Examine trades, and the trades that depend on changed ones. Returns the changed trades.

        The heap orders trades by depth, so each trade is examined after those it depends on. The
        order of the records does not matter.
        """
        ahead = [(self._depths[trade_id], trade_id) for trade_id in trades]
        turned = set()
        heapify(ahead)
        last: tuple[int, bytes] | None = None
        while ahead:
            here = heappop(ahead)
            if here != last and look(here[1]):
                turned.add(here[1])
                for after in self._after.get(here[1], ()):
                    heappush(ahead, (self._depths[after], after))
            last = here
        return turned

    def _update_settled(self, trade_id: bytes) -> bool:
        """Update the settled state of a trade. Returns True if it has changed."""
        settled = all(
            self._is_last(trade_id, one) and (one.prev is None or one.prev in self.settled)
            for one in self.trades[trade_id].transfers
        )
        if settled == (trade_id in self.settled):
            return False
        (self.settled.add if settled else self.settled.discard)(trade_id)
        return True

    def _is_last(self, trade_id: bytes, one: CardTransfer) -> bool:
        """Check that a quorum has attested this trade, and no other at its place except those that
        it replaces.
        """
        certified = self._certified.get((one.instance, one.prev), set())
        return trade_id in certified and (
            len(certified) == 1 or certified <= replacement_chain(trade_id, one, self.trades)
        )

    def _update_state(self, trade_id: bytes) -> bool:
        """Update the state of a trade, and what it means for trades over it. Returns True after a
        change.
        """
        trade = self.trades[trade_id]
        settled = trade_id in self.settled
        dead = not settled and self._is_dead(trade_id, trade)
        live = settled or (not dead and all(map(self._has_origin, trade.transfers)))
        changed = _assign(self.dead, trade_id, dead)
        changed |= _assign(self.live, trade_id, live)
        for one in trade.transfers:
            below = one.over, one.instance
            here = trade_id, one.instance
            denied = trade.giver(one) in self.waivers.get(trade_id, ()) or below in self._denied
            changed |= _assign(self._denied, here, denied)
            given_up = dead and (one.over is None or below in self._given_up)
            changed |= _assign(self._given_up, here, given_up)
        return changed

    def _is_dead(self, trade_id: bytes, trade: Trade) -> bool:
        """Apply rule 5."""
        if trade_id not in self._linked or {trade.a, trade.b} & self.waivers.get(trade_id, set()):
            return True
        if any(map(self.conflicts.conflict, given_places(trade))):
            return True
        return any(
            one.prev in self.dead
            or (one.over, one.instance) in self._denied
            or not self._certified.get((one.instance, one.prev), set()).isdisjoint(self.settled)
            for one in trade.transfers
        )

    def _has_origin(self, one: CardTransfer) -> bool:
        """Apply rule 6 to a card of a trade that is not dead."""
        return (one.prev is None or one.prev in self.live) and (
            one.over is None or (one.over, one.instance) in self._given_up
        )

    def _update_owners(self, turned: set[bytes]) -> None:
        """Apply rule 7: update the owners of cards in trades that have become valid or void."""
        cards = set()
        # void trades first, because they free places
        for trade_id in sorted(turned, key=self.live.__contains__):
            for one in self.trades[trade_id].transfers:
                place = one.instance, one.prev
                if trade_id in self.live:
                    self._live_at[place] = trade_id
                elif self._live_at.get(place) == trade_id:
                    del self._live_at[place]
                cards.add(one.instance)
        for instance in cards & self.instances.keys():
            self._hand_over(instance)

    def _hand_over(self, instance: bytes) -> None:
        """Go back to the card's last valid trade, and forward from there."""
        tip = self.last_trades[instance]
        before = self._owner(instance)
        while tip is not None and tip not in self.live:
            tip = transfer_of(self.trades[tip], instance).prev
        while (instance, tip) in self._live_at:
            tip = self._live_at[instance, tip]
        self.last_trades[instance] = tip
        owner = self._owner(instance)
        if owner != before:
            self.holdings[before].discard(instance)
            self.holdings.setdefault(owner, set()).add(instance)


def _assign(where: set[Item], item: Item, there: bool) -> bool:
    """Add an item to a set, or remove it. Returns True after a change."""
    if (item in where) == there:
        return False
    (where.add if there else where.discard)(item)
    return True

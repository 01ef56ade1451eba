"""Incremental ledger view: the same result as `view`, computed anew only where a new record may
change it.

Adding a record takes time in proportion to its links. The rest is done once for all records that
were added since, before the view is read: each touched trade is examined once, by depth, and
dependent trades follow only where a result has changed. Links are hashes, so no trade can depend on
itself. Somebody whose records let a chain of trades fall and rise again and again so causes one walk
along the chain for all of them.
"""

from collections import defaultdict
from collections.abc import Callable, Generator, Iterable, Iterator
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
    transfer_of,
)
from protocol.ledger.view import LedgerView, Place

Item = TypeVar("Item")


class IncrementalLedgerView(LedgerView):
    """Same result as `view` of all added records, in any order.

    Whoever reads the view gets it as of the last `add`. `update` prepares this in small steps.
    """

    def __init__(self, records: Iterable[LedgerRecord] = ()) -> None:
        # trades whose state may have changed since the last update, and trades whose quorum may
        self._touched: set[bytes] = set()
        self._entered: set[bytes] = set()
        self._work: Iterator[None] | None = None
        self.steps = 0  # taken so far; each examines one trade
        self._words = Attestations()
        super().__init__()
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
        # the certified trade of a place that is over all others there
        self._tops: dict[Place, bytes] = {}
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
        self._touched |= self._said(record)
        self._entered |= self._enter(record)

    def update(self, most: int | None = None) -> bool:
        """Take in all added records, or take at most `most` steps. Return False if more is left."""
        while not self.ready:
            self._work = self._work or self._take_in()
            for _ in self._work:
                self.steps += 1
                if most is not None:
                    most -= 1
                    if most <= 0:
                        return False
            self._work = None
        return True

    @property
    def ready(self) -> bool:
        """True if nothing was added since the last update."""
        return self._work is None and not (self._touched or self._entered or self._words.unsettled)

    @property
    def live(self) -> set[bytes]:
        """Trades that hold."""
        self.update()
        return self._live

    @live.setter
    def live(self, trades: set[bytes]) -> None:
        self._live = trades

    @property
    def dead(self) -> set[bytes]:
        """Trades that are dead."""
        self.update()
        return self._dead

    @dead.setter
    def dead(self, trades: set[bytes]) -> None:
        self._dead = trades

    @property
    def settled(self) -> set[bytes]:
        """Certified trades that rest on certified ones."""
        self.update()
        return self._settled

    @settled.setter
    def settled(self, trades: set[bytes]) -> None:
        self._settled = trades

    @property
    def last_trades(self) -> dict[bytes, bytes | None]:
        """By instance: the last trade that holds."""
        self.update()
        return self._last_trades

    @last_trades.setter
    def last_trades(self, trades: dict[bytes, bytes | None]) -> None:
        self._last_trades = trades

    @property
    def holdings(self) -> dict[bytes, set[bytes]]:
        """By owner: instances."""
        self.update()
        return self._holdings

    @holdings.setter
    def holdings(self, held: dict[bytes, set[bytes]]) -> None:
        self._holdings = held

    @property
    def alarms(self) -> tuple[Alarm, ...]:
        """Alarms of the set in their usual order."""
        self.update()
        return self._alarms.found()

    def _take_in(self) -> Iterator[None]:
        """Update the view for all records that were added, in steps. Records that are added
        meanwhile are left for the next round.
        """
        touched = self._touched
        entered = self._entered
        self._touched = set()
        self._entered = set()
        changed = yield from self._count((self._words.touched() | entered) & self.trades.keys())
        tops = yield from self._update_tops(changed)
        settled = yield from self._look_at(tops, self._update_settled)
        places = {place for trade_id in settled for place in self._places_of(trade_id)}
        mates = {mate for place in places for mate in self._places.get(place, ())}
        turned = yield from self._look_at(
            (touched | entered | mates) & self.trades.keys(), self._update_state
        )
        yield from self._update_owners(turned)
        yield from self._alarms.steps()

    def _said(self, record: LedgerRecord) -> set[bytes]:
        """Note what a record says. Return the trades whose state may change by a trade or waive."""
        content = record.content
        touched: set[bytes] = set()
        match content:
            case Trade():
                touched = self.conflicts.trade(record.id, content)
            case Waive():
                touched = self.conflicts.waive(record.id, content)
            case Attestation():
                self._words.seen(content)
            case FraudProof():
                self._words.lie(content.creator)
            case Creator():
                self._words.creator(content)
        self._alarms.add(record, touched)
        return touched

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
            self._last_trades[key] = None
            self._holdings.setdefault(content.creator, set()).add(key)
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

    def _places_of(self, trade_id: bytes) -> Iterator[Place]:
        return ((one.instance, one.prev) for one in self.trades[trade_id].transfers)

    def _count(self, trades: set[bytes]) -> Generator[None, None, set[Place]]:
        """Check the quorums of these trades. Returns the places where one has its quorum now, or
        no longer.
        """
        changed: set[Place] = set()
        for trade_id in trades:
            yield
            trade = self.trades[trade_id]
            before = trade_id in self._certified.get(next(self._places_of(trade_id)), ())
            now = trade_id in self._linked and self._words.enough(trade_id, trade, self.instances)
            if now != before:
                for place in self._places_of(trade_id):
                    (self._certified[place].add if now else self._certified[place].discard)(
                        trade_id
                    )
                    changed.add(place)
        return changed

    def _update_tops(self, places: set[Place]) -> Generator[None, None, set[bytes]]:
        """Find the certified trade of each place that is over all others with a quorum there.
        Returns the trades that are it now, or no longer.
        """
        touched: set[bytes] = set()
        for place in places:
            certified = self._certified[place]
            top = max(certified, key=lambda name: self._index(name, place[0]), default=None)
            below = top
            left = len(certified)
            while below is not None and left:
                yield
                left -= below in certified
                below = transfer_of(self.trades[below], place[0]).over
            old = self._tops.pop(place, None)
            if top is not None and not left:
                self._tops[place] = top
            touched |= {old, self._tops.get(place)} - {None}  # type: ignore[arg-type]
        return touched

    def _index(self, trade_id: bytes, instance: bytes) -> int:
        return transfer_of(self.trades[trade_id], instance).index

    def _look_at(
        self, trades: Iterable[bytes], look: Callable[[bytes], bool]
    ) -> Generator[None, None, set[bytes]]:
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
            if here == last:
                continue
            last = here
            yield
            if look(here[1]):
                turned.add(here[1])
                for after in self._after.get(here[1], ()):
                    heappush(ahead, (self._depths[after], after))
        return turned

    def _update_settled(self, trade_id: bytes) -> bool:
        """Update the settled state of a trade. Returns True if it has changed."""
        settled = all(
            self._tops.get((one.instance, one.prev)) == trade_id
            and (one.prev is None or one.prev in self._settled)
            for one in self.trades[trade_id].transfers
        )
        return _assign(self._settled, trade_id, settled)

    def _update_state(self, trade_id: bytes) -> bool:
        """Update the state of a trade, and what it means for trades over it. Returns True after a
        change.
        """
        trade = self.trades[trade_id]
        settled = trade_id in self._settled
        dead = not settled and self._is_dead(trade_id, trade)
        live = settled or (not dead and all(map(self._has_origin, trade.transfers)))
        changed = _assign(self._dead, trade_id, dead)
        changed |= _assign(self._live, trade_id, live)
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
            one.prev in self._dead
            or (one.over, one.instance) in self._denied
            or self._tops.get((one.instance, one.prev)) in self._settled
            for one in trade.transfers
        )

    def _has_origin(self, one: CardTransfer) -> bool:
        """Apply rule 6 to a card of a trade that is not dead."""
        return (one.prev is None or one.prev in self._live) and (
            one.over is None or (one.over, one.instance) in self._given_up
        )

    def _update_owners(self, turned: set[bytes]) -> Iterator[None]:
        """Apply rule 7: update the owners of cards in trades that have become valid or void."""
        cards = set()
        # void trades first, because they free places
        for trade_id in sorted(turned, key=self._live.__contains__):
            yield
            for one in self.trades[trade_id].transfers:
                place = one.instance, one.prev
                if trade_id in self._live:
                    self._live_at[place] = trade_id
                elif self._live_at.get(place) == trade_id:
                    del self._live_at[place]
                cards.add(one.instance)
        for instance in cards & self.instances.keys():
            yield from self._hand_over(instance)

    def _hand_over(self, instance: bytes) -> Iterator[None]:
        """Go back to the card's last valid trade, and forward from there."""
        tip = self._last_trades[instance]
        before = self._receiver(instance, tip)
        while tip is not None and tip not in self._live:
            yield
            tip = transfer_of(self.trades[tip], instance).prev
        while (instance, tip) in self._live_at:
            yield
            tip = self._live_at[instance, tip]
        self._last_trades[instance] = tip
        owner = self._receiver(instance, tip)
        if owner != before:
            self._holdings[before].discard(instance)
            self._holdings.setdefault(owner, set()).add(instance)


def _assign(where: set[Item], item: Item, there: bool) -> bool:
    """Add an item to a set, or remove it. Returns True after a change."""
    if (item in where) == there:
        return False
    (where.add if there else where.discard)(item)
    return True

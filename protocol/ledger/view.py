"""Owners of cards as a pure function of a set of records (docs/protocol, 24.3 and 24.4).

This module computes the view from scratch, rule by rule. `IncrementalLedgerView` computes the same
for a growing set.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from protocol.errors import LocalError
from protocol.ledger.alarms import (
    Alarm,
    Claim,
    claims,
    conflict_alarm,
    contradicting_pair,
    sorted_alarms,
    waive_alarms,
)
from protocol.ledger.attestations import is_quorum
from protocol.ledger.conflicts import (
    Conflicts,
    GivenPlace,
    given_place,
    given_places,
    replaced_trades,
)
from protocol.ledger.record_contents import (
    Attestation,
    CardTransfer,
    Creator,
    FraudProof,
    Instance,
    Trade,
    Waive,
)
from protocol.ledger.records import LedgerRecord, content_id, parents
from protocol.ledger.trade_links import (
    good_instance,
    links_hold,
    replacement_chain,
    transfer_of,
)

# a card, and the trade by which its sender got it: only one later trade may continue from a place
Place = tuple[bytes, bytes | None]


class Holding(NamedTuple):
    """Owner of a card, with the trade by which the owner got it (None: the owner created the card).

    `burnt`: the card can never be traded or played again. `settled`: the trade is certified, so no
    later cheat can undo it.
    """

    owner: bytes
    trade: bytes | None
    burnt: bool
    settled: bool


@dataclass
class LedgerView:
    """View of a set of records. Only `evaluate` and `IncrementalLedgerView` fill it; callers only
    read.

    A trade is live, dead or pending. A dead trade never moves a card again. A pending trade moves
    none as long as more is not known.
    """

    # instances of known types by the same creator
    instances: dict[bytes, Instance] = field(default_factory=dict)
    # trades whose ancestors are all in the set
    trades: dict[bytes, Trade] = field(default_factory=dict)
    live: set[bytes] = field(default_factory=set)
    dead: set[bytes] = field(default_factory=set)
    settled: set[bytes] = field(default_factory=set)
    # by instance: the last live trade
    last_trades: dict[bytes, bytes | None] = field(default_factory=dict)
    holdings: dict[bytes, set[bytes]] = field(default_factory=dict)  # by owner: instances
    conflicts: Conflicts = field(default_factory=Conflicts)

    @property
    def waivers(self) -> dict[bytes, set[bytes]]:
        """Keys that have waived a trade, by trade."""
        return self.conflicts.waivers

    def holding(self, instance: bytes) -> Holding | None:
        """Return the owner of a card; None for an unknown card."""
        if instance not in self.instances:
            return None
        tip = self.last_trades[instance]
        return Holding(self._owner(instance), tip, self._is_burnt(instance), tip in self.settled)

    def held_by(self, key: bytes) -> tuple[bytes, ...]:
        """Return the instances that this key owns, ascending, including burnt ones."""
        return tuple(sorted(self.holdings.get(key, ())))

    def void(self, trade: bytes) -> bool:
        """Check that a trade moves no cards. Unknown trades, and trades with unknown ancestors, are
        void.
        """
        return trade not in self.live

    def certified(self, trade: bytes) -> bool:
        """Check that a trade and all its ancestors are settled by the witnesses that the cards'
        creators name.
        """
        return trade in self.settled

    @property
    def alarms(self) -> tuple[Alarm, ...]:
        """Alarms of the set in their usual order."""
        raise NotImplementedError

    def next_transfer(self, instance: bytes, sender_side: int) -> CardTransfer:
        """Return the transfer of this card in a new trade of its owner. `sender_side`: 0 if the
        owner is the trade's a.

        Raises: LocalError for an unknown or burnt card, or if a trade by the owner is pending.
        """
        if instance not in self.instances:
            raise LocalError("wrong.ledger.unknown")
        if self._is_burnt(instance):
            raise LocalError("wrong.ledger.burnt")
        place = self._place(instance)
        over = self._last_replaced(place)
        known = self.conflicts.order(place)
        if len(known.names) < len(self.conflicts.signed(place)) or not self._gives_up(
            over, instance
        ):
            raise LocalError("wrong.ledger.unknown")
        before = over or place.prev
        # the owner signed the earlier trade, but its ancestors are missing here
        if before is not None and before not in self.trades:
            raise LocalError("wrong.ledger.unknown")
        index = 0 if before is None else 1 + transfer_of(self.trades[before], instance).index
        return CardTransfer(instance, sender_side, index, place.prev, over)

    def listed_waives(self, instance: bytes) -> tuple[bytes, ...]:
        """Return the known waives that the next trade of a card must list. The owner may have
        signed other trades, which are unknown here.
        """
        place = self._place(instance)
        order = self.conflicts.order(place)
        over = self._last_replaced(place)
        return tuple(order.waive_of(name) for name in order.uncovered(over))

    def can_hold(self, trade: Trade) -> bool:
        """Check that a new trade by the owners of its cards holds as soon as both have signed it,
        and names nobody.
        """
        if not all(map(self.conflicts.knows_waive, trade.waives)):
            return False
        return all(
            self.conflicts.order(given_place(trade, one)).covers_all(trade, one)
            for one in trade.transfers
        )

    def with_free_number(self, trade: Trade) -> Trade:
        """Return the trade with the lowest number, from its own on, that no party has waived. A
        party cannot finish a trade after waiving it.
        """
        while self.waivers.get(content_id(trade), set()) & {trade.a, trade.b}:
            trade = replace(trade, number=trade.number + 1)
        return trade

    def _owner(self, instance: bytes) -> bytes:
        return self._receiver(instance, self.last_trades[instance])

    def _receiver(self, instance: bytes, tip: bytes | None) -> bytes:
        """Return the owner of a card if `tip` is its last trade."""
        if tip is None:
            return self.instances[instance].creator
        trade = self.trades[tip]
        return trade.receiver(transfer_of(trade, instance))

    def _place(self, instance: bytes) -> GivenPlace:
        """Return the place from which the owner of a card gives it next."""
        return GivenPlace(instance, self.last_trades[instance], self._owner(instance))

    def _last_replaced(self, place: GivenPlace) -> bytes | None:
        """Return the last counted trade of a place that the receiver has not waived. The next trade
        is over it, and lists the waives of all after it.
        """
        trades = self.conflicts.trades
        for name in reversed(self.conflicts.order(place).names):
            one = transfer_of(trades[name], place.instance)
            if trades[name].receiver(one) not in self.waivers.get(name, ()):
                return name
        return None

    def _gives_up(self, over: bytes | None, instance: bytes) -> bool:
        """Check that a trade, and all that it is over at a card, are dead."""
        if over is None:
            return True
        trade = self.conflicts.trades[over]
        below = replaced_trades(trade, transfer_of(trade, instance), self.conflicts.trades)
        return self.dead.issuperset((over, *below))

    def _is_burnt(self, instance: bytes) -> bool:
        """Check that the owner has signed two trades of a card that conflict, or has waived one
        that the next trade would be over.
        """
        place = self._place(instance)
        if self.conflicts.conflict(place):
            return True
        over = self._last_replaced(place)
        if over is None:
            return False
        trade = self.conflicts.trades[over]
        below = replaced_trades(trade, transfer_of(trade, instance), self.conflicts.trades)
        return any(place.giver in self.waivers.get(name, ()) for name in (over, *below))


@dataclass
class _EvaluatedView(LedgerView):
    found: tuple[Alarm, ...] = ()

    @property
    def alarms(self) -> tuple[Alarm, ...]:
        return self.found


def evaluate(records: Iterable[LedgerRecord]) -> LedgerView:
    """Compute the view of these records, in any order."""
    return _Evaluation({record.id: record for record in records}).done()


class _Evaluation:
    """An evaluation, with one method for each rule."""

    def __init__(self, records: dict[bytes, LedgerRecord]) -> None:
        self.records = records
        self.out = _EvaluatedView()
        self.signed: dict[bytes, Trade] = {
            key: record.content
            for key, record in records.items()
            if isinstance(record.content, Trade)
        }
        self.places: dict[Place, set[bytes]] = defaultdict(set)
        self.linked: set[bytes] = set()
        # (trade, card): the giver has waived this trade, or one that it is over at this card
        self.denied: set[tuple[bytes, bytes]] = set()
        # (trade, card): this trade, and all that it is over at this card, are dead
        self.given_up: set[tuple[bytes, bytes]] = set()

    def done(self) -> LedgerView:
        out = self.out
        self._index()
        out.found = sorted_alarms(self._alarms())
        order = self._whole()
        certified = self._certified()
        for trade_id in order:
            if self._settles(trade_id, certified):
                out.settled.add(trade_id)
        for trade_id in order:
            if self._is_dead(trade_id):
                out.dead.add(trade_id)
            elif self._holds(trade_id):
                out.live.add(trade_id)
            self._note_replaced(trade_id)
        self._owners()
        return out

    def _index(self) -> None:
        for key, record in self.records.items():
            if isinstance(record.content, Trade):
                self.out.conflicts.trade(key, record.content)
            elif isinstance(record.content, Waive):
                self.out.conflicts.waive(key, record.content)

    def _alarms(self) -> Iterable[Alarm]:
        said: dict[Claim, list[LedgerRecord]] = defaultdict(list)
        for record in self.records.values():
            for claim in claims(record.content):
                said[claim].append(record)
        for claim, both in said.items():
            if found := contradicting_pair(both):
                yield Alarm(claim[-1], *found)  # type: ignore[arg-type]
        conflicts = self.out.conflicts
        places = {place for trade in self.signed.values() for place in conflicts.places_of(trade)}
        for place in places:
            alarm = conflict_alarm(place, conflicts.order(place), self.records)
            if alarm is not None:
                yield alarm
        for trade_id, trade in self.signed.items():
            yield from waive_alarms(trade_id, trade, conflicts.waivers, self.records)

    def _whole(self) -> list[bytes]:
        """Return the trades whose ancestors are all in the set, parents first, and add them to the
        view.
        """
        missing = {key: len(parents(record.content)) for key, record in self.records.items()}
        waiting: dict[bytes, list[bytes]] = defaultdict(list)
        for key, record in self.records.items():
            for parent in parents(record.content):
                waiting[parent].append(key)
        ready = [key for key, left in missing.items() if not left]
        order = []
        while ready:
            key = ready.pop()
            self._enter(key)
            if key in self.signed:
                order.append(key)
            for child in waiting[key]:
                missing[child] -= 1
                if not missing[child]:
                    ready.append(child)
        return order

    def _enter(self, key: bytes) -> None:
        content = self.records[key].content
        out = self.out
        if isinstance(content, Instance) and good_instance(
            content, self.records[content.type].content
        ):
            out.instances[key] = content
        if isinstance(content, Trade):
            out.trades[key] = content
            if links_hold(content, self.records, out.instances):
                self.linked.add(key)
                for one in content.transfers:
                    self.places[one.instance, one.prev].add(key)

    def _certified(self) -> set[bytes]:
        """Return the trades attested by a quorum for each of their cards."""
        liars = {
            alarm.key
            for alarm in self.out.found
            if isinstance(alarm.first.content, Attestation | FraudProof)
        }
        words: dict[tuple[bytes, bytes], set[bytes]] = defaultdict(set)
        named: dict[bytes, list[Creator]] = defaultdict(list)
        for record in self.records.values():
            if isinstance(record.content, Attestation):
                words[record.content.slot, record.content.trade].add(record.content.creator)
            if isinstance(record.content, Creator):
                named[record.content.creator].append(record.content)

        def enough(trade_id: bytes, one: CardTransfer) -> bool:
            makers = named[self.out.instances[one.instance].creator]
            return any(is_quorum(maker, words[one.slot, trade_id], liars) for maker in makers)

        return {
            key
            for key in self.linked
            if all(enough(key, one) for one in self.signed[key].transfers)
        }

    def _settles(self, trade_id: bytes, certified: set[bytes]) -> bool:
        return trade_id in certified and all(
            self.places[one.instance, one.prev] & certified
            <= replacement_chain(trade_id, one, self.signed)
            and (one.prev is None or one.prev in self.out.settled)
            for one in self.signed[trade_id].transfers
        )

    def _is_dead(self, trade_id: bytes) -> bool:
        """Apply rule 5."""
        trade = self.signed[trade_id]
        out = self.out
        if trade_id in out.settled:
            return False
        if trade_id not in self.linked or out.waivers.get(trade_id, set()) & {trade.a, trade.b}:
            return True
        if any(map(out.conflicts.conflict, given_places(trade))):
            return True
        return any(
            one.prev in out.dead
            or self.places[one.instance, one.prev] & out.settled
            or (one.over, one.instance) in self.denied
            for one in trade.transfers
        )

    def _holds(self, trade_id: bytes) -> bool:
        """Apply rule 6 to a trade that is not dead."""
        return trade_id in self.out.settled or all(
            (one.prev is None or one.prev in self.out.live)
            and (one.over is None or (one.over, one.instance) in self.given_up)
            for one in self.signed[trade_id].transfers
        )

    def _note_replaced(self, trade_id: bytes) -> None:
        trade = self.signed[trade_id]
        for one in trade.transfers:
            below = one.over, one.instance
            here = trade_id, one.instance
            if trade.giver(one) in self.out.waivers.get(trade_id, ()) or below in self.denied:
                self.denied.add(here)
            if trade_id in self.out.dead and (one.over is None or below in self.given_up):
                self.given_up.add(here)

    def _owners(self) -> None:
        """Apply rule 7."""
        out = self.out
        for instance in out.instances:
            tip: bytes | None = None
            while live := self.places.get((instance, tip), set()) & out.live:
                (tip,) = live
            out.last_trades[instance] = tip
            out.holdings.setdefault(out._owner(instance), set()).add(instance)

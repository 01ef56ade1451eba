"""Owners of cards as a pure function of a set of records (docs/protocol, 24.3 and 24.4).

This module computes the view from scratch, rule by rule. `IncrementalLedgerView` computes the same
for a growing set.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from protocol.errors import LocalError
from protocol.ledger.alarms import (
    Alarm,
    Claim,
    claims,
    contradicting_pair,
    sorted_alarms,
    waive_alarms,
)
from protocol.ledger.attestations import is_quorum
from protocol.ledger.record_contents import (
    Attestation,
    CardTransfer,
    CardType,
    Creator,
    FraudProof,
    Instance,
    Trade,
    Waive,
)
from protocol.ledger.records import LedgerRecord, content_id, parents

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
    """

    # instances of known types by the same creator
    instances: dict[bytes, Instance] = field(default_factory=dict)
    # trades whose ancestors are all in the set
    trades: dict[bytes, Trade] = field(default_factory=dict)
    live: set[bytes] = field(default_factory=set)  # trades that are not void
    settled: set[bytes] = field(default_factory=set)
    # by instance: the last live trade
    last_trades: dict[bytes, bytes | None] = field(default_factory=dict)
    holdings: dict[bytes, set[bytes]] = field(default_factory=dict)  # by owner: instances
    # by trade: keys that have waived it
    waivers: dict[bytes, set[bytes]] = field(default_factory=dict)
    # by slot: trades that count
    standing: dict[Claim, Collection[bytes]] = field(default_factory=dict)

    def holding(self, instance: bytes) -> Holding | None:
        """Return the owner of a card; None for an unknown card."""
        if instance not in self.instances:
            return None
        tip = self.last_trades[instance]
        return Holding(
            self._owner(instance), tip, self._free(instance) is None, tip in self.settled
        )

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

        Raises: LocalError for an unknown or burnt card.
        """
        if instance not in self.instances:
            raise LocalError("wrong.ledger.unknown")
        free = self._free(instance)
        if free is None:
            raise LocalError("wrong.ledger.burnt")
        before = free.over or free.prev
        # the owner signed the earlier trade, but its ancestors are missing here
        if before is not None and before not in self.trades:
            raise LocalError("wrong.ledger.unknown")
        if before is None:
            index = 0
        else:
            index = 1 + transfer_of(self.trades[before], instance).index
        return CardTransfer(instance, sender_side, index, free.prev, free.over)

    def with_free_number(self, trade: Trade) -> Trade:
        """Return the trade with the lowest number, from its own on, that no party has waived. A
        party cannot finish a trade after waiving it.
        """
        while self.waivers.get(content_id(trade), set()) & {trade.a, trade.b}:
            trade = replace(trade, number=trade.number + 1)
        return trade

    def _owner(self, instance: bytes) -> bytes:
        tip = self.last_trades[instance]
        if tip is None:
            return self.instances[instance].creator
        trade = self.trades[tip]
        return trade.receiver(transfer_of(trade, instance))

    def _free(self, instance: bytes) -> CardTransfer | None:
        """Return the first empty slot after the last live trade; None for a burnt card."""
        owner = self._owner(instance)
        one = CardTransfer(instance, 0, 0, self.last_trades[instance], None)
        while there := self.standing.get(("trade", one.slot, owner)):
            (first, *others) = there
            if others or owner in self.waivers.get(first, ()):
                return None
            one = CardTransfer(instance, 0, 0, one.prev, first)
        return one


def transfer_of(trade: Trade, instance: bytes) -> CardTransfer:
    """Return a trade's transfer of this card. Raises: KeyError if there is none."""
    found = find_transfer(trade, instance)
    if found is None:
        raise KeyError(instance)
    return found


def find_transfer(trade: object, instance: bytes) -> CardTransfer | None:
    """Return the transfer of this card if `trade` is a trade and has one."""
    if not isinstance(trade, Trade):
        return None
    return next((one for one in trade.transfers if one.instance == instance), None)


def replaced_transfer(trade: Trade, one: CardTransfer, before: object) -> CardTransfer | None:
    """Return the transfer that `one` replaces, if `before` has it: same card, same previous trade,
    same giver.
    """
    found = find_transfer(before, one.instance)
    if found is None or not isinstance(before, Trade):
        return None
    if found.prev == one.prev and before.giver(found) == trade.giver(one):
        return found
    return None


def replacement_chain(
    trade_id: bytes, one: CardTransfer, trades: Mapping[bytes, Trade]
) -> set[bytes]:
    """Return a trade with the trades that it replaces for this card, directly and indirectly."""
    trade = trades[trade_id]
    found = {trade_id}
    while one.over is not None:
        found.add(one.over)
        below = trades.get(one.over)
        under = replaced_transfer(trade, one, below)
        if below is None or under is None:
            break
        trade = below
        one = under
    return found


def good_instance(content: object, kind: object) -> bool:
    """Check that `content` is an instance of `kind`, which is revision 0 of a type by the same
    creator.
    """
    if not (isinstance(content, Instance) and isinstance(kind, CardType)):
        return False
    return kind.type is None and kind.creator == content.creator


def links_hold(
    trade: Trade, records: Mapping[bytes, LedgerRecord], instances: Mapping[bytes, Instance]
) -> bool:
    """Check that every card comes from the place that the trade names. All linked records must be
    in `records`.

    The result does not depend on void trades, so it never changes.
    """

    def content(link: bytes) -> object:
        return records[link].content

    for one in trade.transfers:
        if one.instance not in instances:
            return False
        if one.prev is None:
            came = None
        else:
            came = find_transfer(content(one.prev), one.instance)
        if one.prev is None:
            giver: bytes | None = instances[one.instance].creator
        else:
            before = content(one.prev)
            if isinstance(before, Trade) and came is not None:
                giver = before.receiver(came)
            else:
                giver = None
        if one.over is None:
            last = came
        else:
            last = replaced_transfer(trade, one, content(one.over))
        if giver != trade.giver(one) or (one.over is not None and last is None):
            return False
        if one.index != (0 if last is None else last.index + 1):
            return False
    return True


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

    def done(self) -> LedgerView:
        out = self.out
        self._waives()
        self._standing()
        out.found = sorted_alarms(self._alarms())
        order = self._whole()
        certified = self._certified()
        for trade_id in order:
            if self._settles(trade_id, certified):
                out.settled.add(trade_id)
        for trade_id in order:
            if trade_id in self.linked and not self._is_void(trade_id):
                out.live.add(trade_id)
        self._owners()
        return out

    def _waives(self) -> None:
        for record in self.records.values():
            if isinstance(record.content, Waive):
                self.out.waivers.setdefault(record.content.trade, set()).add(record.content.creator)

    def _standing(self) -> None:
        """Apply rule 1. A trade waived by its receiver is in no slot, unless the sender has
        replaced it.
        """
        standing: dict[Claim, set[bytes]] = defaultdict(set)
        todo = [
            (trade_id, one)
            for trade_id, trade in self.signed.items()
            for one in trade.transfers
            if trade.receiver(one) not in self.out.waivers.get(trade_id, ())
        ]
        while todo:
            trade_id, one = todo.pop()
            trade = self.signed[trade_id]
            slot = standing["trade", one.slot, trade.giver(one)]
            if trade_id not in slot:
                slot.add(trade_id)
                below = replaced_transfer(trade, one, self.signed.get(one.over or b""))
                if below is not None and one.over is not None:
                    todo.append((one.over, below))
        self.out.standing = {**standing}

    def _alarms(self) -> Iterable[Alarm]:
        said: dict[Claim, list[LedgerRecord]] = defaultdict(list)
        waives: dict[bytes, list[LedgerRecord]] = defaultdict(list)
        for record in self.records.values():
            if isinstance(record.content, Waive):
                waives[record.content.trade].append(record)
            for claim in claims(record.content):
                if not isinstance(record.content, Trade) or record.id in self.out.standing.get(
                    claim, ()
                ):
                    said[claim].append(record)
        for claim, both in said.items():
            if found := contradicting_pair(both):
                yield Alarm(claim[-1], *found)  # type: ignore[arg-type]
        for trade_id in self.signed.keys() & waives.keys():
            yield from waive_alarms(self.records[trade_id], waives[trade_id])

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

    def _is_void(self, trade_id: bytes) -> bool:
        """Apply rule 2."""
        if trade_id in self.out.settled:
            return False
        trade = self.signed[trade_id]
        if self.out.waivers.get(trade_id, set()) & {trade.a, trade.b}:
            return True
        return any(not self._stands(trade, one) for one in trade.transfers)

    def _stands(self, trade: Trade, one: CardTransfer) -> bool:
        """Check rules 1, 4 and 5 for one card."""
        if self.places[one.instance, one.prev] & self.out.settled or self._conflict(trade, one):
            return False
        if one.prev is not None and one.prev not in self.out.live:
            return False
        return one.over is None or self._given_up(trade, one)

    def _conflict(self, trade: Trade, one: CardTransfer) -> bool:
        return len(self.out.standing.get(("trade", one.slot, trade.giver(one)), ())) > 1

    def _given_up(self, trade: Trade, one: CardTransfer) -> bool:
        """Check that all trades that this transfer replaces are void, and not because of their
        sender.
        """
        while one.over is not None:
            under = one.over
            below = self.signed.get(under)
            found = replaced_transfer(trade, one, below)
            if (
                below is None
                or found is None
                or under in self.out.live
                or self._conflict(below, found)
            ):
                return False
            if below.giver(found) in self.out.waivers.get(under, ()):
                return False
            trade = below
            one = found
        return True

    def _owners(self) -> None:
        """Apply rule 6."""
        out = self.out
        for instance in out.instances:
            tip: bytes | None = None
            while live := self.places.get((instance, tip), set()) & out.live:
                (tip,) = live
            out.last_trades[instance] = tip
            out.holdings.setdefault(out._owner(instance), set()).add(instance)

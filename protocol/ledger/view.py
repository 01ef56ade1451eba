"""Who owns what, by a set of records: a pure function of the set (docs/protocol, 24.3 and 24.4).

Here it is worked out from scratch, rule by rule. `LiveView` says the same of a set that grows.
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

# a card, and the trade by which its sender got it: whence one trade may go on
Place = tuple[bytes, bytes | None]


class Holding(NamedTuple):
    """Who has a card, by which trade (None: its creator, from the beginning).

    `burnt`: never to be traded or played again. `settled`: the trade is certified, so that no later
    cheat undoes it.
    """

    owner: bytes
    trade: bytes | None
    burnt: bool
    settled: bool


@dataclass
class LedgerView:
    """What a set of records says, as far as the set knows. Ask; only `evaluate` and `LiveView` fill
    it.
    """

    # of known types, by their own creators
    instances: dict[bytes, Instance] = field(default_factory=dict)
    # those of which all that they rest on is here
    trades: dict[bytes, Trade] = field(default_factory=dict)
    live: set[bytes] = field(default_factory=set)  # trades that are not void
    settled: set[bytes] = field(default_factory=set)
    # of each instance, the last live trade
    last_trades: dict[bytes, bytes | None] = field(default_factory=dict)
    holdings: dict[bytes, set[bytes]] = field(default_factory=dict)  # instances, by owner
    # who says to have never finished this trade
    waivers: dict[bytes, set[bytes]] = field(default_factory=dict)
    standing: dict[Claim, Collection[bytes]] = field(default_factory=dict)  # trades in a slot

    def holding(self, instance: bytes) -> Holding | None:
        """Who has this card; None for one that is not known."""
        if instance not in self.instances:
            return None
        tip = self.last_trades[instance]
        return Holding(
            self._owner(instance), tip, self._free(instance) is None, tip in self.settled
        )

    def held_by(self, key: bytes) -> tuple[bytes, ...]:
        """The instances that this key owns, burnt ones too, ascending."""
        return tuple(sorted(self.holdings.get(key, ())))

    def void(self, trade: bytes) -> bool:
        """Whether a trade moves nothing; so does one that is not known, or rests on what is not
        known.
        """
        return trade not in self.live

    def certified(self, trade: bytes) -> bool:
        """Whether witnesses that the cards' creators name have settled it, and everything it rests
        on.
        """
        return trade in self.settled

    @property
    def alarms(self) -> tuple[Alarm, ...]:
        """All proofs of cheating in the set, in one order."""
        raise NotImplementedError

    def next_transfer(self, instance: bytes, sender_side: int) -> CardTransfer:
        """What a new trade of this card by its owner says. `sender_side`: 0 if the owner is the
        trade's a.

        Raises: LocalError for a card that is not known, or is burnt.
        """
        if instance not in self.instances:
            raise LocalError("wrong.ledger.unknown")
        free = self._free(instance)
        if free is None:
            raise LocalError("wrong.ledger.burnt")
        before = free.over or free.prev
        # its owner signed it, and what it rests on is not here
        if before is not None and before not in self.trades:
            raise LocalError("wrong.ledger.unknown")
        index = 0 if before is None else 1 + transfer_of(self.trades[before], instance).index
        return CardTransfer(instance, sender_side, index, free.prev, free.over)

    def with_free_number(self, trade: Trade) -> Trade:
        """The same with the lowest number from its own on that no party has waived: who waived it
        cannot finish it.
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
        """The first slot behind the last live trade that nothing is in; None if the card is burnt
        there.
        """
        owner, one = (
            self._owner(instance),
            CardTransfer(instance, 0, 0, self.last_trades[instance], None),
        )
        while there := self.standing.get(("trade", one.slot, owner)):
            (first, *others) = there
            if others or owner in self.waivers.get(first, ()):
                return None
            one = CardTransfer(instance, 0, 0, one.prev, first)
        return one


def transfer_of(trade: Trade, instance: bytes) -> CardTransfer:
    """A trade's transfer of this card. Raises `KeyError` if it has none."""
    found = find_transfer(trade, instance)
    if found is None:
        raise KeyError(instance)
    return found


def find_transfer(trade: object, instance: bytes) -> CardTransfer | None:
    """A trade's transfer of this card, if it has one and is a trade."""
    if not isinstance(trade, Trade):
        return None
    return next((one for one in trade.transfers if one.instance == instance), None)


def replaced_transfer(trade: Trade, one: CardTransfer, before: object) -> CardTransfer | None:
    """The transfer that `one` is over, if `before` has it: of this card, from the same trade on, by
    the same key.
    """
    found = find_transfer(before, one.instance)
    if found is None or not isinstance(before, Trade):
        return None
    return found if found.prev == one.prev and before.giver(found) == trade.giver(one) else None


def replacement_chain(
    trade_id: bytes, one: CardTransfer, trades: Mapping[bytes, Trade]
) -> set[bytes]:
    """A trade, what it is over at this card, what that is over, and so on down."""
    trade, found = trades[trade_id], {trade_id}
    while one.over is not None:
        found.add(one.over)
        below = trades.get(one.over)
        under = replaced_transfer(trade, one, below)
        if below is None or under is None:
            break
        trade, one = below, under
    return found


def good_instance(content: object, kind: object) -> bool:
    """Whether `content` is an instance of `kind`, a type in its first revision, by who makes
    that.
    """
    if not (isinstance(content, Instance) and isinstance(kind, CardType)):
        return False
    return kind.type is None and kind.creator == content.creator


def links_hold(
    trade: Trade, records: Mapping[bytes, LedgerRecord], instances: Mapping[bytes, Instance]
) -> bool:
    """Whether every card comes from where the trade says, by what the records say that it names;
    all are there.

    It asks nothing of whether they are void, so it never changes.
    """

    def content(link: bytes) -> object:
        return records[link].content

    for one in trade.transfers:
        if one.instance not in instances:
            return False
        came = None if one.prev is None else find_transfer(content(one.prev), one.instance)
        if one.prev is None:
            giver: bytes | None = instances[one.instance].creator
        else:
            before = content(one.prev)
            giver = (
                before.receiver(came) if isinstance(before, Trade) and came is not None else None
            )
        last = came if one.over is None else replaced_transfer(trade, one, content(one.over))
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
    """What these records say, in whatever order they come."""
    return _Evaluation({record.id: record for record in records}).done()


class _Evaluation:
    """One evaluation, a rule a function."""

    def __init__(self, records: dict[bytes, LedgerRecord]) -> None:
        self.records, self.out = records, _EvaluatedView()
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
        """Rule 1. What its receiver waived is in no slot, unless the sender went on from there."""
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
        """The trades of which all that they rest on is here, parents first; fills what they and the
        instances are.
        """
        missing = {key: len(parents(record.content)) for key, record in self.records.items()}
        waiting: dict[bytes, list[bytes]] = defaultdict(list)
        for key, record in self.records.items():
            for parent in parents(record.content):
                waiting[parent].append(key)
        ready, order = [key for key, left in missing.items() if not left], []
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
        content, out = self.records[key].content, self.out
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
        """The trades that for each of their cards enough witnesses have signed."""
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
        """Rule 2."""
        if trade_id in self.out.settled:
            return False
        trade = self.signed[trade_id]
        if self.out.waivers.get(trade_id, set()) & {trade.a, trade.b}:
            return True
        return any(not self._stands(trade, one) for one in trade.transfers)

    def _stands(self, trade: Trade, one: CardTransfer) -> bool:
        """Rules 1, 4 and 5 for one card."""
        if self.places[one.instance, one.prev] & self.out.settled or self._conflict(trade, one):
            return False
        if one.prev is not None and one.prev not in self.out.live:
            return False
        return one.over is None or self._given_up(trade, one)

    def _conflict(self, trade: Trade, one: CardTransfer) -> bool:
        return len(self.out.standing.get(("trade", one.slot, trade.giver(one)), ())) > 1

    def _given_up(self, trade: Trade, one: CardTransfer) -> bool:
        """Whether everything that this is over, down to the first, is void, and not by what its
        sender did.
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
            trade, one = below, found
        return True

    def _owners(self) -> None:
        """Rule 6."""
        out = self.out
        for instance in out.instances:
            tip: bytes | None = None
            while live := self.places.get((instance, tip), set()) & out.live:
                (tip,) = live
            out.last_trades[instance] = tip
            out.holdings.setdefault(out._owner(instance), set()).add(instance)

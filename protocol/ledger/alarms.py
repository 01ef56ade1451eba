"""Alarms: proofs of cheating, each of records that nobody honest signs together. They need no
other data (docs/protocol, 24.5).
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass

from protocol.ledger.conflicts import (
    Conflicts,
    GivenPlace,
    PlaceOrder,
    conflicting_pair,
    replaced_trades,
)
from protocol.ledger.record_contents import (
    Attestation,
    CardRules,
    CardType,
    Content,
    Creator,
    FraudProof,
    PrintRun,
    Trade,
    Waive,
)
from protocol.ledger.records import LedgerRecord, waive_id
from protocol.ledger.trade_links import transfer_of

# identifies a matter on which a signer may sign only one content; the signer's key is its last part
Claim = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Alarm:
    """Proof that `key` cheated: it signed both records.

    - Two trades of one card from one place conflict.
    - A party signed a finished trade, and also waived it, or a trade that it is over.
    - A witness attested two trades for one slot.
    - Two records of a creator exclude each other.

    For a witness's proven lie, both are the same record. `beside`: the records by which two
    conflicting trades count, parents first.
    """

    key: bytes
    first: LedgerRecord
    second: LedgerRecord
    beside: tuple[LedgerRecord, ...] = ()

    @property
    def records(self) -> tuple[LedgerRecord, ...]:
        """All records of the proof."""
        return (*self.beside, self.first, self.second)


def claims(content: Content) -> tuple[Claim, ...]:
    """Return the claims of a content. For each claim, the signer may sign only one content.

    Trades have no claims: several of one card may be honest (`protocol.ledger.conflicts`).
    """
    match content:
        case Attestation():
            return (("seen", content.slot, content.creator),)
        case FraudProof():
            return (("lie", content.creator),)
        case Creator():
            return (("creator", content.revision, content.creator),)
        case PrintRun():
            return (("run", content.edition, content.number, content.creator),)
        case CardType() if content.type is not None:
            return (("type", content.type, content.revision, content.creator),)
        case CardRules() if content.previous is not None:
            return (("rules", content.previous, content.creator),)
        case _:
            return ()


def contradict(first: Content, second: Content) -> bool:
    """Check that two contents with the same claim exclude each other. A witness may repeat
    itself.
    """
    return not (
        isinstance(first, Attestation)
        and isinstance(second, Attestation)
        and first.trade == second.trade
    )


def contradicting_pair(records: Iterable[LedgerRecord]) -> tuple[LedgerRecord, LedgerRecord] | None:
    """Return the first two records, by id, that exclude each other, among records with the same
    claim.

    A proven lie contradicts itself: the pair has the same record twice.
    """
    ordered = sorted(records, key=_by_id)
    if not ordered:
        return None
    first = ordered[0]
    if isinstance(first.content, FraudProof):
        return first, first
    return next(
        ((first, other) for other in ordered[1:] if contradict(first.content, other.content)), None
    )


def conflict_alarm(
    place: GivenPlace, order: PlaceOrder, records: Mapping[bytes, LedgerRecord]
) -> Alarm | None:
    """Return the alarm of a place; None without a conflict. `records` has the trades and the
    waives that they list.
    """
    pair = None if order.clear else conflicting_pair(place, order.trades, order.waives)
    if pair is None:
        return None
    trades: dict[bytes, Trade] = {}
    for name in pair:
        below = replaced_trades(
            order.trades[name], transfer_of(order.trades[name], place.instance), order.trades
        )
        trades |= {each: order.trades[each] for each in (*below[::-1], name)}
    waives = dict.fromkeys(waive for trade in trades.values() for waive in trade.waives)
    beside = (*waives, *(name for name in trades if name not in pair))
    first, second = sorted(pair)
    return Alarm(
        place.giver, records[first], records[second], tuple(records[name] for name in beside)
    )


def waive_alarms(
    name: bytes,
    trade: Trade,
    waivers: Mapping[bytes, Set[bytes]],
    records: Mapping[bytes, LedgerRecord],
) -> Iterator[Alarm]:
    """Yield an alarm for each party that has waived a finished trade, and for each giver that has
    waived a trade that this one is over. `waivers`: by trade, the keys that have waived it.
    """
    denied = [(name, trade.a), (name, trade.b)]
    denied += [(one.over, trade.giver(one)) for one in trade.transfers if one.over is not None]
    for about, key in dict.fromkeys(denied):
        if key in waivers.get(about, ()):
            yield Alarm(key, records[name], records[waive_id(about, key)])


def sorted_alarms(alarms: Iterable[Alarm]) -> tuple[Alarm, ...]:
    """Return alarms in the order that all views use."""
    return tuple(sorted(alarms, key=lambda alarm: (alarm.key, alarm.first.id, alarm.second.id)))


class Alarms:
    """The alarms of a growing set. The owner updates `conflicts` and `records` first."""

    def __init__(self, conflicts: Conflicts, records: Mapping[bytes, LedgerRecord]) -> None:
        self._conflicts = conflicts
        self._records = records
        self._said: dict[Claim, list[LedgerRecord]] = defaultdict(list)
        # claims whose alarms may have changed since they were computed
        self._claims: set[Claim] = set()
        # trades whose alarms may have changed since they were computed
        self._touched: set[bytes] = set()
        self._found: dict[object, list[Alarm]] = {}
        self._sorted: tuple[Alarm, ...] | None = ()

    def add(self, record: LedgerRecord, touched: Set[bytes] = frozenset()) -> None:
        """Add a record. `touched` are the trades whose validity may have changed by it."""
        for claim in claims(record.content):
            self._said[claim].append(record)
            if len(self._said[claim]) > 1 or isinstance(record.content, FraudProof):
                self._claims.add(claim)
        if isinstance(record.content, Trade | Waive):
            self._touched |= touched & self._conflicts.trades.keys()

    def steps(self) -> Iterator[None]:
        """Compute the changed alarms, one for each step."""
        places: set[GivenPlace] = set()
        while self._claims:
            yield
            claim = self._claims.pop()
            both = contradicting_pair(self._said[claim])
            self._note(claim, [Alarm(claim[-1], *both)] if both else [])  # type: ignore[arg-type]
        while self._touched:
            yield
            name = self._touched.pop()
            trade = self._conflicts.trades[name]
            self._note(
                name, list(waive_alarms(name, trade, self._conflicts.waivers, self._records))
            )
            places |= self._conflicts.places_of(trade)
        for place in places:
            yield
            alarm = conflict_alarm(place, self._conflicts.order(place), self._records)
            self._note(place, [] if alarm is None else [alarm])

    def _note(self, about: object, alarms: list[Alarm]) -> None:
        if alarms != self._found.get(about, []):
            self._found[about] = alarms
            self._sorted = None

    def found(self) -> tuple[Alarm, ...]:
        """Return all alarms in their usual order. Only changed ones are computed again."""
        for _ in self.steps():
            pass
        if self._sorted is None:
            self._sorted = sorted_alarms(
                alarm for alarms in self._found.values() for alarm in alarms
            )
        return self._sorted


def _by_id(record: LedgerRecord) -> bytes:
    return record.id

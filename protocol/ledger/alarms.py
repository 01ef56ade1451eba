"""Proofs of cheating: two records that nobody honest signs both. They need no other data
(docs/protocol, 24.5).
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from protocol.ledger.record_contents import (
    Attestation,
    CardRules,
    CardTransfer,
    CardType,
    Content,
    Creator,
    FraudProof,
    PrintRun,
    Trade,
    Waive,
)
from protocol.ledger.records import LedgerRecord

# what its signer may say only one thing about; the key that signs is its last part
Claim = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Alarm:
    """`key` is named: it signed both. Two trades of one slot; a trade and its waive; two words of a
    witness on one slot; two records of a creator that exclude each other. A witness's proven lie is
    both records in one."""

    key: bytes
    first: LedgerRecord
    second: LedgerRecord


@lru_cache(maxsize=1024)
def claim_of_slot(one: CardTransfer, giver: bytes) -> Claim:
    """A slot with the key that gives the card: whoever else writes a trade for this slot is in
    nobody's way.
    """
    return ("trade", one.slot, giver)


def claims(content: Content) -> tuple[Claim, ...]:
    """What this content alone may fill. For a trade: its slots, each with the key that gives the
    card.
    """
    match content:
        case Trade():
            return tuple(claim_of_slot(one, content.giver(one)) for one in content.transfers)
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
    """Whether two contents of one claim exclude each other: a witness may say the same twice."""
    return not (
        isinstance(first, Attestation)
        and isinstance(second, Attestation)
        and first.trade == second.trade
    )


def contradicting_pair(records: Iterable[LedgerRecord]) -> tuple[LedgerRecord, LedgerRecord] | None:
    """Of records with one claim, the first two by id that exclude each other, if there are two."""
    ordered = sorted(records, key=_by_id)
    if not ordered:
        return None
    first = ordered[0]
    if isinstance(first.content, FraudProof):
        return first, first
    return next(
        ((first, other) for other in ordered[1:] if contradict(first.content, other.content)), None
    )


def waive_alarms(trade: LedgerRecord, waives: Iterable[LedgerRecord]) -> list[Alarm]:
    """One alarm for each party of a finished trade that says it never finished it; `waives` are of
    this trade.
    """
    assert isinstance(trade.content, Trade)
    found = {}
    for waive in sorted(waives, key=_by_id, reverse=True):
        assert isinstance(waive.content, Waive)
        if waive.content.creator in (trade.content.a, trade.content.b):
            found[waive.content.creator] = Alarm(waive.content.creator, trade, waive)
    return list(found.values())


def sorted_alarms(alarms: Iterable[Alarm]) -> tuple[Alarm, ...]:
    """The one order in which a view has them."""
    return tuple(sorted(alarms, key=lambda alarm: (alarm.key, alarm.first.id, alarm.second.id)))


class Alarms:
    """The alarms of a set that grows. `standing`: the trades that count in each slot, as they
    are.
    """

    def __init__(self, standing: Mapping[Claim, Collection[bytes]]) -> None:
        self._standing = standing
        self._said: dict[Claim, list[LedgerRecord]] = defaultdict(list)
        self._waives: dict[bytes, list[LedgerRecord]] = defaultdict(list)
        self._trades: dict[bytes, LedgerRecord] = {}
        # in which something may be another since they were looked at
        self._claims: set[Claim] = set()
        self._waived: set[bytes] = set()  # trades, likewise
        self._found: dict[object, list[Alarm]] = {}
        self._sorted: tuple[Alarm, ...] | None = ()

    def add(self, record: LedgerRecord, touched: Iterable[LedgerRecord] = ()) -> None:
        """Take a new record. `touched`: the trades whose slots have become others by it."""
        for claim in claims(record.content):
            self._said[claim].append(record)
            if len(self._said[claim]) > 1 or isinstance(record.content, FraudProof):
                self._claims.add(claim)
        for other in touched:
            self._claims |= {claim for claim in claims(other.content) if len(self._said[claim]) > 1}
        if isinstance(record.content, Waive):
            self._waives[record.content.trade].append(record)
            self._waived.add(record.content.trade)
        if isinstance(record.content, Trade):
            self._trades[record.id] = record
            self._waived |= {record.id} & self._waives.keys()
        if self._claims or self._waived:
            self._sorted = None

    def found(self) -> tuple[Alarm, ...]:
        """All of them, in the one order; what has not changed is not looked at again."""
        if self._sorted is None:
            for claim in self._claims:
                self._look_at(claim)
            for trade_id in self._waived & self._trades.keys():
                self._found[trade_id] = waive_alarms(self._trades[trade_id], self._waives[trade_id])
            self._claims, self._waived = set(), set()
            self._sorted = sorted_alarms(
                alarm for alarms in self._found.values() for alarm in alarms
            )
        return self._sorted

    def _look_at(self, claim: Claim) -> None:
        records = self._said[claim]
        if claim[0] == "trade":
            records = [record for record in records if record.id in self._standing.get(claim, ())]
        both = contradicting_pair(records)
        self._found[claim] = [Alarm(claim[-1], *both)] if both else []  # type: ignore[arg-type]


def _by_id(record: LedgerRecord) -> bytes:
    return record.id

"""Alarms: proofs of cheating, each of two records that nobody honest signs both. They need no other
data (docs/protocol, 24.5).
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

# identifies a matter on which a signer may sign only one content; the signer's key is its last part
Claim = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Alarm:
    """Proof that `key` cheated: it signed both records.

    - Two trades have the same slot.
    - A party signed a finished trade, and also waived it.
    - A witness attested two trades for one slot.
    - Two records of a creator exclude each other.

    For a witness's proven lie, both are the same record.
    """

    key: bytes
    first: LedgerRecord
    second: LedgerRecord


@lru_cache(maxsize=1024)
def claim_of_slot(one: CardTransfer, giver: bytes) -> Claim:
    """Return the claim of a slot: the slot with the key that gives the card.

    The claim includes the key, so that a stranger's trade for this slot contradicts no other trade.
    """
    return ("trade", one.slot, giver)


def claims(content: Content) -> tuple[Claim, ...]:
    """Return the claims of a content. For each claim, the signer may sign only one content.

    A trade claims each of its slots with the key that gives the card.
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


def waive_alarms(trade: LedgerRecord, waives: Iterable[LedgerRecord]) -> list[Alarm]:
    """Return an alarm for each party of a finished trade that has also waived it. `waives` are
    those of this trade.
    """
    assert isinstance(trade.content, Trade)
    found = {}
    for waive in sorted(waives, key=_by_id, reverse=True):
        assert isinstance(waive.content, Waive)
        if waive.content.creator in (trade.content.a, trade.content.b):
            found[waive.content.creator] = Alarm(waive.content.creator, trade, waive)
    return list(found.values())


def sorted_alarms(alarms: Iterable[Alarm]) -> tuple[Alarm, ...]:
    """Return alarms in the order that all views use."""
    return tuple(sorted(alarms, key=lambda alarm: (alarm.key, alarm.first.id, alarm.second.id)))


class Alarms:
    """The alarms of a growing set. `standing` maps slots to the trades that count there; its owner
    updates it.
    """

    def __init__(self, standing: Mapping[Claim, Collection[bytes]]) -> None:
        self._standing = standing
        self._said: dict[Claim, list[LedgerRecord]] = defaultdict(list)
        self._waives: dict[bytes, list[LedgerRecord]] = defaultdict(list)
        self._trades: dict[bytes, LedgerRecord] = {}
        # claims whose alarms may have changed since they were computed
        self._claims: set[Claim] = set()
        # trades whose waive alarms may have changed since they were computed
        self._waived: set[bytes] = set()
        self._found: dict[object, list[Alarm]] = {}
        self._sorted: tuple[Alarm, ...] | None = ()

    def add(self, record: LedgerRecord, touched: Iterable[LedgerRecord] = ()) -> None:
        """Add a record. `touched` are the trades whose slots have changed by it."""
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
        """Return all alarms in their usual order. Only changed claims are computed again."""
        if self._sorted is None:
            for claim in self._claims:
                self._look_at(claim)
            for trade_id in self._waived & self._trades.keys():
                self._found[trade_id] = waive_alarms(self._trades[trade_id], self._waives[trade_id])
            self._claims = set()
            self._waived = set()
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

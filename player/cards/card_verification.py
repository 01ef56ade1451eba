"""Verification of a card, or of a file of records, from the signatures up, without earlier
results.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

from player.cards.collection import CardRecords, read_all
from protocol.codes import Code
from protocol.errors import LocalError, RemoteError
from protocol.ledger.record_contents import Instance, Trade
from protocol.ledger.records import LedgerRecord
from protocol.ledger.retention import evidence
from protocol.limits import MAX_ALARMS_SENT, MAX_ORPHANS


class Verdict(StrEnum):
    """Outcome of a verification, from best to worst."""

    HOLDS = "holds"
    MISSING = "missing"  # parents are missing, so the outcome is open
    BROKEN = "broken"


@dataclass(frozen=True)
class Verification:
    """Result of a verification. `known`: the valid records with their view; `refused`: error codes
    of the others.
    """

    verdict: Verdict
    known: CardRecords
    cards: tuple[bytes, ...]  # instances that were verified
    trades: int
    signatures: int
    missing: int
    refused: tuple[Code, ...]


def verify_cards(known: CardRecords, cards: tuple[bytes, ...]) -> Verification:
    """Verify cards by all records that they rest on. A card that is burnt, or has no owner, is
    BROKEN.
    """
    shown = evidence(known.records, known.view.alarms, cards, MAX_ALARMS_SENT)
    found = _verify((record.raw for record in shown), cards, known.me)
    holdings = [found.known.view.holding(card) for card in cards]
    if any(holding is None or holding.burnt for holding in holdings):
        return replace(found, verdict=Verdict.BROKEN)
    return found


def verify_records(raws: Iterable[bytes]) -> Verification:
    """Verify records by themselves, without any other record. An invalid record or a proven cheat
    is BROKEN. Raises: LocalError if more than MAX_ORPHANS of them have no parents among them.
    """
    found = _verify(raws, None, b"")
    if found.known.view.alarms:
        return replace(found, verdict=Verdict.BROKEN)
    return found


def _verify(raws: Iterable[bytes], cards: tuple[bytes, ...] | None, me: bytes) -> Verification:
    read, refused = read_all(raws)
    try:
        known = CardRecords(me, read.values())
    except RemoteError:  # more records without parents than a set takes
        raise LocalError("wrong.cards.orphans", most=MAX_ORPHANS) from None
    missing = len(known.records.orphans)
    whole = [record for record in known.records if isinstance(record.content, Trade)]
    instances = tuple(record.id for record in known.records if isinstance(record.content, Instance))
    if refused:
        verdict = Verdict.BROKEN
    elif missing:
        verdict = Verdict.MISSING
    else:
        verdict = Verdict.HOLDS
    about = instances if cards is None else cards
    return Verification(
        verdict, known, about, len(whole), _signatures(read.values()), missing, tuple(refused)
    )


def _signatures(records: Iterable[LedgerRecord]) -> int:
    return sum(2 if isinstance(record.content, Trade) else 1 for record in records)

"""Checking anew what a card, or a file of records, rests on: nothing is taken over from what was
found before.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

from player.cards.collection import CardRecords, read_all
from protocol.codes import Code
from protocol.ledger.record_contents import Instance, Trade
from protocol.ledger.records import LedgerRecord


class Verdict(StrEnum):
    """What a check comes to; the later, the worse."""

    HOLDS = "holds"
    MISSING = "missing"  # records that it rests on are not there: nobody can say
    BROKEN = "broken"


@dataclass(frozen=True)
class Verified:
    """A check. `known`: the records that are right, with their view; `refused`: why the others are
    not.
    """

    verdict: Verdict
    known: CardRecords
    cards: tuple[bytes, ...]  # instances that it was about
    trades: int
    signatures: int
    missing: int
    refused: tuple[Code, ...]


def verify_cards(known: CardRecords, cards: tuple[bytes, ...]) -> Verified:
    """Check these cards by all that decides whose they are: broken is a card that is burnt, or that
    nobody owns.
    """
    found = _checked((record.raw for record in known.records.closure(cards)), cards, known.me)
    holdings = [found.known.view.holding(card) for card in cards]
    if any(holding is None or holding.burnt for holding in holdings):
        return replace(found, verdict=Verdict.BROKEN)
    return found


def verify_records(raws: Iterable[bytes]) -> Verified:
    """Check records alone, as somebody who knows nothing else: broken if one is not right, or
    proves a cheat.
    """
    found = _checked(raws, None, b"")
    return replace(found, verdict=Verdict.BROKEN) if found.known.view.alarms else found


def _checked(raws: Iterable[bytes], cards: tuple[bytes, ...] | None, me: bytes) -> Verified:
    read, refused = read_all(raws)
    known = CardRecords(me, read.values())
    missing = len(known.records.orphans)
    whole = [record for record in known.records if isinstance(record.content, Trade)]
    instances = tuple(record.id for record in known.records if isinstance(record.content, Instance))
    verdict = Verdict.BROKEN if refused else Verdict.MISSING if missing else Verdict.HOLDS
    about = instances if cards is None else cards
    return Verified(
        verdict, known, about, len(whole), _signatures(read.values()), missing, tuple(refused)
    )


def _signatures(records: Iterable[LedgerRecord]) -> int:
    return sum(2 if isinstance(record.content, Trade) else 1 for record in records)

"""Longest and ordinary openings of owned cards, and disputes about them."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from protocol.games.decks import Owned, owned_card
from protocol.games.decks.evidence import gave_away, read_evidence
from protocol.games.decks.owned_card import card_fault
from protocol.ledger.record_contents import CardTransfer
from protocol.ledger.records import LedgerRecord, sign_record
from protocol.limits import MAX_OPENINGS, MAX_TRANSFERS
from tests.properties.worst_entries.measuring import Worst, milliseconds
from tests.support.ledger import ANN, BOB, MAKER, TYPE, card, slot_of, trade_of, waive

COPY = card(0)


def worst_openings(base: float) -> Iterator[Worst]:
    """Compare the worst openings, and disputes, with an entry that opens a deck of forty."""
    deck = [_given(card(number)) for number in range(MAX_OPENINGS)]
    ordinary = base + milliseconds(partial(_open, deck))
    worst = {name: milliseconds(partial(_open, [shown])) for name, shown in _cards().items()}
    name = max(worst, key=worst.__getitem__)
    yield Worst("opening of an owned card", ordinary, base + worst[name], name)
    shown = _cards()["given back and forth"]
    junk = _rivals(card(1), 110)
    dispute = milliseconds(partial(_dispute, shown, junk))
    yield Worst("dispute about an owned card", ordinary, base + dispute, "110 trades that conflict")


def _open(deck: list[Owned]) -> None:
    for one in (owned_card.read_owned, owned_card._owner_shown, owned_card._read):
        one.cache_clear()
    for shown in deck:
        card_fault(shown, ANN.public)


def _dispute(shown: Owned, records: list[LedgerRecord]) -> None:
    # the accused answers with as much, and each of both is judged
    for _ in range(2):
        gave_away(shown, ANN.public, read_evidence(one.raw for one in records))


def _owned(trades: list[LedgerRecord], beside: list[LedgerRecord], copy: LedgerRecord) -> Owned:
    raws = (tuple(one.raw for one in part) for part in (trades, beside))
    return Owned(copy.raw, (TYPE.raw,), *raws)


def _given(copy: LedgerRecord) -> Owned:
    return _owned([sign_record(trade_of(MAKER, ANN, [slot_of(copy.id)]), MAKER, ANN)], [], copy)


def _cards() -> dict[str, Owned]:
    """Return cards whose openings have nearly as many bytes as they may."""
    over = _replaced(80, 1)
    large = _replaced(6, MAX_TRANSFERS)
    return {
        "given back and forth": _owned(_returned(128), [], COPY),
        "replaced 79 times": _owned(over, [waive(one, ANN) for one in over[:-1]], COPY),
        "64 cards, replaced 5 times": _owned(large, [waive(one, ANN) for one in large[:-1]], COPY),
        "proofs of conflicts": _owned(_replaced(20, 1), _rivals(card(1), 110), COPY),
    }


def _returned(length: int) -> list[LedgerRecord]:
    trades: list[LedgerRecord] = []
    for number in range(length):
        sides = (MAKER, ANN) if number % 2 == 0 else (ANN, MAKER)
        link = trades[-1].id if trades else None
        moved = trade_of(*sides, [CardTransfer(COPY.id, 0, number, link, None)])
        trades.append(sign_record(moved, MAKER, ANN))
    return trades


def _replaced(length: int, count: int) -> list[LedgerRecord]:
    """Return trades of some cards, each over the one before it."""
    cards = sorted((card(number) for number in range(count)), key=lambda one: one.id)
    trades: list[LedgerRecord] = []
    for number in range(length):
        link = trades[-1].id if trades else None
        moved = [CardTransfer(one.id, 0, number, None, link) for one in cards]
        trades.append(sign_record(trade_of(MAKER, ANN, moved), MAKER, ANN))
    return trades


def _rivals(copy: LedgerRecord, count: int) -> list[LedgerRecord]:
    """Return trades of one card from one place, of which each two conflict."""
    bare = trade_of(MAKER, BOB, [slot_of(copy.id)])
    return [sign_record(replace(bare, number=number), MAKER, BOB) for number in range(count)]

"""Merge of two sets of card records: one side lacks 10,000 trades, or the sets are equal.

`merge_10k_s` is the CPU time of both sides together, with 1,000 further cards on both sides. It
includes the summary of the records, comparison, sending, reading, checks of signatures and
insertion, but neither the view nor the disk. `merge_10k_floor_ratio` divides it by the bare checks
of signatures, two for a trade. `merge_equal_bytes` is the traffic between two equal sets, in one
round. `merge_one_bytes` is the traffic if they differ by one record.
"""

import time
from functools import cache
from random import Random

from nacl.bindings import crypto_sign_open

from protocol.crypto.hashing import encode_fields
from protocol.identity.keys import Identity
from protocol.ledger.merge.merge_session import MergeSession
from protocol.ledger.record_codec import content_bytes
from protocol.ledger.record_contents import CardTransfer, CardType, Instance, Trade
from protocol.ledger.record_set import RecordSet
from protocol.ledger.records import LedgerRecord, content_id, sign_content, sign_record
from protocol.wire import decode, encode

CARDS = 1_000
PEOPLE = 50
TRADES = 10_000


def measure(rounds: int) -> dict[str, float]:
    """Return the minimum of some rounds, because other load on the machine only adds time."""
    cards, trades = _records()
    base = RecordSet(cards)
    whole = RecordSet([*cards, *trades])
    seconds = min(_new(base, whole) for _ in range(rounds))
    turns, equal = _talk(
        MergeSession(whole, b"s" * 32, True), MergeSession(whole, b"s" * 32, False), RecordSet()
    )
    if turns != 2:
        raise RuntimeError("equal sets take more than one round")
    but_one = RecordSet([*cards, *trades[:-1]])
    _, one = _talk(
        MergeSession(whole, b"s" * 32, True),
        MergeSession(but_one, b"s" * 32, False, None, _everybody),
        but_one,
    )
    return {
        "merge_10k_s": seconds,
        "merge_10k_floor_ratio": seconds / min(_bare(trades) for _ in range(rounds)),
        "merge_equal_bytes": float(equal),
        "merge_one_bytes": float(one),
    }


@cache
def _records() -> tuple[list[LedgerRecord], list[LedgerRecord]]:
    """Make cards, and trades of two cards that change hands again and again."""
    rng = Random(1)
    maker, *people = (Identity(rng.randbytes(32)) for _ in range(1 + PEOPLE))
    kind = sign_record(CardType(maker.public, None, 0, None, "Card", "", None, (), True, ""), maker)
    cards = [
        sign_record(Instance(maker.public, kind.id, serial, bytes(16)), maker)
        for serial in range(CARDS)
    ]
    last = {card.id: (0, None, rng.choice(people)) for card in cards}
    trades = []
    for _ in range(TRADES):
        one, two = sorted(rng.sample([card.id for card in cards], 2))
        giver = last[one][2]
        taker = last[two][2]
        if giver is taker:
            taker = rng.choice([somebody for somebody in people if somebody is not giver])
        a, b = sorted((giver, taker), key=lambda it: it.public)
        moved = [
            CardTransfer(card, int(who is b), *last[card][:2], None)
            for card, who in ((one, giver), (two, taker))
        ]
        made = _signed(Trade(a.public, b.public, tuple(moved)), a, b)
        trades.append(made)
        last[one], last[two] = (
            (last[card][0] + 1, made.id, who) for card, who in ((one, taker), (two, giver))
        )
    return [kind, *cards], trades


def _signed(trade: Trade, *people: Identity) -> LedgerRecord:
    """Sign a record as `sign_record` does, but without its check. The merge checks the
    signatures.
    """
    raw = encode([content_bytes(trade), *(sign_content(one, trade) for one in people)])
    return LedgerRecord(raw, content_id(trade), trade)


def _everybody(key: bytes) -> bool:
    return True


def _new(base: RecordSet, whole: RecordSet) -> float:
    """Measure the CPU seconds of both sides until one has all records of the other."""
    mine = base.branch()
    begun = time.process_time()
    _talk(
        MergeSession(whole, b"s" * 32, True),
        MergeSession(mine, b"s" * 32, False, None, _everybody),
        mine,
    )
    spent = time.process_time() - begun
    if len(mine) != len(whole):
        raise RuntimeError("the merge has not brought everything")
    return spent


def _talk(caller: MergeSession, other: MergeSession, grows: RecordSet) -> tuple[int, int]:
    """Run both sides to the end. Return turns and bytes. Records for `other` are added to
    `grows`.
    """
    speaker = caller
    hearer = other
    turns = size = 0
    while not (speaker.done and hearer.done):
        turns += 1
        for message in speaker.outgoing():
            size += len(message)
            for record in hearer.received(message):
                grows.add(record)
        speaker, hearer = hearer, speaker
    return turns, size


def _bare(trades: list[LedgerRecord]) -> float:
    """Measure the CPU seconds of libsodium's own checks of these signatures."""
    signed = []
    for record in trades:
        content, *signatures = decode(record.raw)
        assert isinstance(record.content, Trade)
        for key, signature in zip((record.content.a, record.content.b), signatures, strict=True):
            signed.append((signature + encode_fields("ledger", content), key))
    begun = time.process_time()
    for message, key in signed:
        crypto_sign_open(message, key)
    return time.process_time() - begun

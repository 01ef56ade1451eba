"""Ledger of cards: time to read a trade, compared with two bare checks of a signature; its bytes;
time to add a trade to many.
"""

import time
from collections.abc import Iterator
from random import Random
from statistics import median

from nacl.bindings import crypto_sign_open

from protocol.crypto.hashing import encode_fields
from protocol.identity.keys import Identity
from protocol.ledger.incremental_view import IncrementalLedgerView
from protocol.ledger.record_codec import content_bytes
from protocol.ledger.record_contents import CardTransfer, CardType, Instance, Trade
from protocol.ledger.records import LedgerRecord, content_id, read_record, record_of, sign_content

# with a hundred thousand trades, a card changes hands twenty times
PEOPLE = 1_000
CARDS = 10_000
# number of readings of one trade; number of trades added one by one
ROUNDS = 400
MORE = 200


def measure(trades: int) -> dict[str, float]:
    """Measure with `trades` earlier trades of two cards each."""
    took = [_read() for _ in range(ROUNDS)]
    return {
        "trade_verify_ms": median(whole for whole, _ in took) * 1000,
        "trade_verify_floor_ratio": median(whole / bare for whole, bare in took),
        "trade_bytes": float(len(_SWAP[0].raw)),
        "ledger_view_ms": _one_more(trades) * 1000,
    }


def _read() -> tuple[float, float]:
    """Measure the CPU seconds to read a trade, and then those of libsodium's two checks of the same
    bytes.
    """
    record, checks = _SWAP
    begun = time.process_time()
    read_record(record.raw)
    read = time.process_time()
    for signed, key in checks:
        crypto_sign_open(signed, key)
    return read - begun, time.process_time() - read


def _one_more(trades: int) -> float:
    """Measure the median CPU seconds until a view contains one more trade and returns the new
    owners.
    """
    it = IncrementalLedgerView()
    took = []
    for number, record in enumerate(history(Random(1), trades + MORE)):
        begun = time.process_time()
        it.add(record)
        if isinstance(record.content, Trade):
            for one in record.content.transfers:
                it.holding(one.instance)
        if number >= 1 + CARDS + trades:
            took.append(time.process_time() - begun)
    return median(took)


def history(rng: Random, trades: int) -> Iterator[LedgerRecord]:
    """Yield a card type, its cards, and swaps of two cards among random people. Nothing is signed,
    because a view checks no signatures.

    `trades` includes the first trade of each card.
    """
    keys = sorted(rng.randbytes(32) for _ in range(PEOPLE))
    kind = bare(CardType(keys[0], None, 0, None, "Card", "", None, (), False, ""))
    cards = [bare(Instance(keys[0], kind.id, serial, bytes(16))) for serial in range(CARDS)]
    yield kind
    yield from cards
    owners: dict[bytes, tuple[bytes, int, bytes | None]] = {
        card.id: (keys[0], 0, None) for card in cards
    }
    for number in range(trades):
        one, other = (
            (cards[number].id, None)
            if number < CARDS
            else (card.id for card in rng.sample(cards, 2))
        )
        giver = owners[one][0]
        if other is None:
            taker = rng.choice(keys[1:])
        else:
            taker = owners[other][0]
        if giver == taker:
            continue
        a, b = sorted((giver, taker))
        moved = [
            CardTransfer(card, int(owners[card][0] == b), *owners[card][1:], None)
            for card in (one, other)
            if card
        ]
        made = bare(Trade(a, b, tuple(sorted(moved, key=lambda transfer: transfer.instance))))
        for transfer in moved:
            owners[transfer.instance] = (a if transfer.sender else b, transfer.index + 1, made.id)
        yield made


def bare(content: CardType | Instance | Trade) -> LedgerRecord:
    """Make a record without signatures."""
    return LedgerRecord(content_bytes(content), content_id(content), content)


def _swap() -> tuple[LedgerRecord, list[tuple[bytes, bytes]]]:
    """Make a trade of two cards that were traded before. Return it with the bytes and signatures
    for libsodium.
    """
    ann, bob = sorted((Identity(bytes([seed]) * 32) for seed in (1, 2)), key=lambda one: one.public)
    sides = tuple(
        CardTransfer(bytes([card]) * 32, card, 7, bytes([card + 2]) * 32, None) for card in (0, 1)
    )
    content = Trade(ann.public, bob.public, sides)
    message = encode_fields("ledger", content_bytes(content))
    signatures = [sign_content(one, content) for one in (ann, bob)]
    checks = [
        (signature + message, one.public)
        for signature, one in zip(signatures, (ann, bob), strict=True)
    ]
    return record_of(content, *signatures), checks


_SWAP = _swap()

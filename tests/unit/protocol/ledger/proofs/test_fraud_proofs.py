"""Fraud proofs against witnesses: only two contradictory statements of one witness prove a lie."""

from itertools import combinations

import pytest

from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.identity.keys import Identity
from protocol.ledger.incremental_view import IncrementalLedgerView
from protocol.ledger.proofs.fraud_proofs import (
    check_fraud_proof,
    head_statement,
    leaf_statement,
    seen_statement,
    slot_statement,
)
from protocol.ledger.proofs.merkle_log import MerkleLog
from protocol.ledger.proofs.signed_heads import sign_head
from protocol.ledger.proofs.slot_map import SlotMap
from protocol.ledger.record_codec import content_bytes
from protocol.ledger.record_contents import Attestation, FraudProof
from protocol.ledger.records import read_record, record_of, sign_record
from protocol.ledger.view import evaluate
from tests.support.ledger import (
    ANN,
    MAKER,
    TYPE,
    WITNESSES,
    card,
    maker,
    same,
    seen,
    slot_of,
    traded,
)

WITNESS, OTHER = Identity(bytes(31) + b"w"), Identity(bytes(31) + b"o")
ONE = card(1)
SLOTS = [bytes([number]) * 32 for number in range(1, 6)]
TRADES = [bytes([100 + number]) * 32 for number in range(5)]


class Book:
    """Statements of a witness that has signed for these pairs of slot and trade."""

    def __init__(self, *pairs, signer=WITNESS):
        self.signer, self.pairs = signer, pairs
        self.seens = [
            Attestation(signer.public, slot, trade, number)
            for number, (slot, trade) in enumerate(pairs)
        ]
        self.leaves = [content_bytes(seen) for seen in self.seens]
        self.log = MerkleLog(self.leaves)

    def head(self, size):
        return sign_head(self.signer, size, self.log.root(size), self._map(size).root)

    def _map(self, size):
        spent = SlotMap()
        for slot, trade in self.pairs[:size]:
            spent.put(slot, trade)
        return spent

    def said(self, slots=SLOTS):
        """Return all statements that it can make."""
        yield from (seen_statement(sign_record(seen, self.signer).raw) for seen in self.seens)
        for size in range(len(self.pairs) + 1):
            head = self.head(size)
            yield head_statement(head)
            for index in range(size):
                yield leaf_statement(
                    head, index, self.leaves[index], self.log.inclusion(index, size)
                )
            yield from (slot_statement(head, slot, self._map(size).proof(slot)) for slot in slots)


HONEST = Book(*zip(SLOTS[:3], TRADES, strict=False))


def test_honest_witness_statements_prove_no_lie():
    for first, second in combinations(HONEST.said(), 2):
        with pytest.raises(RemoteError) as refused:
            check_fraud_proof(WITNESS.public, first, second)
        assert refused.value.code is Code.NO_LIE


# another trade for the second slot
TWICE = Book((SLOTS[0], TRADES[0]), (SLOTS[1], TRADES[4]), (SLOTS[2], TRADES[2]))
SHORT = Book((SLOTS[0], TRADES[0]), (SLOTS[2], TRADES[2]))  # the second slot is missing
_SEEN, _HEAD = HONEST.seens[1], HONEST.head(3)
_LATER = Book(*zip(SLOTS[:3], TRADES, strict=False), (SLOTS[4], TRADES[4]))


def _seen(book, index):
    return seen_statement(sign_record(book.seens[index], WITNESS).raw)


def _leaf(book, index, size):
    return leaf_statement(
        book.head(size), index, book.leaves[index], book.log.inclusion(index, size)
    )


def _slot(book, slot, size):
    return slot_statement(book.head(size), slot, book._map(size).proof(slot))


LIES = {
    "two trades for one slot": (_seen(HONEST, 1), _seen(TWICE, 1)),
    "one position for two slots": (_seen(HONEST, 1), _seen(SHORT, 1)),
    "two heads of one size": (head_statement(HONEST.head(2)), head_statement(SHORT.head(2))),
    "heads whose logs differ": (_leaf(_LATER, 1, 4), _leaf(SHORT, 1, 2)),
    "a logged slot is denied": (_seen(HONEST, 1), _slot(SHORT, SLOTS[1], 2)),
    "a logged slot is another trade's": (_seen(HONEST, 1), _slot(TWICE, SLOTS[1], 3)),
    "what it signed for is not in its log": (_seen(HONEST, 1), _leaf(SHORT, 1, 2)),
    "spent in one head, free in a later one": (
        _slot(HONEST, SLOTS[1], 2),
        _slot(SHORT, SLOTS[1], 2),
    ),
    "in the log, not in the map": (
        _leaf(HONEST, 1, 2),
        slot_statement(
            sign_head(WITNESS, 3, HONEST.log.root(3), SHORT._map(2).root),
            SLOTS[1],
            SHORT._map(2).proof(SLOTS[1]),
        ),
    ),
}


@pytest.mark.parametrize("pair", LIES.values(), ids=LIES)
def test_fraud_proof_record_is_self_contained(pair):
    record = record_of(FraudProof(WITNESS.public, *sorted(pair)))
    assert read_record(record.raw) == record
    with pytest.raises(RemoteError):
        record_of(FraudProof(OTHER.public, *sorted(pair)))  # nobody else is named by it


def test_later_statement_is_no_lie():
    """A free slot may be spent later, and a later head may say more than an older one."""
    for first, second in (
        (_slot(HONEST, SLOTS[1], 1), _seen(HONEST, 1)),
        (_slot(HONEST, SLOTS[1], 1), _slot(HONEST, SLOTS[1], 2)),
        (head_statement(HONEST.head(2)), head_statement(HONEST.head(3))),
    ):
        with pytest.raises(RemoteError) as refused:
            record_of(FraudProof(WITNESS.public, *sorted((first, second))))
        assert refused.value.code is Code.NO_LIE


def test_forged_or_changed_statement_proves_nothing():
    forged = Book((SLOTS[0], TRADES[0]), (SLOTS[1], TRADES[4]), signer=OTHER)
    stolen = seen_statement(sign_record(forged.seens[1], OTHER).raw)
    wrong_path = leaf_statement(HONEST.head(3), 1, SHORT.leaves[1], HONEST.log.inclusion(1, 3))
    wrong_map = slot_statement(HONEST.head(3), SLOTS[1], SHORT._map(2).proof(SLOTS[1]))
    for bad in (stolen, wrong_path, wrong_map, b"\x91\xa3odd", b"\xc1", b"\x90"):
        with pytest.raises(RemoteError) as refused:
            check_fraud_proof(WITNESS.public, _seen(HONEST, 1), bad)
        assert refused.value.code is not Code.NO_LIE


def test_liar_statements_count_for_nothing_in_every_view():
    """Any kind of lie counts, at any time."""
    witness = WITNESSES[0]
    gift = traded(MAKER, ANN, [slot_of(ONE.id)])
    heads = [
        head_statement(sign_head(witness, 7, bytes(31) + end, bytes(32))) for end in (b"a", b"b")
    ]
    lie = record_of(FraudProof(witness.public, *sorted(heads)))
    records = [maker(witnesses=1, quorum=1), TYPE, ONE, gift, seen(gift, ONE, witness)]
    assert evaluate(records).certified(gift.id)
    for at in range(len(records) + 1):
        told = [*records[:at], lie, *records[at:]]
        assert not evaluate(told).certified(gift.id)
        assert same(IncrementalLedgerView(told), evaluate(told))
        assert [alarm.key for alarm in evaluate(told).alarms] == [witness.public]

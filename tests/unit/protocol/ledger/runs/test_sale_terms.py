"""The coin of a sale: neither side can choose it, nor claim later that the sale was another."""

from collections import Counter
from dataclasses import replace
from random import Random

import pytest

from protocol.codes import Code
from protocol.crypto.joint_randomness import NONCE
from protocol.errors import RemoteError
from protocol.ledger.runs.sale_terms import (
    SaleTerms,
    accept_terms,
    bitmap,
    check_accepted,
    check_coin,
    check_terms,
    chosen_pack,
    commit_coin,
    contradict,
    read_receipt,
    sign_terms,
)
from tests.unit.protocol.ledger.runs.test_sealed_run import ANN, BOB, refused, sealed

RUN = bytes(range(32))
HERS, HIS = bytes([7]) * NONCE, bytes([8]) * NONCE


def terms(number=0, packs=(0, 2, 4), **changed):
    made = SaleTerms(
        ANN.public,
        BOB.public,
        RUN,
        number,
        bitmap(packs, 5),
        commit_coin(RUN, ANN.public, HERS),
        commit_coin(RUN, BOB.public, HIS),
        ((bytes(32), 0, None, None),),
    )
    return replace(made, **changed)


def test_sale_terms_round_trip():
    receipt = sign_terms(ANN, terms())
    assert read_receipt(receipt.raw()) == receipt and receipt.terms.packs() == (0, 2, 4)
    check_accepted(terms(), accept_terms(BOB, terms()))
    check_terms(terms(), sealed().run)


def test_receipt_with_changed_byte_is_refused():
    raw = sign_terms(ANN, terms()).raw()
    for at in range(0, len(raw), 7):
        with pytest.raises(RemoteError):
            read_receipt(raw[:at] + bytes([raw[at] ^ 1]) + raw[at + 1 :])


def test_acceptance_is_bound_to_its_sale():
    refused(Code.BAD_SIGNATURE, check_accepted, terms(number=1), accept_terms(BOB, terms()))
    refused(Code.BAD_SIGNATURE, check_accepted, terms(), accept_terms(ANN, terms()))


@pytest.mark.parametrize(
    "changed",
    [
        {"unsold": bytes(1)},
        {"unsold": bitmap([5], 8)},
        {"unsold": bitmap([1], 9)},
        {"creator": BOB.public, "buyer": ANN.public},
        {"buyer": ANN.public},
    ],
)
def test_terms_about_sold_or_foreign_packs_are_refused(changed):
    refused(Code.BAD_TERMS, check_terms, terms(**changed), sealed().run)


def test_coin_opens_only_to_its_own_commitment():
    commitment = commit_coin(RUN, BOB.public, HIS)
    check_coin(commitment, RUN, BOB.public, HIS)
    for run, key, nonce in (
        (RUN, BOB.public, HERS),
        (RUN, ANN.public, HIS),
        (bytes(32), BOB.public, HIS),
        (RUN, BOB.public, HIS[:31]),
    ):
        refused(Code.BAD_NONCE, check_coin, commitment, run, key, nonce)


def test_coin_chooses_evenly_among_unsold_packs_with_both_halves():
    rng = Random(5)
    found = Counter(chosen_pack(terms(), rng.randbytes(NONCE), HIS) for _ in range(600))
    assert set(found) == {0, 2, 4} and min(found.values()) > 140
    assert len({chosen_pack(terms(), HERS, rng.randbytes(NONCE)) for _ in range(40)}) == 3
    assert len({chosen_pack(terms(number=number), HERS, HIS) for number in range(40)}) == 3


def test_seller_of_pack_declared_sold_is_proven_liar():
    assert contradict(terms(0, (0, 4)), terms(1, (0, 2, 4)))
    assert contradict(terms(1, (0, 2, 4)), terms(0, (0, 4)))
    assert contradict(terms(0), terms(0, (0, 4)))  # one number twice


def test_honest_creator_contradicts_nothing():
    assert not contradict(terms(0), terms(0))
    assert not contradict(terms(0), terms(3))  # sales that failed leave the pack unsold
    assert not contradict(terms(0), terms(3, (2,)))
    assert not contradict(terms(5), terms(3, run=bytes(32)))
    assert not contradict(terms(5), terms(6, (0, 2, 4), creator=BOB.public, buyer=ANN.public))

"""A witness signs the first valid trade for a slot and never a second, only on certified ancestors,
for all slots of a trade or none.
"""

from itertools import pairwise

import pytest

from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.identity.keys import fingerprint
from protocol.ledger.proofs.merkle_log import check_consistency, leaf_hash, root_with
from protocol.ledger.proofs.signed_heads import read_head
from protocol.ledger.proofs.slot_map import trade_at
from protocol.ledger.record_codec import content_bytes
from protocol.ledger.record_contents import CardTransfer, CardType
from protocol.ledger.records import sign_record
from protocol.ledger.view import evaluate
from protocol.ledger.witness.acceptance_policy import AcceptancePolicy, cards_against_policy
from protocol.ledger.witness.witness import Witness
from tests.support.ledger import (
    ANN,
    BOB,
    CAROL,
    DAN,
    EVE,
    MAKER,
    TYPE,
    WITNESSES,
    card,
    free,
    maker,
    slot_of,
    trade_of,
    traded,
    waive,
)

NAMED = maker(witnesses=1, quorum=1)
ONE, TWO, THREE = (card(serial) for serial in range(3))
GROUND = [NAMED, TYPE, ONE, TWO, THREE]
# without a witness
PLAIN = sign_record(CardType(DAN.public, None, 0, None, "Newt", "First", None, (), True, ""), DAN)
NEWT = card(0, PLAIN, DAN)


class Trial:
    """A witness whose disk writes at once, and all known records."""

    def __init__(self, witness=0, ground=GROUND):
        self.known = list(ground)
        self.me = WITNESSES[witness]
        self.witness = Witness(self.me)

    def certify(self, trade, *more):
        """Offer a trade with all known records; the witness's records are known afterwards."""
        certificate = self.witness.offer(trade.id, (*self.known, *more, trade))
        if certificate.step:
            self.witness.mark_written(certificate.step)
        self.known += [trade, *certificate.attestations]
        return certificate

    def refuses(self, trade, *more):
        size = self.witness.size
        with pytest.raises(RemoteError) as refused:
            self.certify(trade, *more)
        assert self.witness.size == size
        return refused.value.code

    def view(self, *more):
        return evaluate((*self.known, *more))


def given(taker, *cards, by=MAKER):
    """Return the creator's first gift of these cards."""
    return traded(by, taker, [slot_of(one.id) for one in cards])


def test_witness_signs_first_trade_for_slot_and_no_second():
    trial = Trial()
    first, second = given(ANN, ONE), given(BOB, ONE)
    assert len(trial.certify(first).attestations) == 1
    assert trial.view().certified(first.id)
    assert trial.refuses(second) is Code.SPENT
    assert trial.certify(first).step is None  # asked again it gives the same answer
    assert not trial.view(second).void(first.id)


def test_slot_is_reserved_before_it_is_on_disk():
    trial = Trial()
    first, second = given(ANN, ONE), given(BOB, ONE)
    step = trial.witness.offer(first.id, (*GROUND, first)).step
    assert trial.refuses(second) is Code.SPENT
    assert trial.witness.size == 0 == trial.witness.head().size  # and none of it is announced
    trial.witness.mark_written(step)
    assert trial.witness.head().size == 1


def test_witness_prefers_first_offer_when_both_are_known():
    trial = Trial()
    first, second = given(ANN, ONE), given(BOB, ONE)
    trial.certify(second, first)
    assert trial.view(first).certified(second.id)
    assert trial.view(first).holding(ONE.id).owner == BOB.public


def test_witness_refuses_invalid_trades():
    trial = Trial()
    assert trial.refuses(given(ANN, NEWT, by=DAN), PLAIN, NEWT) is Code.NOT_IN_CHARGE
    # by a person who is not the creator
    assert trial.refuses(traded(EVE, ANN, [slot_of(ONE.id)])) is Code.NOT_OWNED
    trade = given(ANN, ONE)
    assert trial.refuses(trade, waive(trade, ANN)) is Code.NOT_OWNED
    later = traded(ANN, BOB, free(trial.view(trade), ONE))
    assert trial.refuses(later) is Code.LACKING
    bare = Trial(ground=[NAMED, TYPE])
    assert bare.refuses(trade) is Code.NOT_IN_CHARGE  # it does not even know the owner of that card
    assert len(trial.certify(given(ANN, TWO)).attestations) == 1


def test_certified_trade_requires_certified_ancestors():
    trial = Trial()
    first = given(ANN, ONE)
    second = traded(ANN, BOB, free(trial.view(first), ONE))
    assert trial.refuses(second, first) is Code.UNSETTLED
    trial.certify(first)
    trial.certify(second)
    mixed = traded(BOB, DAN, free(trial.view(), ONE), [slot_of(NEWT.id)])
    trial.known += [PLAIN, NEWT]
    trial.certify(mixed)  # it may sign its own slot
    assert not trial.view().certified(mixed.id)  # but nobody signs for the newt
    after = traded(DAN, CAROL, free(trial.view(), ONE))
    assert trial.refuses(after) is Code.UNSETTLED


def test_witness_signs_all_slots_or_none():
    trial = Trial()
    trial.certify(given(ANN, ONE))
    trial.certify(given(BOB, TWO))
    now = trial.view()
    swap = traded(ANN, BOB, free(now, ONE), free(now, TWO))
    trial.certify(traded(BOB, CAROL, free(now, TWO)))
    assert trial.refuses(swap) is Code.SPENT
    one = next(one for one in swap.content.transfers if one.instance == ONE.id)
    assert (
        trade_at(one.slot, trial.witness.slot_proof(one.slot).proof, trial.witness.head().map_root)
        is None
    )


def test_cheated_holder_continues_with_card_certified_earlier():
    trial = Trial()
    trial.certify(given(ANN, ONE))
    trial.certify(given(BOB, TWO))
    now = trial.view()
    swap = traded(ANN, BOB, free(now, ONE), free(now, TWO))
    gift = traded(ANN, EVE, free(now, ONE))
    both = trial.view(swap, gift)
    again = traded(BOB, CAROL, free(both, TWO))
    assert again.content.transfers[0].over == swap.id
    assert trial.refuses(again, swap, gift) is Code.UNSETTLED  # the swap may still be certified
    trial.certify(gift)
    trial.certify(again, swap)
    last = trial.view(swap)
    assert last.holding(TWO.id).owner == CAROL.public and last.certified(again.id)
    assert last.holding(ONE.id).owner == EVE.public
    assert trial.refuses(swap) is Code.SPENT


def test_finished_trade_cannot_be_undone_by_later_trade():
    trial = Trial()
    trial.certify(given(ANN, ONE))
    trade = traded(ANN, BOB, free(trial.view(), ONE))
    (one,) = trade.content.transfers
    back = traded(ANN, CAROL, [CardTransfer(ONE.id, 0, 2, one.prev, trade.id)])
    assert trial.refuses(back, trade) is Code.NOT_OWNED
    trial.certify(trade)
    assert trial.refuses(back) is Code.SPENT


QUORUM = [maker(witnesses=4, quorum=3), TYPE, ONE, TWO, THREE]


def test_quorum_settles_and_split_burns_cheat_alone():
    trials = [Trial(number, QUORUM) for number in range(4)]
    start = [given(ANN, ONE), given(BOB, TWO)]
    for trade in start:
        for trial in trials:
            trial.certify(trade)
    words = [record for trial in trials for record in trial.known]
    now = evaluate(words)
    assert all(now.certified(trade.id) for trade in start)
    swap, gift = traded(ANN, BOB, free(now, ONE), free(now, TWO)), traded(ANN, EVE, free(now, ONE))
    for trial, trade in zip(trials, (swap, swap, gift, gift), strict=True):
        trial.certify(trade, *words)
    words = [record for trial in trials for record in trial.known]
    split = evaluate(words)
    assert not split.certified(swap.id) and not split.certified(gift.id)
    assert {alarm.key for alarm in split.alarms} == {ANN.public}
    again = traded(BOB, CAROL, free(split, TWO))
    for trial in trials[1:]:
        trial.certify(again, *words)
    last = evaluate([*words, *(record for trial in trials for record in trial.known)])
    assert last.certified(again.id) and last.holding(TWO.id).owner == CAROL.public
    assert last.holding(ONE.id).burnt


def test_witness_restarts_from_its_written_state():
    trial = Trial()
    first = trial.certify(given(ANN, ONE)).step
    trade, other = (traded(ANN, taker, free(trial.view(), ONE)) for taker in (BOB, CAROL))
    second = trial.certify(trade).step
    again = Witness(
        trial.me, (*first.records, *second.records), (*first.attestations, *second.attestations)
    )
    assert again.head().signed_bytes == trial.witness.head().signed_bytes
    with pytest.raises(RemoteError) as refused:
        again.offer(other.id, [other])
    assert refused.value.code is Code.SPENT


def test_witness_proofs_and_heads_are_consistent():
    trial = Trial()
    heads = [trial.witness.head()]
    for taker, one in ((ANN, ONE), (BOB, TWO), (CAROL, THREE)):
        trial.certify(given(taker, one))
        heads.append(trial.witness.head())
    for old, new in pairwise(heads[1:]):
        check_consistency(old.log, new.log, trial.witness.consistency(old.size, new.size))
    slot = given(BOB, TWO).content.transfers[0].slot
    shown = trial.witness.slot_proof(slot)
    assert read_head(trial.me.public, shown.head.values()) == shown.head
    assert trade_at(slot, shown.proof, shown.head.map_root) == given(BOB, TWO).id == shown.trade.id
    leaf = leaf_hash(content_bytes(shown.attestation.content))
    assert (
        root_with(leaf, shown.attestation.content.position, shown.head.size, shown.path)
        == shown.head.log_root
    )
    for old, new in ((0, 1), (2, 1), (1, 9)):
        with pytest.raises(RemoteError):
            trial.witness.consistency(old, new)


def test_witness_with_old_disk_signs_nothing():
    trial = Trial()
    step = trial.certify(given(ANN, ONE)).step
    old = Witness(trial.me, step.records, step.attestations)
    trial.certify(given(BOB, TWO))
    assert not trial.witness.record_own_head(old.head())
    assert old.record_own_head(trial.witness.head())
    with pytest.raises(RemoteError) as refused:
        old.offer((third := given(CAROL, THREE)).id, (*GROUND, third))
    assert refused.value.code is Code.HEAD_AHEAD


def test_witness_storage_is_bounded():
    witness = Witness(WITNESSES[0], kept=6)
    trade = given(ANN, ONE)
    witness.mark_written(witness.offer(trade.id, (*GROUND, trade)).step)
    with pytest.raises(RemoteError) as refused:
        witness.offer((other := given(BOB, TWO)).id, (*GROUND, other))
    assert refused.value.code is Code.TOO_MANY


def test_witness_serves_only_chosen_people():
    trade = given(ANN, ONE)
    for only, signs in (((fingerprint(MAKER.public),), True), ((fingerprint(EVE.public),), False)):
        witness = Witness(WITNESSES[0], only=only)
        try:
            assert witness.offer(trade.id, (*GROUND, trade)).attestations and signs
        except RemoteError as error:
            assert error.code is Code.NOT_IN_CHARGE and not signs


def test_witness_policies_are_parsed():
    trial = Trial()
    trial.certify(given(ANN, ONE))
    loose = traded(ANN, BOB, free(trial.view(), ONE))
    now = trial.view(loose)
    further = trade_of(BOB, CAROL, free(now, ONE))
    first = trade_of(MAKER, CAROL, [slot_of(TWO.id)])
    met = {BOB.public}

    def asked(policy, trade, people=met):
        return cards_against_policy(policy, now, trade, CAROL.public, people)

    assert asked(AcceptancePolicy.CERTIFIED, further) == (ONE.id,)
    assert asked(AcceptancePolicy.MET, further) == () == asked(AcceptancePolicy.ANYTHING, further)
    assert asked(AcceptancePolicy.MET, further, ()) == (ONE.id,)
    assert (
        asked(AcceptancePolicy.CERTIFIED, first)
        == ()
        == asked(AcceptancePolicy.CERTIFIED, loose.content)
    )


def test_word_about_older_trade_stays_in_log():
    """The trade cannot be read any more. Its slot is spent, and the log goes on."""
    trial = Trial()
    trade = given(ANN, ONE)
    words = trial.certify(trade).attestations
    again = Witness(trial.me, GROUND, words)
    assert (again.size, again.head()) == (trial.witness.size, trial.witness.head())
    assert again.slot_proof(trade.content.transfers[0].slot).attestation == words[0]
    with pytest.raises(RemoteError) as refused:
        again.offer(given(BOB, ONE).id, [given(BOB, ONE)])
    assert refused.value.code is Code.SPENT

"""Attacks on a whole deal: each fails, and each succeeds once its check is removed (the wrong
variant is defined here).
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from protocol.codes import Code
from protocol.crypto.dlog_proofs import prove_knowledge
from protocol.crypto.elgamal import encode_ciphertexts
from protocol.crypto.group import IDENTITY, Scalar, random_scalar, times_base, total
from protocol.crypto.proof_context import ProofPlace
from protocol.crypto.shuffle import Witness, prove_shuffle, shuffle
from protocol.dealing.card_state import piece_points
from protocol.dealing.verified import fold
from protocol.dealing.verified.stages import VerifiedStage
from protocol.dealing.verified.state import VerifiedState
from protocol.errors import ProtocolViolation
from tests.support.verified import VerifiedDeal, begin, piece_of
from tests.support.verified_moments import honest, offer


def keys_but_the_last(seed: int) -> VerifiedDeal:
    """Return a deal in which only the last of three seats has not posted its key."""
    deal = begin(3, 6, 1, seed)
    deal.step(0)
    deal.step(1)
    return deal


def take_over(deal: VerifiedDeal, z: Scalar) -> list:
    """Return the key that makes the joint key z·G, with the best available proof."""
    X = times_base(z) - total(deal.state.keys.values())
    return [X.encoded, prove_knowledge(z, X, deal.state.proof_place(2, "key"), Random(1)), [], []]


def test_rogue_key_without_proof_reads_every_card(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the proof of knowledge, the last seat reads every card of the deck alone."""
    deal, z = keys_but_the_last(1), random_scalar(Random(7))
    outcome = offer(deal.state, 2, "key", take_over(deal, z))
    assert isinstance(outcome, ProtocolViolation) and outcome.code is Code.BAD_PROOF

    monkeypatch.setattr(fold, "check_knowledge", lambda *_: None)
    state = offer(deal.state, 2, "key", take_over(deal, z))
    assert isinstance(state, VerifiedState) and state.key == times_base(z)
    deal.state = state
    deal.step(0)
    deal.step(1)
    read = [piece_of(e.C2 - z * e.C1, 6) for e in deal.state.deck]
    assert sorted(piece for piece in read if piece is not None) == list(range(6))


def test_identity_key_unchecked_gives_away_every_card(monkeypatch: pytest.MonkeyPatch) -> None:
    """A seat without a secret: its share of every card is known, and the other seats alone read all
    cards.
    """
    body = [IDENTITY.encoded, bytes(64), [], []]
    deal = keys_but_the_last(2)
    outcome = offer(deal.state, 2, "key", body)
    assert isinstance(outcome, ProtocolViolation) and outcome.code is Code.BAD_POINT

    monkeypatch.setattr(fold, "decode_point", lambda raw: IDENTITY)
    monkeypatch.setattr(fold, "check_knowledge", lambda *_: None)
    state = offer(deal.state, 2, "key", body)
    assert isinstance(state, VerifiedState)
    deal.state = state
    deal.step(0)
    deal.step(1)
    assert all(deal.opened(card, (0, 1)) is not None for card in range(6))


def test_copied_key_unbound_proof_lets_copier_repeat_shares(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Without the prover's name in a proof, the copier can post every share of its victim as its
    own, too.
    """
    deal = keys_but_the_last(3)
    copied = deal.entries[1][2]
    outcome = offer(deal.state, 2, "key", copied)
    assert isinstance(outcome, ProtocolViolation) and outcome.code is Code.BAD_PROOF

    def anybody(self: VerifiedState, seat: int, purpose: str, position: int = 0) -> ProofPlace:
        return ProofPlace(self.context.deal_id, 0, b"", purpose, position)

    monkeypatch.setattr(VerifiedState, "proof_place", anybody)
    deal = keys_but_the_last(3)
    state = offer(deal.state, 2, "key", deal.entries[1][2])
    assert isinstance(state, VerifiedState) and state.keys[1] == state.keys[2]


@pytest.mark.parametrize("masks", ["zero", "one"])
def test_zero_or_common_masks_are_refused_on_fresh_deck(
    masks: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A zero mask leaves a card in clear, and one mask for all shows the order: both are refused on
    the fresh deck.
    """
    deal = begin(2, 6, 1, 4)
    deal.step(0)
    deal.step(1)
    state, key = deal.state, deal.state.key
    assert key is not None and state.stage is VerifiedStage.SHUFFLE
    before = tuple(state.deck)
    after, witness = shuffle(before, key, Random(5))
    first = witness.r_prime[0]
    if masks == "zero":
        kept = witness.psi[0]
        r_prime = tuple(
            Scalar(bytes(32)) if j == kept else r for j, r in enumerate(witness.r_prime)
        )
    else:
        r_prime = (first,) * 6
    after = tuple(
        type(e)(e.C1 + times_base(r_prime[j]), e.C2 + r_prime[j] * key)
        for j, e in _moved(before, witness)
    )
    place = state.proof_place(0, "shuffle", 0)
    body = [
        encode_ciphertexts(after),
        prove_shuffle(before, after, Witness(witness.psi, r_prime), key, place, Random(6)),
    ]
    assert isinstance(offer(state, 0, "shuffle", body), ProtocolViolation)

    monkeypatch.setattr("protocol.crypto.shuffle._all_masked", lambda *_: True)
    if masks == "one":
        assert isinstance(offer(state, 0, "shuffle", body), VerifiedState)
        guess = [
            next(
                j
                for j, M in enumerate(piece_points(6))
                if after[0].C2 - piece_points(6)[witness.psi[0]] == e.C2 - M
            )
            for e in after
        ]
        assert tuple(guess) == witness.psi
    else:
        assert after[0].C2 in piece_points(6)  # the card is in clear here
        fold.check_shuffle(body[1], before, after, key, place)  # the shuffle argument itself holds


def _moved(before: tuple, witness: Witness) -> Iterator[tuple[int, Any]]:
    return ((j, before[j]) for j in witness.psi)


WEAK: dict[str, Callable[[VerifiedState, int], ProofPlace]] = {
    "another deal": lambda state, card: ProofPlace(
        bytes(32), 0, state.context.identities[0], "share", card
    ),
    "another seat": lambda state, card: ProofPlace(
        state.context.deal_id, 1, state.context.identities[0], "share", card
    ),
    "another person": lambda state, card: ProofPlace(
        state.context.deal_id, 0, state.context.identities[1], "share", card
    ),
    "another purpose": lambda state, card: ProofPlace(
        state.context.deal_id, 0, state.context.identities[0], "show", card
    ),
    "another position": lambda state, card: ProofPlace(
        state.context.deal_id, 0, state.context.identities[0], "share", card + 1
    ),
}


@pytest.mark.parametrize("place", WEAK.values(), ids=WEAK)
def test_share_proven_for_another_place_is_named(
    place: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    deal, state, _ = honest(VerifiedStage.SHARES, 0)
    monkeypatch.setattr(
        VerifiedState, "proof_place", lambda self, seat, purpose, position=0: place(self, position)
    )
    body = deal.seats[0]._give_shares(state, state.owed(0))
    # the share holds in the place for which it was proven
    assert isinstance(offer(state, 0, "shares", body), VerifiedState)
    monkeypatch.undo()
    assert isinstance(offer(state, 0, "shares", body), ProtocolViolation)


def test_proof_is_bound_to_match_key_and_deal_number() -> None:
    """Two deals of the same seats with the same secrets: nothing from one is accepted in the
    other.
    """

    deal = begin(2, 4, 1, 6)
    other = replace(deal.state, context=replace(deal.state.context, deal_number=1))
    body = deal.seats[0].next_post(deal.state).body  # type: ignore[union-attr]
    assert isinstance(offer(deal.state, 0, "key", body), VerifiedState)
    assert isinstance(offer(other, 0, "key", body), ProtocolViolation)

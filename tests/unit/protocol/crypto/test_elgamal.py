"""ElGamal cards under a joint key: every seat's share together opens a card, and fewer do not."""

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.codes import Code
from protocol.crypto.elgamal import (
    Ciphertext,
    check_share,
    clear_ciphertext,
    combine_shares,
    decode_ciphertexts,
    encode_ciphertexts,
    joint_key,
    prove_share,
    reencrypt,
    share,
)
from protocol.crypto.group import (
    IDENTITY,
    ORDER,
    ZERO,
    hash_to_point,
    random_scalar,
    scalar_from_int,
    times_base,
)
from protocol.crypto.proof_context import ProofPlace
from protocol.errors import RemoteError

PLACE = ProofPlace(deal=b"d" * 32, seat=0, identity=b"i" * 32, purpose="share", position=5)
RNG = Random("elgamal")
SECRETS = [random_scalar(RNG) for _ in range(4)]
KEYS = [times_base(s) for s in SECRETS]
PK = joint_key(KEYS)
M = hash_to_point("piece", 17)
E = reencrypt(clear_ciphertext(M), random_scalar(RNG), PK)
nonzero = st.integers(1, ORDER - 1).map(scalar_from_int)


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(st.lists(nonzero, min_size=1, max_size=4), st.lists(nonzero, min_size=1, max_size=3))
def test_all_shares_open_card_after_many_maskings(masks: list, secrets: list) -> None:  # type: ignore[type-arg]
    keys = [times_base(s) for s in secrets]
    if sum(keys, start=IDENTITY).is_identity:
        return
    e = clear_ciphertext(M)
    for r in masks:
        e = reencrypt(e, r, joint_key(keys))
    if not e.C1.is_identity:
        assert combine_shares(e, [share(s, e) for s in secrets]) == M


def test_any_share_missing_hides_the_piece() -> None:
    shares = [share(s, E) for s in SECRETS]
    assert combine_shares(E, shares) == M
    for k in range(4):
        assert combine_shares(E, shares[:k] + shares[k + 1 :]) != M


def test_zero_mask_is_refused() -> None:
    with pytest.raises(ValueError, match="zero"):
        reencrypt(E, ZERO, PK)


def test_identity_as_joint_key_is_refused() -> None:
    with pytest.raises(RemoteError) as caught:
        joint_key([KEYS[0], -KEYS[0]])
    assert caught.value.code == Code.BAD_POINT


def test_card_in_clear_has_no_share() -> None:
    with pytest.raises(ValueError, match="clear"):
        share(SECRETS[0], clear_ciphertext(M))


def test_ciphertext_encoding_round_trips() -> None:
    deck = (E, reencrypt(E, SECRETS[1], PK))
    assert decode_ciphertexts(encode_ciphertexts(deck), 2) == deck


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        encode_ciphertexts([E])[:-1],
        encode_ciphertexts([E]) + b"\0",
        encode_ciphertexts([E, E]),
        encode_ciphertexts([Ciphertext(IDENTITY, M)]),
        encode_ciphertexts([Ciphertext(M, IDENTITY)]),
        encode_ciphertexts([E])[:32] + b"\xff" * 32,
        encode_ciphertexts([E]).hex(),
        None,
        [encode_ciphertexts([E])],
    ],
)
def test_invalid_ciphertext_encoding_is_refused(raw: object) -> None:
    with pytest.raises(RemoteError) as caught:
        decode_ciphertexts(raw, 1)
    assert caught.value.code == Code.BAD_POINT


def test_share_proof_holds_for_one_card_key_and_place() -> None:
    D = share(SECRETS[0], E)
    proof = prove_share(SECRETS[0], KEYS[0], E, D, PLACE, RNG)
    check_share(proof, KEYS[0], E, D, PLACE)
    other = reencrypt(E, SECRETS[2], PK)
    for X, e, d, place in (
        (KEYS[1], E, D, PLACE),
        (KEYS[0], other, D, PLACE),
        (KEYS[0], other, share(SECRETS[0], other), PLACE),
        (KEYS[0], replace(E, C2=other.C2), D, PLACE),
        (KEYS[0], replace(E, C1=other.C1), D, PLACE),
        (KEYS[0], E, share(SECRETS[1], E), PLACE),
        (KEYS[0], E, D, replace(PLACE, position=6)),
        (KEYS[0], E, D, replace(PLACE, seat=1)),
    ):
        with pytest.raises(RemoteError) as caught:
            check_share(proof, X, e, d, place)
        assert caught.value.code == Code.BAD_PROOF

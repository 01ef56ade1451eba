"""Feldman sharing: any quorum recovers the secret, fewer do not, and a wrong share is noticed."""

from itertools import combinations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.crypto.group import ONE, random_scalar, times_base
from protocol.crypto.sharing import recover_secret, share_fits, share_secret


@pytest.mark.slow
@given(st.integers(1, 6), st.integers(0, 5), st.integers())
def test_any_quorum_recovers_and_fewer_do_not(quorum, spare, seed):
    rng = Random(seed)
    receivers = rng.sample(range(8), min(8, quorum + spare))
    x = random_scalar(rng)
    commitments, shares = share_secret(x, quorum, receivers, rng)
    assert all(share_fits(share, receiver, times_base(x), commitments) for receiver, share in shares.items())
    for chosen in list(combinations(receivers, quorum))[:5]:
        assert recover_secret({receiver: shares[receiver] for receiver in chosen}) == x
    if quorum > 1:
        assert recover_secret({receiver: shares[receiver] for receiver in receivers[: quorum - 1]}) != x


def test_a_wrong_share_a_swapped_one_and_a_wrong_key_do_not_fit():
    rng = Random(1)
    x = random_scalar(rng)
    commitments, shares = share_secret(x, 3, [0, 1, 2, 5], rng)
    X = times_base(x)
    assert not share_fits(shares[0] + ONE, 0, X, commitments)
    assert not share_fits(shares[0], 1, X, commitments)
    assert not share_fits(shares[0], 0, times_base(x + ONE), commitments)
    assert not share_fits(shares[0], 0, X, commitments[:1])
    assert not share_fits(shares[2], 2, X, commitments[::-1])


@pytest.mark.parametrize("quorum", [0, 4])
def test_a_quorum_is_between_one_and_all(quorum):
    rng = Random(1)
    with pytest.raises(ValueError, match="quorum"):
        share_secret(random_scalar(rng), quorum, [0, 1, 2], rng)

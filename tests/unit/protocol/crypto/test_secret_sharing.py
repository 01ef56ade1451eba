"""Feldman sharing: any quorum can use the secret without learning it, fewer seats cannot, and a
wrong share is noticed.
"""

from itertools import combinations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.crypto.group import (
    ONE,
    ZERO,
    hash_to_point,
    random_scalar,
    scalar_from_int,
    times_base,
)
from protocol.crypto.secret_sharing import combine_points, public_share, share_fits, share_secret


@pytest.mark.slow
@given(st.integers(1, 6), st.integers(0, 5), st.integers())
def test_quorum_computes_like_secret_and_fewer_cannot(quorum, spare, seed):
    rng = Random(seed)
    receivers = rng.sample(range(8), min(8, quorum + spare))
    x, C = random_scalar(rng), hash_to_point("piece", seed % 52)
    commitments, shares = share_secret(x, quorum, receivers, rng)
    assert all(
        share_fits(share, receiver, times_base(x), commitments)
        for receiver, share in shares.items()
    )
    for chosen in list(combinations(receivers, quorum))[:5]:
        assert combine_points({receiver: shares[receiver] * C for receiver in chosen}) == x * C
    assert combine_points({receiver: share * C for receiver, share in shares.items()}) == x * C
    if quorum > 1:
        assert (
            combine_points({receiver: shares[receiver] * C for receiver in receivers[: quorum - 1]})
            != x * C
        )


def test_wrong_share_swapped_share_and_wrong_key_are_refused():
    rng = Random(1)
    x = random_scalar(rng)
    commitments, shares = share_secret(x, 3, [0, 1, 2, 5], rng)
    X = times_base(x)
    assert not share_fits(shares[0] + ONE, 0, X, commitments)
    assert not share_fits(shares[0], 1, X, commitments)
    assert not share_fits(shares[0], 0, times_base(x + ONE), commitments)
    assert not share_fits(shares[0], 0, X, commitments[:1])
    assert not share_fits(shares[2], 2, X, commitments[::-1])


def test_public_share_is_computable_by_everybody():
    rng = Random(1)
    x = random_scalar(rng)
    commitments, shares = share_secret(x, 3, [0, 1, 2, 5], rng)
    assert all(
        public_share(receiver, times_base(x), commitments) == times_base(share)
        for receiver, share in shares.items()
    )


def test_zero_share_is_refused():
    """A dealer can aim at it, and its receiver could prove nothing with it. The receiver therefore
    complains, and is not named later.
    """
    x = scalar_from_int(5)
    # x + 3·slope = 0 makes the share of receiver 2 zero
    slope = (ZERO - x) * scalar_from_int(3).inverse()
    assert public_share(2, times_base(x), [times_base(slope)]).is_identity
    assert not share_fits(ZERO, 2, times_base(x), [times_base(slope)])


@pytest.mark.parametrize("quorum", [0, 4])
def test_quorum_out_of_range_is_refused(quorum):
    rng = Random(1)
    with pytest.raises(ValueError, match="quorum"):
        share_secret(random_scalar(rng), quorum, [0, 1, 2], rng)

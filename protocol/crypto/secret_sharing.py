"""Feldman's verifiable secret sharing over ristretto255, and use of a shared key without
reconstructing it.

Sources: Feldman, "A practical scheme for non-interactive verifiable secret sharing", FOCS 1987;
Desmedt and Frankel, "Threshold cryptosystems", 1989.

    dealer      f(z) = x + a_1·z + … + a_{q−1}·z^{q−1},   A_0 = X = x·G,   A_k = a_k·G
    receiver i  s_i = f(i + 1), accepted if s_i·G = Y_i,   Y_i = ΣA_k·(i + 1)^k
    any q       x·C = Σ λ_i·(s_i·C) for any point C: by Lagrange, the value at 0 of the polynomial

Fewer than q shares reveal nothing about x beyond X. The points s_i·C reveal only x·C. Receivers are
numbered from 0, as seats are; the secret is the value at 0.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from random import Random

from protocol.crypto.group import (
    ONE,
    ZERO,
    Point,
    Scalar,
    linear_combination,
    random_scalar,
    scalar_from_int,
    times_base,
)


def share_secret(
    x: Scalar, quorum: int, receivers: Sequence[int], rng: Random
) -> tuple[list[Point], dict[int, Scalar]]:
    """Return the commitments A_1 … A_{q−1} and one share for each receiver.

    Raises: ValueError unless 1 ≤ quorum ≤ number of receivers.
    """
    if not 1 <= quorum <= len(receivers):
        raise ValueError("a quorum is at least one and at most all receivers")
    coefficients = [x, *(random_scalar(rng) for _ in range(quorum - 1))]
    shares = {receiver: _evaluate(coefficients, receiver) for receiver in receivers}
    return [times_base(a) for a in coefficients[1:]], shares


def public_share(receiver: int, X: Point, commitments: Sequence[Point]) -> Point:
    """Return Y = s·G for the correct share s of a receiver: ΣA_k·(receiver + 1)^k, with A_0 = X."""
    power = ONE
    powers = []
    for _ in range(len(commitments) + 1):
        powers.append(power)
        power = power * _point(receiver)
    return linear_combination(powers, [X, *commitments])


def share_fits(share: Scalar, receiver: int, X: Point, commitments: Sequence[Point]) -> bool:
    """Check the share of a receiver.

    Zero is refused, because no proof is possible with it; a dealer may aim at zero.
    """
    return not share.is_zero and times_base(share) == public_share(receiver, X, commitments)


def combine_points(points: Mapping[int, Point]) -> Point:
    """Return x·C from the points s·C of at least a quorum, by receiver; all points must be
    right.
    """
    receivers = tuple(points)
    return linear_combination(
        [_lagrange_weight(receiver, receivers) for receiver in receivers], list(points.values())
    )


@lru_cache(maxsize=256)
def _lagrange_weight(receiver: int, receivers: tuple[int, ...]) -> Scalar:
    """Return the Lagrange coefficient λ of a receiver for the value at 0.

    Cached, because the coefficient is the same for every card of a hand.
    """
    weight = ONE
    for other in receivers:
        if other != receiver:
            weight = weight * _point(other) * (_point(other) - _point(receiver)).inverse()
    return weight


def _point(receiver: int) -> Scalar:
    return scalar_from_int(receiver + 1)


def _evaluate(coefficients: Sequence[Scalar], receiver: int) -> Scalar:
    """Evaluate f(receiver + 1) by Horner's rule."""
    value = ZERO
    for coefficient in reversed(coefficients):
        value = value * _point(receiver) + coefficient
    return value

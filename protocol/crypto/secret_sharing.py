"""Feldman's verifiable secret sharing over ristretto255 ("A practical scheme for non-interactive
VSS", FOCS 1987), and a key that works without ever being put together (Desmedt and Frankel,
"Threshold cryptosystems", 1989).

    dealer      f(z) = x + a_1·z + … + a_{q−1}·z^{q−1},   A_0 = X = x·G,   A_k = a_k·G
    receiver i  s_i = f(i + 1), accepted if s_i·G = Y_i,   Y_i = ΣA_k·(i + 1)^k
    any q       x·C = Σ λ_i·(s_i·C), the value at 0 of the polynomial through their points (Lagrange), for any point C

Fewer than q shares say nothing about x beyond X, and the points s_i·C nothing but x·C. Receivers
are numbered from 0, as seats are; at 0 lies the secret.
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
    """A_1 … A_{q−1} and one share for each receiver. Raises ValueError unless 1 ≤ quorum ≤
    receivers.
    """
    if not 1 <= quorum <= len(receivers):
        raise ValueError("a quorum is at least one and at most all receivers")
    coefficients = [x, *(random_scalar(rng) for _ in range(quorum - 1))]
    shares = {receiver: _value(coefficients, receiver) for receiver in receivers}
    return [times_base(a) for a in coefficients[1:]], shares


def public_share(receiver: int, X: Point, commitments: Sequence[Point]) -> Point:
    """Y = s·G of the share s that a receiver should have: ΣA_k·(receiver + 1)^k, with A_0 = X."""
    power, powers = ONE, []
    for _ in range(len(commitments) + 1):
        powers.append(power)
        power = power * _point(receiver)
    return linear_combination(powers, [X, *commitments])


def share_fits(share: Scalar, receiver: int, X: Point, commitments: Sequence[Point]) -> bool:
    """Whether this is the receiver's share. Zero never is: nothing can be proven with it (a dealer
    may aim at it).
    """
    return not share.is_zero and times_base(share) == public_share(receiver, X, commitments)


def combine_points(points: Mapping[int, Point]) -> Point:
    """x·C from the points s·C of a quorum, by receiver; more than a quorum do no harm if all of
    them are right.
    """
    receivers = tuple(points)
    return linear_combination(
        [_weight(receiver, receivers) for receiver in receivers], list(points.values())
    )


@lru_cache(maxsize=256)
def _weight(receiver: int, receivers: tuple[int, ...]) -> Scalar:
    """λ of one of them: what its point counts for in the value at 0; the same for every card of a
    hand.
    """
    weight = ONE
    for other in receivers:
        if other != receiver:
            weight = weight * _point(other) * (_point(other) - _point(receiver)).inverse()
    return weight


def _point(receiver: int) -> Scalar:
    return scalar_from_int(receiver + 1)


def _value(coefficients: Sequence[Scalar], receiver: int) -> Scalar:
    """f(receiver + 1), by Horner's rule."""
    value = ZERO
    for coefficient in reversed(coefficients):
        value = value * _point(receiver) + coefficient
    return value

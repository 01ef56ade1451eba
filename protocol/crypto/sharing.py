"""Feldman's verifiable secret sharing over ristretto255 ("A practical scheme for non-interactive VSS", FOCS 1987).

    dealer      f(z) = x + a_1·z + … + a_{q−1}·z^{q−1},   A_0 = X = x·G,   A_k = a_k·G
    receiver i  s_i = f(i + 1), accepted if s_i·G = ΣA_k·(i + 1)^k
    any q       x = Σ s_i·λ_i, the value at 0 of the polynomial through their points (Lagrange)

Fewer than q shares say nothing about x beyond X. Receivers are numbered from 0, as seats are; at 0 lies the secret.
"""

from collections.abc import Mapping, Sequence
from random import Random

from protocol.crypto.group import ONE, ZERO, Point, Scalar, combine, random_scalar, scalar_from_int, times_base


def share_secret(
    x: Scalar, quorum: int, receivers: Sequence[int], rng: Random
) -> tuple[list[Point], dict[int, Scalar]]:
    """A_1 … A_{q−1} and one share for each receiver. Raises ValueError unless 1 ≤ quorum ≤ receivers."""
    if not 1 <= quorum <= len(receivers):
        raise ValueError("a quorum is at least one and at most all receivers")
    coefficients = [x, *(random_scalar(rng) for _ in range(quorum - 1))]
    shares = {receiver: _value(coefficients, receiver) for receiver in receivers}
    return [times_base(a) for a in coefficients[1:]], shares


def share_fits(share: Scalar, receiver: int, X: Point, commitments: Sequence[Point]) -> bool:
    """Whether s·G = ΣA_k·(receiver + 1)^k, with A_0 = X."""
    power, powers = ONE, []
    for _ in range(len(commitments) + 1):
        powers.append(power)
        power = power * _point(receiver)
    return times_base(share) == combine(powers, [X, *commitments])


def recover_secret(shares: Mapping[int, Scalar]) -> Scalar:
    """x from the shares of a quorum, by receiver; more than a quorum do no harm if all of them fit."""
    x = ZERO
    for receiver, share in shares.items():
        weight = ONE
        for other in shares:
            if other != receiver:
                weight = weight * _point(other) * (_point(other) - _point(receiver)).inverse()
        x = x + share * weight
    return x


def _point(receiver: int) -> Scalar:
    return scalar_from_int(receiver + 1)


def _value(coefficients: Sequence[Scalar], receiver: int) -> Scalar:
    """f(receiver + 1), by Horner's rule."""
    value = ZERO
    for coefficient in reversed(coefficients):
        value = value * _point(receiver) + coefficient
    return value

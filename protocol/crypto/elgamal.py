"""ElGamal encryption over ristretto255 under the joint key of all seats: X = ΣX_j with X_j = x_j·G.

Nobody knows the secret key x = Σx_j.

    encryption      of the point M:     (C1, C2) = (r·G, M + r·X)
    re-encryption   by r:               (C1 + r·G, C2 + r·X): the same M, unlinkable without r
    share           of seat j:          D_j = x_j·C1, with a proof that log_G X_j = log_C1 D_j
    opening         with all shares:    M = C2 − ΣD_j

A deck starts as (0, M_k): every piece unencrypted, the same for everybody. A re-encryption by zero
would not change a card, so `reencrypt` refuses zero. In a ciphertext from outside neither half may
be the identity.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from random import Random

from protocol.codes import Code
from protocol.crypto.dlog_proofs import Equality, check_equality, prove_equality
from protocol.crypto.group import (
    ELEMENT_BYTES,
    IDENTITY,
    Point,
    Scalar,
    decode_points,
    encode,
    times_base,
    total,
)
from protocol.crypto.proof_context import ProofPlace
from protocol.errors import RemoteError

CIPHERTEXT_SIZE = 2 * ELEMENT_BYTES  # bytes


@dataclass(frozen=True, slots=True)
class Ciphertext:
    """Encrypted card: C1 = r·G and C2 = M + r·X."""

    C1: Point
    C2: Point


def clear_ciphertext(M: Point) -> Ciphertext:
    """Return M unencrypted as the ciphertext (0, M), with which a deck starts."""
    return Ciphertext(IDENTITY, M)


def reencrypt(e: Ciphertext, r: Scalar, X: Point) -> Ciphertext:
    """Return (C1 + r·G, C2 + r·X). Raises: ValueError if r is zero."""
    if r.is_zero:
        raise ValueError("zero would leave the card as it is")
    return Ciphertext(e.C1 + times_base(r), e.C2 + r * X)


def joint_key(keys: Iterable[Point]) -> Point:
    """Return the joint key X = ΣX_j.

    Every X_j must have a checked proof of knowledge; otherwise the last seat could choose X.

    Raises: RemoteError(BAD_POINT) if the sum is the identity.
    """
    X = total(keys)
    if X.is_identity:
        raise RemoteError(Code.BAD_POINT)
    return X


def encode_ciphertexts(deck: Iterable[Ciphertext]) -> bytes:
    """Encode ciphertexts as C1 ‖ C2, 64 bytes each."""
    return encode(point for e in deck for point in (e.C1, e.C2))


def decode_ciphertexts(raw: object, count: int) -> tuple[Ciphertext, ...]:
    """Decode `count` ciphertexts from 64·count bytes.

    Raises: RemoteError(BAD_POINT) for another length, an invalid point, or the identity.
    """
    if type(raw) is not bytes or len(raw) != count * CIPHERTEXT_SIZE:
        raise RemoteError(Code.BAD_POINT)
    points = iter(decode_points(raw))
    return tuple(Ciphertext(C1, C2) for C1, C2 in zip(points, points, strict=True))


def share(x: Scalar, e: Ciphertext) -> Point:
    """Return the share D = x·C1 of one seat for opening `e`.

    Raises: ValueError if C1 is the identity, because then `e` is not encrypted.
    """
    if e.C1.is_identity:
        raise ValueError("a card in clear needs no share")
    return x * e.C1


def prove_share(
    x: Scalar, X: Point, e: Ciphertext, D: Point, place: ProofPlace, rng: Random
) -> bytes:
    """Prove in 64 bytes that D is the share of X's owner in `e`.

    The proof is bound to both halves of `e`, so it is invalid for any other ciphertext.
    """
    return prove_equality(x, _share_statement(X, e, D), place, rng)


def check_share(proof: object, X: Point, e: Ciphertext, D: Point, place: ProofPlace) -> None:
    """Check log_G X = log_C1 D, bound to all of `e`. Raises: RemoteError(BAD_PROOF) for any
    failure.
    """
    check_equality(proof, _share_statement(X, e, D), place)


def combine_shares(e: Ciphertext, shares: Iterable[Point]) -> Point:
    """Return M = C2 − ΣD_j, which is correct if `shares` has one share of every seat.

    The caller looks up the piece that M stands for.
    """
    return e.C2 - total(shares)


def _share_statement(X: Point, e: Ciphertext, D: Point) -> Equality:
    return Equality(X, e.C1, D, bound=(e.C2,))

"""Two proofs about discrete logarithms: knowledge of one (Schnorr), and equality of two (Chaum and
Pedersen).

                  knowledge             equality
    statement     X = x·G               X = x·G, Y = x·H
    commitment    t = ω·G               t₁ = ω·G, t₂ = ω·H
    challenge     c = H(…, t)           c = H(…, t₁, t₂)
    answer        s = ω + c·x           s = ω + c·x
    accepted if   c = H(…, s·G − c·X)   c = H(…, s·G − c·X, s·H − c·Y)

"…" is the `proof_context` over the place and every point of the statement. A proof is c ‖ s, 64
bytes, with a unique encoding.

Soundness: two answers (c, s), (c', s') to one commitment give x = (s − s')/(c − c'). A prover that
can answer two challenges therefore knows x. Zero knowledge: random (c, s), with t computed from
them, look like a real proof. A proof therefore reveals nothing about x.

A statement that contains the identity is refused, because everybody knows its logarithm to any
base.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from protocol.codes import Code
from protocol.crypto.group import (
    ELEMENT_BYTES,
    GENERATOR,
    Point,
    Scalar,
    decode_scalars,
    encode,
    times_base,
)
from protocol.crypto.proof_context import ProofPlace, challenge, proof_context, secret_scalars
from protocol.errors import RemoteError

PROOF_SIZE = 2 * ELEMENT_BYTES  # bytes of either proof


@dataclass(frozen=True, slots=True)
class Equality:
    """Statement that the prover knows x with X = x·G and Y = x·H.

    `bound` lists further points to which the proof is bound.
    """

    X: Point
    H: Point
    Y: Point
    bound: tuple[Point, ...] = ()


def prove_knowledge(x: Scalar, X: Point, place: ProofPlace, rng: Random) -> bytes:
    """Prove knowledge of x with X = x·G in 64 bytes, valid in this place only."""
    context = _knowledge_context(X, place)
    omega = next(secret_scalars(x.encoded, context, 1, rng))
    c = challenge(context, "c", [times_base(omega)])
    return encode([c, omega + c * x])


def check_knowledge(proof: object, X: Point, place: ProofPlace) -> None:
    """Check t = s·G − c·X against c = H(context, t).

    Raises: RemoteError(BAD_PROOF) for any failure; also if X is the identity.
    """
    c, s = _decode(proof, (X,))
    t = times_base(s) - c * X
    if challenge(_knowledge_context(X, place), "c", [t]) != c:
        raise RemoteError(Code.BAD_PROOF)


def prove_equality(x: Scalar, statement: Equality, place: ProofPlace, rng: Random) -> bytes:
    """Prove knowledge of one x with X = x·G and Y = x·H in 64 bytes, valid in this place only."""
    context = _equality_context(statement, place)
    omega = next(secret_scalars(x.encoded, context, 1, rng))
    c = challenge(context, "c", [times_base(omega), omega * statement.H])
    return encode([c, omega + c * x])


def check_equality(proof: object, statement: Equality, place: ProofPlace) -> None:
    """Check t₁ = s·G − c·X and t₂ = s·H − c·Y against c = H(context, t₁, t₂).

    Raises: RemoteError(BAD_PROOF) for any failure; also if X, H or Y is the identity.
    """
    c, s = _decode(proof, (statement.X, statement.H, statement.Y))
    t1 = times_base(s) - c * statement.X
    t2 = s * statement.H - c * statement.Y
    if challenge(_equality_context(statement, place), "c", [t1, t2]) != c:
        raise RemoteError(Code.BAD_PROOF)


def _knowledge_context(X: Point, place: ProofPlace) -> bytes:
    return proof_context(place, "knowledge of a discrete logarithm", [GENERATOR, X])


def _equality_context(statement: Equality, place: ProofPlace) -> bytes:
    points = [GENERATOR, statement.X, statement.H, statement.Y, *statement.bound]
    return proof_context(place, "equality of discrete logarithms", points)


def _decode(proof: object, statement: Sequence[Point]) -> tuple[Scalar, Scalar]:
    """Decode (c, s), and check that the statement does not contain the identity.

    Raises: RemoteError(BAD_PROOF).
    """
    if (
        type(proof) is not bytes
        or len(proof) != PROOF_SIZE
        or any(point.is_identity for point in statement)
    ):
        raise RemoteError(Code.BAD_PROOF)
    try:
        c, s = decode_scalars(proof)
    except RemoteError:
        raise RemoteError(Code.BAD_PROOF) from None
    return c, s

"""Fiat–Shamir: derive the challenge of a non-interactive proof by hashing, the same way for every
proof.

The hash replaces the verifier. The challenge must therefore depend on everything that a prover
could choose on purpose, and on the place for which the proof is made:

    context   = H("proof context", deal, seat, identity, purpose, position, kind,
                  every element of the statement)
    challenge = Hs("proof challenge", context, name, all commitments of the prover so far)

H is SHA-256 and Hs is HKDF-HMAC-SHA-512, reduced from 64 bytes. Both hash labelled fields with
their lengths (`protocol.crypto.hashing`), so different proofs never hash the same bytes. If the
statement were left out, a prover could choose it after the challenge (Bernhard, Pereira, Warinschi,
"How not to prove yourself", ASIACRYPT 2012).
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from random import Random

from protocol.crypto.group import WIDE, Point, Scalar, hash_to_scalar, scalars_from_uniform
from protocol.crypto.hashing import Field, derive, digest

_EXPANDED = 255  # maximal number of 64-byte blocks from one HKDF (RFC 5869, 2.3)


@dataclass(frozen=True, slots=True)
class ProofPlace:
    """Place in which a proof is valid, and nowhere else: deal, seat, purpose and position."""

    deal: bytes  # id of the deal, which binds table, match and deal number
    seat: int  # seat of the prover
    identity: bytes  # long-term public key of the seat
    purpose: str  # kind of the entry with the proof: "key", "shuffle", "share", ...
    # number among several proofs: the card's place in the deck, or the shuffle's number
    position: int = 0


def proof_context(place: ProofPlace, kind: str, statement: Iterable[Point]) -> bytes:
    """Hash the place, the kind of proof and every point of the statement, in order, to 32 bytes."""
    return statement_context(place, kind, *(point.encoded for point in statement))


def statement_context(place: ProofPlace, kind: str, *statement: Field) -> bytes:
    """Hash the place, the kind of proof and all fields of the statement to 32 bytes.

    Use this function for statements that do not consist of points.
    """
    bound = (place.deal, place.seat, place.identity, place.purpose, place.position)
    return digest("proof context", *bound, kind, *statement)


def challenge(context: bytes, name: str, committed: Iterable[Point]) -> Scalar:
    """Return the challenge after the prover has committed to these points.

    `name` is the letter of the challenge in the paper.
    """
    return hash_to_scalar("proof challenge", context, name, *(point.encoded for point in committed))


def challenges(context: bytes, name: str, count: int, committed: Iterable[Point]) -> list[Scalar]:
    """Return `count` independent challenges as `challenge` does, at most 255.

    Raises: ValueError for more.
    """
    if count > _EXPANDED:
        raise ValueError("at most 255 challenges at once")
    seed = digest("proof challenges", context, name, count, *(point.encoded for point in committed))
    return scalars_from_uniform(derive(b"", "proof challenges", seed, length=count * WIDE))


def secret_scalars(witness: bytes, context: bytes, count: int, rng: Random) -> Iterator[Scalar]:
    """Yield `count` secret scalars for one proof, from fresh randomness, the witness and the
    context.

    The random bytes alone make the scalars uniform. Witness and context guard against a generator
    that repeats itself, after a restored snapshot or a fork of the process. Otherwise one nonce
    could serve two challenges, which would reveal the witness.
    """
    secret = rng.randbytes(WIDE) + witness
    for first in range(0, count, _EXPANDED):
        blocks = min(_EXPANDED, count - first)
        yield from scalars_from_uniform(
            derive(secret, "proof nonces", context, first, length=blocks * WIDE)
        )

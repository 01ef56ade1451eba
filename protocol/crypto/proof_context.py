"""Fiat–Shamir: what a non-interactive proof hashes to get its challenge, the same way for every
proof.

The challenge takes the verifier's place, so it must depend on everything that a prover could have
chosen with a purpose, and on everything that says what the proof is for:

    context   = H("proof context", deal, seat, identity, purpose, position, kind, every element of the statement)
    challenge = Hs("proof challenge", context, name, what the prover committed to so far)

H is SHA-256 and Hs is HKDF-HMAC-SHA-512 reduced from 64 bytes, both over labelled and length-framed
fields (`protocol.crypto.hashing`), so no two different proofs ever hash the same bytes. A statement
left out would let a prover choose it after the challenge (Bernhard, Pereira, Warinschi, "How not to
prove yourself", ASIACRYPT 2012).
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from random import Random

from protocol.crypto.group import WIDE, Point, Scalar, hash_to_scalar, scalars_from_uniform
from protocol.crypto.hashing import Field, derive, digest

_EXPANDED = 255  # blocks of 64 bytes that one HKDF can give (RFC 5869, section 2.3)


@dataclass(frozen=True, slots=True)
class ProofPlace:
    """What one proof is for. It holds there only: in this deal, from this seat, to this purpose, at
    this position.
    """

    deal: bytes  # the deal's id, which binds table, match and deal number
    seat: int  # who proves
    identity: bytes  # the seat's long-term public key
    purpose: str  # the kind of entry that carries it: "key", "shuffle", "share", ...
    position: int = 0  # which of several: the card's place in the deck, the shuffle's number


def proof_context(place: ProofPlace, kind: str, statement: Iterable[Point]) -> bytes:
    """32 bytes that stand for the place, the kind of proof and every element of the statement, in
    order.
    """
    return statement_context(place, kind, *(point.encoded for point in statement))


def statement_context(place: ProofPlace, kind: str, *statement: Field) -> bytes:
    """The same of a statement that is not made of points: its fields, each framed by its length."""
    bound = (place.deal, place.seat, place.identity, place.purpose, place.position)
    return digest("proof context", *bound, kind, *statement)


def challenge(context: bytes, name: str, committed: Iterable[Point]) -> Scalar:
    """The challenge after the prover has committed to these points; `name` is the paper's letter
    for it.
    """
    return hash_to_scalar("proof challenge", context, name, *(point.encoded for point in committed))


def challenges(context: bytes, name: str, count: int, committed: Iterable[Point]) -> list[Scalar]:
    """As `challenge`, but `count` independent ones, at most 255. Raises ValueError for more."""
    if count > _EXPANDED:
        raise ValueError("at most 255 challenges at once")
    seed = digest("proof challenges", context, name, count, *(point.encoded for point in committed))
    return scalars_from_uniform(derive(b"", "proof challenges", seed, length=count * WIDE))


def secret_scalars(witness: bytes, context: bytes, count: int, rng: Random) -> Iterator[Scalar]:
    """`count` secret scalars for one proof: from fresh randomness, the witness and the context
    together.

    The random bytes alone make them uniform. The other two see to it that a generator which repeats
    itself (a restored snapshot, a forked process) never gives one nonce to two challenges, which
    would give the secret away.
    """
    secret = rng.randbytes(WIDE) + witness
    for first in range(0, count, _EXPANDED):
        blocks = min(_EXPANDED, count - first)
        yield from scalars_from_uniform(
            derive(secret, "proof nonces", context, first, length=blocks * WIDE)
        )

"""Common parts of the tests of cards by residues: small keys, a place, decks, and the best possible
liar.
"""

from collections.abc import Callable, Collection
from functools import cache
from random import Random

from protocol.codes import Code
from protocol.crypto.proof_context import ProofPlace
from protocol.crypto.residue import masking
from protocol.crypto.residue.cards import Deck, DeckForm, clear_card, piece_bits, read_piece
from protocol.crypto.residue.keys import SecretKey, new_key
from protocol.crypto.residue.masking import Masking
from protocol.crypto.residue.shuffle import (
    Rounds,
    ShuffleVerifier,
    Statement,
    Witness,
    _context,
    _hash,
    _root,
    challenge,
    shuffle,
)
from protocol.errors import RemoteError

BITS = 512  # size of a key, enough for tests without real secrets
FEW = Rounds(4, 2)  # one of 6 lies passes
PLACE = ProofPlace(b"d" * 32, 1, b"i" * 32, "shuffle", 3)
ELSEWHERE = (
    ProofPlace(b"e" * 32, 1, b"i" * 32, "shuffle", 3),
    ProofPlace(b"d" * 32, 2, b"i" * 32, "shuffle", 3),
    ProofPlace(b"d" * 32, 1, b"j" * 32, "shuffle", 3),
    ProofPlace(b"d" * 32, 1, b"i" * 32, "key", 3),
    ProofPlace(b"d" * 32, 1, b"i" * 32, "shuffle", 4),
)


@cache
def secret(seat: int) -> SecretKey:
    """Return the key of a seat, always the same."""
    return new_key(Random(seat), BITS)


def moduli(seats: int) -> tuple[int, ...]:
    """Return the moduli that the seats have posted."""
    return tuple(secret(seat).m for seat in range(seats))


def in_clear(cards: int, seats: int) -> Deck:
    """Return pieces 0, 1, 2 … as a deck in clear."""
    bits = piece_bits(cards)
    return tuple(clear_card(piece, bits, moduli(seats)) for piece in range(cards))


@cache
def shuffled(cards: int, seats: int) -> tuple[Deck, Deck, Witness]:
    """Return a deck after one shuffle, the same after another shuffle, and the witness of the
    second.
    """
    before, _ = shuffle(in_clear(cards, seats), moduli(seats), Random(5))
    after, witness = shuffle(before, moduli(seats), Random(6))
    return before, after, witness


def pieces(deck: Deck) -> list[int]:
    """Return the pieces of the cards, by all the keys."""
    return [
        read_piece([[secret(seat).bit(z) for z in row] for seat, row in enumerate(card)])
        for card in deck
    ]


def refusal(check: Callable[[], object]) -> Code | None:
    """Return the code of the refusal."""
    try:
        check()
    except RemoteError as error:
        return error.code
    return None


def accepted(said: Statement, proof: bytes) -> bool:
    """Return whether a proof is accepted in its place."""

    def check() -> None:
        checking = ShuffleVerifier(said, PLACE)
        checking.feed(proof)
        checking.finish()

    return refusal(check) is None


def unmoved(form: DeckForm) -> Masking:
    """Return the masking that changes nothing."""
    seats = len(form.moduli)
    return Masking(tuple(range(form.cards)), (0,) * seats, ((1,) * form.column,) * seats)


def lie(said: Statement, guess: Collection[int], rng: Random) -> tuple[bytes, bool]:
    """Return the best proof of a false statement: inner decks for the guessed challenge; and
    whether the guess was right.
    """
    form, number = said.form, range(said.rounds.T)
    seeds = [rng.randbytes(masking.SEED) for _ in number]
    maskings = [masking.masking(seed, form) for seed in seeds]
    decks = [_hash(said.before if k in guess else said.after, maskings[k], form) for k in number]
    root = _root(_context(said, PLACE), decks)
    far = challenge(root, said.rounds)
    plain = [
        masking.encode(masking.compose_maskings(unmoved(form), made, form), form)
        for made in maskings
    ]
    return root + b"".join(plain[k] if k in far else seeds[k] for k in number), far == set(guess)

"""Fuzz targets: cards by residues: decks, proofs of keys and shuffles, openings. Conventions as in
`wires`.
"""

from functools import cache
from random import Random

from protocol.crypto.proof_context import ProofPlace
from protocol.crypto.residue import masking
from protocol.crypto.residue.bit_proof import check_bits, prove_bits
from protocol.crypto.residue.cards import (
    Deck,
    DeckForm,
    clear_card,
    columns,
    decode,
    encode,
    form_of,
)
from protocol.crypto.residue.key_proof import check_key, prove_key
from protocol.crypto.residue.keys import SecretKey, new_key
from protocol.crypto.residue.shuffle import (
    Rounds,
    ShuffleVerifier,
    Statement,
    Witness,
    proof_parts,
    shuffle,
    statement,
)
from protocol.errors import RemoteError

PLACE = ProofPlace(b"d" * 32, 1, b"i" * 32, "fuzz", 2)
BITS = 512
FEW = Rounds(4, 2)
SEED = bytes(range(32))


@cache
def _secrets() -> tuple[SecretKey, ...]:
    return new_key(Random(1), BITS), new_key(Random(2), BITS)


def _moduli() -> tuple[int, ...]:
    return tuple(secret.m for secret in _secrets())


@cache
def _decks() -> tuple[Deck, Deck, Witness]:
    deck = tuple(clear_card(piece, 2, _moduli()) for piece in range(3))
    return deck, *shuffle(deck, _moduli(), Random(3))


def _form() -> DeckForm:
    return form_of(_decks()[0], _moduli())


def _said() -> Statement:
    before, after, _ = _decks()
    return statement(before, after, _moduli(), FEW)


def deck(data: bytes) -> None:
    """Check that accepted cards encode to the same bytes."""
    assert encode(decode(data, _form()), _moduli()) == data


def deck_seeds() -> list[bytes]:
    """Return a deck in clear, and a shuffled one."""
    before, after, _ = _decks()
    return [encode(before, _moduli()), encode(after, _moduli())]


def opened_far(data: bytes) -> None:
    """Check that an accepted masking of a proof round encodes to the same bytes."""
    form = _form()
    exact = data[: masking.encoded_size(form)].ljust(masking.encoded_size(form), b"\1")
    taken = masking.decode(exact, form)
    assert masking.encode(taken, form) == exact


def opened_far_seeds() -> list[bytes]:
    """Return two maskings as one."""
    form = _form()
    both = masking.compose_maskings(
        masking.masking(SEED, form), masking.masking(SEED[::-1], form), form
    )
    return [masking.encode(both, form)]


def shuffle_proof(data: bytes) -> None:
    """Read a proof of a shuffle, in two pieces of any length."""
    check = ShuffleVerifier(_said(), PLACE)
    half = data[0] if data else 0
    check.feed(data[:half])
    check.feed(data[half:])
    check.finish()


def shuffle_proof_seeds() -> list[bytes]:
    """Return a valid proof."""
    return [b"".join(proof_parts(_said(), _decks()[2], PLACE, Random(4)))]


def key_proof(data: bytes) -> None:
    """Read a proof of a key, and a key."""
    secret = _secrets()[0]
    try:
        check_key(int.from_bytes(data[: BITS // 8], "little"), data, PLACE, BITS)
    except RemoteError:
        check_key(secret.m, data, PLACE, BITS)


def key_proof_seeds() -> list[bytes]:
    """Return a valid proof."""
    return [prove_key(_secrets()[0], PLACE)]


def bits(data: bytes) -> None:
    """Read an opening of three bits: one byte for each, then the proof."""
    check_bits(_moduli()[0], columns(_decks()[1])[0][:3], data[:3], data[3:], PLACE)


def bits_seeds() -> list[bytes]:
    """Return a valid opening."""
    told, proof = prove_bits(_secrets()[0], columns(_decks()[1])[0][:3], PLACE, Random(5))
    return [bytes(told) + proof]

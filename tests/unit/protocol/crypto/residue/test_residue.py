"""Cards by residues from key to face: keys are proven, every seat shuffles, and every seat reads
cards.
"""

from random import Random

import pytest

from protocol.crypto.residue.bit_proof import check_bits, prove_bits
from protocol.crypto.residue.cards import DeckForm, decode, encode, piece_bits, read_piece
from protocol.crypto.residue.key_proof import check_coprime, check_key, prove_key
from protocol.crypto.residue.shuffle import check_shuffle, prove_shuffle, shuffle
from tests.unit.protocol.crypto.residue.samples import BITS, PLACE, in_clear, moduli, pieces, secret

CARDS, SEATS = 5, 3


@pytest.mark.slow
def test_residue_deck_from_key_to_face_is_consistent() -> None:
    """Every piece comes out once, and every seat has verified every step."""
    keys = moduli(SEATS)
    for seat in range(SEATS):
        check_key(keys[seat], prove_key(secret(seat), PLACE), PLACE, BITS)
        check_coprime(keys[seat], keys[:seat])
    deck, rng = in_clear(CARDS, SEATS), Random(1)
    for _ in range(SEATS):
        after, witness = shuffle(deck, keys, rng)
        posted = decode(encode(after, keys), DeckForm(CARDS, piece_bits(CARDS), keys))
        check_shuffle(
            deck, posted, keys, prove_shuffle(deck, after, witness, keys, PLACE, rng), PLACE
        )
        deck = posted
    told = []
    for seat in range(SEATS):
        numbers = [z for card in deck for z in card[seat]]
        bits, proof = prove_bits(secret(seat), numbers, PLACE, rng)
        check_bits(keys[seat], numbers, bits, proof, PLACE)
        told.append(bits)
    each = piece_bits(CARDS)
    faces = [
        read_piece([bits[at * each : (at + 1) * each] for bits in told]) for at in range(CARDS)
    ]
    assert sorted(faces) == list(range(CARDS)) and faces == pieces(deck)

"""Vectors of sections 36.4 to 36.8, with keys of 512 bits. Proofs have kilobytes, so the vectors
have their digests.
"""

from hashlib import sha256
from typing import Any

from protocol.crypto.proof_context import ProofPlace
from protocol.crypto.residue import masking
from protocol.crypto.residue.arithmetic import FASTEST
from protocol.crypto.residue.bit_proof import check_bits, prove_bits
from protocol.crypto.residue.cards import DeckForm, columns, deck_from_columns, encode
from protocol.crypto.residue.cards import decode as decode_cards
from protocol.crypto.residue.key_proof import check_key, prove_key
from protocol.crypto.residue.keys import SecretKey, new_key
from protocol.crypto.residue.shuffle import Witness, check_shuffle, prove_shuffle
from tests.support.docs import Fixed
from tests.vectors.make.forms import Bad, Vector, random_for

BITS = 512
WIDTH = BITS // 8


def _number(data: bytes) -> int:
    return int.from_bytes(data, "little")


def _bytes(number: int, width: int = WIDTH) -> bytes:
    return number.to_bytes(width, "little")


def _place(place: list[Any], purpose: str) -> ProofPlace:
    deal, seat, identity, position = place
    return ProofPlace(deal, seat, identity, purpose, position)


def prove_residue_key(p: bytes, q: bytes, place: list[Any]) -> dict[str, Any]:
    """Operation of 36.4: prove a key. Each key has exactly one proof."""
    key, at = SecretKey(_number(p), _number(q)), _place(place, "key")
    proof = prove_key(key, at)
    check_key(key.m, proof, at, BITS)
    return {"m": key.public.encoded, "first": proof[:WIDTH], "sha256": sha256(proof).digest()}


def _form(moduli: list[bytes], cards: int, bits: int) -> DeckForm:
    return DeckForm(cards, bits, tuple(map(_number, moduli)))


def take_deck(moduli: list[bytes], cards: int, bits: int, deck: bytes) -> dict[str, Any]:
    """Operation of 36.5.3, 36.5.4: check a posted deck."""
    return {"cards": len(decode_cards(deck, _form(moduli, cards, bits)))}


def prove_residue_shuffle(
    shuffled: dict[str, Any], seed: bytes, place: list[Any], random: bytes
) -> dict[str, Any]:
    """Operation of 36.6, 36.7: shuffle a deck with the masks of a seed, and prove it. An
    implementation may use `random` in its own way.
    """
    form = _form(shuffled["moduli"], shuffled["cards"], shuffled["bits"])
    before, at, made = (
        decode_cards(shuffled["deck"], form),
        _place(place, "shuffle"),
        masking.masking(seed, form),
    )
    after = deck_from_columns(masking.apply_masking(columns(before), made, form), form)
    proof = prove_shuffle(before, after, Witness(seed), form.moduli, at, Fixed(random))
    check_shuffle(before, after, form.moduli, proof, at)
    return {
        "order": list(made.order),
        "signs": [_bytes(signs, masking.sign_bytes(form)) for signs in made.signs],
        "r": _bytes(int(made.roots[0][0])),
        "after": sha256(encode(after, form.moduli)).digest(),
        "root": proof[:32],
        "sha256": sha256(proof).digest(),
    }


def prove_residue_bits(
    p: bytes, q: bytes, numbers: list[bytes], place: list[Any], random: bytes
) -> dict[str, Any]:
    """Operation of 36.8: return the bits, and the first part of their proof. An implementation may
    use `random` in its own way.
    """
    key, posted, at = (
        SecretKey(_number(p), _number(q)),
        list(map(_number, numbers)),
        _place(place, "shares"),
    )
    bits, proof = prove_bits(key, posted, at, Fixed(random))
    check_bits(key.m, posted, bits, proof, at)
    return {
        "bits": list(bits),
        "c": proof[:32],
        "u_1": proof[32 : 32 + WIDTH],
        "sha256": sha256(proof).digest(),
    }


OPERATIONS = {
    "prove a residue key": prove_residue_key,
    "take a deck of residues": take_deck,
    "prove a shuffle of residues": prove_residue_shuffle,
    "prove bits of residues": prove_residue_bits,
}


def vectors() -> list[Vector]:
    """Return vectors of one key, one deck of two cards and two seats."""
    rng = random_for("residues")
    keys = [new_key(rng, BITS) for _ in range(2)]
    place = [rng.randbytes(32), 1, rng.randbytes(32), 3]
    m, primes = keys[0].m, {"p": _bytes(keys[0].p, WIDTH // 2), "q": _bytes(keys[0].q, WIDTH // 2)}
    form, random = DeckForm(2, 1, tuple(key.m for key in keys)), rng.randbytes(32)
    seed = next(
        seed
        for seed in iter(lambda: rng.randbytes(32), b"")
        if masking.masking(seed, form).order == (1, 0)
    )
    clear = encode((((1,), (1,)), ((m - 1,), (1,))), form.moduli)
    deck = {"moduli": [key.public.encoded for key in keys], "cards": 2, "bits": 1, "deck": clear}
    marked = next(z for z in range(2, 50) if FASTEST.jacobi(z, m) == -1)
    bad = tuple(
        Bad(fault, {"deck": _bytes(z) + clear[WIDTH:]}, "bad_number")
        for fault, z in (("m itself", m), ("Jacobi symbol −1", marked))
    )
    numbers = [_bytes(9), _bytes(m - 25)]
    return [
        Vector(
            "36.4", "two primes, the proof of it", "prove a residue key", {**primes, "place": place}
        ),
        Vector("36.5", "pieces 0 and 1 in clear", "take a deck of residues", deck, bad),
        Vector(
            "36.7",
            "the same shuffled, and the proof",
            "prove a shuffle of residues",
            {"shuffled": deck, "seed": seed, "place": place, "random": random},
        ),
        Vector(
            "36.8",
            "a residue, and none",
            "prove bits of residues",
            {**primes, "numbers": numbers, "place": place, "random": random},
        ),
    ]

"""Vectors of sections 36.4 to 36.8, with keys of 512 bits.

What is proven has the digests of the proofs. What is checked has whole proofs, as lists of their
parts, so that a wrong part takes little space.
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
from protocol.crypto.residue.shuffle import (
    ROUNDS,
    Witness,
    challenge,
    check_shuffle,
    proof_parts,
    prove_shuffle,
    statement,
)
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
        _place(place, "tell"),
    )
    bits, proof = prove_bits(key, posted, at, Fixed(random))
    check_bits(key.m, posted, bits, proof, at)
    return {
        "bits": list(bits),
        "c": proof[:32],
        "u_1": proof[32 : 32 + WIDTH],
        "sha256": sha256(proof).digest(),
    }


def check_residue_key(m: bytes, proof: list[bytes], place: list[Any]) -> dict[str, Any]:
    """Operation of 36.4: check a key of 512 bits, and its proof."""
    check_key(_number(m), b"".join(proof), _place(place, "key"), BITS)
    return {"m": m}


def check_residue_shuffle(
    shuffled: dict[str, Any], after: bytes, proof: list[bytes], place: list[Any]
) -> dict[str, Any]:
    """Operation of 36.7: check the deck after a shuffle, and the proof; return the far rounds."""
    form = _form(shuffled["moduli"], shuffled["cards"], shuffled["bits"])
    before, now = decode_cards(shuffled["deck"], form), decode_cards(after, form)
    check_shuffle(before, now, form.moduli, b"".join(proof), _place(place, "shuffle"))
    return {"far": sorted(challenge(proof[0], ROUNDS))}


def check_residue_bits(
    m: bytes, numbers: list[bytes], bits: bytes, proof: list[bytes], place: list[Any]
) -> dict[str, Any]:
    """Operation of 36.8: check the bits of some numbers, and their proof."""
    posted = list(map(_number, numbers))
    check_bits(_number(m), posted, list(bits), b"".join(proof), _place(place, "tell"))
    return {"bits": list(bits)}


OPERATIONS = {
    "check a residue key": check_residue_key,
    "check a shuffle of residues": check_residue_shuffle,
    "check bits of residues": check_residue_bits,
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
        _whole_key(keys[0], place),
        _whole_shuffle(deck, seed, place, random),
        _whole_bits(keys[0], numbers, place, random),
    ]


def _whole_key(key: SecretKey, place: list[Any]) -> Vector:
    """Return a key with its whole proof, and wrong ones."""
    proof = _cut(prove_key(key, _place(place, "key")))
    root = _bytes(key.m - _number(proof[5]))
    return Vector(
        "36.4",
        "a key with its proof, a number a part",
        "check a residue key",
        {"m": key.public.encoded, "proof": proof, "place": place},
        (
            Bad("a prime", {"m": _bytes(key.p)}, "bad_modulus"),
            Bad("m is 3 modulo 4", {"m": _bytes(key.m + 2)}, "bad_modulus"),
            Bad("another seat", {"place/1": 2}, "bad_proof"),
            Bad("g_1 is 0", {"proof/0": bytes(WIDTH)}, "bad_proof"),
            Bad("g_1 and g_2 exchanged", {"proof/0": proof[1], "proof/1": proof[0]}, "bad_proof"),
            Bad("m less v_1, which is above (m - 1)/2", {"proof/5": root}, "bad_proof"),
            Bad("the last number is missing", {"proof/84": b""}, "bad_proof"),
        ),
    )


def _whole_shuffle(deck: dict[str, Any], seed: bytes, place: list[Any], random: bytes) -> Vector:
    """Return a shuffle with its whole proof, and wrong ones."""
    form = _form(deck["moduli"], deck["cards"], deck["bits"])
    before, made = decode_cards(deck["deck"], form), masking.masking(seed, form)
    after = deck_from_columns(masking.apply_masking(columns(before), made, form), form)
    at = _place(place, "shuffle")
    said = statement(before, after, form.moduli)
    proof = list(proof_parts(said, Witness(seed), at, Fixed(random)))
    posted = encode(after, form.moduli)
    far = min(challenge(proof[0], ROUNDS))
    near = min(set(range(ROUNDS.T)) - challenge(proof[0], ROUNDS))
    first, signs = proof[1 + far], masking.sign_bytes(form)
    start = form.cards + signs * (len(form.moduli) - 1)
    r = _number(first[start : start + WIDTH])
    negative = _bytes(form.moduli[0] - r)
    faults = {
        "another position": {"place/3": 4},
        "a bit of the root": {"proof/0": _flipped(proof[0])},
        "a bit of a seed": {f"proof/{1 + near}": _flipped(proof[1 + near])},
        "a card twice in an order": {f"proof/{1 + far}": first[:1] * 2 + first[2:]},
        "a sign beyond the last number": {
            f"proof/{1 + far}": first[: form.cards] + b"\x80" + first[form.cards + 1 :]
        },
        "an r above (m - 1)/2": {
            f"proof/{1 + far}": first[:start] + negative + first[start + WIDTH :]
        },
        "the last round is missing": {f"proof/{ROUNDS.T}": b""},
        "a number that was not masked": {"after": deck["deck"][:WIDTH] + posted[WIDTH:]},
        "the deck before": {"after": deck["deck"]},
    }
    return Vector(
        "36.7",
        "a shuffle with its proof: the root, then a part for each round",
        "check a shuffle of residues",
        {"shuffled": deck, "after": posted, "proof": proof, "place": place},
        tuple(Bad(fault, change, "bad_proof") for fault, change in faults.items()),
    )


def _whole_bits(key: SecretKey, numbers: list[bytes], place: list[Any], random: bytes) -> Vector:
    """Return bits with their whole proof, and wrong ones."""
    bits, proof = prove_bits(key, list(map(_number, numbers)), _place(place, "tell"), Fixed(random))
    parts = [proof[:32], *_cut(proof[32:])]
    faults: dict[str, dict[str, Any]] = {
        "the other bit": {"bits": bytes([bits[0] ^ 1, *bits[1:]])},
        "a bit too many": {"bits": bytes([*bits, 0])},
        "a bit that is 2": {"bits": bytes([2, *bits[1:]])},
        "a bit of c": {"proof/0": _flipped(parts[0])},
        "m less u_1": {"proof/1": _bytes(key.m - _number(parts[1]))},
        "u_1 is 0": {"proof/1": bytes(WIDTH)},
        "another identity": {"place/2": bytes(32)},
        "u_80 is missing": {"proof/80": b""},
    }
    return Vector(
        "36.8",
        "bits with their proof: c, then u_1 to u_80",
        "check bits of residues",
        {
            "m": key.public.encoded,
            "numbers": numbers,
            "bits": bytes(bits),
            "proof": parts,
            "place": place,
        },
        tuple(Bad(fault, change, "bad_proof") for fault, change in faults.items()),
    )


def _cut(proof: bytes) -> list[bytes]:
    """Cut a proof into its numbers."""
    return [proof[at : at + WIDTH] for at in range(0, len(proof), WIDTH)]


def _flipped(part: bytes) -> bytes:
    return bytes([part[0] ^ 1]) + part[1:]

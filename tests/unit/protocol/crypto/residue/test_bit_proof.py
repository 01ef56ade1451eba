"""Proofs of bits: wrong bits, proofs for other statements and invalid numbers are refused; Python's
integers agree with gmpy2's.
"""

import subprocess
import sys
from functools import cache
from math import gcd
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.codes import Code
from protocol.crypto.residue.arithmetic import FASTEST, INTS, encoded
from protocol.crypto.residue.bit_proof import (
    HASH,
    _challenge,
    _context,
    check_bits,
    proof_size,
    prove_bits,
)
from protocol.crypto.residue.cards import (
    check_numbers,
    clear_card,
    columns,
    decode,
    encode,
    form_of,
    piece_bits,
)
from tests.unit.protocol.crypto.residue.samples import (
    BITS,
    ELSEWHERE,
    PLACE,
    moduli,
    pieces,
    refusal,
    secret,
    shuffled,
)

KEY = secret(0)
M, WIDTH = KEY.m, BITS // 8
BEFORE, AFTER, _ = shuffled(3, 2)
NUMBERS = columns(AFTER)[0]


@cache
def right():
    return prove_bits(KEY, NUMBERS, PLACE, Random(1))


@pytest.mark.parametrize("number", [0, 1, 7, 100])
def test_one_proof_covers_any_number_of_bits(number):
    rng = Random(number)
    told = [rng.randrange(2) for _ in range(number)]
    numbers = [pow(rng.randrange(1, M), 2, M) * (-1 if bit else 1) % M for bit in told]
    bits, proof = prove_bits(KEY, numbers, PLACE, rng)
    assert bits == tuple(told) and len(proof) == proof_size(M)
    check_bits(M, numbers, bits, proof, PLACE)


def test_wrong_bit_or_proof_is_refused():
    bits, proof = right()

    def code(numbers=NUMBERS, bits=bits, proof=proof, place=PLACE, m=M):
        return refusal(lambda: check_bits(m, numbers, bits, proof, place))

    assert code() is None
    for at in range(len(bits)):
        assert code(bits=(*bits[:at], 1 - bits[at], *bits[at + 1 :])) is Code.BAD_PROOF
    assert (
        code(bits=(*bits[:-1], bits[-1] + 2))
        is code(bits=bits[:-1])
        is code(bits=(*bits, 0))
        is Code.BAD_PROOF
    )
    assert code(numbers=NUMBERS[::-1], bits=bits[::-1]) is Code.BAD_PROOF
    assert code(numbers=columns(BEFORE)[0]) is code(m=secret(1).m) is Code.BAD_PROOF
    assert all(code(place=place) is Code.BAD_PROOF for place in ELSEWHERE)
    for wrong in (None, b"", proof[:-1], proof + b"\0", bytes(len(proof)), proof.hex()):
        assert code(proof=wrong) is Code.BAD_PROOF


def test_bit_answer_has_one_encoding():
    bits, proof = right()
    u = int.from_bytes(proof[HASH : HASH + WIDTH], "little")
    for other in (M - u, M + u, 0, KEY.p, u + 1):
        wrong = proof[:HASH] + other.to_bytes(WIDTH, "little") + proof[HASH + WIDTH :]
        assert refusal(lambda w=wrong: check_bits(M, NUMBERS, bits, w, PLACE)) is Code.BAD_PROOF


def test_bit_proof_liar_needs_challenge_in_advance():
    """The liar can make answers to an invented challenge; the hash then gives another one."""
    bits = tuple(1 - bit for bit in right()[0])
    rng = Random(5)
    made_up = rng.randbytes(HASH)
    answers = [min(u, M - u) for u in (rng.randrange(1, M) for _ in range(80))]
    proof = made_up + encoded(answers, WIDTH)
    assert refusal(lambda: check_bits(M, NUMBERS, bits, proof, PLACE)) is Code.BAD_PROOF
    asked = _challenge(made_up, len(NUMBERS))
    odd = sum(challenge.bit_count() & 1 for challenge in asked)
    # rounds in which a_k would have to be no residue: half, another half for each hash
    assert 20 <= odd <= 60


def test_challenge_depends_on_the_whole_statement():
    bits = right()[0]
    contexts = {
        _context(M, NUMBERS, bits, PLACE),
        _context(secret(1).m, NUMBERS, bits, PLACE),
        _context(M, columns(BEFORE)[0], bits, PLACE),
        _context(M, NUMBERS, (1 - bits[0], *bits[1:]), PLACE),
        *(_context(M, NUMBERS, bits, place) for place in ELSEWHERE),
    }
    assert len(contexts) == 4 + len(ELSEWHERE)


def test_bit_proof_reveals_no_root_and_no_repetition():
    bits, proof = right()
    residues = {M - z if bit else z for z, bit in zip(NUMBERS, bits, strict=True)}
    answers = INTS.numbers(proof[HASH:], WIDTH)
    assert len(set(answers)) == 80 and not {u * u % M for u in answers} & residues
    _, again = prove_bits(KEY, NUMBERS, ELSEWHERE[0], Random(1))
    assert not set(answers) & set(INTS.numbers(again[HASH:], WIDTH))


def marked():
    """Return a number with Jacobi symbol −1."""
    return next(z for z in range(2, 100) if FASTEST.jacobi(z, M) == -1)


def test_numbers_of_no_card_are_refused():
    for z in (0, M, M + 1, KEY.p, 3 * KEY.q, marked(), M - marked()):
        assert refusal(lambda z=z: check_numbers([1, z], M)) is Code.BAD_NUMBER
        assert refusal(lambda z=z: prove_bits(KEY, [1, z], PLACE, Random(1))) is Code.BAD_NUMBER
    with pytest.raises(ValueError, match="Jacobi"):
        KEY.bit(marked())


def test_deck_is_decoded_strictly():
    keys = moduli(2)
    form, data = form_of(AFTER, keys), encode(AFTER, keys)
    assert decode(data, form) == AFTER
    for wrong in (None, b"", data[:-1], data + b"\0", data.hex()):
        assert refusal(lambda w=wrong: decode(w, form)) is Code.BAD_NUMBER
    for z in (0, M, AFTER[0][0][0] + M, marked(), KEY.q):
        wrong = (z % 256**WIDTH).to_bytes(WIDTH, "little") + data[WIDTH:]
        assert refusal(lambda w=wrong: decode(w, form)) is Code.BAD_NUMBER
    # the first seat's numbers under the second seat's key
    other = data[: len(data) // 2] + data[: len(data) // 2]
    assert refusal(lambda: decode(other, form)) is Code.BAD_NUMBER


@pytest.mark.slow
def test_cards_in_clear_have_known_pieces():
    keys = moduli(3)
    assert clear_card(5, 3, keys) == ((M - 1, 1, M - 1), (1, 1, 1), (1, 1, 1))
    assert pieces(tuple(clear_card(piece, 4, keys) for piece in range(16))) == list(range(16))
    assert [piece_bits(n) for n in (1, 2, 3, 4, 5, 52, 64, 65)] == [1, 1, 2, 2, 3, 6, 6, 7]


@pytest.mark.slow
@given(st.integers(0, 2**600), st.integers(1, 2**512))
@settings(max_examples=50)
def test_both_arithmetics_agree(number, half):
    odd = 2 * half + 1
    assert INTS.jacobi(number, odd) == FASTEST.jacobi(number, odd)
    assert (INTS.jacobi(number, odd) == 0) is (gcd(number, odd) > 1)
    assert INTS.power(number, half, odd) == FASTEST.power(number, half, odd)
    data = encoded([number % 256, 0, half, 0], 80)
    assert INTS.numbers(data, 80) == FASTEST.numbers(data, 80) == [number % 256, 0, half, 0]


PROGRAM = """
import sys
if sys.argv[1] == "without":
    sys.modules["gmpy2"] = None
from hashlib import sha256
from random import Random
from protocol.crypto.residue import arithmetic
from protocol.crypto.residue.key_proof import prove_key
from protocol.crypto.residue.bit_proof import prove_bits
from protocol.crypto.residue.shuffle import check_shuffle, prove_shuffle
from tests.unit.protocol.crypto.residue.samples import PLACE, moduli, secret, shuffled
assert isinstance(arithmetic.FASTEST, arithmetic.PythonIntegers) is (sys.argv[1] == "without")
before, after, witness = shuffled(3, 2)
proof = prove_shuffle(before, after, witness, moduli(2), PLACE, Random(1))
check_shuffle(before, after, moduli(2), proof, PLACE)
bits, opened = prove_bits(secret(0), [z for card in after for z in card[0]], PLACE, Random(2))
print(sha256(proof + prove_key(secret(0), PLACE) + bytes(bits) + opened).hexdigest())
"""


@pytest.mark.process
def test_proof_bytes_are_identical_without_gmpy2():
    said = [
        subprocess.run(
            [sys.executable, "-c", PROGRAM, how],
            capture_output=True,
            text=True,
            check=True,
            timeout=100,
        )
        for how in ("with", "without")
    ]
    assert said[0].stdout == said[1].stdout and len(said[0].stdout) == 65

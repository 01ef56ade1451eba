"""Keys must be two primes, both 3 modulo 4: every other key is refused, and the share of lies that
a proof round passes.
"""

from functools import cache
from random import Random

import pytest
from Crypto.Math.Primality import generate_probable_prime

from protocol.codes import Code
from protocol.crypto.residue import key_proof
from protocol.crypto.residue.arithmetic import encoded
from protocol.crypto.residue.key_proof import check_coprime, check_key, proof_size, prove_key
from protocol.crypto.residue.keys import new_key
from tests.unit.protocol.crypto.residue.samples import BITS, ELSEWHERE, PLACE, refusal, secret

WIDTH = BITS // 8
NUMBER = key_proof.POWERS + key_proof.SQUARES


@cache
def primes(bits: int, remainder: int, number: int) -> tuple[int, ...]:
    """Return primes of `bits` bits with this remainder modulo 4."""
    rng = Random(bits * 4 + remainder)
    return tuple(
        int(
            generate_probable_prime(
                exact_bits=bits,
                randfunc=rng.randbytes,
                prime_filter=lambda p: int(p) & 3 == remainder and int(p) >> (bits - 3) == 7,
            )
        )
        for _ in range(number)
    )


@pytest.mark.slow
def test_keys_are_two_primes_of_three_modulo_four():
    for seed in range(5):
        made = new_key(Random(seed), BITS)
        assert made.m.bit_length() == BITS and made.p % 4 == made.q % 4 == 3 and made.p != made.q
        assert abs(made.p - made.q).bit_length() > BITS // 2 - 100
        assert made == new_key(Random(seed), BITS)
        assert str(made.p) not in repr(made)


@pytest.mark.parametrize("bits", [0, 496, 511, 520])
def test_key_of_another_size_is_refused(bits):
    with pytest.raises(ValueError, match="512 bits"):
        new_key(Random(1), bits)


def test_key_proof_holds_only_in_its_place():
    m, proof = secret(0).m, prove_key(secret(0), PLACE)
    assert len(proof) == proof_size(BITS)
    check_key(m, proof, PLACE, BITS)
    for place in ELSEWHERE:
        assert refusal(lambda place=place: check_key(m, proof, place, BITS)) is Code.BAD_PROOF
    assert refusal(lambda: check_key(secret(1).m, proof, PLACE, BITS)) is Code.BAD_PROOF


def test_key_proof_with_any_changed_number_is_refused():
    m, proof = secret(0).m, prove_key(secret(0), PLACE)
    numbers = [
        int.from_bytes(proof[at : at + WIDTH], "little") for at in range(0, len(proof), WIDTH)
    ]
    for at in (0, 4, 5, 84):
        for other in (0, m - numbers[at], numbers[at] + 1, numbers[at - 1]):
            changed = [*numbers[:at], other, *numbers[at + 1 :]]
            assert (
                refusal(lambda c=changed: check_key(m, encoded(c, WIDTH), PLACE, BITS))
                is Code.BAD_PROOF
            )
    for wrong in (proof[:-1], proof + b"\0", b"", None, proof.hex()):
        assert refusal(lambda wrong=wrong: check_key(m, wrong, PLACE, BITS)) is Code.BAD_PROOF


@pytest.mark.slow
def test_obviously_invalid_keys_are_refused_without_proof():
    half, (three, other), (one, _) = BITS // 2, primes(256, 3, 2), primes(256, 1, 2)
    wrong = {
        "another size": new_key(Random(1), BITS + 16).m,
        "even": 2 * primes(BITS - 1, 3, 1)[0],
        "one prime of each kind: m is 3 modulo 4": three * one,
        "a prime": primes(BITS, 1, 1)[0],
        "a square": three * three,
        "a third power": primes(171, 1, 1)[0] ** 3,
        "a small divisor": 65_521 * primes(BITS - 16, 1, 1)[0],
        "zero": 0,
        "one": 1,
    }
    for name, m in wrong.items():
        assert (
            refusal(lambda m=m: check_key(m, bytes(proof_size(BITS)), PLACE, BITS))
            is Code.BAD_MODULUS
        ), name
    assert three * other >> (2 * half - 1) == 1 and key_proof.is_well_formed(three * other, BITS)


def answerable(divisors):
    """Count the x of 80 for which x or −x has a root, for a prover who knows the primes."""
    m = 1
    for prime in divisors:
        m *= prime
    assert key_proof.is_well_formed(m, m.bit_length())

    def has_root(x):
        return all(pow(x % prime, (prime - 1) // 2, prime) == 1 for prime in divisors)

    context = key_proof._context(key_proof.PublicKey(m), PLACE)
    return sum(has_root(x) or has_root(-x % m) for x in key_proof._pseudo_squares(context, m))


@pytest.mark.slow
def test_key_proof_with_residue_y_has_half_the_answers():
    """Both primes are 1 modulo 4: then −1 is a residue, and the maker of the key could flip any
    bit.
    """
    assert answerable(primes(256, 3, 2)) == 80
    assert 25 <= answerable(primes(256, 1, 2)) <= 55


@pytest.mark.slow
def test_key_of_three_primes_has_half_the_answers():
    assert 5 <= answerable((*primes(200, 3, 2), *primes(200, 1, 1))) <= 40


def test_key_with_square_factor_has_few_roots():
    """If a divisor p occurs twice, one of p numbers has an m-th root: p has 17 bits here, so that a
    search is possible.
    """
    p, q = 65_539, primes(400, 3, 1)[0]
    m = p * p * q
    has_root = [pow(x, (p - 1) * p // p, p * p) == 1 for x in key_proof._elements(b"c" * 32, m, 50)]
    assert not any(has_root)


def test_key_proof_with_partial_answers_is_refused():
    """The liar gives every existing answer for a key of two primes that are 1 modulo 4, with one
    for a right key among them.
    """
    p, q = primes(256, 1, 2)
    m = p * q
    power = pow(m, -1, (p - 1) * (q - 1))
    context = key_proof._context(key_proof.PublicKey(m), PLACE)
    powers = [pow(x, power, m) for x in key_proof._elements(context, m, key_proof.POWERS)]
    assert key_proof._are_powers(m, powers, context)
    proof = encoded([*powers, *[1] * key_proof.SQUARES], WIDTH)
    assert refusal(lambda: check_key(m, proof, PLACE, BITS)) is Code.BAD_PROOF


def test_key_root_is_unique_because_two_reveal_the_key():
    """A cheat chooses a number and has its square opened. The revealed root differs from the
    cheat's root in half of all cases, and then gives a divisor. No root of a number that others
    choose is therefore ever revealed.
    """
    key, rng, found = secret(0), Random(3), 0
    for _ in range(20):
        r = rng.randrange(1, key.m)
        z = r * r % key.m
        assert key.bit_and_root(z) == key.bit_and_root(z)
        bit, root = key.bit_and_root(z)
        assert bit == 0 and key.bit_and_root(key.m - z) == (1, root)
        found += key_proof.gcd(root - r, key.m) in (key.p, key.q)
    assert 4 <= found <= 16


def test_keys_with_common_factor_are_refused():
    first, second = secret(0), secret(1)
    check_coprime(second.m, [first.m])
    for m in (first.m, first.p * second.q):
        assert refusal(lambda m=m: check_coprime(m, [second.m * 3, first.m])) is Code.BAD_MODULUS

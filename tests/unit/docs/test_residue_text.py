"""Chapter 36 is enough to check proofs: a verifier of residues, written from its sections 36.2 to
36.8 alone, accepts the whole proofs among the vectors and refuses the wrong ones.
"""

import json
from functools import reduce
from hashlib import sha256, shake_256
from math import gcd, prod

import pytest

from tests.support.docs import ROOT
from tests.vectors.make.forms import changed, from_json

VECTORS = json.loads((ROOT / "tests" / "vectors" / "fairdeal" / "residues.json").read_text())
CHECKED = [vector for vector in VECTORS["vectors"] if vector["operation"].startswith("check ")]
BITS, ROUNDS, FAR = 512, 128, 22
WIDTH = BITS // 8


class Wrong(Exception):
    """A wrong key or proof, with its code."""


def demand(holds, code="bad_proof"):
    if not holds:
        raise Wrong(code)


def framed(*fields):
    """Frame by 1.2."""
    made = b""
    for field in ("fairdeal/1", *fields):
        kind, content = (b"b", field) if type(field) is bytes else (b"s", str(field).encode())
        if type(field) is int:
            kind, content = b"i", field.to_bytes(8, "big")
        made += kind + len(content).to_bytes(4, "big") + content
    return made


def digest(*fields):
    return sha256(framed(*fields)).digest()


def expand(length, *fields):
    return shake_256(framed(*fields)).digest(length)


def stream(label, seed):
    number = 0
    while True:
        yield from expand(256, label, seed, number)
        number += 1


def number(data):
    return int.from_bytes(data, "little")


def numbers(data):
    return [number(data[at : at + WIDTH]) for at in range(0, len(data), WIDTH)]


def data_of(values):
    return b"".join(value.to_bytes(WIDTH, "little") for value in values)


def jacobi(a, m):
    a, sign = a % m, 1
    while a:
        while a % 2 == 0:
            a, sign = a // 2, -sign if m % 8 in (3, 5) else sign
        a, m = m, a
        sign = -sign if a % 4 == m % 4 == 3 else sign
        a %= m
    return sign if m == 1 else 0


def context(place, purpose, kind, *fields):
    """Compute a context by 36.2.4."""
    deal, seat, identity, position = place
    return digest("proof context", deal, seat, identity, purpose, position, kind, *fields)


def check_key(m, proof, place):
    """Check a key by 36.4."""
    raw, m = m, number(m)
    demand(m.bit_length() == BITS and m % 4 == 1, "bad_modulus")
    small = [p for p in range(3, 1 << 16, 2) if all(p % q for q in range(3, int(p**0.5) + 1, 2))]
    demand(gcd(m, prod(small)) == 1 and gcd(pow(2, m, m) - 2, m) == 1, "bad_modulus")
    demand(len(b"".join(proof)) == 85 * WIDTH)
    bound = context(place, "key", "residue key", raw)
    found = numbers(b"".join(proof))

    def x(label, i):
        return number(expand(WIDTH + 16, label, bound, i)) % m

    for i, g in enumerate(found[:5]):
        demand(0 < g < m and pow(g, m, m) == x("residue power", i))
    squares, i = [], 0
    while len(squares) < 80:
        if jacobi(x("residue square", i), m) == 1:
            squares.append(x("residue square", i))
        i += 1
    for v, square in zip(found[5:], squares, strict=True):
        demand(0 < v <= (m - 1) // 2 and v * v % m in (square, m - square))


def of_seed(seed, cards, bits, moduli):
    """Make a masking by 36.6.2: order, signs and r, the last two by seat."""
    order, source = list(range(cards)), stream("residue order", seed)
    for place in range(cards - 1, 0, -1):
        low = (1 << place.bit_length()) - 1
        other = next(value for value in (byte & low for byte in source) if value <= place)
        order[place], order[other] = order[other], order[place]
    count = cards * bits
    each = (count + 7) // 8
    hashed = expand(each * (len(moduli) - 1), "residue signs", seed)
    signs = [number(hashed[at : at + each]) % (1 << count) for at in range(0, len(hashed), each)]
    signs.append(reduce(lambda a, b: a ^ b, signs, 0))
    long = WIDTH + 16
    masks = expand(len(moduli) * count * long, "residue masks", seed)
    values = [number(masks[at : at + long]) for at in range(0, len(masks), long)]
    return (
        order,
        signs,
        [[value % m for value in values[seat * count :][:count]] for seat, m in enumerate(moduli)],
    )


def decoded(data, cards, bits, moduli):
    """Read a masking by 36.6.4."""
    count = cards * bits
    each = (count + 7) // 8
    start = cards + each * (len(moduli) - 1)
    demand(len(data) == start + len(moduli) * count * WIDTH)
    demand(sorted(data[:cards]) == list(range(cards)))
    signs = [number(data[at : at + each]) for at in range(cards, start, each)]
    demand(all(sign < 1 << count for sign in signs))
    signs.append(reduce(lambda a, b: a ^ b, signs, 0))
    values = numbers(data[start:])
    r = [values[seat * count :][:count] for seat in range(len(moduli))]
    for own, m in zip(r, moduli, strict=True):
        demand(all(0 < one <= (m - 1) // 2 and gcd(one, m) == 1 for one in own))
    return list(data[:cards]), signs, r


def masked(deck, mask, bits, moduli):
    """Apply a masking to a deck: numbers by seat (36.6.1)."""
    order, signs, r = mask
    made = []
    for old, sign, own, m in zip(deck, signs, r, moduli, strict=True):
        taken = [old[card * bits + bit] for card in order for bit in range(bits)]
        made.append(
            [
                (m - 1 if sign >> k & 1 else 1) * own[k] * own[k] * value % m
                for k, value in enumerate(taken)
            ]
        )
    return made


def check_shuffle(shuffled, after, proof, place):
    """Check a shuffle by 36.7.6."""
    moduli, cards, bits = map(number, shuffled["moduli"]), shuffled["cards"], shuffled["bits"]
    moduli = list(moduli)
    form = (cards, bits, moduli)
    fields = (ROUNDS, FAR, cards, bits, len(moduli), data_of(moduli), shuffled["deck"], after)
    bound = context(place, "shuffle", "residue shuffle", *fields)
    count = cards * bits
    old, new = (
        [numbers(data)[seat * count :][:count] for seat in range(len(moduli))]
        for data in (shuffled["deck"], after)
    )
    root, *rounds = proof
    far, source = set(), stream("residue challenge", root)
    while len(far) < FAR:
        far.add(next(source) % ROUNDS)
    hashes = []
    for i, shown in enumerate(rounds):
        demand(i in far or len(shown) == 32)
        deck, mask = (old, decoded(shown, *form)) if i in far else (new, of_seed(shown, *form))
        inner = masked(deck, mask, bits, moduli)
        hashes.append(digest("residue inner deck", b"".join(map(data_of, inner))))
    demand(digest("residue inner decks", bound, *hashes) == root)
    for before, now, m in zip(old, new, moduli, strict=True):
        fresh = {min(z, m - z) for z in now}
        demand(len(fresh) == len(now) and fresh.isdisjoint(min(z, m - z) for z in before))


def check_bits(m, numbers, bits, proof, place):
    """Check bits by 36.8.4."""
    fields, raw = (m, b"".join(numbers), bits), m
    m, values = number(m), [number(z) for z in numbers]
    demand(len(values) == len(bits) and set(bits) <= {0, 1})
    demand(len(b"".join(proof)) == 32 + 80 * WIDTH and len(raw) == WIDTH)
    bound = context(place, "tell", "residue bits", *fields)
    v = [m - z if bit else z for z, bit in zip(values, bits, strict=True)]
    c, *answers = proof
    each = (len(v) + 7) // 8
    chosen = expand(80 * each, "residue opening challenge", c)
    sums = []
    for k, u in enumerate(map(number, answers)):
        demand(0 < u <= (m - 1) // 2 and gcd(u, m) == 1)
        e = number(chosen[k * each : (k + 1) * each])
        taken = [value for j, value in enumerate(v) if e >> j & 1]
        sums.append(u * u * prod(taken) % m)
    demand(digest("residue opening", bound, data_of(sums)) == c)


CHECKS = {
    "check a residue key": check_key,
    "check a shuffle of residues": check_shuffle,
    "check bits of residues": check_bits,
}


@pytest.mark.parametrize("vector", CHECKED, ids=lambda vector: vector["operation"])
def test_text_of_residue_proofs_suffices(vector):
    check, given = CHECKS[vector["operation"]], from_json(vector["input"])
    check(**given)
    for bad in vector["bad"]:
        with pytest.raises(Wrong, match=bad["code"]):
            check(**changed(given, from_json(bad["change"])))

"""The shuffle and its proof: honest ones are accepted, and every change to cards, proof or place is
refused.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import permutations
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.codes import Code
from protocol.crypto.elgamal import (
    Ciphertext,
    clear_ciphertext,
    combine_shares,
    decode_ciphertexts,
    encode_ciphertexts,
    reencrypt,
    share,
)
from protocol.crypto.group import (
    GENERATOR,
    IDENTITY,
    ORDER,
    encode,
    hash_to_point,
    random_scalar,
    scalar_from_int,
    times_base,
)
from protocol.crypto.proof_context import ProofPlace, challenge, challenges
from protocol.crypto.shuffle import (
    Witness,
    _context,
    check_shuffle,
    generators,
    proof_size,
    prove_shuffle,
    random_permutation,
    shuffle,
)
from protocol.errors import RemoteError
from tests.unit.protocol.crypto.reference_shuffle import (
    RISTRETTO,
    Prover,
    Public,
    permutation_matrix,
)

PLACE = ProofPlace(deal=b"d" * 32, seat=1, identity=b"i" * 32, purpose="shuffle", position=1)
RNG = Random("shuffle")
x = random_scalar(RNG)
PK = times_base(x)
Cards = Sequence[Ciphertext]


def deck(N: int) -> tuple[Ciphertext, ...]:
    """Return N different cards that one seat has shuffled before."""
    return shuffle([clear_ciphertext(hash_to_point("piece", k)) for k in range(N)], PK, RNG)[0]


E = deck(3)
E_PRIME, WITNESS = shuffle(E, PK, RNG)
PROOF = prove_shuffle(E, E_PRIME, WITNESS, PK, PLACE, RNG)


def accepted(
    proof: object, e: Cards = E, e_prime: Cards = E_PRIME, place: ProofPlace = PLACE
) -> bool:
    try:
        check_shuffle(proof, e, e_prime, PK, place)
    except RemoteError as error:
        assert error.code == Code.BAD_PROOF
        assert error.__cause__ is None
        return False
    return True


def faces(cards: Cards) -> Counter[bytes]:
    return Counter(combine_shares(e, [share(x, e)]).encoded for e in cards)


@pytest.mark.slow
@pytest.mark.parametrize("N", [1, 2, 3, 7, 28])
def test_honest_shuffle_is_accepted_and_keeps_cards(N: int) -> None:
    e = deck(N)
    e_prime, witness = shuffle(e, PK, RNG)
    proof = prove_shuffle(e, e_prime, witness, PK, PLACE, RNG)
    assert accepted(proof, e, decode_ciphertexts(encode_ciphertexts(e_prime), N))
    assert len(proof) == proof_size(N)
    assert faces(e_prime) == faces(e)
    assert not set(e_prime) & set(e)


@pytest.mark.slow
def test_shuffle_of_largest_deck_is_accepted() -> None:
    e = [clear_ciphertext(hash_to_point("piece", k)) for k in range(208)]
    e_prime, witness = shuffle(e, PK, RNG)
    assert accepted(prove_shuffle(e, e_prime, witness, PK, PLACE, RNG), e, e_prime)


@pytest.mark.parametrize("psi", list(permutations(range(3))))
def test_shuffle_to_every_order_can_be_proven(psi: tuple[int, ...]) -> None:
    masked = [reencrypt(card, r, PK) for card, r in zip(E, WITNESS.r_prime, strict=True)]
    e_prime = [masked[j] for j in psi]
    assert accepted(
        prove_shuffle(E, e_prime, Witness(psi, WITNESS.r_prime), PK, PLACE, RNG), E, e_prime
    )


@pytest.mark.slow
@settings(max_examples=12, deadline=None)
@given(st.integers(1, 5), st.integers(1, 3), st.integers(0, 2**32))
def test_chain_of_shuffles_keeps_cards(N: int, seats: int, seed: int) -> None:
    rng = Random(seed)
    first = e = tuple(clear_ciphertext(hash_to_point("piece", k)) for k in range(N))
    for seat in range(seats):
        place = replace(PLACE, seat=seat)
        e_prime, witness = shuffle(e, PK, rng)
        check_shuffle(prove_shuffle(e, e_prime, witness, PK, place, rng), e, e_prime, PK, place)
        e = e_prime
    assert faces(e) == Counter(card.C2.encoded for card in first)


def test_shuffle_with_wrong_card_count_is_refused() -> None:
    for N in (0, 209):
        with pytest.raises(ValueError, match="208"):
            shuffle([E[0]] * N, PK, RNG)
    assert not accepted(b"", [], [])
    assert not accepted(PROOF[: proof_size(0)], [], [])
    assert not accepted(bytes(proof_size(209)), [E[0]] * 209, [E_PRIME[0]] * 209)
    assert not accepted(PROOF, E, E_PRIME[:2])
    assert not accepted(PROOF, E[:2], E_PRIME)
    assert not accepted(PROOF, E[:2], E_PRIME[:2])


def test_every_order_is_equally_likely() -> None:
    """Chi-square over the 24 orders of 4 cards: 23 degrees of freedom, 1 in 1,000 lies above
    49.7.
    """
    rng, rounds = Random("orders"), 9_600
    seen = Counter(random_permutation(4, rng) for _ in range(rounds))
    expected = rounds / 24
    assert len(seen) == 24
    assert sum((count - expected) ** 2 / expected for count in seen.values()) < 49.7


def test_shuffle_draws_every_mask_independently() -> None:
    _, witness = shuffle(deck(40), PK, RNG)
    assert len(set(witness.r_prime)) == 40
    assert not any(r.is_zero for r in witness.r_prime)


def test_shuffle_witness_repr_shows_no_secret() -> None:
    assert str(WITNESS.psi) not in repr(WITNESS)


# --- the cards ---

FOREIGN = reencrypt(clear_ciphertext(hash_to_point("piece", 99)), random_scalar(RNG), PK)
R = random_scalar(RNG)
CHEATS: dict[str, list[Ciphertext]] = {
    "dropped for a card from elsewhere": [FOREIGN, *E_PRIME[1:]],
    "doubled": [reencrypt(E_PRIME[1], R, PK), *E_PRIME[1:]],
    "doubled, as it is": [E_PRIME[1], *E_PRIME[1:]],
    "halves of two cards swapped": [
        Ciphertext(E_PRIME[0].C1, E_PRIME[1].C2),
        Ciphertext(E_PRIME[1].C1, E_PRIME[0].C2),
        E_PRIME[2],
    ],
    "masked under another key": [
        Ciphertext(E_PRIME[0].C1 + times_base(R), E_PRIME[0].C2 + R * GENERATOR),
        *E_PRIME[1:],
    ],
    "one card plus a point, another minus it": [
        replace(E_PRIME[0], C2=E_PRIME[0].C2 + GENERATOR),
        replace(E_PRIME[1], C2=E_PRIME[1].C2 - GENERATOR),
        E_PRIME[2],
    ],
    "twice one card, no other": [
        Ciphertext(E_PRIME[0].C1 + E_PRIME[1].C1, E_PRIME[0].C2 + E_PRIME[1].C2),
        Ciphertext(times_base(R), R * PK),
        E_PRIME[2],
    ],
}


@pytest.mark.parametrize("cheat", CHEATS)
def test_deck_that_is_no_shuffle_is_refused(cheat: str) -> None:
    """With the proof of the honest deck, and with one made for this deck by a prover who knows
    every secret.
    """
    assert not accepted(PROOF, E, CHEATS[cheat])
    for psi in permutations(range(3)):
        own = prove_shuffle(E, CHEATS[cheat], Witness(psi, WITNESS.r_prime), PK, PLACE, RNG)
        assert not accepted(own, E, CHEATS[cheat])


def test_deck_shuffled_again_needs_another_proof() -> None:
    swapped = [E_PRIME[1], E_PRIME[0], E_PRIME[2]]
    psi, r = WITNESS.psi, WITNESS.r_prime
    order = (psi[1], psi[0], psi[2])
    assert not accepted(PROOF, E, swapped)
    assert not accepted(prove_shuffle(E, swapped, WITNESS, PK, PLACE, RNG), E, swapped)
    assert accepted(prove_shuffle(E, swapped, Witness(order, r), PK, PLACE, RNG), E, swapped)
    again = [reencrypt(E_PRIME[0], R, PK), *E_PRIME[1:]]
    assert not accepted(PROOF, E, again)
    assert not accepted(prove_shuffle(E, again, WITNESS, PK, PLACE, RNG), E, again)


@pytest.mark.slow
def test_proof_with_foreign_permutation_or_masks_is_refused() -> None:
    r = WITNESS.r_prime
    for psi in permutations(range(3)):
        if psi != WITNESS.psi:
            assert not accepted(prove_shuffle(E, E_PRIME, Witness(psi, r), PK, PLACE, RNG))
    for wrong in ((r[1], r[0], r[2]), (R, *r[1:]), (-r[0], -r[1], -r[2])):
        assert not accepted(prove_shuffle(E, E_PRIME, Witness(WITNESS.psi, wrong), PK, PLACE, RNG))


def forge(M: list[list[int]], e_prime: Cards, r_prime: Sequence[int]) -> bytes:
    """Make the proof of a prover that commits to any matrix and otherwise follows the protocol,
    with the second implementation.
    """
    gens = generators(3)
    swap = [tuple((card.C2, card.C1) for card in cards) for cards in (E, e_prime)]
    public = Public(gens.h, gens.h_i, PK, *swap)
    prover = Prover(RISTRETTO, public, M, r_prime, [RNG.randrange(ORDER) for _ in range(16)])
    context = _context(E, e_prime, PK, gens, PLACE)
    u = [int.from_bytes(k.encoded, "little") for k in challenges(context, "u", 3, prover.c)]
    made = prover.commit(u)
    y = challenge(context, "c", [*made.c, *made.c_hat, *made.t])
    answers = prover.answer(int.from_bytes(y.encoded, "little"))
    numbers = [scalar_from_int(k) for k in (*answers.s, *answers.s_hat, *answers.s_prime)]
    return encode([y, *numbers, *made.c, *made.c_hat])


@pytest.mark.slow
def test_shuffle_with_other_matrix_is_refused() -> None:
    r = [int.from_bytes(k.encoded, "little") for k in WITNESS.r_prime]
    right = permutation_matrix(WITNESS.psi)
    assert accepted(forge(right, E_PRIME, r))
    doubling = [right[0], right[0], right[2]]
    doubled = [E_PRIME[0], reencrypt(E_PRIME[0], R, PK), E_PRIME[2]]
    halves = [
        [1, 0, 0],
        [0, (ORDER + 1) // 2, (ORDER + 1) // 2],
        [0, (ORDER + 1) // 2, (ORDER + 1) // 2],
    ]
    for M in (doubling, halves, [[1, 0, 0], [0, 2, -1], [0, -1, 2]], [[0] * 3] * 3, [[1] * 3] * 3):
        assert not accepted(forge(M, E_PRIME, r))
        assert not accepted(forge(M, doubled, r), E, doubled)


# --- the place and the statement ---


@pytest.mark.parametrize(
    "change",
    [
        {"deal": b"e" * 32},
        {"seat": 2},
        {"identity": b"j" * 32},
        {"purpose": "reshuffle"},
        {"position": 2},
    ],
)
def test_proof_holds_only_in_its_place(change: dict[str, object]) -> None:
    assert accepted(PROOF)
    assert not accepted(PROOF, place=replace(PLACE, **change))  # type: ignore[arg-type]


def test_proof_holds_only_for_its_statement() -> None:
    assert not accepted(PROOF, [E[1], E[0], E[2]])
    assert not accepted(PROOF, E_PRIME, E)
    with pytest.raises(RemoteError):
        check_shuffle(PROOF, E, E_PRIME, PK + GENERATOR, PLACE)


def test_shuffle_under_identity_key_is_refused() -> None:
    e_prime, witness = shuffle(E, IDENTITY, RNG)
    assert {card.C2 for card in e_prime} == {card.C2 for card in E}
    with pytest.raises(RemoteError):
        check_shuffle(
            prove_shuffle(E, e_prime, witness, IDENTITY, PLACE, RNG), E, e_prime, IDENTITY, PLACE
        )


# --- the bytes ---

E2 = deck(2)
E2_PRIME, WITNESS2 = shuffle(E2, PK, RNG)
PROOF2 = prove_shuffle(E2, E2_PRIME, WITNESS2, PK, PLACE, RNG)


@pytest.mark.slow
def test_proof_with_any_flipped_byte_is_refused() -> None:
    assert accepted(PROOF2, E2, E2_PRIME)
    for at in range(len(PROOF2)):
        altered = bytearray(PROOF2)
        altered[at] ^= 1 << RNG.randrange(8)
        assert not accepted(bytes(altered), E2, E2_PRIME), at


@pytest.mark.parametrize("value", [0, 1, ORDER, ORDER + 1, 2**256 - 1])
def test_proof_with_any_replaced_scalar_is_refused(value: int) -> None:
    for at in range(0, (5 + 2 * 2) * 32, 32):
        assert not accepted(
            PROOF2[:at] + value.to_bytes(32, "little") + PROOF2[at + 32 :], E2, E2_PRIME
        ), at


@pytest.mark.parametrize("point", [IDENTITY, GENERATOR, E2[0].C1, generators(2).h])
def test_shuffle_proof_with_replaced_point_is_refused(point: object) -> None:
    for at in range((5 + 2 * 2) * 32, len(PROOF2), 32):
        altered = PROOF2[:at] + point.encoded + PROOF2[at + 32 :]  # type: ignore[attr-defined]
        assert not accepted(altered, E2, E2_PRIME), at


def test_shuffle_proof_with_unreduced_scalar_is_refused() -> None:
    for at in range(0, (5 + 2 * 2) * 32, 32):
        value = int.from_bytes(PROOF2[at : at + 32], "little") + ORDER
        assert not accepted(
            PROOF2[:at] + value.to_bytes(32, "little") + PROOF2[at + 32 :], E2, E2_PRIME
        ), at


def test_shuffle_proof_of_wrong_shape_is_refused() -> None:
    size = len(PROOF2)
    for length in (
        *range(0, size, 32),
        *range(size - 3, size),
        size + 1,
        size + 32,
        proof_size(1),
        proof_size(3),
    ):
        assert not accepted((PROOF2 * 2)[:length], E2, E2_PRIME), length
    for shape in (None, PROOF2.hex(), [PROOF2], bytearray(PROOF2)):
        assert not accepted(shape, E2, E2_PRIME)

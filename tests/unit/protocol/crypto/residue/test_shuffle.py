"""Shuffles by residues: every false shuffle is refused, and a proof reveals nothing."""

import tracemalloc
from collections import Counter
from dataclasses import replace
from itertools import combinations
from math import comb
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.codes import Code
from protocol.crypto.residue import masking
from protocol.crypto.residue.cards import DeckForm, decode, encode, form_of
from protocol.crypto.residue.shuffle import (
    ROOT,
    ROUNDS,
    Rounds,
    ShuffleVerifier,
    _context,
    _hash,
    _root,
    challenge,
    check_shuffle,
    proof_parts,
    proof_size,
    prove_shuffle,
    shuffle,
    statement,
)
from tests.unit.protocol.crypto.residue.samples import (
    ELSEWHERE,
    FEW,
    PLACE,
    accepted,
    in_clear,
    lie,
    moduli,
    pieces,
    refusal,
    secret,
    shuffled,
    unmoved,
)

CARDS, SEATS = 3, 2
KEYS = moduli(SEATS)
BEFORE, AFTER, WITNESS = shuffled(CARDS, SEATS)
FORM = form_of(BEFORE, KEYS)
FIRST, SECOND, THIRD = AFTER
M = KEYS[0]
COPY = tuple(tuple(z * 9 % m for z in row) for row, m in zip(FIRST, KEYS, strict=True))
LIES = {
    "a card twice": (FIRST, COPY, THIRD),
    "a foreign card": (((7 * 7, 5 * 5), SECOND[1]), FIRST, THIRD),
    "the halves of two cards exchanged": ((FIRST[0], SECOND[1]), (SECOND[0], FIRST[1]), THIRD),
    "a bit turned": (((M - FIRST[0][0], FIRST[0][1]), FIRST[1]), SECOND, THIRD),
    "two bits of a card exchanged": ((FIRST[0][::-1], FIRST[1][::-1]), SECOND, THIRD),
}


@pytest.mark.slow
@settings(max_examples=15, deadline=None)
@given(st.integers(1, 9), st.integers(1, 4), st.integers(0, 2**32))
def test_shuffle_keeps_the_pieces_and_proves_it(cards, seats, seed):
    keys, deck, rng = moduli(seats), in_clear(cards, seats), Random(seed)
    after, witness = shuffle(deck, keys, rng)
    assert sorted(pieces(after)) == list(range(cards))
    assert decode(encode(after, keys), form_of(deck, keys)) == after
    said = statement(deck, after, keys, FEW)
    proof = b"".join(proof_parts(said, witness, PLACE, rng))
    assert len(proof) == proof_size(said.form, FEW) and accepted(said, proof)


@pytest.mark.slow
def test_shuffle_proof_of_full_size_is_accepted():
    proof = prove_shuffle(BEFORE, AFTER, WITNESS, KEYS, PLACE, Random(1))
    assert len(proof) == proof_size(FORM)
    check_shuffle(BEFORE, AFTER, KEYS, proof, PLACE)
    for place in ELSEWHERE:
        assert (
            refusal(lambda p=place: check_shuffle(BEFORE, AFTER, KEYS, proof, p)) is Code.BAD_PROOF
        )
    for other in [
        (AFTER, BEFORE),
        (BEFORE, BEFORE),
        (AFTER, AFTER),
        *((BEFORE, deck) for deck in LIES.values()),
    ]:
        assert refusal(lambda o=other: check_shuffle(*o, KEYS, proof, PLACE)) is Code.BAD_PROOF
    assert refusal(lambda: check_shuffle(BEFORE, AFTER, KEYS[::-1], proof, PLACE)) is Code.BAD_PROOF
    for wrong in (None, b"", proof[:-1], proof + b"\0", proof[:ROOT], proof.hex()):
        assert (
            refusal(lambda w=wrong: check_shuffle(BEFORE, AFTER, KEYS, w, PLACE)) is Code.BAD_PROOF
        )


@pytest.mark.parametrize("name", LIES)
def test_shuffle_lie_passes_only_with_guessed_challenge(name):
    """With 4 rounds of which 2 are opened far, the chance is one in 6."""
    said, rng = statement(BEFORE, LIES[name], KEYS, FEW), Random(name)
    passed = 0
    for _ in range(60):
        proof, guessed = lie(said, rng.sample(range(FEW.T), FEW.k), rng)
        assert accepted(said, proof) is guessed
        passed += guessed
    assert 2 <= passed <= 20


@pytest.mark.slow
def test_shuffle_proof_with_one_round_passes_half_the_lies():
    """The proof has one inner deck and one bit of challenge: one lie in two passes, since nobody
    else draws the challenge. The thesis's code ran one such round.
    """
    one = Rounds(2, 1)
    said, rng = statement(BEFORE, LIES["a card twice"], KEYS, one), Random(11)
    tries = [accepted(said, lie(said, [rng.randrange(2)], rng)[0]) for _ in range(200)]
    assert 75 <= sum(tries) <= 125


@pytest.mark.slow
def test_repeated_attempts_pass_only_few_rounds():
    """Nobody counts offline attempts: security comes from their number, 2^81 for the real
    rounds.
    """
    said, rng = statement(BEFORE, LIES["a card twice"], KEYS, Rounds(8, 3)), Random(12)
    tries = next(n for n in range(1, 2000) if lie(said, (0, 1, 2), rng)[1])
    assert 1 < tries < 600  # 56 on average
    assert (ROUNDS.T, ROUNDS.k) == (128, 22) and comb(128, 22) > 2**81


def test_shuffle_proof_rounds_leave_nothing_to_luck_or_choice():
    false = LIES["a card twice"]
    said = statement(BEFORE, false, KEYS)
    assert not accepted(said, lie(said, range(22), Random(13))[0])
    few = statement(BEFORE, false, KEYS, FEW)
    passing = next(
        proof for proof, guessed in (lie(few, (0, 1), Random(n)) for n in range(1000)) if guessed
    )
    assert accepted(few, passing)
    for rounds in (ROUNDS, Rounds(4, 1), Rounds(4, 3), Rounds(8, 2)):
        assert not accepted(statement(BEFORE, false, KEYS, rounds), passing)


def test_every_challenge_is_equally_likely():
    rng, seen = Random(14), Counter()
    for _ in range(3000):
        seen[challenge(rng.randbytes(ROOT), FEW)] += 1
    assert set(seen) == {frozenset(pair) for pair in combinations(range(4), 2)}
    assert all(420 <= count <= 580 for count in seen.values())
    assert all(len(challenge(rng.randbytes(ROOT), ROUNDS)) == 22 for _ in range(20))


def test_orders_are_uniform_and_signs_change_in_pairs():
    rng, seen = Random(15), Counter()
    form = DeckForm(3, 2, moduli(3))
    for _ in range(1200):
        seed = rng.randbytes(32)
        seen[masking._order(seed, 3)] += 1
        first, second, third = masking._signs(seed, form)
        assert first ^ second ^ third == 0 and max(first, second, third) < 1 << form.column
    assert len(seen) == 6 and all(150 <= count <= 250 for count in seen.values())


def test_masking_twice_equals_one_combined_masking():
    first, then = (masking.masking(bytes([n]) * 32, FORM) for n in (1, 2))
    both = masking.compose_maskings(first, then, FORM)
    deck = statement(BEFORE, AFTER, KEYS).before
    step = masking.apply_masking(masking.apply_masking(deck, first, FORM), then, FORM)
    assert masking.apply_masking(deck, both, FORM) == step
    assert masking.decode(masking.encode(both, FORM), FORM) == masking.Masking(
        both.order, both.signs, both.roots
    )
    assert masking.apply_masking(deck, unmoved(FORM), FORM) == deck


def changed(data, at, to):
    return data[:at] + to + data[at + len(to) :]


def test_proof_round_has_one_encoding():
    """The order has every card, nothing follows the signs, and r is from 1 to (m − 1) / 2 and a
    unit.
    """
    data = masking.encode(
        masking.compose_maskings(unmoved(FORM), masking.masking(bytes(32), FORM), FORM), FORM
    )
    assert len(data) == masking.encoded_size(FORM)
    masking.decode(data, FORM)
    begin, width = FORM.cards + masking.sign_bytes(FORM), FORM.width
    r = int.from_bytes(data[begin : begin + width], "little")
    wrong = {
        "a card twice": changed(data, 0, data[1:2]),
        "a card that there is not": changed(data, 0, b"\3"),
        "a bit beside the signs": changed(data, FORM.cards, bytes([data[FORM.cards] | 0x80])),
        "the other root": changed(data, begin, (M - r).to_bytes(width, "little")),
        "no root": changed(data, begin, bytes(width)),
        "beyond m": changed(data, begin, (M + r).to_bytes(width, "little")),
        "a divisor of m": changed(data, begin, secret(0).p.to_bytes(width, "little")),
    }
    for name, bad in wrong.items():
        assert refusal(lambda bad=bad: masking.decode(bad, FORM)) is Code.BAD_PROOF, name


def test_shuffle_proof_reveals_no_seed_twice_or_past_opening():
    """With such a seed a reader would subtract its order from the revealed one, and learn the order
    of the shuffle.
    """
    own, inner = masking.masking(WITNESS.seed, FORM), masking.masking(bytes(32), FORM)
    shown = masking.compose_maskings(own, inner, FORM).order
    assert tuple(shown[inner.order.index(card)] for card in range(CARDS)) == own.order
    said, rounds = statement(BEFORE, AFTER, KEYS), []
    root, *rounds = proof_parts(said, WITNESS, PLACE, Random(1))
    far = challenge(root, ROUNDS)
    seeds = [part for number, part in enumerate(rounds) if number not in far]
    assert len(set(seeds)) == len(seeds) == ROUNDS.T - ROUNDS.k and {
        len(seed) for seed in seeds
    } == {32}
    assert WITNESS.seed not in b"".join(rounds)


@pytest.mark.parametrize("lazy", ["nothing is masked", "one mask for all"])
def test_shuffle_of_unmasked_cards_is_refused(lazy):
    """The argument is right about them, but nothing is hidden, and a mistake of the own program
    would go unnoticed.
    """
    deck, r = (BEFORE, 1) if lazy == "nothing is masked" else (in_clear(CARDS, SEATS), 5)
    said = statement(deck, deck, KEYS, FEW)
    mask = masking.Masking((1, 2, 0), (0,) * SEATS, ([r] * FORM.column,) * SEATS)
    turned = replace(said, after=masking.apply_masking(said.before, mask, FORM))
    assert not accepted(turned, told(turned, mask))
    own = masking.masking(WITNESS.seed, FORM)
    right = statement(BEFORE, AFTER, KEYS, FEW)
    assert accepted(right, told(right, own))


def told(said, mask):
    """Return the proof of a prover who knows a masking, from any seed or from none."""
    seeds = [bytes([number]) * masking.SEED for number in range(said.rounds.T)]
    inner = [masking.masking(seed, FORM) for seed in seeds]
    root = _root(_context(said, PLACE), [_hash(said.after, each, FORM) for each in inner])
    far = challenge(root, said.rounds)
    both = [masking.encode(masking.compose_maskings(mask, each, FORM), FORM) for each in inner]
    return root + b"".join(
        both[number] if number in far else seeds[number] for number in range(said.rounds.T)
    )


def test_repeated_randomness_gives_other_seeds_elsewhere():
    """After a snapshot is restored, the same bytes with another deck or place give other seeds."""
    other, witness = shuffle(BEFORE, KEYS, Random(99))
    proofs = [
        [*proof_parts(statement(BEFORE, after, KEYS, FEW), known, place, Random(1))]
        for after, known, place in [
            (AFTER, WITNESS, PLACE),
            (other, witness, PLACE),
            (AFTER, WITNESS, ELSEWHERE[0]),
        ]
    ]
    # known bytes alone
    proofs.append([*proof_parts(statement(BEFORE, AFTER, KEYS, FEW), witness, PLACE, Random(1))])
    assert all(not set(one) & set(two) for one, two in combinations(proofs, 2))


def test_challenge_depends_on_the_whole_statement():
    said = statement(BEFORE, AFTER, KEYS, FEW)
    clear = in_clear(CARDS, SEATS)
    others = [
        statement(clear, AFTER, KEYS, FEW),
        statement(BEFORE, clear, KEYS, FEW),
        statement(BEFORE, AFTER, KEYS[::-1], FEW),
        statement(BEFORE, AFTER, KEYS, Rounds(8, 2)),
        statement(BEFORE, AFTER, KEYS, Rounds(4, 1)),
        replace(said, form=replace(said.form, cards=said.form.bits, bits=said.form.cards)),
    ]
    contexts = {_context(said, PLACE), *(_context(other, PLACE) for other in others)}
    contexts |= {_context(said, place) for place in ELSEWHERE}
    assert len(contexts) == 1 + len(others) + len(ELSEWHERE)


@given(st.integers(0, 2**32))
@settings(max_examples=10, deadline=None)
def test_shuffle_proof_may_arrive_in_any_pieces(seed):
    said, rng = statement(BEFORE, AFTER, KEYS, FEW), Random(seed)
    proof = b"".join(proof_parts(said, WITNESS, PLACE, rng))
    check, at = ShuffleVerifier(said, PLACE), 0
    while at < len(proof):
        step = rng.randrange(300)
        check.feed(proof[at : at + step])
        at += step
    check.finish()
    assert refusal(lambda: check.feed(b"\0")) is Code.BAD_PROOF


@pytest.mark.slow
def test_shuffle_check_buffers_at_most_two_rounds():
    """Proofs of 7 MB are checked as they arrive."""
    before, after, witness = shuffled(16, 4)
    said = statement(before, after, moduli(4))
    proof = b"".join(proof_parts(said, witness, PLACE, Random(1)))
    tracemalloc.start()
    check = ShuffleVerifier(said, PLACE)
    for at in range(0, len(proof), 1000):
        check.feed(proof[at : at + 1000])
    check.finish()
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < len(proof) // 2


def test_decks_of_two_forms_raise_value_error():
    for wrong in (
        BEFORE[:2],
        (),
        shuffled(CARDS, 1)[0],
        tuple((row[:1], row[:1]) for row, _ in BEFORE),
    ):
        with pytest.raises(ValueError, match="form"):
            statement(BEFORE, wrong, KEYS)
    with pytest.raises(ValueError, match="size"):
        form_of(BEFORE, (M, 7))

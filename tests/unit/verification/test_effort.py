"""A search for attacks counts its work and can be stopped at any time; simple cases are solved
quickly.
"""

from itertools import pairwise
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.limits import MAX_PROTOCOL_DEPTH
from tests.support.calls import count_calls
from tests.support.intruding import power, protocol
from verification.effort import Effort, OutOfBudget
from verification.engine.deduction import Deduction, composable, openings, public
from verification.engine.verdict import NoAttack, SearchAborted, SearchBound, verify
from verification.notation.ground_terms import can_write, term_of
from verification.notation.protocol_parser import parse_protocol
from verification.notation.tokens import NotationError, ground_tokens
from verification.terms import (
    Sort,
    Term,
    application,
    asymmetric,
    compositions,
    constant,
    count_names,
    exponent,
    fresh,
    inverse,
    pair,
    subterms,
    symmetric,
    text,
    variable,
)
from verification.unification import unifiers

G, F = constant("g"), constant("f", Sort.FUNCTION)
MADE = [constant(f"c{number}") for number in range(9)]
OPEN = [variable(f"X{number}", Sort.UNTYPED, 1) for number in range(9)]


# --- the unifier ---


def crossed(last):
    """Return three exponentials of six open exponents, each equal to another in at most one of 720
    ways.
    """
    return tuple((exponent(G, *OPEN[:6]), exponent(G, *MADE[:5], one)) for one in (MADE[5], last))


@pytest.mark.slow
def test_unifier_counts_each_equation_and_stops_at_its_budget():
    with pytest.raises(OutOfBudget):
        list(unifiers(crossed(MADE[6]), {}, Effort(0, 5_000)))
    effort = Effort(0, 10**7)
    assert list(unifiers(crossed(MADE[6]), {}, effort)) == [] and effort.steps > 10_000


def test_unifier_asks_in_between_whether_to_stop():
    asked = []

    def stop():
        asked.append(True)
        return len(asked) == 2

    with pytest.raises(OutOfBudget):
        list(unifiers(crossed(MADE[6]), {}, Effort(0, 10**9, stop)))
    assert len(asked) == 2


def test_unifier_looks_at_exponents_when_they_are_known():
    """The exponents are numbers: one way, in one step each."""
    known = tuple(zip(OPEN[:6], MADE[:6], strict=True))
    effort = Effort(0, 100)
    (values,) = unifiers((*crossed(MADE[5]), *known), {}, effort)
    assert [values[name] for name in OPEN[:6]] == MADE[:6] and effort.steps < 20
    assert list(unifiers((*known, *crossed(MADE[6])), {}, Effort(0, 100))) == []


def test_unifier_finds_every_way_to_pair_exponents():
    found = list(unifiers(((exponent(G, *OPEN[:3]), exponent(G, *MADE[:3])),), {}))
    assert len({tuple(values[name] for name in OPEN[:3]) for values in found}) == len(found) == 6
    twice = list(unifiers(((exponent(G, *OPEN[:2]), exponent(G, MADE[0], MADE[0])),), {}))
    assert [values[OPEN[0]] for values in twice] == [MADE[0]]


def test_variable_in_its_own_value_has_none():
    inside = symmetric(OPEN[1], OPEN[0])
    assert list(unifiers(((OPEN[0], pair(MADE[0], OPEN[1])), (OPEN[1], inside)), {})) == []


def test_variables_in_chains_are_looked_into_once():
    """Each variable stands for a pair of the next: written out, the first would be astronomically
    long.
    """
    names = [variable(f"Y{number}", Sort.UNTYPED, 1) for number in range(60)]
    chain = tuple((name, pair(later, later)) for name, later in pairwise(names))
    assert count_calls(lambda: list(unifiers(chain, {}))) < 50_000


# --- messages that the intruder can build ---


def atoms():
    return [*MADE[:5], constant("a", Sort.AGENT), constant("m", Sort.FORMAT)]


def any_term(rng, depth):
    if depth <= 0 or rng.random() < 0.15:
        return rng.choice(atoms())
    one, other = any_term(rng, depth - 1), any_term(rng, depth - 1)
    match rng.randrange(7):
        case 0:
            return pair(one, other)
        case 1 | 2:
            return symmetric(one, other)
        case 3:
            return asymmetric(one, rng.choice((other, inverse(other))))
        case 4:
            return rng.choice((inverse(one), application(F, one, other)))
        case 5:
            return application(constant("m", Sort.FORMAT), one)
    return exponent(
        rng.choice(MADE[:3]), *(any_term(rng, depth - 1) for _ in range(rng.randint(1, 3)))
    )


class Slowly:
    """Deduction by plain definition: repeated until nothing new is found."""

    def __init__(self, heard):
        self.known_terms = set(heard)
        while new := {
            part
            for term in self.known_terms
            for part, key in openings(term)
            if self.opens(part, key)
        }:
            self.known_terms |= new

    def opens(self, part, key):
        return part not in self.known_terms and (key is None or self.can_derive(key))

    def can_derive(self, term):
        if term in self.known_terms or public(term):
            return True
        return composable(term) and any(
            all(map(self.can_derive, args)) for args in compositions(term)
        )


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_deduction_equals_slow_deduction(seed):
    rng = Random(seed)
    heard = [any_term(rng, rng.randint(0, 4)) for _ in range(rng.randint(1, 12))]
    at = rng.randint(0, len(heard))
    slowly, before = Slowly(heard), Deduction(heard[:at])
    had = before.known_terms
    at_once, later = Deduction(heard), before.with_terms(heard[at:])
    assert (
        set(at_once.known_terms) == set(later.known_terms) == slowly.known_terms
        and before.known_terms == had
    )
    asked = [any_term(rng, 3) for _ in range(10)] + [
        part for term in heard for part in subterms(term)
    ]
    for term in asked:
        assert at_once.can_derive(term) == later.can_derive(term) == slowly.can_derive(term), (
            heard,
            term,
        )


def chain(count: int) -> list[Term]:
    """Return nested ciphertexts, the last one first, each with the key to the next; and the first
    key.
    """
    keys = [constant(f"k{number}") for number in range(count + 1)]
    return [symmetric(later, earlier) for earlier, later in pairwise(keys)][::-1] + keys[:1]


def test_chain_of_keys_costs_no_more_than_its_terms():
    assert len(Deduction(chain(400)).known_terms) == 801
    short, long = (count_calls(lambda count=count: Deduction(chain(count))) for count in (200, 800))
    assert long < 5 * short


def test_exponentials_with_many_exponents_are_looked_up_soon():
    many = exponent(G, *(constant(f"e{number}") for number in range(24)))
    can = Deduction([exponent(G, *many.args[1:13]), *many.args[13:]])
    assert can.can_derive(many) and not Deduction([G, *many.args[2:]]).can_derive(many)
    assert count_calls(lambda: Deduction([G, *many.args[2:]]).can_derive(many)) < 2_000


# --- texts ---


@pytest.mark.slow
@settings(max_examples=200)
@given(seed=st.integers(0, 2**32))
def test_printed_terms_round_trip(seed):
    rng = Random(seed)
    term = any_term(rng, rng.randint(0, 4))
    for _ in range(rng.choice((0, MAX_PROTOCOL_DEPTH - 2, MAX_PROTOCOL_DEPTH))):
        term = rng.choice((pair(MADE[0], term), symmetric(term, MADE[0]), application(F, term)))
    names = {text(atom): atom for atom in (*atoms(), F, fresh("N", Sort.NUMBER, 3))}
    try:
        again = term_of(ground_tokens(text(term)), names)
    except NotationError:
        again = None
    assert can_write(term, names) == (again == term)
    assert count_names(term, {}, {}) == sum(not part.args for part in subterms(term))


def test_names_are_resolved_by_their_position():
    values = {OPEN[0]: pair(OPEN[1], OPEN[1]), OPEN[1]: pair(MADE[0], MADE[1])}
    assert count_names(pair(OPEN[0], OPEN[0], OPEN[2]), values, {}) == 9


# --- a whole search ---

NUMBERS = [f"N{number}" for number in range(18)]
MIXED = [f"X{number}" for number in range(18)]


def sealed(names, last):
    """Return three exponentials in one ciphertext that differ only in the last exponent of the
    largest one.
    """
    small = [power("g", names[:6]), power("g", names[6:12])]
    return f"{{|{','.join((*small, power('g', [*names[12:], last])))}|}}k(A,B)"


PUZZLE = protocol(
    f"A->B: {sealed(MIXED, 'c')}; B->A: {','.join(NUMBERS)},{sealed(NUMBERS, 'd')}; A->B: A",
    f"; Number {','.join((*NUMBERS, *MIXED))}",
    "c,d,k(A,B)",
    "X1 secret between A,B",
)


@pytest.mark.slow
def test_search_gives_up_in_the_middle_of_one_equation():
    """Half a million ways to pair exponents are one equation: the clock is checked within it."""
    asked: list[bool] = []

    def stop() -> bool:
        asked.append(True)
        return len(asked) > 3

    for found in (
        verify(parse_protocol(PUZZLE), SearchBound(1, steps=20_000)),
        verify(parse_protocol(PUZZLE), SearchBound(1), stop),
    ):
        assert isinstance(found, SearchAborted) and found.searched.demands < 64
    assert len(asked) == 4


def test_search_with_steps_enough_is_not_cut_short():
    small = parse_protocol(
        protocol("A->B: {|N|}k(A,B); B->A: A", "; Number N", "k(A,B)", "N secret between A,B")
    )
    found = verify(small, SearchBound(1))
    assert isinstance(found, NoAttack)
    assert isinstance(verify(small, SearchBound(1, steps=3)), SearchAborted)

"""Terms are equal exactly if their messages are, and are printed in Alice-and-Bob notation."""

import pytest

from verification.terms import (
    Sort,
    application,
    asymmetric,
    constant,
    exponent,
    fresh,
    inverse,
    pair,
    rebuild,
    substitute,
    symmetric,
    text,
    variable,
    variables,
)

A, B = variable("A", Sort.AGENT), variable("B", Sort.AGENT)
X, Y = variable("X", Sort.NUMBER), variable("Y", Sort.NUMBER)
G, PK = constant("g"), constant("pk", Sort.FUNCTION)


@pytest.mark.parametrize(
    ("term", "written"),
    [
        (pair(A, B, X), "A,B,X"),
        (pair(pair(A, B), X), "(A,B),X"),
        (asymmetric(pair(X, A), application(PK, B)), "{X,A}pk(B)"),
        (asymmetric(X, inverse(application(PK, B))), "{X}inv(pk(B))"),
        (symmetric(pair(A, B), X), "{|A,B|}X"),
        (symmetric(A, pair(X, Y)), "{|A|}(X,Y)"),
        (application(PK, A, pair(B, X)), "pk(A,B,X)"),
        (exponent(exponent(G, Y), X), "exp(exp(g,X),Y)"),
        (fresh("NA", Sort.NUMBER, 2), "NA(2)"),
    ],
)
def test_terms_are_printed_in_notation(term, written):
    assert text(term) == written == repr(term)


def test_exponents_commute_and_inverses_cancel():
    assert exponent(exponent(G, X), Y) == exponent(exponent(G, Y), X) != exponent(G, X)
    assert hash(exponent(exponent(G, X), Y)) == hash(exponent(G, Y, X))
    assert inverse(inverse(X)) == X
    assert exponent(G) == G


def test_names_of_other_sort_or_strand_differ():
    assert (
        len(
            {
                X,
                variable("X", Sort.AGENT),
                variable("X", Sort.NUMBER, 1),
                fresh("X", Sort.NUMBER, 1),
            }
        )
        == 4
    )


def test_substituting_follows_values_and_keeps_the_normal_form():
    half = variable("H", Sort.UNTYPED)
    assert substitute(exponent(half, Y), {half: exponent(G, X)}) == exponent(G, X, Y)
    assert substitute(inverse(half), {half: inverse(X)}) == X
    assert substitute(pair(half, A), {half: X, X: Y}) == pair(Y, A)
    whole = pair(A, asymmetric(X, B))
    assert substitute(whole, {Y: A}) is whole
    assert list(variables(whole)) == [A, X, B] and not whole.ground
    assert substitute(whole, {A: G, X: G, B: G}).ground


def test_term_is_rebuilt_in_normal_form():
    assert rebuild(pair(A, B), (B, A)) == pair(B, A)
    assert rebuild(exponent(G, X), (exponent(G, Y), X)) == exponent(G, X, Y)

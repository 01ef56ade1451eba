"""Protocols small enough that the verdict is obvious: each covers one place that a search could
miss.
"""

from itertools import product

import pytest

from verification.effort import Effort
from verification.engine.search import search
from verification.engine.solver import Solver
from verification.engine.verdict import Attack, NoAttack, NotRunnable, SearchBound, verify
from verification.notation.protocol_parser import parse_protocol
from verification.reports.verdict_text import as_object, verdict_lines
from verification.strands.scenario import scenario_of
from verification.terms import (
    Sort,
    application,
    asymmetric,
    constant,
    inverse,
    substitute,
    variable,
)
from verification.unification import unifiers

SHARED = "A: A,B,k(A,B); B: A,B,k(A,B)"
ATTACKS = {  # knowledge, actions, a goal that fails
    "a ticket of the beginning opens when its key is said": (
        "A: A,B,{|d(B)|}k(B,B); B: A,B,k(B,B),d(B)",
        "B->A: k(B,B)",
        "d(B) secret between A,B",
    ),
    "a private key is taken from anybody, with what its public key encrypted": (
        SHARED,
        "A->B: inv(P); A->B: {N}P; B->A: {|N|}k(A,B)",
        "B weakly authenticates A on N",
    ),
    "a private key behind a key that everybody has": (
        "A: A,B,l; B: A,B,l",
        "A->B: {|inv(P)|}l(A,B),{N}P; B->A: {|N|}l(A,B)",
        "B authenticates A on N",
    ),
    "a function of something passes for a public key": (
        "A: A,B,s,k(A,B),inv(q(A)); B: A,B,s,k(A,B); s: s,A,B,q",
        "s->A: q(B); A->B: {|q(B)|}k(A,B); B->A: {|P|}k(A,B); A->B: {N}P",
        "N secret between A,B",
    ),
    "a name is a key": (
        "A: A,B,inv(A); B: A,B,inv(B)",
        "A->B: {N}B; B->A: {N}A",
        "A authenticates B on N",
    ),
    "what was taken as it came opens by a key that is made up": (
        SHARED,
        "A->B: {|N|}K; B->A: A; A->B: K",
        "B weakly authenticates A on N",
    ),
    "somebody who talks to himself hears his own words": (
        "A: A,B,k(A,B),k(B,A); B: A,B,k(A,B),k(B,A)",
        "A->B: {|N|}k(A,B); B->A: {|N|}k(B,A); A->B: A",
        "A weakly authenticates B on N",
    ),
    "somebody with a name of his own who has said nothing": (
        "s: s,b; b: s,b",
        "s->b: s,b",
        "b weakly authenticates s on b",
    ),
    "a pseudonym is nobody's name": (
        "A: A,B; B: A,B",
        "[A]*->B: N",
        "B weakly authenticates A on N",
    ),
}
NONE = {
    "a format in a cipher gives no key away": (
        SHARED,
        "A->B: {|f|}k(A,B); A->B: {|f,N|}k(A,B)",
        "N secret between A,B",
    ),
    "what is learnt later must be the same": (
        SHARED,
        "A->B: {|N|}K; B->A: A; A->B: {|A,K,N|}k(A,B)",
        "B weakly authenticates A on N",
    ),
    "the same twice in one message": (
        SHARED,
        "A->B: {|N,N|}k(A,B); B->A: B; A->B: {|N,B|}k(A,B)",
        "B weakly authenticates A on N",
    ),
    "two that have changed places": (
        SHARED,
        "B->A: M; A->B: {|N,M|}k(A,B),{|M,N|}k(A,B)",
        "B weakly authenticates A on N,M",
    ),
    "nobody talks to himself": (
        "A: A,B,k(A,B),k(B,A); B: A,B,k(A,B),k(B,A) where A!=B",
        "B->A: M; A->B: {|M,N|}k(A,B)",
        "B weakly authenticates A on N",
    ),
    "nobody else can sign it": (
        "s: s,b,c,pk,inv(pk(s)); b: s,b,c,pk",
        "s->b: {c}inv(pk(s))",
        "b weakly authenticates s on c",
    ),
    "each run asks for something new": (
        SHARED,
        "B->A: M; A->B: {|A,M|}k(A,B)",
        "B authenticates A on M",
    ),
}
HEAD = """
Protocol: P
Types: Agent A,B,s,b; Number M,N; Symmetric_key K; PublicKey P; Format f; Function k,q,d
Knowledge: {knowledge}
Actions: {actions}
Goals: {goal}
"""


def protocol(knowledge, actions, goal):
    return parse_protocol(HEAD.format(knowledge=knowledge, actions=actions, goal=goal))


def outcomes(wanted):
    return [
        pytest.param(*wanted[name], typed, id=f"{name}, {typed}")
        for name, typed in product(wanted, (True, False))
    ]


@pytest.mark.parametrize(("knowledge", "actions", "goal", "typed"), outcomes(ATTACKS))
def test_obviously_broken_protocols_have_attacks(knowledge, actions, goal, typed):
    assert isinstance(verify(protocol(knowledge, actions, goal), SearchBound(1, typed)), Attack)


@pytest.mark.parametrize(("knowledge", "actions", "goal", "typed"), outcomes(NONE))
def test_obviously_secure_protocols_have_no_attack(knowledge, actions, goal, typed):
    assert isinstance(verify(protocol(knowledge, actions, goal), SearchBound(2, typed)), NoAttack)


@pytest.mark.parametrize(
    ("knowledge", "actions", "goal"), [*ATTACKS.values(), *NONE.values()], ids=[*ATTACKS, *NONE]
)
def test_pruning_loses_no_small_attack(knowledge, actions, goal):
    scenario, effort = scenario_of(protocol(knowledge, actions, goal), 1), Effort(100_000, 10**8)
    found = [
        search(scenario, Solver(scenario, effort), effort, reduced) for reduced in (True, False)
    ]
    assert (found[0] is None) == (found[1] is None)


@pytest.mark.parametrize(
    ("knowledge", "actions", "goal"),
    [
        (SHARED, "A->B: {|A,N|}k(A,B)", "B authenticates A on N"),
        ("s: s,b,c,pk,inv(pk(s)); b: s,b,c,pk", "s->b: {c}inv(pk(s))", "b authenticates s on c"),
    ],
)
def test_repeated_run_is_counted_once_and_replay_is_attack(knowledge, actions, goal):
    replayed = protocol(knowledge, actions, goal)
    assert [type(verify(replayed, SearchBound(sessions))) for sessions in (1, 2)] == [
        NoAttack,
        Attack,
    ]


def test_unnamed_secret_is_not_reported_as_kept():
    assert isinstance(
        verify(protocol("A: A,B; B: A,B", "A->B: N", "M secret between A,B")), NotRunnable
    )


def test_inverse_of_public_value_may_be_public_key():
    key, public = (
        variable("X", Sort.UNTYPED, 1),
        application(constant("pk"), constant("a", Sort.AGENT)),
    )
    left, right = asymmetric(constant("m"), inverse(key)), asymmetric(constant("m"), public)
    for equation in ((left, right), (right, left)):
        (values,) = unifiers((equation,), {})
        assert substitute(left, values) == right
    assert list(unifiers(((inverse(key), public),), {key: public})) == []


@pytest.mark.parametrize(("message", "all_tried"), [("exp(c,N)", False), ("q(c,N)", True)])
def test_verdict_reports_untried_exponents(message, all_tried):
    knowledge = "A: A,B,c,q,k(A,B); B: A,B,c,q,k(A,B)"
    described = protocol(knowledge, f"A->B: {{|{message}|}}k(A,B)", "N secret between A,B")
    bound = SearchBound(1)
    found = verify(described, bound)
    assert isinstance(found, NoAttack)
    assert as_object(found, described, bound)["all_powers"] is all_tried
    keys = {line.key for line in verdict_lines(found, described, bound)}
    assert ("verify.none.powers" in keys) is not all_tried

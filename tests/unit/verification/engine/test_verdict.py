"""The search finds every known attack in its shortest form, and reports an incomplete search."""

import random
from functools import cache

import pytest

from verification.effort import Effort
from verification.engine.attack_check import check_attack
from verification.engine.instantiation import instantiate
from verification.engine.search import search
from verification.engine.solver import EVERY_RULE, DemandRule, Solver
from verification.engine.verdict import (
    Attack,
    NoAttack,
    NotRunnable,
    SearchAborted,
    SearchBound,
    Unsupported,
    verify,
)
from verification.notation.protocol_parser import parse_protocol
from verification.protocols.catalog import BUILT_IN_PROTOCOLS, ExpectedVerdict
from verification.protocols.loader import load_protocol
from verification.strands.role_knowledge import RoleNotRunnable
from verification.strands.scenario import scenario_of

QUICK = [
    name
    for name, shipped in BUILT_IN_PROTOCOLS.items()
    if shipped.typed is ExpectedVerdict.ATTACK and name != "andrew-rpc"
]
SMALL = (
    "needham-schroeder",
    "needham-schroeder-lowe",
    "denning-sacco",
    "denning-sacco-names",
    "woo-lam",
    "match-keys-weak-match",
)
NEEDED = {
    DemandRule.UNIFY: (
        "needham-schroeder",
        "woo-lam",
        "denning-sacco",
        "wide-mouthed-frog",
        "match-keys-weak-match",
    ),
    DemandRule.COMPOSE: (
        "needham-schroeder",
        "denning-sacco",
        "diffie-hellman",
        "session-weak-hash",
    ),
    DemandRule.DECRYPT: ("needham-schroeder", "denning-sacco", "needham-schroeder-shared-leak"),
}
HEAD = """
Protocol: P
Types: Agent A,B,s; Number M,N,c; Symmetric_key K; Function pk,h
Knowledge: A: A,B,s,pk,inv(pk(A)){a}; B: A,B,s,pk,inv(pk(B)){b}
Actions: {actions}
Goals: {goals}
"""


def protocol(actions, goals="M secret between A,B", a="", b=""):
    return parse_protocol(HEAD.format(actions=actions, goals=goals, a=a, b=b))


def verdict(actions, goals="M secret between A,B", a="", b="", sessions=2):
    return type(verify(protocol(actions, goals, a, b), SearchBound(sessions)))


@cache
def found_in(name):
    """Return the search's result for a bundled protocol, in as many sessions as its description
    states.
    """
    return verify(load_protocol(name), SearchBound(BUILT_IN_PROTOCOLS[name].sessions))


@pytest.mark.slow
@pytest.mark.parametrize("name", QUICK)
def test_attacks_are_found_and_are_real(name):
    found = found_in(name)
    assert isinstance(found, Attack)
    check_attack(load_protocol(name), found.trace)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["needham-schroeder-lowe", "denning-sacco-names", "diffie-hellman-signed", "yahalom"]
)
def test_secure_protocols_have_no_attack(name):
    assert isinstance(verify(load_protocol(name)), NoAttack)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in BUILT_IN_PROTOCOLS if name != "session"])
def test_shipped_protocols_give_documented_verdicts(name):
    shipped = BUILT_IN_PROTOCOLS[name]
    expected = {ExpectedVerdict.ATTACK: Attack, ExpectedVerdict.NONE: NoAttack}
    assert isinstance(found_in(name), expected[shipped.typed])


@pytest.mark.slow
def test_own_handshake_holds_within_search_time():
    """Two sessions take half a minute (`scripts/bench --only verify` has them); here one session is
    tried, and a part of two.
    """
    assert isinstance(verify(load_protocol("session"), SearchBound(1)), NoAttack)
    assert isinstance(
        verify(load_protocol("session"), SearchBound(2, demands=20_000)), SearchAborted
    )


def test_otway_rees_has_type_confusion_attack():
    assert isinstance(verify(load_protocol("otway-rees"), SearchBound(typed=False)), Attack)
    assert isinstance(verify(load_protocol("otway-rees"), SearchBound(1)), NoAttack)


def test_needham_schroeder_attack_is_that_of_lowe():
    trace = verify(load_protocol("needham-schroeder"), SearchBound(1)).trace
    initiator, responder = trace.runs
    assert [event.run for event in trace.events] == [0, 1, 0]
    assert trace.agents == (initiator.agent, responder.agent)
    # the initiator addressed the intruder
    assert str(trace.events[0].sent[0][0]).endswith("}pk(i)")


@pytest.mark.slow
def test_found_attack_is_shortest():
    actions = (
        "A->B: A; B->A: N; A->B: {|N|}h(A,s); B->s: {|A,{|N|}h(A,s)|}h(B,s); s->B: {|N|}h(B,s)"
    )
    keys = {"a": ",h(A,s)", "b": ",h(B,s); s: A,B,s,h(A,s),h(B,s)"}
    trace = verify(protocol(actions, "B weakly authenticates A on N", **keys)).trace
    assert sum(event.received is not None for event in trace.events) == 4


@pytest.mark.parametrize("rule", DemandRule)
def test_search_without_any_rule_misses_attacks(rule):
    """Each rule is necessary: without it the search misses an attack of this suite."""
    for name in NEEDED[rule]:
        assert isinstance(
            verify(load_protocol(name), SearchBound(1), rules=EVERY_RULE - {rule}), NoAttack
        ), name


@pytest.mark.parametrize("name", SMALL)
def test_pruned_search_equals_full_search(name):
    """A search of every order of receives, symmetric strands or not, gives the same attacks, with
    as many receives.
    """
    scenario = scenario_of(load_protocol(name), 2 if "weak" in name else 1)
    found = []
    for reduced in (True, False):
        effort = Effort(10**6, 10**9)
        found.append(search(scenario, Solver(scenario, effort), effort, reduced))
    assert [None if one is None else len(one.order) for one in found] == 2 * [
        found[0] and len(found[0].order)
    ]


@pytest.mark.slow
def test_random_small_protocols_match_full_search():
    """Random messages, in the typed model and without; every attack is checked independently of the
    search.
    """
    compared = 0
    for seed in range(150):
        chance = random.Random(seed)
        written, typed = by_chance(chance), chance.random() < 0.7
        try:
            scenario = scenario_of(written, 1, typed)
        except RoleNotRunnable:
            continue
        found = []
        for reduced in (True, False):
            effort = Effort(20_000, 10**8)
            found.append(search(scenario, Solver(scenario, effort), effort, reduced))
            if found[-1]:
                check_attack(written, instantiate(scenario, found[-1]), typed)
        assert len({one and len(one.order) for one in found}) == 1, seed
        compared += 1
    assert compared > 20


def by_chance(chance):
    ways = chance.choice(
        [("A->B", "B->A", "A->B"), ("A->B", "B->s", "s->B"), ("A->s", "s->A", "A->B")]
    )
    actions = ";".join(f"{way}: {message(chance, chance.choice([1, 2, 2, 3]))}" for way in ways)
    goal = chance.choice(
        ["B authenticates A on N", "B weakly authenticates A on M", "M secret between A,B"]
    )
    return protocol(actions, goal, ",h(A,B),h(A,s)", ",h(A,B),h(B,s); s: A,B,s,pk,h(A,s),h(B,s)")


def message(chance, depth):
    kind = chance.choice(("atom", "list", "public", "signed", "shared")) if depth else "atom"
    if kind == "atom":
        return chance.choice("MNKABMN")
    inside = message(chance, depth - 1)
    match kind:
        case "list":
            return f"{inside},{message(chance, depth - 1)}"
        case "public":
            return f"{{{inside}}}pk({chance.choice('AB')})"
        case "signed":
            return f"{{{inside}}}inv(pk({chance.choice('AB')}))"
    return f"{{|{inside}|}}{chance.choice(['K', 'h(A,s)', 'h(B,s)', 'h(A,B)'])}"


@pytest.mark.slow
def test_search_stops_when_told_to():
    lowe = load_protocol("needham-schroeder-lowe")
    assert isinstance(verify(lowe, SearchBound(2, demands=1000)), SearchAborted)
    asked = iter(range(5))
    given_up = verify(lowe, stop=lambda: next(asked) == 3)
    assert isinstance(given_up, SearchAborted) and given_up.searched.demands == 4 * 64


@pytest.mark.parametrize(
    ("actions", "lacking"),
    [
        ("A->B: {M}h(B)", "h"),
        ("A->B: c", "c"),
        ("A->B: {M}pk(B); B->A: M; A->B: {M}inv(pk(B))", "inv(pk(B))"),
        ("A->B: {|M|}K; B->A: M", "M"),
    ],
)
def test_role_sending_unknown_message_is_refused(actions, lacking):
    verdict = verify(protocol(actions))
    assert isinstance(verdict, NotRunnable) and str(verdict.part) == lacking


def test_goal_about_unknown_value_is_refused():
    verdict = verify(protocol("A->B: {|M|}K", "B authenticates A on M"))
    assert verdict == NotRunnable(verdict.role, verdict.part, None) and str(verdict.role) == "B"


def test_unknown_verdict_is_reported():
    assert verify(protocol("A->B: {M}pk(B)", "M guessable secret between A,B")) == Unsupported(
        "guessable secret"
    )
    assert verify(protocol("A->B: {|M|}K", a=",K", b=",K")) == Unsupported("K in Knowledge")


@pytest.mark.parametrize(
    ("actions", "goal", "expected"),
    [
        ("A *-> B: M", "A *-> B: M", NoAttack),
        ("A *-> B: M", "M secret between A,B", Attack),
        ("A ->* B: M", "A ->* B: M", NoAttack),
        ("A ->* B: M", "A *-> B: M", Attack),
        ("A *->* B: M", "A *->* B: M", NoAttack),
        ("A *->* B: M", "B weakly authenticates A on M", NoAttack),
        ("A *->* B: M", "B authenticates A on M", Attack),
        ("[A] *->* B: M", "A *-> B: M", Attack),
        ("[A] *-> B: M; B *->* [A]: N", "N secret between A,B", Attack),
        ("[A] *->* B: M; B *->* [A]: N", "N secret between A,B", Attack),
        ("A -> B: M", "B weakly authenticates A on M", Attack),
    ],
)
def test_channels_give_exactly_their_guarantees(actions, goal, expected):
    assert verdict(actions, goal) is expected


def test_replay_breaks_agreement_but_not_weak_agreement():
    """A signed text without anything fresh can be replayed: weak agreement holds, agreement does
    not.
    """
    signed = "A->B: {B,h(B)}inv(pk(A))"
    assert verdict(signed, "B weakly authenticates A on h(B)", a=",h", b=",h") is NoAttack
    assert verdict(signed, "B authenticates A on h(B)", a=",h", b=",h", sessions=1) is NoAttack
    assert verdict(signed, "B authenticates A on h(B)", a=",h", b=",h") is Attack


@pytest.mark.slow
def test_unreadable_message_is_compared_after_key_arrives():
    late = "A->B: {{|M|}K,A}pk(B); B->A: {N,B}pk(A); A->B: {K,N}pk(B)"
    assert verdict(late, "B weakly authenticates A on N") is NoAttack
    assert verdict(late + "; B->A: M", "M secret between A,B", sessions=1) is Attack

"""The check of attack traces rejects every altered trace."""

from dataclasses import replace

import pytest

from verification.engine.attack_check import NotAnAttack, check_attack
from verification.engine.deduction import Deduction, DeductionRule, DeductionStep
from verification.engine.verdict import SearchBound, verify
from verification.notation.protocol_parser import parse_protocol
from verification.protocols.loader import load_protocol
from verification.terms import Sort, asymmetric, constant, fresh, inverse, pair, symmetric

NEEDHAM, LOWE = load_protocol("needham-schroeder"), load_protocol("needham-schroeder-lowe")
A, B, INTRUDER = (constant(name, Sort.AGENT) for name in "abi")
K, M = constant("k"), constant("m")


@pytest.fixture(scope="module")
def attack():
    return verify(NEEDHAM, SearchBound(1)).trace


def refused(trace, protocol=NEEDHAM):
    with pytest.raises(NotAnAttack) as caught:
        check_attack(protocol, trace)
    return str(caught.value)


def changed(trace, place, **values):
    events = list(trace.events)
    events[place] = replace(events[place], **values)
    return replace(trace, events=tuple(events))


def test_genuine_attack_passes_the_check(attack):
    check_attack(NEEDHAM, attack)


def test_attack_fails_on_corrected_protocol(attack):
    refused(attack, LOWE)


def test_attack_without_or_with_swapped_steps_fails(attack):
    for place in range(len(attack.events)):
        refused(replace(attack, events=attack.events[:place] + attack.events[place + 1 :]))
    refused(replace(attack, events=attack.events[::-1]))


def test_message_not_derived_is_rejected(attack):
    for place, event in enumerate(attack.events):
        if event.received is not None:
            assert refused(changed(attack, place, derivation=()))
    made = attack.events[1]
    refused(changed(attack, 1, derivation=(DeductionStep(made.received, DeductionRule.HAD, ()),)))
    for place, step in enumerate(made.derivation):
        if step.rule is not DeductionRule.HAD:
            refused(
                changed(
                    attack, 1, derivation=made.derivation[:place] + made.derivation[place + 1 :]
                )
            )


def test_decryption_without_key_is_rejected(attack):
    """A search without the check for a key would produce such a step."""
    sealed = next(
        step
        for step in attack.derivation
        if step.rule is DeductionRule.OPENED and len(step.sources) == 2
    )
    place = attack.derivation.index(sealed)
    for sources in ((sealed.sources[0],), (sealed.sources[0], INTRUDER)):
        way = (
            *attack.derivation[:place],
            sealed._replace(sources=sources),
            *attack.derivation[place + 1 :],
        )
        assert refused(replace(attack, derivation=way)) in (
            "a lock is forced",
            "a step uses what is not there",
        )


def test_intruder_knowledge_has_no_foreign_secrets(attack):
    honest = attack.runs[1].agent
    key = inverse(attack.events[1].received.args[1])
    assert str(honest) in str(key)
    for stolen in (key, fresh("NB", Sort.NUMBER, attack.runs[1].number)):
        assert (
            refused(replace(attack, initial_knowledge=(*attack.initial_knowledge, stolen)))
            == "the intruder begins with what is somebody else's"
        )


def test_runs_must_follow_their_roles(attack):
    initiator = attack.runs[0]
    mine = replace(initiator, agent=INTRUDER)
    refused(replace(attack, runs=(mine, *attack.runs[1:])))
    other = {
        name: B if name.sort is Sort.AGENT else value for name, value in initiator.values.items()
    }
    refused(replace(attack, runs=(replace(initiator, values=other), *attack.runs[1:])))
    refused(changed(attack, 0, sent=()))


def test_broken_goal_must_belong_to_victim(attack):
    refused(replace(attack, victim=0))
    refused(replace(attack, message=M))
    refused(replace(attack, agents=(attack.agents[0], INTRUDER)))
    refused(replace(attack, goal=2, derivation=()))


def test_run_with_matching_partner_is_no_victim():
    text = """
        Protocol: P
        Types: Agent A,B; Number N; Function pk
        Knowledge: A: A,B,pk,inv(pk(A)); B: A,B,pk
        Actions: A->B: {N,B}inv(pk(A))
        Goals: B"""
    replayed = parse_protocol(text + " authenticates A on N")
    trace = verify(replayed, SearchBound(2)).trace
    check_attack(replayed, trace)
    weakly = parse_protocol(text + " weakly authenticates A on N")
    assert refused(trace, weakly) == "somebody ran with the victim"


def test_deduction_is_complete_and_sound():
    heard = Deduction([symmetric(pair(K, asymmetric(M, B)), A), A])
    assert heard.can_derive(K) and heard.can_derive(symmetric(K, K)) and not heard.can_derive(M)
    assert Deduction([symmetric(pair(K, asymmetric(M, B)), A), A, inverse(B)]).can_derive(M)
    assert not Deduction([symmetric(K, K)]).can_derive(K)
    # anybody with the key reads the signed text
    assert Deduction([asymmetric(M, inverse(K)), K]).can_derive(M)
    assert not Deduction([K]).can_derive(inverse(K))
    assert [step.term for step in heard.derivation_of(K)][-1] == K

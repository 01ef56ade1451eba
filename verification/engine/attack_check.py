"""Independent check of an attack: derive each message again, and compare each run with its role.
The check uses no code of the search.

The check relies on two things: the steps of each role (`strands.roles`), and equality of terms as
equality of messages.
"""

from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

from verification.engine.attack_trace import AttackTrace, TraceRun, TraceStep
from verification.engine.deduction import (
    Deduction,
    DeductionRule,
    DeductionStep,
    composable,
    openings,
    public,
)
from verification.protocol_model import GoalKind, InitialKnowledge, Protocol
from verification.strands.channels import without_channels
from verification.strands.roles import GoalClaim, Role, roles_of
from verification.strands.scenario import INTRUDER, renumber
from verification.terms import (
    Sort,
    Term,
    TermKind,
    compositions,
    substitute,
    subterms,
    text,
    variables,
)


class NotAnAttack(Exception):
    """Raised if a trace is no attack. The message says which condition failed."""


def check_attack(protocol: Protocol, trace: AttackTrace, typed: bool = True) -> None:
    """Check an attack from its first step to its last.

    Raises:
        NotAnAttack: a step of the trace is impossible, or the trace breaks no goal.
    """
    protocol = without_channels(protocol)
    roles = {role.agent: role for role in roles_of(protocol, typed)}
    heard = set(trace.initial_knowledge)
    _check_initial_knowledge(protocol, trace)
    for run in trace.runs:
        _check_run(run, roles[run.role], typed)
    done = [0] * len(trace.runs)
    for event in trace.events:
        _require(done[event.run] == event.step, "a step is left out")
        _check_step(event, trace.runs[event.run], roles[trace.runs[event.run].role], heard)
        heard |= {message for message, _ in event.sent}
        done[event.run] += 1
    _check_goal(
        _Progress(protocol, trace, tuple(roles[run.role] for run in trace.runs), tuple(done)), heard
    )


def _require(holds: bool, otherwise: str) -> None:
    if not holds:
        raise NotAnAttack(otherwise)


def _check_initial_knowledge(protocol: Protocol, trace: AttackTrace) -> None:
    """Check the intruder's initial knowledge. He may know what each role knows, with himself in
    that role, and his own inventions.
    """
    agents = sorted(
        {
            part
            for term in trace.initial_knowledge
            for part in subterms(term)
            if part.sort is Sort.AGENT
        },
        key=text,
    )
    mine = Deduction(
        term for knowledge in protocol.knowledge for term in _in_place_of(knowledge, agents)
    )
    described = {part.name for action in protocol.actions for part in subterms(action.message)}
    described |= {
        part.name
        for knowledge in protocol.knowledge
        for term in knowledge.terms
        for part in subterms(term)
    }
    for term in trace.initial_knowledge:
        atom = term.args[0] if term.kind is TermKind.INVERSE else term
        invented = atom.kind is TermKind.CONSTANT and atom.name not in described
        _require(
            invented or mine.can_derive(term), "the intruder begins with what is somebody else's"
        )


def _in_place_of(knowledge: InitialKnowledge, agents: list[Term]) -> Iterator[Term]:
    if knowledge.role.kind is not TermKind.VARIABLE:
        return
    for term in knowledge.terms:
        term = substitute(term, {knowledge.role: INTRUDER})
        names = list(dict.fromkeys(variables(term)))
        for chosen in product(agents, repeat=len(names)):
            yield substitute(term, dict(zip(names, chosen, strict=True)))


def _check_run(run: TraceRun, role: Role, typed: bool) -> None:
    """Check the agents and values of a run. Its agent must be honest, terms that must differ must
    differ, and each value must fit its type.
    """
    _require(
        run.agent == _with_values(role.agent, run) and run.agent != INTRUDER,
        "a run is not its agent's",
    )
    _require(
        all(_with_values(one, run) != _with_values(other, run) for one, other in role.distinct),
        "what must differ is the same",
    )
    for name, value in run.values.items():
        _require(value.ground, "a value is open")
        if typed and name.sort in (Sort.AGENT, Sort.NUMBER, Sort.SYMMETRIC_KEY):
            _require(
                not value.args and value.sort in (name.sort, Sort.UNTYPED),
                "a value is of another type",
            )


def _check_step(event: TraceStep, run: TraceRun, role: Role, heard: set[Term]) -> None:
    step = role.steps[event.step]
    if step.receive is None:
        _require(event.received is None, "a message comes that nobody waits for")
    else:
        _require(
            _with_values(step.receive, run) == event.received, "the role does not take this message"
        )
        _require(
            _check_derivation(event.derivation, heard) == event.received,
            "the intruder cannot say this",
        )
    _require(
        all(_with_values(one, run) == _with_values(other, run) for one, other in step.checks),
        "a check fails",
    )
    _require(
        tuple(_with_values(sent.message, run) for sent in step.sends)
        == tuple(m for m, _ in event.sent),
        "it sends else",
    )


def _with_values(term: Term, run: TraceRun) -> Term:
    return substitute(renumber(term, run.number), run.values)


def _check_derivation(derivation: tuple[DeductionStep, ...], heard: set[Term]) -> Term | None:
    """Check each step of a derivation. Return the term of the last step."""
    have = set(heard)
    for term, how, sources in derivation:
        _require(
            how is DeductionRule.HAD or all(source in have for source in sources),
            "a step uses what is not there",
        )
        if how is DeductionRule.HAD:
            _require(term in heard or public(term), "a step begins with what was not heard")
        elif how is DeductionRule.OPENED:
            keys = dict(openings(sources[0]))
            _require(
                term in keys and sources[1:] == (() if keys[term] is None else (keys[term],)),
                "a lock is forced",
            )
        else:
            _require(
                composable(term) and sources in compositions(term), "a step makes something else"
            )
        have.add(term)
    return derivation[-1].term if derivation else None


# --- the broken goal ---


class _Progress(NamedTuple):
    protocol: Protocol
    trace: AttackTrace
    roles: tuple[Role, ...]  # role of each run
    done: tuple[int, ...]  # number of steps that each run has made


def _check_goal(stage: _Progress, heard: set[Term]) -> None:
    """Check that the trace breaks its goal for the victim."""
    trace = stage.trace
    goal = stage.protocol.goals[trace.goal]
    role = stage.roles[trace.victim]
    run = trace.runs[trace.victim]
    done = stage.done[trace.victim]
    claims = role.secrets if trace.derivation else role.asks
    own = [
        _claim_values(claim, run)
        for claim in claims
        if claim.goal == trace.goal and claim.step < done
    ]
    _require((trace.message, trace.agents) in own, "the victim does not believe this")
    if trace.derivation:
        _require(INTRUDER not in trace.agents, "the intruder may know this")
        _require(
            _check_derivation(trace.derivation, heard) == trace.message,
            "the intruder does not know the secret",
        )
        return
    asked = trace.agents[1 if goal.aim in (GoalKind.AGREEMENT, GoalKind.WEAK_AGREEMENT) else 0]
    _require(asked != INTRUDER, "the intruder need not have run")
    asks, answers = (sum(_compare_claims(stage, which)) for which in ("asks", "answers"))
    once = goal.aim is GoalKind.AGREEMENT
    _require(asks > answers if once else answers == 0, "somebody ran with the victim")


def _compare_claims(stage: _Progress, which: str) -> Iterator[bool]:
    """Compare each claim of one kind (`asks` or `answers`) in the trace with the claim of the
    victim. Yield True for an equal claim.
    """
    trace = stage.trace
    for role, run, done in zip(stage.roles, trace.runs, stage.done, strict=True):
        claims: tuple[GoalClaim, ...] = role.asks if which == "asks" else role.answers
        for claim in claims:
            if claim.goal == trace.goal and claim.step < done:
                yield _claim_values(claim, run) == (trace.message, trace.agents)


def _claim_values(claim: GoalClaim, run: TraceRun) -> tuple[Term, tuple[Term, ...]]:
    return _with_values(claim.message, run), tuple(
        _with_values(agent, run) for agent in claim.agents
    )

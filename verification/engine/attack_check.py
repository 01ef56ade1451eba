"""Whether an attack is one: each message derived again, each run held to its role. Nothing of the
search is used.

What is trusted here is what each role does (`roles`), and that two messages are the same if they
are the same term.
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
from verification.strands.scenario import INTRUDER, renumbered
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
    """The trace shows nothing; the message says where."""


def check_attack(protocol: Protocol, trace: AttackTrace, typed: bool = True) -> None:
    """Go through an attack from the beginning.

    Raises:
        NotAnAttack: something in it cannot happen, or breaks no goal.
    """
    protocol = without_channels(protocol)
    roles = {role.agent: role for role in roles_of(protocol, typed)}
    heard = set(trace.begin)
    _begins(protocol, trace)
    for run in trace.runs:
        _cast(run, roles[run.role], typed)
    done = [0] * len(trace.runs)
    for event in trace.events:
        _require(done[event.run] == event.step, "a step is left out")
        _step(event, trace.runs[event.run], roles[trace.runs[event.run].role], heard)
        heard |= {message for message, _ in event.sent}
        done[event.run] += 1
    _goal(_Stage(protocol, trace, tuple(roles[run.role] for run in trace.runs), tuple(done)), heard)


def _require(holds: bool, otherwise: str) -> None:
    if not holds:
        raise NotAnAttack(otherwise)


def _begins(protocol: Protocol, trace: AttackTrace) -> None:
    """The intruder begins with what the roles know, himself in their place, and with things that
    nobody else has.
    """
    agents = sorted(
        {part for term in trace.begin for part in subterms(term) if part.sort is Sort.AGENT},
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
    for term in trace.begin:
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


def _cast(run: TraceRun, role: Role, typed: bool) -> None:
    """Whoever runs it is honest, what must differ does, and names stand for what they may stand
    for.
    """
    _require(
        run.agent == _valued(role.agent, run) and run.agent != INTRUDER, "a run is not its agent's"
    )
    _require(
        all(_valued(one, run) != _valued(other, run) for one, other in role.apart),
        "what must differ is the same",
    )
    for name, value in run.values.items():
        _require(value.ground, "a value is open")
        if typed and name.sort in (Sort.AGENT, Sort.NUMBER, Sort.SYMMETRIC_KEY):
            _require(
                not value.args and value.sort in (name.sort, Sort.UNTYPED),
                "a value is of another type",
            )


def _step(event: TraceStep, run: TraceRun, role: Role, heard: set[Term]) -> None:
    step = role.steps[event.step]
    if step.receive is None:
        _require(event.received is None, "a message comes that nobody waits for")
    else:
        _require(
            _valued(step.receive, run) == event.received, "the role does not take this message"
        )
        _require(_leads_to(event.way, heard) == event.received, "the intruder cannot say this")
    _require(
        all(_valued(one, run) == _valued(other, run) for one, other in step.checks), "a check fails"
    )
    _require(
        tuple(_valued(sent.message, run) for sent in step.sends) == tuple(m for m, _ in event.sent),
        "it sends else",
    )


def _valued(term: Term, run: TraceRun) -> Term:
    return substitute(renumbered(term, run.number), run.values)


def _leads_to(way: tuple[DeductionStep, ...], heard: set[Term]) -> Term | None:
    """The term that the steps end with, each of them checked by itself."""
    have = set(heard)
    for term, how, sources in way:
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
    return way[-1].term if way else None


# --- what is broken ---


class _Stage(NamedTuple):
    protocol: Protocol
    trace: AttackTrace
    roles: tuple[Role, ...]  # of the runs
    done: tuple[int, ...]  # steps of the runs


def _goal(stage: _Stage, heard: set[Term]) -> None:
    """The goal is broken for the victim."""
    trace = stage.trace
    goal = stage.protocol.goals[trace.goal]
    role = stage.roles[trace.victim]
    run = trace.runs[trace.victim]
    done = stage.done[trace.victim]
    claims = role.secrets if trace.way else role.asks
    own = [_said(claim, run) for claim in claims if claim.goal == trace.goal and claim.step < done]
    _require((trace.message, trace.agents) in own, "the victim does not believe this")
    if trace.way:
        _require(INTRUDER not in trace.agents, "the intruder may know this")
        _require(
            _leads_to(trace.way, heard) == trace.message, "the intruder does not know the secret"
        )
        return
    asked = trace.agents[1 if goal.aim in (GoalKind.AGREEMENT, GoalKind.WEAK_AGREEMENT) else 0]
    _require(asked != INTRUDER, "the intruder need not have run")
    asks, answers = (sum(_counted(stage, which)) for which in ("asks", "answers"))
    once = goal.aim is GoalKind.AGREEMENT
    _require(asks > answers if once else answers == 0, "somebody ran with the victim")


def _counted(stage: _Stage, which: str) -> Iterator[bool]:
    """For each claim of this kind that was made in the trace: whether it is about what the victim's
    is about.
    """
    trace = stage.trace
    for role, run, done in zip(stage.roles, trace.runs, stage.done, strict=True):
        claims: tuple[GoalClaim, ...] = role.asks if which == "asks" else role.answers
        for claim in claims:
            if claim.goal == trace.goal and claim.step < done:
                yield _said(claim, run) == (trace.message, trace.agents)


def _said(claim: GoalClaim, run: TraceRun) -> tuple[Term, tuple[Term, ...]]:
    return _valued(claim.message, run), tuple(_valued(agent, run) for agent in claim.agents)

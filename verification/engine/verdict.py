"""What the search says of a protocol. It never says that one is secure: outside the bound anything
may be.
"""

from collections.abc import Callable
from dataclasses import dataclass

from protocol.limits import DEFAULT_SESSIONS, MAX_DEMANDS
from verification.engine.attack_check import check_attack
from verification.engine.attack_trace import AttackTrace
from verification.engine.instantiation import instantiate
from verification.engine.search import search
from verification.engine.solver import EVERY_RULE, DemandBudget, DemandRule, OutOfBudget, Solver
from verification.protocol_model import GoalKind, Protocol
from verification.strands.roles import RoleNotRunnable
from verification.strands.scenario import scenario_of
from verification.terms import Sort, Term, text, variables


@dataclass(frozen=True)
class SearchBound:
    """How far a search goes."""

    sessions: int = DEFAULT_SESSIONS  # strands of each role
    # roles tell a nonce from a key; without, they take anything for what they cannot check
    typed: bool = True
    demands: int = MAX_DEMANDS  # on the intruder that are looked at before the search gives up


@dataclass(frozen=True)
class SearchSize:
    """How much there was to look at."""

    states: int  # that differ in what can come after them
    demands: int  # on the intruder


@dataclass(frozen=True)
class Attack:
    """A goal is broken, and this is how."""

    trace: AttackTrace
    searched: SearchSize


@dataclass(frozen=True)
class NoAttack:
    """None with so many sessions: all of it was explored."""

    sessions: int
    searched: SearchSize


@dataclass(frozen=True)
class SearchAborted:
    """Nothing found, and not all explored."""

    searched: SearchSize


@dataclass(frozen=True)
class NotRunnable:
    """A role cannot build a part of what it sends in an action (counted from 0), or of what a goal
    says (None).
    """

    role: Term
    part: Term
    action: int | None


@dataclass(frozen=True)
class Unsupported:
    """The engine does not know something that the protocol uses."""

    construct: str  # as it stands in the text


Verdict = Attack | NoAttack | SearchAborted | NotRunnable | Unsupported


def verify(
    protocol: Protocol,
    bound: SearchBound | None = None,
    stop: Callable[[], bool] = lambda: False,
    rules: frozenset[DemandRule] = EVERY_RULE,
) -> Verdict:
    """Search a protocol for an attack.

    Args:
        protocol: as it was written down.
        bound: how far; None: as far as usual.
        stop: asked now and then; when it says yes, the search gives up. This is where a clock goes.
        rules: what the intruder can do, all but in tests.

    Raises:
        NotAnAttack: the search is wrong. What it found is no attack, by a check that does not share
        its code.
    """
    bound = bound or SearchBound()
    construct = _unsupported(protocol)
    if construct:
        return Unsupported(construct)
    try:
        scenario = scenario_of(protocol, bound.sessions, bound.typed)
    except RoleNotRunnable as error:
        return NotRunnable(error.role, error.part, error.action)
    effort = DemandBudget(bound.demands, stop)
    try:
        found = search(scenario, Solver(scenario, effort, rules), effort)
    except OutOfBudget:
        return SearchAborted(_searched(effort))
    if found is None:
        return NoAttack(bound.sessions, _searched(effort))
    trace = instantiate(scenario, found)
    check_attack(protocol, trace, bound.typed)
    return Attack(trace, _searched(effort))


def _searched(effort: DemandBudget) -> SearchSize:
    return SearchSize(effort.states, effort.done)


def _unsupported(protocol: Protocol) -> str:
    """What the engine does not know, or nothing."""
    if protocol.unsupported:
        return protocol.unsupported
    for goal in protocol.goals:
        if goal.aim is GoalKind.GUESSABLE:
            return "guessable secret"
    for knowledge in protocol.knowledge:
        for term in knowledge.terms:
            for name in variables(term):
                # several roles would have to begin with the same new value
                if name.sort is not Sort.AGENT:
                    return f"{text(name)} in Knowledge"
    return ""

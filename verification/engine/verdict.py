"""What the search says of a protocol. It never says that one is secure: outside the bound anything
may be.
"""

from collections.abc import Callable
from dataclasses import dataclass

from protocol.limits import DEFAULT_SESSIONS, MAX_DEMANDS, MAX_VERIFY_STEPS
from verification.effort import Effort, OutOfBudget, never
from verification.engine.attack_check import check_attack
from verification.engine.attack_trace import AttackTrace
from verification.engine.instantiation import instantiate
from verification.engine.search import search
from verification.engine.solver import EVERY_RULE, DemandRule, Solver
from verification.protocol_model import GoalKind, Protocol
from verification.strands.reader import RoleNotRunnable
from verification.strands.roles import shared_value
from verification.strands.scenario import scenario_of
from verification.terms import Term, text


@dataclass(frozen=True)
class SearchBound:
    """How far a search goes."""

    sessions: int = DEFAULT_SESSIONS  # strands of each role
    # roles tell a nonce from a key; without, they take anything for what they cannot check
    typed: bool = True
    demands: int = MAX_DEMANDS  # on the intruder that are looked at before the search gives up
    steps: int = MAX_VERIFY_STEPS  # of the unifier, likewise


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
    stop: Callable[[], bool] = never,
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
    effort = Effort(bound.demands, bound.steps, stop)
    try:
        scenario = scenario_of(protocol, bound.sessions, bound.typed, effort)
        found = search(scenario, Solver(scenario, effort, rules), effort)
    except RoleNotRunnable as error:
        return NotRunnable(error.role, error.part, error.action)
    except OutOfBudget:
        return SearchAborted(_searched(effort))
    if found is None:
        return NoAttack(bound.sessions, _searched(effort))
    trace = instantiate(scenario, found)
    check_attack(protocol, trace, bound.typed)
    return Attack(trace, _searched(effort))


def _searched(effort: Effort) -> SearchSize:
    return SearchSize(effort.states, effort.done)


def _unsupported(protocol: Protocol) -> str:
    """What the engine does not know, or nothing."""
    if protocol.unsupported:
        return protocol.unsupported
    for goal in protocol.goals:
        if goal.aim is GoalKind.GUESSABLE:
            return "guessable secret"
    shared = shared_value(protocol)
    return "" if shared is None else f"{text(shared[1])} in Knowledge"

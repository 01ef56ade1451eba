"""Verdict of a search. No verdict says that a protocol is secure, because the search has a
bound.
"""

from collections.abc import Callable
from dataclasses import dataclass

from protocol.limits import DEFAULT_SESSIONS, MAX_DEMANDS, MAX_VERIFY_STEPS
from verification.effort import Effort, OutOfBudget, never_stop
from verification.engine.attack_check import check_attack
from verification.engine.attack_trace import AttackTrace
from verification.engine.instantiation import instantiate
from verification.engine.search import search
from verification.engine.solver import EVERY_RULE, DemandRule, Solver
from verification.protocol_model import GoalKind, Protocol
from verification.strands.role_knowledge import RoleNotRunnable
from verification.strands.roles import shared_value
from verification.strands.scenario import scenario_of
from verification.terms import Term, text


@dataclass(frozen=True)
class SearchBound:
    """Limits of a search."""

    sessions: int = DEFAULT_SESSIONS  # strands of each role
    # True: a value has its declared type. False: a role accepts any message in place of a value
    # that it cannot check.
    typed: bool = True
    demands: int = MAX_DEMANDS  # maximum of demands before the search gives up
    steps: int = MAX_VERIFY_STEPS  # maximum of steps of unification, likewise


@dataclass(frozen=True)
class SearchSize:
    """Size of a search."""

    states: int  # different states
    demands: int  # demands on the intruder


@dataclass(frozen=True)
class Attack:
    """The trace breaks a goal."""

    trace: AttackTrace
    searched: SearchSize


@dataclass(frozen=True)
class NoAttack:
    """The search was complete: no attack exists with this number of sessions."""

    sessions: int
    searched: SearchSize


@dataclass(frozen=True)
class SearchAborted:
    """The search found no attack, but stopped before the end."""

    searched: SearchSize


@dataclass(frozen=True)
class NotRunnable:
    """A role cannot build `part` of a message that it sends in line `action` (counted from 0), or
    of a goal (`action` is None).
    """

    role: Term
    part: Term
    action: int | None


@dataclass(frozen=True)
class Unsupported:
    """The protocol uses a construct that the engine does not support."""

    construct: str  # text of the construct in the protocol


Verdict = Attack | NoAttack | SearchAborted | NotRunnable | Unsupported


def verify(
    protocol: Protocol,
    bound: SearchBound | None = None,
    stop: Callable[[], bool] = never_stop,
    rules: frozenset[DemandRule] = EVERY_RULE,
) -> Verdict:
    """Search a protocol for an attack.

    Args:
        protocol: parsed protocol.
        bound: limits of the search; None for the defaults.
        stop: function called now and then; the search gives up if it returns True.
        rules: abilities of the intruder; only tests leave some out.

    Raises:
        NotAnAttack: the search has a bug. The independent check rejects the attack that it found.
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
    """Return the first unsupported construct of a protocol, or an empty text."""
    if protocol.unsupported:
        return protocol.unsupported
    for goal in protocol.goals:
        if goal.aim is GoalKind.GUESSABLE:
            return "guessable secret"
    shared = shared_value(protocol)
    return "" if shared is None else f"{text(shared[1])} in Knowledge"

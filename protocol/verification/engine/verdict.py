"""What the search says of a protocol. It never says that one is secure: outside the bound anything may be."""

from collections.abc import Callable
from dataclasses import dataclass

from protocol.limits import DEFAULT_SESSIONS, MAX_DEMANDS, MAX_VERIFY_STEPS
from protocol.verification.description import Aim, Protocol
from protocol.verification.effort import Effort, OutOfBudget, never
from protocol.verification.engine.grounding import grounded
from protocol.verification.engine.replay import check
from protocol.verification.engine.search import search
from protocol.verification.engine.solver import EVERY_RULE, Rule, Solver
from protocol.verification.engine.trace import Trace
from protocol.verification.strands.reader import CannotRun
from protocol.verification.strands.roles import shared_value
from protocol.verification.strands.scenario import scenario_of
from protocol.verification.terms import Term, text


@dataclass(frozen=True)
class Bound:
    """How far a search goes."""

    sessions: int = DEFAULT_SESSIONS  # strands of each role
    typed: bool = True  # roles tell a nonce from a key; without, they take anything for what they cannot check
    demands: int = MAX_DEMANDS  # on the intruder that are looked at before the search gives up
    steps: int = MAX_VERIFY_STEPS  # of the unifier, likewise


@dataclass(frozen=True)
class Searched:
    """How much there was to look at."""

    states: int  # that differ in what can come after them
    demands: int  # on the intruder


@dataclass(frozen=True)
class Attack:
    """A goal is broken, and this is how."""

    trace: Trace
    searched: Searched


@dataclass(frozen=True)
class NoAttack:
    """None with so many sessions: all of it was explored."""

    sessions: int
    searched: Searched


@dataclass(frozen=True)
class GaveUp:
    """Nothing found, and not all explored."""

    searched: Searched


@dataclass(frozen=True)
class NotRunnable:
    """A role cannot build a part of what it sends in an action (counted from 0), or of what a goal says (None)."""

    role: Term
    part: Term
    action: int | None


@dataclass(frozen=True)
class Unsupported:
    """The engine does not know something that the protocol uses."""

    construct: str  # as it stands in the text


Verdict = Attack | NoAttack | GaveUp | NotRunnable | Unsupported


def verify(
    protocol: Protocol,
    bound: Bound | None = None,
    stop: Callable[[], bool] = never,
    rules: frozenset[Rule] = EVERY_RULE,
) -> Verdict:
    """Search a protocol for an attack.

    Args:
        protocol: as it was written down.
        bound: how far; None: as far as usual.
        stop: asked now and then; when it says yes, the search gives up. This is where a clock goes.
        rules: what the intruder can do, all but in tests.

    Raises:
        NotAnAttack: the search is wrong. What it found is no attack, by a check that does not share its code.
    """
    bound = bound or Bound()
    construct = _unsupported(protocol)
    if construct:
        return Unsupported(construct)
    effort = Effort(bound.demands, bound.steps, stop)
    try:
        scenario = scenario_of(protocol, bound.sessions, bound.typed, effort)
        found = search(scenario, Solver(scenario, effort, rules), effort)
    except CannotRun as error:
        return NotRunnable(error.role, error.part, error.action)
    except OutOfBudget:
        return GaveUp(_searched(effort))
    if found is None:
        return NoAttack(bound.sessions, _searched(effort))
    trace = grounded(scenario, found)
    check(protocol, trace, bound.typed)
    return Attack(trace, _searched(effort))


def _searched(effort: Effort) -> Searched:
    return Searched(effort.states, effort.done)


def _unsupported(protocol: Protocol) -> str:
    """What the engine does not know, or nothing."""
    if protocol.unsupported:
        return protocol.unsupported
    for goal in protocol.goals:
        if goal.aim is Aim.GUESSABLE:
            return "guessable secret"
    shared = shared_value(protocol)
    return "" if shared is None else f"{text(shared[1])} in Knowledge"

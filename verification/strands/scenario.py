"""Strands of n sessions: n strands of each role, and the intruder's initial knowledge.

The agents of a strand are variables, so one search covers all choices of agents. The agent that
runs a strand is honest; its partners may be the intruder. The number of agents is unlimited. The
intruder, `i`, initially knows the knowledge of each role, with himself in that role.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

from verification.effort import Effort
from verification.protocol_model import Protocol
from verification.strands.channels import without_channels
from verification.strands.roles import GoalClaim, Role, SentMessage, StrandStep, roles_of
from verification.terms import (
    APPLY,
    ASYMMETRIC,
    CONSTANT,
    FRESH,
    INVERSE,
    PAIR,
    SYMMETRIC,
    VARIABLE,
    Sort,
    Term,
    constant,
    fresh,
    inverse,
    rebuild,
    substitute,
    variable,
    variables,
)
from verification.unification import Equation

INTRUDER: Final = constant("i", Sort.AGENT)
# public key of a key pair that the intruder has made
OWN_KEY: Final = constant("key_of_i", Sort.PUBLIC_KEY)

# function that only the intruder can apply
OWN_FUNCTION: Final = constant("function_of_i", Sort.FUNCTION)


@dataclass(frozen=True)
class Strand:
    """A run of a role by an honest agent."""

    number: int  # counted from 1; index of its variables and its fresh values
    role: int
    agent: Term
    steps: tuple[StrandStep, ...]
    distinct: tuple[Equation, ...]
    secrets: tuple[GoalClaim, ...]
    asks: tuple[GoalClaim, ...]
    answers: tuple[GoalClaim, ...]

    @property
    def begins(self) -> bool:
        """Check that the strand sends before it receives. A role without steps does neither."""
        return bool(self.steps) and self.steps[0].receive is None

    @cached_property
    def variables(self) -> tuple[Term, ...]:
        """Variables of the strand, in a fixed order."""
        found = dict.fromkeys(variables(self.agent))
        for pair in self.distinct:
            found.update(dict.fromkeys(name for side in pair for name in variables(side)))
        for step in self.steps:
            for term in (step.receive, *(side for check in step.checks for side in check)):
                found.update(dict.fromkeys(variables(term) if term else ()))
            for sent in step.sends:
                found.update(dict.fromkeys(variables(sent.message)))
        for claim in (*self.secrets, *self.asks, *self.answers):
            for term in (claim.message, *claim.agents):
                found.update(dict.fromkeys(variables(term)))
        return tuple(found)


@dataclass(frozen=True)
class Scenario:
    """Strands and initial knowledge for a number of sessions."""

    protocol: Protocol
    sessions: int
    strands: tuple[Strand, ...]  # strands of the same role are adjacent
    # intruder's initial knowledge; a variable with index 0 stands for every agent
    initial_knowledge: tuple[Term, ...]
    distinct: tuple[Equation, ...]  # pairs of terms that must differ, of all strands


def scenario_of(
    protocol: Protocol, sessions: int, typed: bool = True, effort: Effort | None = None
) -> Scenario:
    """Make the scenario for a number of sessions.

    Raises:
        RoleNotRunnable: a role cannot build a message that it sends.
        OutOfBudget: the calculation of the roles exceeds `effort`.
    """
    protocol = without_channels(protocol)
    roles = roles_of(protocol, typed, effort)
    count = range(sessions)
    strands = tuple(
        _strand(role, number, place * sessions + nth + 1)
        for place, (number, role) in enumerate(enumerate(roles))
        for nth in count
    )
    apart = tuple(pair for strand in strands for pair in strand.distinct)
    return Scenario(protocol, sessions, strands, _initial_knowledge(protocol), apart)


def _strand(role: Role, place: int, number: int) -> Strand:
    agent = renumber(role.agent, number)
    apart = [_pair(pair, number) for pair in role.distinct]
    if agent.kind is VARIABLE:
        apart.append((agent, INTRUDER))
    claims = [
        tuple(_claim(claim, number) for claim in claims)
        for claims in (role.secrets, role.asks, role.answers)
    ]
    return Strand(
        number,
        place,
        agent,
        tuple(_step(step, number) for step in role.steps),
        tuple(apart),
        *claims,
    )


def _step(step: StrandStep, number: int) -> StrandStep:
    return StrandStep(
        step.receive and renumber(step.receive, number),
        step.sender and renumber(step.sender, number),
        tuple(_pair(check, number) for check in step.checks),
        tuple(
            SentMessage(renumber(sent.message, number), renumber(sent.receiver, number))
            for sent in step.sends
        ),
    )


def _pair(pair: Equation, number: int) -> Equation:
    return renumber(pair[0], number), renumber(pair[1], number)


def _claim(claim: GoalClaim, number: int) -> GoalClaim:
    agents = tuple(renumber(agent, number) for agent in claim.agents)
    return GoalClaim(claim.goal, claim.step, agents, renumber(claim.message, number))


def renumber(term: Term, number: int) -> Term:
    """Give the variables and fresh values of a term the index `number`."""
    if term.kind is VARIABLE:
        return variable(term.name, term.sort, number)
    if term.kind is FRESH:
        return fresh(term.name, term.sort, number)
    if term.args:
        return rebuild(term, tuple(renumber(arg, number) for arg in term.args))
    return term


# --- the intruder's initial knowledge ---


def _initial_knowledge(protocol: Protocol) -> tuple[Term, ...]:
    known: dict[Term, None] = {
        INTRUDER: None,
        OWN_FUNCTION: None,
        OWN_KEY: None,
        inverse(OWN_KEY): None,
    }
    for knowledge in protocol.knowledge:
        if knowledge.role.kind is VARIABLE:
            mine = {knowledge.role: INTRUDER}
            known.update(
                dict.fromkeys(
                    part for term in knowledge.terms for part in _split(substitute(term, mine))
                )
            )
    opened = _opened(known)
    return tuple(term for term in opened if not _public(term) and not _composed(term, opened))


def _split(term: Term) -> Iterator[Term]:
    if term.kind is PAIR:
        for part in term.args:
            yield from _split(part)
    else:
        yield term


def _opened(known: Iterable[Term]) -> dict[Term, None]:
    """Return all known terms, and all terms that can be decrypted with known keys."""
    found: dict[Term, None] = {}
    locked: list[tuple[Term, Term]] = []  # keys, each with the term that it decrypts
    new = list(known)
    while new:
        found.update(dict.fromkeys(new))
        locked += (lock for term in new for lock in _locks(term))
        waiting = locked
        locked = []
        new = []
        for key, inside in waiting:
            if _composable(key, found):
                new += (part for part in _split(inside) if part not in found)
            else:
                locked.append((key, inside))
    return found


def _locks(term: Term) -> Iterator[tuple[Term, Term]]:
    if term.kind is SYMMETRIC:
        yield term.args[1], term.args[0]
    elif term.kind is ASYMMETRIC:
        yield inverse(term.args[1]), term.args[0]


def _composable(term: Term, known: Mapping[Term, None]) -> bool:
    return term in known or _public(term) or _composed(term, known)


def _composed(term: Term, known: Mapping[Term, None]) -> bool:
    return (
        bool(term.args)
        and term.kind is not INVERSE
        and all(_composable(arg, known) for arg in term.args)
    )


def _public(term: Term) -> bool:
    return term.kind in (CONSTANT, VARIABLE) and term.sort in (Sort.AGENT, Sort.FORMAT)


# --- parts of a message ---


class Part(NamedTuple):
    """A part of a message, and the keys that are needed to reach it."""

    term: Term
    keys: tuple[Term, ...]


def parts(message: Term, keys: tuple[Term, ...] = ()) -> Iterator[Part]:
    """Yield all parts of a message that keys can open. Lists and formats are taken apart."""
    if message.kind is PAIR or (message.kind is APPLY and message.args[0].sort is Sort.FORMAT):
        for arg in message.args:
            yield from parts(arg, keys)
        return
    yield Part(message, keys)
    if message.kind is SYMMETRIC:
        yield from parts(message.args[0], (*keys, message.args[1]))
    elif message.kind is ASYMMETRIC:
        yield from parts(message.args[0], (*keys, inverse(message.args[1])))

"""A bound of n sessions: n strands of each role, and what the intruder knows before anything has
happened.

Each strand chooses its agents by itself and leaves them open, so that one search is about all
choices; whoever runs a strand is honest, whom it talks to need not be. An agent may be any number
of people: names are free. The intruder, `i`, begins with what each role knows, himself in its
place.
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
    rebuilt,
    substitute,
    variable,
    variables,
)
from verification.unification import Equation

INTRUDER: Final = constant("i", Sort.AGENT)
OWN_KEY: Final = constant("key_of_i", Sort.PUBLIC_KEY)  # a key pair that the intruder has made

# one that the intruder alone can apply
OWN_FUNCTION: Final = constant("function_of_i", Sort.FUNCTION)


@dataclass(frozen=True)
class Strand:
    """One run of a role, by somebody honest."""

    number: int  # from 1: the index of its variables and of what it makes
    role: int
    agent: Term
    steps: tuple[StrandStep, ...]
    apart: tuple[Equation, ...]
    secrets: tuple[GoalClaim, ...]
    asks: tuple[GoalClaim, ...]
    answers: tuple[GoalClaim, ...]

    @property
    def begins(self) -> bool:
        """Tell whether the strand sends before it receives; a role with nothing to do does
        neither.
        """
        return bool(self.steps) and self.steps[0].receive is None

    @cached_property
    def variables(self) -> tuple[Term, ...]:
        """All variables of its own, in a fixed order."""
        found = dict.fromkeys(variables(self.agent))
        for pair in self.apart:
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
    """All strands of a bound."""

    protocol: Protocol
    sessions: int
    strands: tuple[Strand, ...]  # those of a role next to each other
    # what the intruder knows; index 0: variables that stand for all agents there are
    begin: tuple[Term, ...]
    apart: tuple[Equation, ...]  # of all strands


def scenario_of(
    protocol: Protocol, sessions: int, typed: bool = True, effort: Effort | None = None
) -> Scenario:
    """The scenario of so many sessions.

    Raises:
        RoleNotRunnable: a role cannot build what it is to send.
        OutOfBudget: to read the roles took more than `effort` allows.
    """
    protocol = without_channels(protocol)
    roles = roles_of(protocol, typed, effort)
    count = range(sessions)
    strands = tuple(
        _strand(role, number, place * sessions + nth + 1)
        for place, (number, role) in enumerate(enumerate(roles))
        for nth in count
    )
    apart = tuple(pair for strand in strands for pair in strand.apart)
    return Scenario(protocol, sessions, strands, _beginnings(protocol), apart)


def _strand(role: Role, place: int, number: int) -> Strand:
    agent = renumbered(role.agent, number)
    apart = [_pair(pair, number) for pair in role.apart]
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
        step.receive and renumbered(step.receive, number),
        step.sender and renumbered(step.sender, number),
        tuple(_pair(check, number) for check in step.checks),
        tuple(
            SentMessage(renumbered(sent.message, number), renumbered(sent.receiver, number))
            for sent in step.sends
        ),
    )


def _pair(pair: Equation, number: int) -> Equation:
    return renumbered(pair[0], number), renumbered(pair[1], number)


def _claim(claim: GoalClaim, number: int) -> GoalClaim:
    agents = tuple(renumbered(agent, number) for agent in claim.agents)
    return GoalClaim(claim.goal, claim.step, agents, renumbered(claim.message, number))


def renumbered(term: Term, number: int) -> Term:
    """The term with the variables of a role, and what it makes new, as those of a strand."""
    if term.kind is VARIABLE:
        return variable(term.name, term.sort, number)
    if term.kind is FRESH:
        return fresh(term.name, term.sort, number)
    if term.args:
        return rebuilt(term, tuple(renumbered(arg, number) for arg in term.args))
    return term


# --- the intruder's beginnings ---


def _beginnings(protocol: Protocol) -> tuple[Term, ...]:
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
    """All that is known, and all there is in what is encrypted with keys that are known."""
    found: dict[Term, None] = {}
    locked: list[tuple[Term, Term]] = []  # a key, and what it opens
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


# --- what a message gives away ---


class Part(NamedTuple):
    """Something in a message, and the keys that must be known to get at it."""

    term: Term
    keys: tuple[Term, ...]


def parts(message: Term, keys: tuple[Term, ...] = ()) -> Iterator[Part]:
    """All that can be got out of a message, lists and formats taken apart."""
    if message.kind is PAIR or (message.kind is APPLY and message.args[0].sort is Sort.FORMAT):
        for arg in message.args:
            yield from parts(arg, keys)
        return
    yield Part(message, keys)
    if message.kind is SYMMETRIC:
        yield from parts(message.args[0], (*keys, message.args[1]))
    elif message.kind is ASYMMETRIC:
        yield from parts(message.args[0], (*keys, inverse(message.args[1])))

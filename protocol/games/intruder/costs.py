"""Bounds on what everybody has to work out for an action, counted in names and exponents.

A second program comes to the same counts: they are about texts, and not about how a program looks at them.
"""

from collections.abc import Iterable, Iterator

from protocol.limits import (
    MAX_INTRUDER_BEGINNINGS,
    MAX_INTRUDER_EXPONENTS,
    MAX_INTRUDER_NAMES,
    MAX_INTRUDER_PROTOCOL,
    MAX_INTRUDER_SAID,
)
from protocol.verification.description import Protocol
from protocol.verification.notation.messages import names_in
from protocol.verification.notation.tokens import Token
from protocol.verification.terms import (
    CONSTANT,
    EXPONENT,
    VARIABLE,
    Sort,
    Term,
    count_names,
    subterms,
    variables,
)


class TooCostly(Exception):
    """A protocol or a move that everybody would have to work at for long."""


def check_text(found: Iterable[Token], sessions: int) -> None:
    """Refuse the text of a protocol with too many names for its sessions. Raises: TooCostly."""
    if names_in(found) * sessions > MAX_INTRUDER_PROTOCOL:
        raise TooCostly


def check_exponents(protocol: Protocol) -> None:
    """Refuse a protocol with too many exponents on one base. Raises: TooCostly.

    A role that begins with an exponential of two exponents, and learns both later, could not tell which is which.
    """
    messages = [action.message for action in protocol.actions]
    messages += [goal.message for goal in protocol.goals]
    known = (term for knowledge in protocol.knowledge for term in knowledge.terms)
    if most_exponents(messages) > MAX_INTRUDER_EXPONENTS or most_exponents(known) > 1:
        raise TooCostly


def check_beginnings(protocol: Protocol, people: int) -> None:
    """Refuse a protocol whose intruder knows too much at first. Raises: TooCostly.

    `people`: how many honest ones there are. Each term of knowledge counts once for all choices of agents in it.
    """
    everybody = people + 1 + len(set(_fixed_agents(protocol)))
    found = 0
    for knowledge in protocol.knowledge:
        for term in knowledge.terms if knowledge.role.kind is VARIABLE else ():
            free = len({*variables(term)} - {knowledge.role})
            found += count_names(term, {}, {}) * everybody**free
    if found > MAX_INTRUDER_BEGINNINGS:
        raise TooCostly


def check_message(found: Iterable[Token]) -> None:
    """Refuse the text of a message with too many names. Raises: TooCostly."""
    if names_in(found) > MAX_INTRUDER_NAMES:
        raise TooCostly


def check_powers(message: Term) -> None:
    """Refuse a message with too many exponents on one base. Raises: TooCostly."""
    if most_exponents((message,)) > MAX_INTRUDER_EXPONENTS:
        raise TooCostly


def check_said(names: int) -> None:
    """Refuse a step with which strands have sent and claimed too many names. Raises: TooCostly."""
    if names > MAX_INTRUDER_SAID:
        raise TooCostly


def most_exponents(terms: Iterable[Term]) -> int:
    """The number of exponents of the largest exponential in some terms."""
    parts = (part for term in terms for part in subterms(term) if part.kind is EXPONENT)
    return max((len(part.args) - 1 for part in parts), default=0)


def _fixed_agents(protocol: Protocol) -> Iterator[Term]:
    """The agents in lower case that stand in knowledge and actions."""
    for knowledge in protocol.knowledge:
        yield from _agents_in(knowledge.role, *knowledge.terms)
    for action in protocol.actions:
        yield from _agents_in(action.sender.agent, action.receiver.agent, action.message)


def _agents_in(*terms: Term) -> Iterator[Term]:
    parts = (part for term in terms for part in subterms(term))
    return (part for part in parts if part.kind is CONSTANT and part.sort is Sort.AGENT)

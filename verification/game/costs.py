"""Limits on the work of every program for one action, counted in names and exponents.

The counts depend on the texts only, so every implementation gets the same result.
"""

from collections.abc import Iterable, Iterator

from protocol.limits import (
    MAX_INTRUDER_BEGINNINGS,
    MAX_INTRUDER_EXPONENTS,
    MAX_INTRUDER_NAMES,
    MAX_INTRUDER_PROTOCOL,
    MAX_INTRUDER_SAID,
)
from verification.notation.message_parser import names_in
from verification.notation.tokens import Token
from verification.protocol_model import Protocol
from verification.terms import (
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
    """Raised for a protocol or a move that would take every program too long."""


def check_text(found: Iterable[Token], sessions: int) -> None:
    """Refuse the text of a protocol with too many names for its sessions. Raises: TooCostly."""
    if names_in(found) * sessions > MAX_INTRUDER_PROTOCOL:
        raise TooCostly


def check_exponents(protocol: Protocol) -> None:
    """Refuse a protocol with too many exponents on one base. Raises: TooCostly.

    Initial knowledge may have only one exponent on a base. With two, a role that learns both later
    could not assign them.
    """
    messages = [action.message for action in protocol.actions]
    messages += [goal.message for goal in protocol.goals]
    known = (term for knowledge in protocol.knowledge for term in knowledge.terms)
    if most_exponents(messages) > MAX_INTRUDER_EXPONENTS or most_exponents(known) > 1:
        raise TooCostly


def check_beginnings(protocol: Protocol, people: int) -> None:
    """Refuse a protocol with too much initial knowledge of the intruder. Raises: TooCostly.

    `people` is the number of honest agents. A term counts once for each choice of its agents.
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
    """Refuse a step after which the strands have sent and claimed too many names. Raises:
    TooCostly.
    """
    if names > MAX_INTRUDER_SAID:
        raise TooCostly


def most_exponents(terms: Iterable[Term]) -> int:
    """Return the largest number of exponents on one base."""
    parts = (part for term in terms for part in subterms(term) if part.kind is EXPONENT)
    return max((len(part.args) - 1 for part in parts), default=0)


def _fixed_agents(protocol: Protocol) -> Iterator[Term]:
    """Yield the agents with lower-case names in knowledge and actions."""
    for knowledge in protocol.knowledge:
        yield from _agents_in(knowledge.role, *knowledge.terms)
    for action in protocol.actions:
        yield from _agents_in(action.sender.agent, action.receiver.agent, action.message)


def _agents_in(*terms: Term) -> Iterator[Term]:
    parts = (part for term in terms for part in subterms(term))
    return (part for part in parts if part.kind is CONSTANT and part.sort is Sort.AGENT)

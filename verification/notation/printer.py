"""Printer for protocols: standard text without comments, which is parsed to the same protocol."""

from collections.abc import Iterable

from verification.protocol_model import ChannelEnd, Goal, GoalKind, MessageAction, Protocol
from verification.terms import DECLARABLE_SORTS, PAIR, Term, subterms, text

AGREEMENTS = (GoalKind.AGREEMENT, GoalKind.WEAK_AGREEMENT)
SECRETS = (GoalKind.SECRET, GoalKind.GUESSABLE)


def print_protocol(protocol: Protocol) -> str:
    """Return the text of a protocol."""
    where = ", ".join(f"{one}!={other}" for one, other in protocol.where)
    known = [f"{knows.role}: {','.join(map(_item, knows.terms))}" for knows in protocol.knowledge]
    sections = (
        _section("Types", _types(protocol)),
        _section("Knowledge", [*known, *([f"where {where}"] if where else [])]),
        _section("Actions", map(print_action, protocol.actions)),
        _section("Goals", map(print_goal, protocol.goals)),
    )
    return f"Protocol: {protocol.name}\n" + "".join(sections)


def print_action(action: MessageAction) -> str:
    """Return the text of an action, such as `A->B: m`."""
    return f"{_end(action.sender)}{action.arrow.value}{_end(action.receiver)}: {action.message}"


def print_goal(goal: Goal) -> str:
    """Return the text of a goal."""
    first, *others = map(text, goal.agents)
    if goal.aim in AGREEMENTS:
        return f"{first} {goal.aim.value} {others[0]} on {goal.message}"
    if goal.aim in SECRETS:
        return f"{goal.message} {goal.aim.value} between {','.join((first, *others))}"
    return f"{first}{goal.aim.value}{others[0]}: {goal.message}"


def _section(name: str, lines: Iterable[str]) -> str:
    return f"\n{name}:\n  " + ";\n  ".join(lines) + "\n"


def _types(protocol: Protocol) -> list[str]:
    """List all names of a protocol by type, as declarations."""
    names = {
        (atom.sort, atom.name): None
        for whole in _messages(protocol)
        for atom in subterms(whole)
        if not atom.args
    }
    by_sort = {sort: [name for its, name in names if its is sort] for sort in DECLARABLE_SORTS}
    return [f"{sort.value} {','.join(found)}" for sort, found in by_sort.items() if found]


def _messages(protocol: Protocol) -> Iterable[Term]:
    """Yield all terms of a protocol in their order."""
    for knows in protocol.knowledge:
        yield from (knows.role, *knows.terms)
    for one, other in protocol.where:
        yield from (one, other)
    yield from (action.message for action in protocol.actions)
    yield from (goal.message for goal in protocol.goals)


def _end(end: ChannelEnd) -> str:
    return f"[{end.agent}]" if end.pseudonymous else str(end.agent)


def _item(term: Term) -> str:
    return f"({term})" if term.kind is PAIR else str(term)

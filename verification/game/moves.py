"""What the intruder may do: finitely many moves, with the simplest values for all that is left
open.
"""

from collections.abc import Iterator
from itertools import islice, product

from protocol.games import Action
from protocol.limits import MAX_INTRUDER_CASTS, MAX_INTRUDER_FILLINGS, MAX_INTRUDER_MOVES
from verification.engine.solver import Demand, OutOfBudget
from verification.game.arena import Arena
from verification.game.state import IntruderState
from verification.strands.scenario import INTRUDER
from verification.terms import Term, substitute, text, variables
from verification.unification import unifiers


def all_moves(arena: Arena, state: IntruderState) -> tuple[Action, ...]:
    """Strands that may begin, and messages that strands would take: short ones first, for each
    strand.
    """
    found: list[Action] = []
    for number in range(len(arena.strands)):
        if len(found) >= MAX_INTRUDER_MOVES:
            break
        if arena.awaited_step(state, number) is not None:
            found += [
                ("send", number + 1, text(message)) for message in _sendable(arena, state, number)
            ]
        elif not state.agents[number] and not _like_the_one_before(arena, state, number):
            found += [
                ("run", number + 1, *map(text, agents)) for agents in _casts(arena, state, number)
            ]
    return tuple(found[:MAX_INTRUDER_MOVES])


def _like_the_one_before(arena: Arena, state: IntruderState, number: int) -> bool:
    """Whether a strand of the same role could begin in this one's place."""
    strands = arena.strands
    return (
        number > 0
        and strands[number - 1].role == strands[number].role
        and not state.agents[number - 1]
    )


def _casts(arena: Arena, state: IntruderState, number: int) -> Iterator[tuple[Term, ...]]:
    """Who may play a strand with whom: people who are here, one more at a time, and the
    intruder.
    """
    met = {name for agents in state.agents for name in agents}
    here = [name for name in arena.people if name in met]

    def more(chosen: tuple[Term, ...]) -> Iterator[tuple[Term, ...]]:
        if len(chosen) == len(arena.roles(number)):
            yield chosen
            return
        known = [*here, *(name for name in chosen if name not in (*here, INTRUDER))]
        new = [name for name in arena.people if name not in known][:1]
        for name in (*dict.fromkeys((*known, *new)), INTRUDER):
            yield from more((*chosen, name))

    tried = islice(more(()), MAX_INTRUDER_CASTS)
    fitting = (agents for agents in tried if arena.after_begin(state, number, agents) is not None)
    return islice(fitting, MAX_INTRUDER_MOVES)


def _sendable(arena: Arena, state: IntruderState, number: int) -> list[Term]:
    """Messages that a strand would take and the intruder can say."""
    step = arena.awaited_step(state, number)
    assert step is not None and step.receive is not None
    solver, found = arena.solver(), dict[Term, None]()
    demand = (Demand(step.receive, solver.time(state.done)),)
    try:
        for values in unifiers(step.checks, dict(state.values)):
            for solution in solver.solutions(demand, values, {}):
                found.update(
                    dict.fromkeys(_filled(arena, state, substitute(step.receive, solution.values)))
                )
    except OutOfBudget:
        pass
    taken = (message for message in found if arena.after_send(state, number, message) is not None)
    return sorted(taken, key=lambda message: (len(text(message)), text(message)))


def _filled(arena: Arena, state: IntruderState, message: Term) -> Iterator[Term]:
    """The message with what the intruder has for all that may be anything."""
    free = tuple(dict.fromkeys(variables(message)))
    choices = [arena.fillings(state, name) for name in free]
    for values in islice(product(*choices), MAX_INTRUDER_FILLINGS):
        yield substitute(message, dict(zip(free, values, strict=True)))

"""Moves that the game offers to the intruder: finitely many, with the simplest values for open
variables.

The search for moves has a budget of steps. Each strand gets an equal share of the steps that the
strands before it have left. The game offers the moves found so far, and never a move that `check`
refuses.
"""

from collections.abc import Iterator
from functools import cache
from itertools import islice, product

from protocol.games import Action
from protocol.limits import (
    MAX_INTRUDER_CASTS,
    MAX_INTRUDER_EFFORT,
    MAX_INTRUDER_FILLINGS,
    MAX_INTRUDER_MOVES,
    MAX_INTRUDER_NAMES,
    MAX_INTRUDER_STEPS,
)
from verification.effort import Effort, OutOfBudget
from verification.engine.solver import Demand, Solution, Solver
from verification.game.costs import TooCostly
from verification.game.game_scenario import GameScenario
from verification.game.messages import write_message
from verification.game.state import IntruderState
from verification.strands.scenario import INTRUDER
from verification.terms import Sort, Term, count_names, substitute, text, variables
from verification.unification import unifiers


def all_moves(scenario: GameScenario, state: IntruderState) -> tuple[Action, ...]:
    """Return the beginnings of strands, and the messages that strands accept. For each strand,
    short messages come first.
    """
    strands = [
        number for number in range(len(scenario.strands)) if _may_move(scenario, state, number)
    ]
    steps = MAX_INTRUDER_STEPS
    found: list[Action] = []
    for before, number in enumerate(strands):
        if len(found) >= MAX_INTRUDER_MOVES:
            break
        effort = Effort(MAX_INTRUDER_EFFORT, steps // (len(strands) - before))
        offers = _Offers(scenario, state, number, effort)
        found += offers.runs() if not state.agents[number] else offers.sends()
        steps -= min(steps, effort.steps)
    return tuple(found[:MAX_INTRUDER_MOVES])


def _may_move(scenario: GameScenario, state: IntruderState, number: int) -> bool:
    """Check that a strand waits for a message, or may begin. Of strands of a role, only the first
    unused one is offered.
    """
    if state.agents[number]:
        return scenario.awaited_step(state, number) is not None
    strands = scenario.strands
    return (
        number == 0
        or strands[number - 1].role != strands[number].role
        or bool(state.agents[number - 1])
    )


class _Offers:
    """Search for the moves of one strand."""

    def __init__(
        self, scenario: GameScenario, state: IntruderState, number: int, effort: Effort
    ) -> None:
        self._scenario = scenario
        self._state = state
        self._number = number
        self._effort = effort
        self._fillings = cache(self._fillings_of)

    def runs(self) -> list[Action]:
        """Return the moves that begin the strand, one for each choice of agents."""
        found: list[Action] = []
        met = {name for agents in self._state.agents for name in agents}
        here = tuple(name for name in self._scenario.people if name in met)
        steps = (
            1
            + len(self._scenario.roles(self._number))
            + len(self._scenario.strands[self._number].distinct)
        )
        try:
            for agents in islice(self._casts((), here), MAX_INTRUDER_CASTS):
                self._effort.step(steps)
                if self._fits(agents):
                    found.append(("run", self._number + 1, *map(text, agents)))
                if len(found) == MAX_INTRUDER_MOVES:
                    break
        except OutOfBudget:
            pass
        return found

    def _casts(
        self, chosen: tuple[Term, ...], here: tuple[Term, ...]
    ) -> Iterator[tuple[Term, ...]]:
        """Yield choices of agents: agents of other strands, at most one new agent for each place,
        and the intruder.
        """
        if len(chosen) == len(self._scenario.roles(self._number)):
            yield chosen
            return
        known = (*here, *(name for name in chosen if name not in (*here, INTRUDER)))
        new = [name for name in self._scenario.people if name not in known][:1]
        for name in (*dict.fromkeys((*known, *new)), INTRUDER):
            yield from self._casts((*chosen, name), here)

    def _fits(self, agents: tuple[Term, ...]) -> bool:
        try:
            return self._scenario.start_values(self._state, self._number, agents) is not None
        except TooCostly:
            return False

    def sends(self) -> list[Action]:
        """Return the moves that send the strand a message that it accepts."""
        found: dict[Term, str] = {}
        try:
            for message in self._messages():
                if message not in found:
                    self._effort.step(count_names(message, {}, {}))
                    written = write_message(self._scenario, message)
                    if written is not None and self._takes(message):
                        found[message] = written
        except OutOfBudget:
            pass
        texts = sorted(found.values(), key=lambda one: (len(one), one))
        return [("send", self._number + 1, one) for one in texts]

    def _takes(self, message: Term) -> bool:
        try:
            return self._scenario.accepted_values(self._state, self._number, message) is not None
        except TooCostly:
            return False

    def _messages(self) -> Iterator[Term]:
        """Yield messages that the strand may accept. Raises: OutOfBudget."""
        step = self._scenario.awaited_step(self._state, self._number)
        assert step is not None and step.receive is not None
        if count_names(step.receive, dict(self._state.values), {}) > MAX_INTRUDER_NAMES:
            return
        solver = Solver(self._scenario.strand_scenario, self._effort)
        demand = (Demand(step.receive, solver.time(self._state.done)),)
        for values in unifiers(step.checks, dict(self._state.values), self._effort):
            for solution in solver.solutions(demand, values, {}):
                names = count_names(step.receive, solution.values, {})
                self._effort.step(names)
                if names <= MAX_INTRUDER_NAMES:
                    yield from self._filled(step.receive, solution)

    def _filled(self, wanted: Term, solution: Solution) -> Iterator[Term]:
        """Yield the message with simple terms of the intruder for all open variables. Raises:
        OutOfBudget.
        """
        message = substitute(wanted, solution.values)
        free = tuple(dict.fromkeys(variables(message)))
        choices = [self._fillings(name.sort) for name in free]
        for values in islice(product(*choices), MAX_INTRUDER_FILLINGS):
            chosen = dict(zip(free, values, strict=True))
            self._effort.step(1 + len(free))
            if count_names(message, chosen, {}) <= MAX_INTRUDER_NAMES:
                yield substitute(message, chosen)

    def _fillings_of(self, sort: Sort) -> list[Term]:
        found = self._scenario.simple_terms(self._state, sort)
        self._effort.step(len(found))
        return found

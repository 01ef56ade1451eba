"""All orders in which messages can be received, as far as they differ: shortest first.

Layer by layer: every state after n receives before any after n + 1, so that the first attack found
is one of the shortest; iterative deepening would find the same, and go through every layer again
for each deeper one. A layer has each state once: states are the same if only names of variables, or
strands of the same role, are exchanged.

Two receives that do not need each other are looked at in one order only: where a strand of a later
role has just received, one of an earlier role may receive only what the intruder could not have
said before (constraint differentiation: D. Basin, S. Mödersheim, L. Viganò, "Constraint
differentiation: a new reduction technique for constraint-based analysis of security protocols", CCS
2003).
"""

from collections.abc import Iterator
from itertools import groupby, product
from typing import NamedTuple

from verification.effort import Effort
from verification.engine.goals import Goals, Violation
from verification.engine.intruder_knowledge import Time
from verification.engine.solver import Demand, Solution, Solver
from verification.engine.subsumption import most_general
from verification.engine.symmetry import LateMessage, SearchState, StateSymmetry
from verification.strands.scenario import Scenario, Strand
from verification.terms import FRESH, VARIABLE, Term, depth, listed, pair, subterms
from verification.unification import unifiers


class FoundAttack(NamedTuple):
    """An attack: the order of receives in which it comes about, and what is broken."""

    order: tuple[int, ...]
    violation: Violation


def search(
    scenario: Scenario, solver: Solver, effort: Effort, reduced: bool = True
) -> FoundAttack | None:
    """A shortest attack, or None if there is none.

    Args:
        scenario: what is searched.
        solver: that of the scenario.
        effort: counts the states; that of the solver.
        reduced: as described above; without, every order is looked at, which tests compare.

    Raises:
        OutOfBudget: there was more to look at than allowed.
    """
    walker = _StateSearch(scenario, solver, effort, reduced)
    alike = StateSymmetry(scenario.strands)
    layer = list(walker.starts())
    found = walker.broken(layer[0], None)
    while layer and not found:
        seen: dict[object, SearchState] = {}
        for state in layer:
            for strand in walker.ready(state):
                for after in walker.received(state, strand):
                    found = walker.broken(after, strand)
                    if found is not None:
                        return found
                    if (
                        walker.matters(after, strand)
                        and seen.setdefault(alike.key(after), after) is after
                    ):
                        effort.states += 1
        layer = list(seen.values())
    return found


class _StateSearch:
    def __init__(self, scenario: Scenario, solver: Solver, effort: Effort, reduced: bool) -> None:
        self._strands = scenario.strands
        self._solver = solver
        self._effort = effort
        self._goals = Goals(scenario, solver, effort)
        self._reduced = reduced
        self._names = tuple(name for strand in scenario.strands for name in strand.variables)

    def starts(self) -> Iterator[SearchState]:
        """Who begins by sending has begun; first all of them, then without those who may be missed
        by somebody.
        """
        begun = [strand.begins for strand in self._strands]
        missed = [
            number
            for number, strand in enumerate(self._strands)
            if begun[number] and _plain(strand)
        ]
        alike = [
            tuple(group) for _, group in groupby(missed, lambda number: self._strands[number].role)
        ]
        for left in product(*([group[:size] for size in range(len(group) + 1)] for group in alike)):
            away = {number for group in left for number in group}
            positions = tuple(
                int(begins and number not in away) for number, begins in enumerate(begun)
            )
            yield SearchState(
                positions, Solution({}, {}), (), (), frozenset(number + 1 for number in missed)
            )

    def ready(self, state: SearchState) -> Iterator[int]:
        """The strands that wait for a message; of those that are exactly alike, the first."""
        for number, strand in enumerate(self._strands):
            waits = (
                state.positions[number] < len(strand.steps)
                and strand.steps[state.positions[number]].receive
            )
            if waits and not self._double(number, state.touched):
                yield number

    def _double(self, number: int, touched: frozenset[int]) -> bool:
        """Whether nothing has happened with this strand nor with the one of the same role before
        it.
        """
        if not self._reduced or number == 0 or number + 1 in touched:
            return False
        return (
            self._strands[number - 1].role == self._strands[number].role and number not in touched
        )

    def received(self, state: SearchState, number: int) -> Iterator[SearchState]:
        """The states after a strand has received, and sent what comes then."""
        step = self._strands[number].steps[state.positions[number]]
        positions = _forward(state.positions, number, 1)
        assert step.receive is not None
        time = self._solver.time(state.positions)
        owed = state.solution.owed
        alike = unifiers(step.checks, state.solution.values, self._effort)
        solutions = [Solution(values, owed) for values in alike]
        for demand in (
            Demand(part, time) for part in sorted(listed(step.receive), key=depth, reverse=True)
        ):
            solutions = self._met(demand, solutions)
        for solution in solutions:
            touched = state.touched | _touched(state.solution, solution) | {number + 1}
            late = self._still_late(
                (*state.late, *self._late(state, number, step.receive)), solution
            )
            if late is not None and not self._skips(touched, state.touched):
                yield SearchState(positions, solution, late, (*state.order, number), touched)

    def _met(self, demand: Demand, solutions: list[Solution]) -> list[Solution]:
        """The solutions under which a demand is met, too."""
        met = [
            after for before in solutions for after in self._solver.solutions((demand,), *before)
        ]
        if self._reduced:
            return most_general(met, self._names, self._solver)
        return met

    def _skips(self, touched: frozenset[int], before: frozenset[int]) -> bool:
        """Whether a strand has been touched before one that was exactly alike."""
        return any(self._double(number - 1, touched - {number}) for number in touched - before)

    def _late(self, state: SearchState, number: int, message: Term) -> tuple[LateMessage, ...]:
        if not state.order or not self._reduced:
            return ()
        last = state.order[-1]
        if number == last or self._rank(state.positions, number, 0) >= self._rank(
            state.positions, last, -1
        ):
            return ()
        return (LateMessage(message, self._solver.time(_forward(state.positions, last, -1))),)

    def _rank(self, positions: Time, number: int, by: int) -> tuple[bool, int]:
        """Which steps come first where the order is free: those after which something is sent; by
        role.
        """
        strand = self._strands[number]
        return (not strand.steps[positions[number] + by].sends, strand.role)

    def _still_late(
        self, late: tuple[LateMessage, ...], solution: Solution
    ) -> tuple[LateMessage, ...] | None:
        """Those that are not settled; None if one could have been said before, so that another
        order has this state.
        """
        left = []
        for one in late:
            if self._solver.derivable(one.term, one.before, solution, also=False):
                return None
            if self._solver.derivable(one.term, one.before, solution, also=True):
                left.append(one)
        return tuple(left)

    def broken(self, state: SearchState, moved: int | None) -> FoundAttack | None:
        """The first goal that is broken."""
        for violation in self._goals.violations(state.positions, moved, state.solution):
            return FoundAttack(state.order, violation)
        return None

    def matters(self, state: SearchState, moved: int) -> bool:
        """Whether the last step can help to break a goal later: something was sent, or is believed
        from now on.
        """
        strand = self._strands[moved]
        step = state.positions[moved] - 1
        if strand.steps[step].sends or step + 1 < len(strand.steps) or not self._reduced:
            return True
        return self._goals.begins_belief(moved, step, state.solution.values)


def _plain(strand: Strand) -> bool:
    """Whether somebody may believe to have run with this strand whom it has told nothing: its
    answer is no news.
    """
    answers = [pair(claim.message, *claim.agents) for claim in strand.answers if claim.step == 0]
    return any(
        all(part.kind is not VARIABLE and part.kind is not FRESH for part in subterms(one))
        for one in answers
    )


def _forward(positions: Time, number: int, by: int) -> Time:
    return (*positions[:number], positions[number] + by, *positions[number + 1 :])


def _touched(before: Solution, after: Solution) -> frozenset[int]:
    """The numbers of the strands that new values are about."""
    new = [(name, value) for name, value in after.values.items() if name not in before.values]
    return frozenset(
        part.index for name, value in new for part in (name, *subterms(value)) if part.index > 0
    )

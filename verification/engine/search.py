"""Search through all orders in which strands receive messages, shortest order first.

The search is breadth first: all states after n receives come before any state after n + 1. So the
first attack found is a shortest one. Iterative deepening would find the same attack, but repeat
every layer for each deeper one. A layer has each state once. Two states are the same if they differ
only in names of variables or in an exchange of strands of a role.

Two independent receives are tried in one order only. After a strand of a later role has received, a
strand of an earlier role may receive only a message that the intruder could not have said before
(constraint differentiation: D. Basin, S. Mödersheim, L. Viganò, "Constraint differentiation: a new
reduction technique for constraint-based analysis of security protocols", CCS 2003).
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
from verification.terms import FRESH, VARIABLE, Term, depth, list_items, pair, subterms
from verification.unification import unifiers


class FoundAttack(NamedTuple):
    """An attack as the search finds it: the strands in the order in which they receive, and the
    broken goal.
    """

    order: tuple[int, ...]
    violation: Violation


def search(
    scenario: Scenario, solver: Solver, effort: Effort, reduced: bool = True
) -> FoundAttack | None:
    """Find a shortest attack. Return None if there is none.

    Args:
        scenario: strands and goals to search.
        solver: solver of this scenario.
        effort: counter for states; the same object as the solver's.
        reduced: leave out equivalent orders; tests compare with False, which tries every order.

    Raises:
        OutOfBudget: the search exceeds the limits of `effort`.
    """
    states = _StateSearch(scenario, solver, effort, reduced)
    symmetry = StateSymmetry(scenario.strands)
    layer = list(states.start_states())
    found = states.broken_goal(layer[0], None)
    while layer and not found:
        seen: dict[object, SearchState] = {}
        for state in layer:
            for strand in states.waiting_strands(state):
                for after in states.successors(state, strand):
                    found = states.broken_goal(after, strand)
                    if found is not None:
                        return found
                    if (
                        states.may_matter(after, strand)
                        and seen.setdefault(symmetry.key(after), after) is after
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

    def start_states(self) -> Iterator[SearchState]:
        """Yield the initial states. In the first, every strand that begins by sending has sent. The
        others leave out strands whose answer somebody may miss.
        """
        begun = [strand.begins for strand in self._strands]
        missed = [
            number
            for number, strand in enumerate(self._strands)
            if begun[number] and _has_predictable_answer(strand)
        ]
        groups = [
            tuple(group) for _, group in groupby(missed, lambda number: self._strands[number].role)
        ]
        for left in product(
            *([group[:size] for size in range(len(group) + 1)] for group in groups)
        ):
            away = {number for group in left for number in group}
            positions = tuple(
                int(begins and number not in away) for number, begins in enumerate(begun)
            )
            yield SearchState(
                positions, Solution({}, {}), (), (), frozenset(number + 1 for number in missed)
            )

    def waiting_strands(self, state: SearchState) -> Iterator[int]:
        """Yield the strands that wait for a message. Of strands in the same state only the first is
        tried.
        """
        for number, strand in enumerate(self._strands):
            waits = (
                state.positions[number] < len(strand.steps)
                and strand.steps[state.positions[number]].receive
            )
            if waits and not self._has_untouched_twin(number, state.touched):
                yield number

    def _has_untouched_twin(self, number: int, touched: frozenset[int]) -> bool:
        """Check that the previous strand has the same role, and that both strands are untouched."""
        if not self._reduced or number == 0 or number + 1 in touched:
            return False
        return (
            self._strands[number - 1].role == self._strands[number].role and number not in touched
        )

    def successors(self, state: SearchState, number: int) -> Iterator[SearchState]:
        """Yield the states after a strand has received a message and sent its answers."""
        step = self._strands[number].steps[state.positions[number]]
        positions = _forward(state.positions, number, 1)
        assert step.receive is not None
        time = self._solver.time(state.positions)
        deferred = state.solution.deferred
        checked = unifiers(step.checks, state.solution.values, self._effort)
        solutions = [Solution(values, deferred) for values in checked]
        for demand in (
            Demand(part, time) for part in sorted(list_items(step.receive), key=depth, reverse=True)
        ):
            solutions = self._solutions_with(demand, solutions)
        for solution in solutions:
            touched = state.touched | _touched_strands(state.solution, solution) | {number + 1}
            late = self._still_late(
                (*state.late, *self._late(state, number, step.receive)), solution
            )
            if late is not None and not self._skips_twin(touched, state.touched):
                yield SearchState(positions, solution, late, (*state.order, number), touched)

    def _solutions_with(self, demand: Demand, solutions: list[Solution]) -> list[Solution]:
        """Return the solutions that also meet `demand`."""
        met = [
            after for before in solutions for after in self._solver.solutions((demand,), *before)
        ]
        if self._reduced:
            return most_general(met, self._names, self._solver)
        return met

    def _skips_twin(self, touched: frozenset[int], before: frozenset[int]) -> bool:
        """Check for a newly touched strand that follows an untouched strand of the same role. An
        equivalent state has the earlier strand touched.
        """
        return any(
            self._has_untouched_twin(number - 1, touched - {number}) for number in touched - before
        )

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
        """Return the sort key for independent steps. Steps that send come first, then the order of
        roles counts.
        """
        strand = self._strands[number]
        return (not strand.steps[positions[number] + by].sends, strand.role)

    def _still_late(
        self, late: tuple[LateMessage, ...], solution: Solution
    ) -> tuple[LateMessage, ...] | None:
        """Return the late messages that are not decided yet. Return None if the intruder could have
        said one earlier: then another order reaches this state.
        """
        left = []
        for one in late:
            if self._solver.derivable(one.term, one.before, solution, with_deferred=False):
                return None
            if self._solver.derivable(one.term, one.before, solution, with_deferred=True):
                left.append(one)
        return tuple(left)

    def broken_goal(self, state: SearchState, moved: int | None) -> FoundAttack | None:
        """Return an attack for the first broken goal, or None."""
        for violation in self._goals.violations(state.positions, moved, state.solution):
            return FoundAttack(state.order, violation)
        return None

    def may_matter(self, state: SearchState, moved: int) -> bool:
        """Check that the last step can help to break a goal later: it sends, it is not the strand's
        last step, or it makes a claim.
        """
        strand = self._strands[moved]
        step = state.positions[moved] - 1
        if strand.steps[step].sends or step + 1 < len(strand.steps) or not self._reduced:
            return True
        return self._goals.begins_belief(moved, step, state.solution.values)


def _has_predictable_answer(strand: Strand) -> bool:
    """Check for an answer at the first step without variables and fresh values. An agent can
    believe such an answer without any message from the strand.
    """
    answers = [pair(claim.message, *claim.agents) for claim in strand.answers if claim.step == 0]
    return any(
        all(part.kind is not VARIABLE and part.kind is not FRESH for part in subterms(one))
        for one in answers
    )


def _forward(positions: Time, number: int, by: int) -> Time:
    return (*positions[:number], positions[number] + by, *positions[number + 1 :])


def _touched_strands(before: Solution, after: Solution) -> frozenset[int]:
    """Return the numbers of the strands that occur in new values."""
    new = [(name, value) for name, value in after.values.items() if name not in before.values]
    return frozenset(
        part.index for name, value in new for part in (name, *subterms(value)) if part.index > 0
    )

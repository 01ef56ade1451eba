"""Broken goals of a state: a secret that the intruder can say, or an agent whose partner never ran
with it.
"""

from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

from verification.effort import Effort
from verification.engine.intruder_knowledge import Time
from verification.engine.solver import Demand, Solution, Solver
from verification.protocol_model import Goal, GoalKind
from verification.strands.roles import GoalClaim
from verification.strands.scenario import INTRUDER, Scenario
from verification.terms import FRESH, Term, pair, substitute, subterms
from verification.unification import Values, unifiers, walk


class Violation(NamedTuple):
    """A broken goal: index of the goal, index of the strand whose claim is false, and the values of
    variables.
    """

    goal: int
    strand: int
    claim: GoalClaim
    solution: Solution
    is_secret: (
        bool  # True: the intruder knows a secret. False: no run of the partner answers the claim.
    )


class Goals:
    """Goals of a scenario."""

    def __init__(self, scenario: Scenario, solver: Solver, effort: Effort) -> None:
        self._effort = effort
        self._goals = scenario.protocol.goals
        self._strands = scenario.strands
        self._solver = solver

    def violations(
        self, positions: Time, moved: int | None, solution: Solution
    ) -> Iterator[Violation]:
        """Yield the ways in which goals are broken after a step of strand `moved`. None as `moved`
        means the beginning.
        """
        for number, strand in enumerate(self._strands):
            for claim in _claims_made(strand.secrets, positions[number]):
                for found in self._known_secrets(claim, positions, solution):
                    yield Violation(claim.goal, number, claim, found, True)
        for number in () if moved is None else (moved,):
            for claim in _claims_made(self._strands[number].asks, positions[number]):
                for found in self._unanswered_claims(claim, number, positions, solution):
                    yield Violation(claim.goal, number, claim, found, False)

    def begins_belief(self, number: int, step: int, values: Values) -> bool:
        """Check that this step of a strand makes a claim that later events can prove false."""
        strand = self._strands[number]
        if any(claim.step == step and _honest(claim.agents, values) for claim in strand.secrets):
            return True
        return any(
            claim.step == step and self._repeatable(claim, number, values) for claim in strand.asks
        )

    def _repeatable(self, claim: GoalClaim, number: int, values: Values) -> bool:
        """Check that another strand can make the same claim. A claim about a value that the strand
        itself made cannot be repeated.
        """
        goal = self._goals[claim.goal]
        asked = claim.agents[asked_index(goal)]
        if goal.aim is not GoalKind.AGREEMENT or not _honest((asked,), values):
            return False
        made = self._strands[number].number
        return not any(
            part.kind is FRESH and part.index == made for part in subterms(claim.message)
        )

    def _known_secrets(
        self, claim: GoalClaim, positions: Time, solution: Solution
    ) -> Iterator[Solution]:
        if _honest(claim.agents, solution.values):
            demand = Demand(claim.message, self._solver.time(positions))
            for found in self._solver.solutions((demand,), *solution):
                if _honest(claim.agents, found.values):
                    yield found

    def _unanswered_claims(
        self, claim: GoalClaim, moved: int, positions: Time, solution: Solution
    ) -> Iterator[Solution]:
        """Yield solutions in which more strands claim this agreement with an honest agent than the
        agent has answers.
        """
        asked = claim.agents[asked_index(self._goals[claim.goal])]
        if not _honest((asked,), solution.values):
            return
        if self._answers(claim, positions, solution.values) == 0:
            yield solution
        elif self._goals[claim.goal].aim is GoalKind.AGREEMENT:
            for found, asks in self._asked_again(claim, moved, positions, solution):
                if (
                    _honest((asked,), found.values)
                    and self._answers(claim, positions, found.values) < asks
                ):
                    yield found

    def _asked_again(
        self, claim: GoalClaim, moved: int, positions: Time, solution: Solution
    ) -> Iterator[tuple[Solution, int]]:
        """Yield solutions in which other strands make the same claim, each with the number of equal
        claims.
        """
        others = [
            other
            for number, strand in enumerate(self._strands)
            for other in _claims_made(strand.asks, positions[number])
            if number != moved and other.goal == claim.goal
        ]
        chosen = (some for size in range(1, len(others) + 1) for some in combinations(others, size))
        for some in chosen:
            alike = tuple((_whole(claim), _whole(other)) for other in some)
            for new in unifiers(alike, solution.values, self._effort):
                whole = substitute(_whole(claim), new)
                asks = 1 + sum(substitute(_whole(one), new) == whole for one in others)
                for found in self._solver.solutions((), new, solution.deferred):
                    yield found, asks

    def _answers(self, claim: GoalClaim, positions: Time, values: Values) -> int:
        whole = substitute(_whole(claim), values)
        return sum(
            substitute(_whole(answer), values) == whole
            for number, strand in enumerate(self._strands)
            for answer in _claims_made(strand.answers, positions[number])
            if answer.goal == claim.goal
        )


def asked_index(goal: Goal) -> int:
    """Return the index, among the agents of a goal, of the agent that must have run."""
    if goal.aim in (GoalKind.AGREEMENT, GoalKind.WEAK_AGREEMENT):
        return 1
    return 0


def _claims_made(claims: tuple[GoalClaim, ...], position: int) -> Iterator[GoalClaim]:
    return (claim for claim in claims if claim.step < position)


def _whole(claim: GoalClaim) -> Term:
    return pair(claim.message, *claim.agents)


def _honest(agents: tuple[Term, ...], values: Values) -> bool:
    return all(walk(agent, values) != INTRUDER for agent in agents)

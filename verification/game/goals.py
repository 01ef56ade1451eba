"""Broken goals in a state without variables. The check counts claims by itself, and does not use
the search.
"""

from collections.abc import Iterator, Mapping

from verification.engine.deduction import Deduction
from verification.engine.goals import asked_index
from verification.game.state import IntruderState
from verification.protocol_model import Goal, GoalKind
from verification.strands.roles import GoalClaim
from verification.strands.scenario import INTRUDER, Strand
from verification.terms import Term, pair, substitute


def find_broken_goal(
    goals: tuple[Goal, ...], strands: tuple[Strand, ...], state: IntruderState, can: Deduction
) -> int | None:
    """Return the index of the first goal that the last step has broken, or None."""
    values = dict(state.values)
    told = (claim for strand in strands for claim in _made(strand.secrets, strand, state, values))
    broken = {
        claim.goal
        for claim in told
        if INTRUDER not in claim.agents and can.can_derive(claim.message)
    }
    moved = strands[state.moved[-1]]
    # claims of the other strands were checked when these ended
    for ask in _made(moved.asks, moved, state, values):
        asks = [
            claim
            for strand in strands
            for claim in _made(strand.asks, strand, state, values, ask.goal)
        ]
        answers = [
            claim
            for strand in strands
            for claim in _made(strand.answers, strand, state, values, ask.goal)
        ]
        if _unanswered(goals[ask.goal], ask, asks, answers):
            broken.add(ask.goal)
    return min(broken, default=None)


def _made(
    claims: tuple[GoalClaim, ...],
    strand: Strand,
    state: IntruderState,
    values: Mapping[Term, Term],
    only: int | None = None,
) -> Iterator[GoalClaim]:
    """Yield the claims that a strand has made, with its values. `only` restricts them to the goal
    with this index.
    """
    for goal, step, agents, message in (
        (claim.goal, claim.step, claim.agents, claim.message) for claim in claims
    ):
        if step < state.done[strand.number - 1] and only in (None, goal):
            yield GoalClaim(
                goal,
                step,
                tuple(substitute(agent, values) for agent in agents),
                substitute(message, values),
            )


def _unanswered(
    goal: Goal, ask: GoalClaim, asks: list[GoalClaim], answers: list[GoalClaim]
) -> bool:
    """Check that too few honest runs answer a claim. Weak agreement needs one run; agreement needs
    one for each equal claim.
    """
    if ask.agents[asked_index(goal)] == INTRUDER:
        return False
    wanted = (
        sum(_whole(other) == _whole(ask) for other in asks) if goal.aim is GoalKind.AGREEMENT else 1
    )
    return sum(_whole(answer) == _whole(ask) for answer in answers) < wanted


def _whole(claim: GoalClaim) -> tuple[int, Term]:
    return claim.goal, pair(claim.message, *claim.agents)

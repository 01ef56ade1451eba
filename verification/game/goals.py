"""Which goal is broken where every value is known: counted for itself, and not asked of the
search.
"""

from collections.abc import Iterator, Mapping

from verification.engine.deduction import Deduction
from verification.engine.goals import asked_place
from verification.game.state import IntruderState
from verification.protocol_model import Goal, GoalKind
from verification.strands.roles import GoalClaim
from verification.strands.scenario import INTRUDER, Strand
from verification.terms import Term, pair, substitute


def broken_goal(
    goals: tuple[Goal, ...], strands: tuple[Strand, ...], state: IntruderState, can: Deduction
) -> int | None:
    """A goal that does not hold any more after the last step, counted from 0."""
    values = dict(state.values)
    told = (claim for strand in strands for claim in _made(strand.secrets, strand, state, values))
    broken = {
        claim.goal
        for claim in told
        if INTRUDER not in claim.agents and can.can_derive(claim.message)
    }
    moved = strands[state.moved[-1]]
    # what others ask was answered when they came to their end
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
    """What a strand has claimed by now, with its values; `only`: about one goal."""
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
    """Whether nobody honest has run for this; or, unless the goal is a weak one, fewer than those
    who rely on it.
    """
    if ask.agents[asked_place(goal)] == INTRUDER:
        return False
    if goal.aim is GoalKind.AGREEMENT:
        wanted = sum(_whole(other) == _whole(ask) for other in asks)
    else:
        wanted = 1
    return sum(_whole(answer) == _whole(ask) for answer in answers) < wanted


def _whole(claim: GoalClaim) -> tuple[int, Term]:
    return claim.goal, pair(claim.message, *claim.agents)

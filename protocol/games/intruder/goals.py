"""Which goal is broken where every value is known: counted for itself, and not asked of the search."""

from collections.abc import Iterator, Mapping

from protocol.games.intruder.state import State
from protocol.verification.description import Aim, Goal
from protocol.verification.engine.deduction import Deduction
from protocol.verification.engine.goals import asked_place
from protocol.verification.strands.roles import Claim
from protocol.verification.strands.scenario import INTRUDER, Strand
from protocol.verification.terms import Term, pair, substitute


def broken_goal(goals: tuple[Goal, ...], strands: tuple[Strand, ...], state: State, can: Deduction) -> int | None:
    """A goal that does not hold any more after the last step, counted from 0."""
    values = dict(state.values)
    told = (claim for strand in strands for claim in _made(strand.secrets, strand, state, values))
    broken = {claim.goal for claim in told if INTRUDER not in claim.agents and can.can_say(claim.message)}
    moved = strands[state.moved[-1]]
    for ask in _made(moved.asks, moved, state, values):  # what others ask was answered when they came to their end
        asks = [claim for strand in strands for claim in _made(strand.asks, strand, state, values, ask.goal)]
        answers = [claim for strand in strands for claim in _made(strand.answers, strand, state, values, ask.goal)]
        if _unanswered(goals[ask.goal], ask, asks, answers):
            broken.add(ask.goal)
    return min(broken, default=None)


def _made(
    claims: tuple[Claim, ...], strand: Strand, state: State, values: Mapping[Term, Term], only: int | None = None
) -> Iterator[Claim]:
    """What a strand has claimed by now, with its values; `only`: about one goal."""
    for goal, step, agents, message in ((claim.goal, claim.step, claim.agents, claim.message) for claim in claims):
        if step < state.done[strand.number - 1] and only in (None, goal):
            yield Claim(goal, step, tuple(substitute(agent, values) for agent in agents), substitute(message, values))


def _unanswered(goal: Goal, ask: Claim, asks: list[Claim], answers: list[Claim]) -> bool:
    """Whether nobody honest has run for this; or, unless the goal is a weak one, fewer than those who rely on it."""
    if ask.agents[asked_place(goal)] == INTRUDER:
        return False
    wanted = sum(_whole(other) == _whole(ask) for other in asks) if goal.aim is Aim.AGREEMENT else 1
    return sum(_whole(answer) == _whole(ask) for answer in answers) < wanted


def _whole(claim: Claim) -> tuple[int, Term]:
    return claim.goal, pair(claim.message, *claim.agents)

"""An attack without variables: who is who, what is sent in which order, and how the intruder makes
each message.
"""

from dataclasses import dataclass

from verification.engine.deduction import DeductionStep
from verification.terms import Term


@dataclass(frozen=True)
class TraceRun:
    """One strand of the attack: somebody honest in a role, with what stands for the role's
    variables.
    """

    number: int  # of the strand; what it makes new bears it: NA(1)
    role: Term  # as in the description
    agent: Term
    values: dict[Term, Term]  # each variable of the strand, and what it makes new as itself


@dataclass(frozen=True)
class TraceStep:
    """A step of a run: what it receives, then what it sends."""

    run: int  # place in the trace's runs
    step: int  # of the role, counted from 0
    received: Term | None
    sender: Term | None  # who the run believes has sent it
    way: tuple[DeductionStep, ...]  # how the intruder comes by it, from what he had or has heard
    sent: tuple[tuple[Term, Term], ...]  # messages, each with the agent whom it is meant for


@dataclass(frozen=True)
class AttackTrace:
    """A whole attack."""

    begin: tuple[Term, ...]  # what the intruder knows at first, his own inventions among it
    runs: tuple[TraceRun, ...]
    events: tuple[TraceStep, ...]
    goal: int  # the goal that is broken, counted from 0
    victim: int  # the run that believes what is not so: place in runs
    message: Term  # what the goal is about, as the victim has it
    agents: tuple[Term, ...]  # those of the goal, as the victim has them
    way: tuple[DeductionStep, ...]  # for a secret: how the intruder comes by it at the end

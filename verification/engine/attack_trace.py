"""Attack without variables: the agents, the order of messages, and a derivation for each message of
the intruder.
"""

from dataclasses import dataclass

from verification.engine.deduction import DeductionStep
from verification.terms import Term


@dataclass(frozen=True)
class TraceRun:
    """A strand of the attack: an honest agent in a role, with a value for each variable of the
    role.
    """

    number: int  # number of the strand; values that the strand makes show this number, as in NA(1)
    role: Term  # name of the role in the protocol
    agent: Term
    # value of each variable of the strand; a value made by the strand maps to itself
    values: dict[Term, Term]


@dataclass(frozen=True)
class TraceStep:
    """A step of a run: one received message, if any, then the sent messages."""

    run: int  # index into `AttackTrace.runs`
    step: int  # index of the step in the role
    received: Term | None
    sender: Term | None  # agent that the run takes for the sender of `received`
    # derivation of `received` from the intruder's knowledge at this time
    derivation: tuple[DeductionStep, ...]
    sent: tuple[tuple[Term, Term], ...]  # messages, each with its intended receiver


@dataclass(frozen=True)
class AttackTrace:
    """A complete attack."""

    initial_knowledge: tuple[Term, ...]  # intruder's initial knowledge, including his inventions
    runs: tuple[TraceRun, ...]
    events: tuple[TraceStep, ...]
    goal: int  # index of the broken goal
    victim: int  # index into `runs`: the run whose belief is false
    message: Term  # message of the goal, with the values of the victim
    agents: tuple[Term, ...]  # agents of the goal, with the values of the victim
    derivation: tuple[
        DeductionStep, ...
    ]  # for a secret: derivation of `message` at the end; else empty

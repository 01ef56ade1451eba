"""An attack as a sequence of messages, as the intruder sees it."""

from collections.abc import Iterator
from dataclasses import dataclass

from verification.engine.attack_trace import AttackTrace, TraceRun, TraceStep
from verification.engine.deduction import DeductionRule
from verification.strands.scenario import INTRUDER
from verification.terms import PAIR, Term, text


@dataclass(frozen=True)
class SequenceMessage:
    """A message between a run and the intruder: the network is the intruder, so every message is to
    him or from him.
    """

    run: int  # index among the runs of the trace: sender or receiver of the message
    from_intruder: bool
    agent: str  # agent of the run
    other: str  # agent that the message is meant for, or seems to come from
    message: str
    # For a message of the intruder: parts that he opened, their messages, and the keys.
    opened: tuple[tuple[str, str, str], ...] = ()
    composed: bool = False  # the intruder has built the message, and not only overheard it

    @property
    def ends(self) -> tuple[str, str]:
        """Sender and receiver as text: `i(a)` is the intruder under the name of a."""
        name = text(INTRUDER)
        if self.other == name:
            masked = name
        else:
            masked = f"{name}({self.other})"
        if self.from_intruder:
            return (masked, self.agent)
        return (self.agent, masked)


def message_sequence(trace: AttackTrace) -> tuple[SequenceMessage, ...]:
    """List all messages of an attack in their order."""
    told: set[Term] = set()
    return tuple(
        line for event in trace.events for line in _lines(trace.runs[event.run], event, told)
    )


def _lines(run: TraceRun, event: TraceStep, told: set[Term]) -> Iterator[SequenceMessage]:
    agent = text(run.agent)
    if event.received is not None:
        opened = [
            step
            for step in event.derivation
            if step.rule is DeductionRule.OPENED and step.sources[0].kind is not PAIR
        ]
        new = [step for step in opened if step.term not in told]
        told.update(step.term for step in opened)
        parts = tuple(
            (text(step.term), text(step.sources[0]), text(step.sources[-1])) for step in new
        )
        composed = bool(event.derivation) and event.derivation[-1].rule is DeductionRule.COMPOSED
        yield SequenceMessage(
            event.run, True, agent, _name(event.sender), text(event.received), parts, composed
        )
    for message, receiver in event.sent:
        yield SequenceMessage(event.run, False, agent, text(receiver), text(message))


def _name(agent: Term | None) -> str:
    return text(agent if agent is not None else INTRUDER)

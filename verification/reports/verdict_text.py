"""A verdict as sentences, and as JSON for programs. No text says that a protocol is secure."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from protocol.view.phrase import Phrase, phrase
from verification.engine.attack_trace import AttackTrace, TraceRun
from verification.engine.verdict import (
    Attack,
    NoAttack,
    NotRunnable,
    SearchAborted,
    SearchBound,
    SearchSize,
    Unsupported,
    Verdict,
)
from verification.notation.printer import print_goal
from verification.protocol_model import Protocol
from verification.reports.message_sequence import SequenceMessage, message_sequence
from verification.strands.scenario import INTRUDER
from verification.terms import Sort, TermKind, subterms, text

KINDS = {
    Attack: "attack",
    NoAttack: "no attack",
    SearchAborted: "gave up",
    NotRunnable: "cannot be run",
    Unsupported: "unsupported",
}


def verdict_lines(verdict: Verdict, protocol: Protocol, bound: SearchBound) -> Iterator[Phrase]:
    """Yield the sentences of a verdict, one for each line."""
    name = protocol.name
    match verdict:
        case Attack(trace, searched):
            goal = print_goal(protocol.goals[trace.goal])
            yield phrase("verify.attack", name=name, goal=goal)
            yield from _attack(trace)
            yield _searched(searched)
        case NoAttack(sessions, searched):
            yield phrase("verify.none", name=name, count=sessions)
            if _powers(protocol):
                yield phrase("verify.none.powers")
            yield phrase("verify.none.typed" if bound.typed else "verify.none.untyped")
            yield _searched(searched)
        case SearchAborted(searched):
            yield phrase("verify.gave_up", name=name, count=bound.sessions)
            yield _searched(searched)
        case NotRunnable(role, part, None):
            yield phrase("verify.not_runnable.goal", name=name, role=text(role), part=text(part))
        case NotRunnable(role, part, action):
            assert action is not None
            yield phrase(
                "verify.not_runnable",
                name=name,
                role=text(role),
                part=text(part),
                number=action + 1,
            )
        case Unsupported(construct):
            yield phrase("verify.unsupported", name=name, construct=construct)


def _searched(searched: SearchSize) -> Phrase:
    return phrase("verify.searched", states=searched.states, demands=searched.demands)


def _attack(trace: AttackTrace) -> Iterator[Phrase]:
    """Yield the roles of an attack, its messages, and the false belief at its end."""
    for run in trace.runs:
        key = "verify.run" if _others(run) else "verify.run.alone"
        yield phrase(
            key,
            own=role_phrase(text(run.agent), text(run.role)),
            others=_others(run),
            number=run.number,
        )
    for number, line in enumerate(message_sequence(trace), 1):
        yield from (phrase("verify.opened", part=part, key=key) for part, _, key in line.opened)
        sender, receiver = line.ends
        yield phrase(
            "verify.line", number=number, sender=sender, receiver=receiver, message=line.message
        )
    yield false_belief(trace)


def role_phrase(agent: str, role: str) -> Phrase:
    """Name an agent with its role."""
    return phrase("verify.as", agent=agent, role=role)


def _others(run: TraceRun) -> tuple[Phrase, ...]:
    """Name the other agents of a run."""
    named = (role for role in run.values if role.sort is Sort.AGENT and role.name != run.role.name)
    return tuple(role_phrase(text(run.values[role]), role.name) for role in named)


def false_belief(trace: AttackTrace) -> Phrase:
    """Describe the false belief of an agent at the end of an attack."""
    victim = text(trace.runs[trace.victim].agent)
    message = text(trace.message)
    if trace.derivation:
        return phrase("verify.told", victim=victim, message=message)
    agents = [text(agent) for agent in trace.agents]
    other = next((agent for agent in agents if agent != victim), victim)
    return phrase("verify.believes", victim=victim, other=other, message=message)


def _powers(protocol: Protocol) -> bool:
    """Check for exponentials in the protocol. The search does not try all of their powers
    (docs/verification.md).
    """
    messages = [action.message for action in protocol.actions]
    return any(part.kind is TermKind.EXPONENT for message in messages for part in subterms(message))


def as_object(verdict: Verdict, protocol: Protocol, bound: SearchBound) -> dict[str, Any]:
    """Convert the verdict into plain data. Actions, goals and runs count from 0, strands from 1."""
    found: dict[str, Any] = {
        "protocol": protocol.name,
        "verdict": KINDS[type(verdict)],
        "sessions": bound.sessions,
        "typed": bound.typed,
    }
    match verdict:
        case Attack(trace, searched):
            goal = {
                "goal": trace.goal,
                "text": print_goal(protocol.goals[trace.goal]),
                "victim": trace.victim,
            }
            found |= goal | {
                "runs": list(map(_run, trace.runs)),
                "messages": list(map(_message, message_sequence(trace))),
            }
            found |= asdict(searched)
        case NoAttack(_, searched):
            found |= asdict(searched) | {"all_powers": not _powers(protocol)}
        case SearchAborted(searched):
            found |= asdict(searched)
        case NotRunnable(role, part, action):
            found |= {"role": text(role), "part": text(part), "action": action}
        case Unsupported(construct):
            found |= {"construct": construct}
    return found


def _run(run: TraceRun) -> dict[str, Any]:
    return {"strand": run.number, "role": text(run.role), "agent": text(run.agent)}


def _message(line: SequenceMessage) -> dict[str, Any]:
    sender, receiver = line.ends
    by = text(INTRUDER) if line.from_intruder else line.agent
    return {"from": sender, "to": receiver, "by": by, "run": line.run, "message": line.message}

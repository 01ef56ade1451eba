"""A protocol as written in Alice-and-Bob notation. The parser makes a `Protocol`, and the engine
searches it.

All names are terms as they stand in the text: a capital name is a `variable` (index 0), a
lower-case name a `constant`. An undeclared function is a constant of the sort `FUNCTION`. The
package `strands` finds out from knowledge and actions who makes which value new, and who can read
what.
"""

from dataclasses import dataclass
from enum import Enum

from verification.terms import Term


class ChannelKind(Enum):
    """Guarantee of a channel, independent of the message."""

    INSECURE = "->"  # the intruder reads, suppresses and invents messages
    AUTHENTIC = "*->"  # the message comes from the sender and is for the receiver; all can read it
    CONFIDENTIAL = "->*"  # only the receiver can read the message; anybody may have sent it
    SECURE = "*->*"  # authentic and confidential


@dataclass(frozen=True)
class ChannelEnd:
    """One end of a channel."""

    agent: Term
    # `[A]`: an unknown agent, but the same one in all messages of this agent that are written so.
    pseudonymous: bool = False


@dataclass(frozen=True)
class MessageAction:
    """A line of `Actions`."""

    sender: ChannelEnd
    arrow: ChannelKind
    receiver: ChannelEnd
    message: Term


@dataclass(frozen=True)
class InitialKnowledge:
    """Knowledge of a role before the first action. A role is an agent; an agent with a lower-case
    name is fixed and honest.
    """

    role: Term
    terms: tuple[Term, ...]


class GoalKind(Enum):
    """Subject of a goal."""

    SECRET = "secret"  # `m secret between A,B`
    # `B authenticates A on m`: and no run of A's counts for two runs of B's
    AGREEMENT = "authenticates"
    WEAK_AGREEMENT = "weakly authenticates"
    AUTHENTIC = "*->"  # `A *-> B: m`: B weakly authenticates A on m
    # `A ->* B: m`: m is a secret of both from A's point of view; B does not know the sender.
    CONFIDENTIAL = "->*"
    SECURE = "*->*"  # authentic and confidential
    GUESSABLE = "guessable secret"  # `m guessable secret between A,B`: the verdict is `unsupported`


@dataclass(frozen=True)
class Goal:
    """A line of `Goals`, with its agents in the order of the text.

    SECRET, GUESSABLE: all agents that may know the message. AGREEMENT, WEAK_AGREEMENT: first the
    agent that authenticates, then the agent that is authenticated. Channel forms: sender, then
    receiver.
    """

    aim: GoalKind
    agents: tuple[Term, ...]
    message: Term


@dataclass(frozen=True)
class Protocol:
    """A protocol of a file. `unsupported` is a construct that the engine does not know, or
    empty.
    """

    name: str
    knowledge: tuple[InitialKnowledge, ...]
    actions: tuple[MessageAction, ...]
    goals: tuple[Goal, ...]
    where: tuple[tuple[Term, Term], ...] = ()  # terms that must differ, as in `A!=B`
    unsupported: str = ""  # as in the text, for example `xor`; the verdict names it

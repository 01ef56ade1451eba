"""A protocol as people write it down, in Alice-and-Bob notation: what the parser makes and the
engine searches.

All names are terms as they stand in the text: a capital name is a `variable` (index 0), a
lower-case one a `constant`; functions in use that nobody declared are constants of the sort
`FUNCTION`. Who makes which value new, and who can read what, is not said here: `strands` finds it
out from knowledge and actions.
"""

from dataclasses import dataclass
from enum import Enum

from verification.terms import Term


class ChannelKind(Enum):
    """What a channel promises by itself, whatever is in the message."""

    INSECURE = "->"  # the intruder reads, keeps back, makes up
    AUTHENTIC = "*->"  # it comes from the sender and is for the receiver; everybody reads it
    CONFIDENTIAL = "->*"  # the receiver alone reads it; anybody may have sent it
    SECURE = "*->*"  # both


@dataclass(frozen=True)
class ChannelEnd:
    """One end of a channel."""

    agent: Term
    # `[A]`: whoever it is, it is the same as in this agent's other messages written so
    pseudonymous: bool = False


@dataclass(frozen=True)
class MessageAction:
    """One line of `Actions`."""

    sender: ChannelEnd
    arrow: ChannelKind
    receiver: ChannelEnd
    message: Term


@dataclass(frozen=True)
class InitialKnowledge:
    """What a role knows at the beginning. A role is an agent; a lower-case one is fixed, and
    honest.
    """

    role: Term
    terms: tuple[Term, ...]


class GoalKind(Enum):
    """What a goal is about."""

    SECRET = "secret"  # `m secret between A,B`
    AGREEMENT = "authenticates"  # `B authenticates A on m`: and no run of A's counts twice
    WEAK_AGREEMENT = "weakly authenticates"
    AUTHENTIC = "*->"  # `A *-> B: m`: B weakly authenticates A on m
    # `A ->* B: m`: m is a secret between the two, as A sees it: B does not know whom it is from
    CONFIDENTIAL = "->*"
    SECURE = "*->*"  # both
    GUESSABLE = "guessable secret"  # `m guessable secret between A,B`: said to be `unsupported`


@dataclass(frozen=True)
class Goal:
    """One line of `Goals`, with its agents in the order in which they stand there.

    SECRET, GUESSABLE: all who may know it. AGREEMENT, WEAK_AGREEMENT: who authenticates, then whom.
    Channel forms: sender, then receiver.
    """

    aim: GoalKind
    agents: tuple[Term, ...]
    message: Term


@dataclass(frozen=True)
class Protocol:
    """A protocol, as it stands in a file. `unsupported`: a construct in it that the engine does not
    know, or empty.
    """

    name: str
    knowledge: tuple[InitialKnowledge, ...]
    actions: tuple[MessageAction, ...]
    goals: tuple[Goal, ...]
    where: tuple[tuple[Term, Term], ...] = ()  # terms that must differ, as `A!=B`
    unsupported: str = ""  # as it stands in the text, such as `xor`; the verdict says so

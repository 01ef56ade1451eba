"""What has happened in a game against a protocol: all that everybody knows, which is all there is."""

from dataclasses import dataclass, replace

from protocol.verification.terms import Term

Values = frozenset[tuple[Term, Term]]  # of variables of strands


@dataclass(frozen=True)
class State:
    """The strands as far as they have come. Everything is about ground terms."""

    text: str = ""  # the protocol, where the first action says which
    agents: tuple[tuple[Term, ...], ...] = ()  # who plays each strand with whom; () before it has begun
    done: tuple[int, ...] = ()  # how many of its steps each strand has made
    values: Values = frozenset()  # what the strands have received for their variables
    moved: tuple[int, ...] = ()  # the strands that made a step, in order
    said: int = 0  # names in all that the strands have sent and claimed
    broken: int | None = None  # a goal that does not hold, counted from 0
    stopped: bool = False  # by the intruder

    @property
    def over(self) -> bool:
        """Whether there is nothing more to do."""
        return self.stopped or self.broken is not None

    def stepped(self, strand: int, values: Values, said: int) -> "State":
        """After a step of a strand, in which it took these values, and sent and claimed so many names."""
        done = (*self.done[:strand], self.done[strand] + 1, *self.done[strand + 1 :])
        taken = self.values | values
        return replace(self, done=done, values=taken, moved=(*self.moved, strand), said=self.said + said)

    def begun(self, strand: int, agents: tuple[Term, ...], values: Values) -> "State":
        """After a strand has begun with these agents, who are values of its variables."""
        begun = (*self.agents[:strand], agents, *self.agents[strand + 1 :])
        return replace(self, agents=begun, values=self.values | values)

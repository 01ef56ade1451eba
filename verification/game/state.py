"""State of a game against a protocol. Nothing in it is hidden."""

from dataclasses import dataclass, replace

from verification.terms import Term

Values = frozenset[tuple[Term, Term]]  # variables of strands, with their values


@dataclass(frozen=True)
class IntruderState:
    """Progress of all strands. Terms are without variables."""

    text: str = ""  # text of the protocol, if the first action chooses it
    # agents of each strand, its own first; () before the strand begins
    agents: tuple[tuple[Term, ...], ...] = ()
    done: tuple[int, ...] = ()  # number of steps that each strand has made
    values: Values = frozenset()  # values that the strands have received
    moved: tuple[int, ...] = ()  # indices of the strands that made a step, in order
    said: int = 0  # number of names that all strands have sent and claimed
    broken: int | None = None  # index of the broken goal
    stopped: bool = False  # the intruder has stopped

    @property
    def over(self) -> bool:
        """Check that a goal is broken or the intruder has stopped."""
        return self.stopped or self.broken is not None

    def after_step(self, strand: int, values: Values, said: int) -> "IntruderState":
        """Return the state after a step of a strand, with new values and `said` more names."""
        done = (*self.done[:strand], self.done[strand] + 1, *self.done[strand + 1 :])
        taken = self.values | values
        return replace(
            self, done=done, values=taken, moved=(*self.moved, strand), said=self.said + said
        )

    def after_begin(self, strand: int, agents: tuple[Term, ...], values: Values) -> "IntruderState":
        """Return the state after a strand begins. `values` give its variables for agents these
        `agents`.
        """
        begun = (*self.agents[:strand], agents, *self.agents[strand + 1 :])
        return replace(self, agents=begun, values=self.values | values)

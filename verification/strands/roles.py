"""What each role receives, checks and sends: the strands behind the lines of a protocol.

A role sees of a message what it can open or build itself. The rest is a variable: the role takes
anything for it, and compares it as soon as it has learnt enough to open or build it. After F. J.
Thayer Fábrega, J. Herzog, J. Guttman, "Strand spaces", J. Computer Security 7 (1999), and S.
Mödersheim, "Algebraic properties in Alice and Bob notation", ARES 2009.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from verification.effort import Effort
from verification.protocol_model import Goal, GoalKind, MessageAction, Protocol
from verification.strands.channels import without_channels
from verification.strands.reader import Reader, RoleNotRunnable
from verification.terms import FRESH, Sort, Term, pair, substitute, variables
from verification.unification import Equation


@dataclass(frozen=True)
class SentMessage:
    """A message that goes out, and for whom it is meant."""

    message: Term
    receiver: Term


@dataclass(frozen=True)
class StrandStep:
    """One message in, if any, and all that goes out before the next one comes in."""

    receive: Term | None
    sender: Term | None  # who is meant to have sent what is received
    checks: tuple[Equation, ...]  # what the role now compares that it could not compare before
    sends: tuple[SentMessage, ...]


@dataclass(frozen=True)
class GoalClaim:
    """What a role says of itself once it has done `step` (counted from 0): an event that a goal is
    about.
    """

    goal: int
    step: int
    agents: tuple[Term, ...]  # as in the goal
    message: Term


@dataclass(frozen=True)
class Role:
    """A role as a strand, in variables of its own (index 0, what it makes new as well)."""

    agent: Term
    steps: tuple[StrandStep, ...]
    apart: tuple[Equation, ...]  # terms that must differ
    secrets: tuple[GoalClaim, ...]
    asks: tuple[GoalClaim, ...]  # that somebody ran with it: at its end
    answers: tuple[GoalClaim, ...]  # that it runs with somebody: as soon as it can


def roles_of(
    protocol: Protocol, typed: bool = True, effort: Effort | None = None
) -> tuple[Role, ...]:
    """The roles, in the order in which knowledge is given. Not `typed`: they take anything for what
    they cannot check.

    Raises:
        RoleNotRunnable: a role cannot build what it is to send, or what it asks of another; nobody can
        build a secret. OutOfBudget: exponentials that a role begins with equal others in more ways
        than `effort` allows.
    """
    protocol = without_channels(protocol)
    makers = _makers(protocol)
    roles = tuple(
        _role(protocol, Reader(knowledge.role, makers, typed, effort))
        for knowledge in protocol.knowledge
    )
    believed = {claim.goal for role in roles for claim in role.secrets}
    for number, goal in enumerate(protocol.goals):
        if _believers(goal) and number not in believed:
            raise RoleNotRunnable(_believers(goal)[0], pair(goal.message, *goal.agents), None)
    return roles


def shared_value(protocol: Protocol) -> tuple[Term, Term] | None:
    """A role and a capital name, no agent, in its knowledge: other roles might begin with another
    value.
    """
    for knowledge in protocol.knowledge:
        for name in (name for term in knowledge.terms for name in variables(term)):
            if name.sort is not Sort.AGENT:
                return knowledge.role, name
    return None


def _makers(protocol: Protocol) -> dict[Term, Term]:
    """Who makes which name new: whoever sends it first, if it is in nobody's knowledge."""
    makers: dict[Term, Term] = {}
    for action in protocol.actions:
        for name in variables(action.message):
            makers.setdefault(name, action.sender.agent)
    for knowledge in protocol.knowledge:
        for term in (knowledge.role, *knowledge.terms):
            for name in variables(term):
                makers.pop(name, None)
    return {name: maker for name, maker in makers.items() if name.sort is not Sort.AGENT}


def _role(protocol: Protocol, reader: Reader) -> Role:
    agent = reader.role
    known = next(knowledge.terms for knowledge in protocol.knowledge if knowledge.role == agent)
    for term in dict.fromkeys((agent, *known)):
        reader.see(term, term)
    reader.settle(None)
    made = _RoleBuilder(protocol, reader)
    for number, action in enumerate(protocol.actions):
        if action.receiver.agent == agent:
            made.received(number, action)
        if action.sender.agent == agent:
            made.sent(number, action)
    return made.role()


@dataclass
class _RoleBuilder:
    """A role in the making."""

    protocol: Protocol
    reader: Reader
    steps: list[StrandStep] = field(default_factory=list)
    answers: dict[int, GoalClaim] = field(default_factory=dict)  # by goal
    born: dict[Term, int] = field(default_factory=dict)  # what is made new, in which step

    def received(self, number: int, action: MessageAction) -> None:
        reader = self.reader
        old = set(reader.values)
        before = set(reader.names)
        whole = reader.learn(action.message)
        reader.settle(number)
        checks = tuple(
            (name, substitute(name, reader.values))
            for name in reader.values
            if name not in old and name in before
        )
        sender = reader.view(action.sender.agent) or action.sender.agent
        self.steps.append(StrandStep(substitute(whole, reader.values), sender, checks, ()))
        self._answer()

    def sent(self, number: int, action: MessageAction) -> None:
        reader = self.reader
        reader.make(action.message)
        if not self.steps:
            self.steps.append(StrandStep(None, None, (), ()))
        for view in reader.views.values():
            if view.kind is FRESH:
                self.born.setdefault(view, len(self.steps) - 1)
        message = reader.view(action.message)
        if message is None:
            raise RoleNotRunnable(reader.role, reader.lacks(action.message), number)
        sent = SentMessage(message, reader.view(action.receiver.agent) or action.receiver.agent)
        last = self.steps[-1]
        self.steps[-1] = StrandStep(last.receive, last.sender, last.checks, (*last.sends, sent))
        self._answer()

    def _answer(self) -> None:
        for number, goal in enumerate(self.protocol.goals):
            _, answering = _agreeing(goal)
            if answering == self.reader.role and number not in self.answers:
                claim = self._claim(number, goal, len(self.steps) - 1)
                if claim:
                    self.answers[number] = claim

    def _claim(self, number: int, goal: Goal, step: int) -> GoalClaim | None:
        whole = self.reader.view(pair(goal.message, *goal.agents))
        if whole is None:
            return None
        agents = tuple(view for view in map(self.reader.view, goal.agents) if view is not None)
        message = self.reader.view(goal.message)
        if message is not None:
            return GoalClaim(number, step, agents, message)
        return None

    def role(self) -> Role:
        reader = self.reader
        views = [(reader.view(one), reader.view(other)) for one, other in self.protocol.where]
        apart = tuple((one, other) for one, other in views if one is not None and other is not None)
        secrets = tuple(self._secrets()) if self.steps else ()
        asks = tuple(self._asks()) if self.steps else ()
        return Role(
            reader.role, tuple(self.steps), apart, secrets, asks, tuple(self.answers.values())
        )

    def _secrets(self) -> Iterator[GoalClaim]:
        for number, goal in enumerate(self.protocol.goals):
            if self.reader.role in _believers(goal):
                claim = self._claim(number, goal, len(self.steps) - 1)
                # who makes a secret believes in it at once, the others when they are done
                if claim:
                    step = self.born.get(claim.message, claim.step)
                    yield GoalClaim(number, step, claim.agents, claim.message)

    def _asks(self) -> Iterator[GoalClaim]:
        for number, goal in enumerate(self.protocol.goals):
            asking, _ = _agreeing(goal)
            if asking == self.reader.role:
                claim = self._claim(number, goal, len(self.steps) - 1)
                if claim is None:
                    raise RoleNotRunnable(self.reader.role, pair(goal.message, *goal.agents), None)
                yield claim


def _believers(goal: Goal) -> tuple[Term, ...]:
    """Who believes in a secret; whoever hears something confidential does not know from whom it
    is.
    """
    if goal.aim is GoalKind.CONFIDENTIAL:
        return goal.agents[:1]
    if goal.aim in (GoalKind.SECRET, GoalKind.SECURE):
        return goal.agents
    return ()


def _agreeing(goal: Goal) -> tuple[Term | None, Term | None]:
    """Who asks that the other ran with it, and who is asked; nobody for a secret."""
    if goal.aim in (GoalKind.AGREEMENT, GoalKind.WEAK_AGREEMENT):
        return goal.agents[0], goal.agents[1]
    if goal.aim in (GoalKind.AUTHENTIC, GoalKind.SECURE):
        return goal.agents[1], goal.agents[0]
    return None, None

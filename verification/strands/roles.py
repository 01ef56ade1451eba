"""Steps of each role: the messages that the role receives, checks and sends.

A role sees the parts of a message that it can open or build. Any other part is a variable for it,
and accepts any value. The role compares the value as soon as it has learnt enough to open or build
the part. After F. J. Thayer Fábrega, J. Herzog, J. Guttman, "Strand spaces", J. Computer Security 7
(1999), and S. Mödersheim, "Algebraic properties in Alice and Bob notation", ARES 2009.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from verification.effort import Effort
from verification.protocol_model import Goal, GoalKind, MessageAction, Protocol
from verification.strands.channels import without_channels
from verification.strands.role_knowledge import RoleKnowledge, RoleNotRunnable
from verification.terms import FRESH, Sort, Term, pair, substitute, variables
from verification.unification import Equation


@dataclass(frozen=True)
class SentMessage:
    """A sent message and its intended receiver."""

    message: Term
    receiver: Term


@dataclass(frozen=True)
class StrandStep:
    """A received message, if any, and all messages that the role sends before the next one
    arrives.
    """

    receive: Term | None
    sender: Term | None  # agent that the role takes for the sender of `receive`
    checks: tuple[Equation, ...]  # comparisons that have become possible with this message
    sends: tuple[SentMessage, ...]


@dataclass(frozen=True)
class GoalClaim:
    """Claim of a role about a goal, made after its step `step` (an index)."""

    goal: int
    step: int
    agents: tuple[Term, ...]  # in the order of the goal
    message: Term


@dataclass(frozen=True)
class Role:
    """A role as a strand. Its variables and its fresh values have the index 0."""

    agent: Term
    steps: tuple[StrandStep, ...]
    distinct: tuple[Equation, ...]  # pairs of terms that must differ
    secrets: tuple[GoalClaim, ...]
    asks: tuple[GoalClaim, ...]  # claims at the end that the partner ran with this role
    # claims that this role runs with its partner, made as early as possible
    answers: tuple[GoalClaim, ...]


def roles_of(
    protocol: Protocol, typed: bool = True, effort: Effort | None = None
) -> tuple[Role, ...]:
    """Calculate all roles, in the order of the section `Knowledge`. If not `typed`, a role accepts
    anything in place of a part that it cannot check.

    Raises:
        RoleNotRunnable: a role cannot build a message that it sends or claims, or no role can build a secret.
        OutOfBudget: the exponentials in initial knowledge can be equal in more ways than `effort` allows.
    """
    protocol = without_channels(protocol)
    makers = _makers(protocol)
    roles = tuple(
        _role(protocol, RoleKnowledge(knowledge.role, makers, typed, effort))
        for knowledge in protocol.knowledge
    )
    believed = {claim.goal for role in roles for claim in role.secrets}
    for number, goal in enumerate(protocol.goals):
        if _believers(goal) and number not in believed:
            raise RoleNotRunnable(_believers(goal)[0], pair(goal.message, *goal.agents), None)
    return roles


def shared_value(protocol: Protocol) -> tuple[Term, Term] | None:
    """Find a capital name in initial knowledge that is no agent. Return it with its role, or None.
    Another role may begin with a different value for such a name, which the engine does not
    support.
    """
    for knowledge in protocol.knowledge:
        for name in (name for term in knowledge.terms for name in variables(term)):
            if name.sort is not Sort.AGENT:
                return knowledge.role, name
    return None


def _makers(protocol: Protocol) -> dict[Term, Term]:
    """Map each fresh name to the role that makes its value: the first role that sends the name. A
    name in initial knowledge is not fresh.
    """
    makers: dict[Term, Term] = {}
    for action in protocol.actions:
        for name in variables(action.message):
            makers.setdefault(name, action.sender.agent)
    for knowledge in protocol.knowledge:
        for term in (knowledge.role, *knowledge.terms):
            for name in variables(term):
                makers.pop(name, None)
    return {name: maker for name, maker in makers.items() if name.sort is not Sort.AGENT}


def _role(protocol: Protocol, reader: RoleKnowledge) -> Role:
    agent = reader.role
    known = next(knowledge.terms for knowledge in protocol.knowledge if knowledge.role == agent)
    for term in dict.fromkeys((agent, *known)):
        reader.see(term, term)
    reader.settle(None)
    builder = _RoleBuilder(protocol, reader)
    for number, action in enumerate(protocol.actions):
        if action.receiver.agent == agent:
            builder.receive(number, action)
        if action.sender.agent == agent:
            builder.send(number, action)
    return builder.role()


@dataclass
class _RoleBuilder:
    """Builder for a role."""

    protocol: Protocol
    reader: RoleKnowledge
    steps: list[StrandStep] = field(default_factory=list)
    answers: dict[int, GoalClaim] = field(default_factory=dict)  # index of the goal -> claim
    # fresh value -> index of the step that makes it
    made_in: dict[Term, int] = field(default_factory=dict)

    def receive(self, number: int, action: MessageAction) -> None:
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

    def send(self, number: int, action: MessageAction) -> None:
        reader = self.reader
        reader.make(action.message)
        if not self.steps:
            self.steps.append(StrandStep(None, None, (), ()))
        for view in reader.views.values():
            if view.kind is FRESH:
                self.made_in.setdefault(view, len(self.steps) - 1)
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
                # The maker of a secret claims the secret at the step that makes it. Every other
                # role claims it at its last step.
                if claim:
                    step = self.made_in.get(claim.message, claim.step)
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
    """Return the roles that claim a secret. The receiver over a confidential channel does not,
    because it does not know the sender.
    """
    if goal.aim is GoalKind.CONFIDENTIAL:
        return goal.agents[:1]
    if goal.aim in (GoalKind.SECRET, GoalKind.SECURE):
        return goal.agents
    return ()


def _agreeing(goal: Goal) -> tuple[Term | None, Term | None]:
    """Return the role that claims an agreement, and the role that must have run. Both are None for
    a secret.
    """
    if goal.aim in (GoalKind.AGREEMENT, GoalKind.WEAK_AGREEMENT):
        return goal.agents[0], goal.agents[1]
    if goal.aim in (GoalKind.AUTHENTIC, GoalKind.SECURE):
        return goal.agents[1], goal.agents[0]
    return None, None

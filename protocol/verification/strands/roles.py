"""What each role receives, checks and sends: the strands behind the lines of a protocol.

A role sees of a message what it can open or build itself. The rest is a variable: the role takes anything for it, and
compares it as soon as it has learnt enough to open or build it. After F. J. Thayer Fábrega, J. Herzog, J. Guttman,
"Strand spaces", J. Computer Security 7 (1999), and S. Mödersheim, "Algebraic properties in Alice and Bob notation",
ARES 2009.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import takewhile

from protocol.verification.description import Action, Aim, Goal, Protocol
from protocol.verification.effort import Effort
from protocol.verification.strands.channels import without_channels
from protocol.verification.terms import (
    APPLY,
    ASYMMETRIC,
    CONSTANT,
    EXPONENT,
    FRESH,
    INVERSE,
    OF_KIND,
    PAIR,
    SYMMETRIC,
    Sort,
    Term,
    between,
    compositions,
    fresh,
    inverse,
    pair,
    rebuilt,
    substitute,
    text,
    variable,
    variables,
)
from protocol.verification.unify import Equation, unifiers


class CannotRun(Exception):
    """A role cannot build what it sends, or what a goal says of it.

    `role`, the `part` that it lacks, and `action`: the
    number of the line, counted from 0, or None for a goal.
    """

    def __init__(self, role: Term, part: Term, action: int | None) -> None:
        super().__init__(f"{text(role)} cannot build {text(part)}")
        self.role, self.part, self.action = role, part, action


@dataclass(frozen=True)
class Sent:
    """A message that goes out, and for whom it is meant."""

    message: Term
    receiver: Term


@dataclass(frozen=True)
class Step:
    """One message in, if any, and all that goes out before the next one comes in."""

    receive: Term | None
    sender: Term | None  # who is meant to have sent what is received
    checks: tuple[Equation, ...]  # what the role now compares that it could not compare before
    sends: tuple[Sent, ...]


@dataclass(frozen=True)
class Claim:
    """What a role says of itself once it has done `step` (counted from 0): an event that a goal is about."""

    goal: int
    step: int
    agents: tuple[Term, ...]  # as in the goal
    message: Term


@dataclass(frozen=True)
class Role:
    """A role as a strand, in variables of its own (index 0, what it makes new as well)."""

    agent: Term
    steps: tuple[Step, ...]
    apart: tuple[Equation, ...]  # terms that must differ
    secrets: tuple[Claim, ...]
    asks: tuple[Claim, ...]  # that somebody ran with it: at its end
    answers: tuple[Claim, ...]  # that it runs with somebody: as soon as it can


def roles_of(protocol: Protocol, typed: bool = True, effort: Effort | None = None) -> tuple[Role, ...]:
    """The roles, in the order in which knowledge is given. Not `typed`: they take anything for what they cannot check.

    Raises:
        CannotRun: a role cannot build what it is to send, or what it asks of another; nobody can build a secret.
        OutOfBudget: exponentials that a role begins with equal others in more ways than `effort` allows.
    """
    protocol = without_channels(protocol)
    makers = _makers(protocol)
    roles = tuple(_role(protocol, _Reader(knowledge.role, makers, typed, effort)) for knowledge in protocol.knowledge)
    believed = {claim.goal for role in roles for claim in role.secrets}
    for number, goal in enumerate(protocol.goals):
        if _believers(goal) and number not in believed:
            raise CannotRun(_believers(goal)[0], pair(goal.message, *goal.agents), None)
    return roles


def shared_value(protocol: Protocol) -> tuple[Term, Term] | None:
    """A role and a capital name, no agent, in its knowledge: other roles might begin with another value."""
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


@dataclass
class _Reader:
    """What a role knows while it goes through the actions."""

    role: Term
    makers: dict[Term, Term]
    typed: bool
    effort: Effort | None
    views: dict[Term, Term] = field(default_factory=dict)  # message as described -> as the role sees it
    values: dict[Term, Term] = field(default_factory=dict)  # what it has found out about its variables
    names: set[Term] = field(default_factory=set)  # all variables that its views have or had
    done: set[Term] = field(default_factory=set)  # what is opened, or rebuilt
    unnamed: int = 0
    _places: dict[Term, int] = field(default_factory=dict)  # of terms in views
    _new: set[Term] = field(default_factory=set)  # terms in views that are to be looked at
    _built: dict[Term, Term] = field(default_factory=dict)  # what `view` found since the last change
    _lacking: set[Term] = field(default_factory=set)  # what cannot be built
    _needed: dict[Term, set[Term]] = field(default_factory=dict)  # what is lacking -> what needs it
    _powers: dict[Term, list[Term]] = field(default_factory=dict)  # exponentials in views, by base
    _raised: dict[Term, dict[Term, list[Term]]] = field(default_factory=dict)  # lacking ones, by base

    def see(self, term: Term, view: Term) -> None:
        """Note how the role sees a term; look again at all that could not be built without the term."""
        self._places[term] = len(self._places)
        self.views[term] = view
        self.names.update(variables(view))
        self._built.clear()
        self._new.add(term)
        found = [term]
        if term.kind is EXPONENT:
            self._powers.setdefault(term.args[0], []).append(term)
            powers = term.args[1:]
            waiting = self._raised.get(term.args[0], {}).items()
            found += [one for one, lacks in waiting if between(lacks, powers, one.args[1:])]
        while found:
            there = found.pop()
            self._lacking.discard(there)
            needs = self._needed.pop(there, ())
            self._new.update(other for other in needs if other in self.views)
            found += needs

    def view(self, term: Term) -> Term | None:
        """How the role builds a term from what it knows, or None."""
        if term in self._lacking:
            return None
        found = self._built.get(term)
        if found is None:
            if term in self.views:
                found = substitute(self.views[term], self.values)
            elif term.kind is CONSTANT and term.sort in (Sort.FORMAT, Sort.AGENT):
                found = term
            else:
                found = self._composed(term)
            if found is None:
                self._lacking.add(term)
            else:
                self._built[term] = found
        return found

    def _composed(self, term: Term) -> Term | None:
        if not term.args or term.kind is INVERSE:
            return None
        if term.kind is EXPONENT and not self._can_raise(term):
            return None
        for args in compositions(term):
            if self.effort is not None:
                self.effort.step()
            views = list(takewhile(bool, (self._part(arg, term) for arg in args)))
            if len(views) == len(args):
                return rebuilt(term, tuple(view for view in views if view is not None))
        return None

    def _can_raise(self, power: Term) -> bool:
        """Tell whether the role has an exponential's base, or fewer exponents on it, and can build the others."""
        base, *exponents = power.args
        lacks = [one for one in exponents if self._part(one, power) is None]
        if not lacks and self._part(base, power) is not None:
            return True
        if any(between(lacks, one.args[1:], exponents) for one in self._powers.get(base, ())):
            return True
        self._raised.setdefault(base, {})[power] = lacks
        return False

    def _part(self, part: Term, whole: Term) -> Term | None:
        """How the role builds a part of a term, or None: then the term is looked at again with the part."""
        found = self.view(part)
        if found is None:
            self._needed.setdefault(part, set()).add(whole)
        return found

    def learn(self, term: Term) -> Term:
        """The role's view of a part that comes in: built if it can be, else a variable, opened later if it can be."""
        seen = self.view(term)
        if seen is None:
            seen = self._variable(term)
            self.see(term, seen)
        return seen

    def _variable(self, term: Term) -> Term:
        if not term.args:
            return variable(term.name, term.sort if self.typed else Sort.UNTYPED)
        self.unnamed += 1
        return variable(f"_{self.unnamed}", OF_KIND.get(term.kind, Sort.UNTYPED) if self.typed else Sort.UNTYPED)

    def settle(self, action: int | None) -> None:
        """Find out all that what is known says about the variables."""
        new = next(unifiers(tuple(self.look()), self.values, self.effort), None)
        if new is None:
            raise CannotRun(self.role, self.role, action)
        self.values = dict(new)
        self._built.clear()

    def look(self) -> list[Equation]:
        """Open and rebuild all that has become possible; the equations that it amounts to."""
        found: list[Equation] = []
        while self._new:
            terms = sorted(self._new, key=self._places.__getitem__)
            self._new.clear()
            found += [equation for term in terms for equation in self._looked_at(term)]
        return found

    def _looked_at(self, term: Term) -> Iterator[Equation]:
        if term in self.done or not term.args:
            return
        seen, own = self.views[term], self._opened(term)
        if own is None:
            own = self._composed(term)
        if own is not None:
            self.done.add(term)
            yield (seen, own)

    def _opened(self, term: Term) -> Term | None:
        """The term in views of its parts, new ones where it can be opened."""
        if term.kind is PAIR:
            return rebuilt(term, (self.learn(term.args[0]), self.learn(term.args[1])))
        if term.kind is APPLY and term.args[0].sort is Sort.FORMAT:
            return rebuilt(term, (term.args[0], self.learn(term.args[1])))
        if term.kind not in (SYMMETRIC, ASYMMETRIC):
            return None
        key = term.args[1] if term.kind is SYMMETRIC else inverse(term.args[1])
        own = self._part(key, term)
        if own is None:
            return None
        return rebuilt(term, (self.learn(term.args[0]), own if term.kind is SYMMETRIC else inverse(own)))

    def make(self, term: Term) -> None:
        """Make what the role is the one to make new in a message."""
        for name in variables(term):
            if self.makers.get(name) == self.role and name not in self.views:
                made = fresh(name.name, name.sort, 0)
                self.see(name, made)
                if name.sort is Sort.PUBLIC_KEY:
                    self.see(inverse(name), inverse(made))

    def lacks(self, term: Term) -> Term:
        """The first part of a term that cannot be built and that nothing can be built for."""
        missing = [arg for arg in term.args if self.view(arg) is None]
        return self.lacks(missing[0]) if missing and term.kind is not INVERSE else term


def _role(protocol: Protocol, reader: _Reader) -> Role:
    agent = reader.role
    known = next(knowledge.terms for knowledge in protocol.knowledge if knowledge.role == agent)
    for term in dict.fromkeys((agent, *known)):
        reader.see(term, term)
    reader.settle(None)
    made = _Made(protocol, reader)
    for number, action in enumerate(protocol.actions):
        if action.receiver.agent == agent:
            made.received(number, action)
        if action.sender.agent == agent:
            made.sent(number, action)
    return made.role()


@dataclass
class _Made:
    """A role in the making."""

    protocol: Protocol
    reader: _Reader
    steps: list[Step] = field(default_factory=list)
    answers: dict[int, Claim] = field(default_factory=dict)  # by goal
    born: dict[Term, int] = field(default_factory=dict)  # what is made new, in which step

    def received(self, number: int, action: Action) -> None:
        reader = self.reader
        old, before = set(reader.values), set(reader.names)
        whole = reader.learn(action.message)
        reader.settle(number)
        checks = tuple(
            (name, substitute(name, reader.values)) for name in reader.values if name not in old and name in before
        )
        sender = reader.view(action.sender.agent) or action.sender.agent
        self.steps.append(Step(substitute(whole, reader.values), sender, checks, ()))
        self._answer()

    def sent(self, number: int, action: Action) -> None:
        reader = self.reader
        reader.make(action.message)
        if not self.steps:
            self.steps.append(Step(None, None, (), ()))
        for view in reader.views.values():
            if view.kind is FRESH:
                self.born.setdefault(view, len(self.steps) - 1)
        message = reader.view(action.message)
        if message is None:
            raise CannotRun(reader.role, reader.lacks(action.message), number)
        sent = Sent(message, reader.view(action.receiver.agent) or action.receiver.agent)
        last = self.steps[-1]
        self.steps[-1] = Step(last.receive, last.sender, last.checks, (*last.sends, sent))
        self._answer()

    def _answer(self) -> None:
        for number, goal in enumerate(self.protocol.goals):
            _, answering = _agreeing(goal)
            if answering == self.reader.role and number not in self.answers:
                claim = self._claim(number, goal, len(self.steps) - 1)
                if claim:
                    self.answers[number] = claim

    def _claim(self, number: int, goal: Goal, step: int) -> Claim | None:
        whole = self.reader.view(pair(goal.message, *goal.agents))
        if whole is None:
            return None
        agents = tuple(view for view in map(self.reader.view, goal.agents) if view is not None)
        message = self.reader.view(goal.message)
        return Claim(number, step, agents, message) if message is not None else None

    def role(self) -> Role:
        reader = self.reader
        views = [(reader.view(one), reader.view(other)) for one, other in self.protocol.where]
        apart = tuple((one, other) for one, other in views if one is not None and other is not None)
        secrets = tuple(self._secrets()) if self.steps else ()
        asks = tuple(self._asks()) if self.steps else ()
        return Role(reader.role, tuple(self.steps), apart, secrets, asks, tuple(self.answers.values()))

    def _secrets(self) -> Iterator[Claim]:
        for number, goal in enumerate(self.protocol.goals):
            if self.reader.role in _believers(goal):
                claim = self._claim(number, goal, len(self.steps) - 1)
                if claim:  # who makes a secret believes in it at once, the others when they are done
                    step = self.born.get(claim.message, claim.step)
                    yield Claim(number, step, claim.agents, claim.message)

    def _asks(self) -> Iterator[Claim]:
        for number, goal in enumerate(self.protocol.goals):
            asking, _ = _agreeing(goal)
            if asking == self.reader.role:
                claim = self._claim(number, goal, len(self.steps) - 1)
                if claim is None:
                    raise CannotRun(self.reader.role, pair(goal.message, *goal.agents), None)
                yield claim


def _believers(goal: Goal) -> tuple[Term, ...]:
    """Who believes in a secret; whoever hears something confidential does not know from whom it is."""
    if goal.aim is Aim.CONFIDENTIAL:
        return goal.agents[:1]
    return goal.agents if goal.aim in (Aim.SECRET, Aim.SECURE) else ()


def _agreeing(goal: Goal) -> tuple[Term | None, Term | None]:
    """Who asks that the other ran with it, and who is asked; nobody for a secret."""
    if goal.aim in (Aim.AGREEMENT, Aim.WEAK_AGREEMENT):
        return goal.agents[0], goal.agents[1]
    if goal.aim in (Aim.AUTHENTIC, Aim.SECURE):
        return goal.agents[1], goal.agents[0]
    return None, None

"""What can happen in a game against a protocol: strands, names, and what the intruder can say."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import count, islice, product
from string import ascii_lowercase

from protocol.limits import MAX_INTRUDER_INVENTIONS, MAX_INTRUDER_PEOPLE, MAX_INTRUDER_STEPS
from verification.effort import Effort, OutOfBudget
from verification.engine.deduction import Deduction
from verification.engine.goals import asked_place
from verification.game.costs import (
    TooCostly,
    check_beginnings,
    check_exponents,
    check_said,
    check_text,
)
from verification.game.state import IntruderState, Values
from verification.notation.ground_terms import atoms_in
from verification.notation.protocol_parser import protocol_of
from verification.notation.tokens import tokenize
from verification.protocol_model import Goal, GoalKind
from verification.strands.reader import RoleNotRunnable
from verification.strands.roles import GoalClaim, StrandStep, shared_value
from verification.strands.scenario import INTRUDER, Scenario, Strand, renumbered, scenario_of
from verification.terms import (
    DECLARED,
    OF_KIND,
    PAIR,
    Sort,
    Term,
    constant,
    count_names,
    pair,
    substitute,
    symmetric,
    text,
    variables,
)
from verification.unification import fits, unifiers

# people are who they are, and functions are the protocol's
NOT_INVENTED = (Sort.AGENT, Sort.FUNCTION, Sort.FORMAT)
KEPT = 32  # arenas that are not made anew; a program has a few games at once
# for which it is kept what the intruder can say; a move asks for two, a screen for one
KEPT_STATES = 8


@lru_cache(KEPT)
def arena_of(written: str, sessions: int, typed: bool) -> "Arena":
    """The arena of a protocol's text. Raises: NotationError, RoleNotRunnable, TooCostly."""
    found = tokenize(written)
    check_text(found, sessions)
    protocol = protocol_of(found)
    shared = shared_value(protocol)
    if shared is not None:
        raise RoleNotRunnable(*shared, None)
    check_exponents(protocol)
    try:
        arena = Arena(scenario_of(protocol, sessions, typed, Effort(0, MAX_INTRUDER_STEPS)))
    except OutOfBudget:
        raise TooCostly from None
    check_beginnings(protocol, len(arena.people))
    return arena


@lru_cache(KEPT_STATES)
def _deduction(arena: "Arena", state: IntruderState) -> Deduction:
    return arena.beginning.also(arena.heard(state))


@dataclass(frozen=True, eq=False)
class Arena:
    """A scenario with names for people, in which every message is ground."""

    scenario: Scenario

    @property
    def strands(self) -> tuple[Strand, ...]:
        """All strands of the bound."""
        return self.scenario.strands

    @property
    def goals(self) -> tuple[Goal, ...]:
        """All goals."""
        return self.scenario.protocol.goals

    def start(self) -> IntruderState:
        """Before any strand has begun."""
        nobody = len(self.strands)
        return IntruderState(agents=((),) * nobody, done=(0,) * nobody)

    def roles(self, number: int) -> tuple[Term, ...]:
        """The agents that a strand chooses when it begins: its own first, then whom it is to deal
        with.
        """
        return self._roles[number]

    @cached_property
    def _roles(self) -> tuple[tuple[Term, ...], ...]:
        return tuple(map(self._chosen, self.strands))

    def _chosen(self, strand: Strand) -> tuple[Term, ...]:
        knows = self.scenario.protocol.knowledge[strand.role]
        names = dict.fromkeys(
            name for term in (knows.role, *knows.terms) for name in variables(term)
        )
        return tuple(renumbered(name, strand.number) for name in names if name.sort is Sort.AGENT)

    @cached_property
    def people(self) -> tuple[Term, ...]:
        """Honest people, as many as there can be; no name in the protocol is theirs."""
        taken = {*self.atoms_of_protocol, text(INTRUDER)}
        names = (
            letter + (str(more) if more else "") for more in count() for letter in ascii_lowercase
        )
        wanted = min(
            MAX_INTRUDER_PEOPLE, sum(len(self.roles(number)) for number in range(len(self.strands)))
        )
        return tuple(
            constant(name, Sort.AGENT)
            for name in islice((one for one in names if one not in taken), wanted)
        )

    @cached_property
    def atoms_of_protocol(self) -> Mapping[str, Term]:
        """All names in the scenario that are no variables, as they are written."""
        sent = (
            sent.message for strand in self.strands for step in strand.steps for sent in step.sends
        )
        received = (
            step.receive
            for strand in self.strands
            for step in strand.steps
            if step.receive is not None
        )
        begin = sorted(self.scenario.begin, key=text)
        return atoms_in((*begin, *sent, *received, *(strand.agent for strand in self.strands)))

    @cached_property
    def inventions(self) -> Mapping[Sort, tuple[Term, ...]]:
        """Things of each type that the intruder has made up; he has more of them than any attack
        takes.
        """
        names = (
            (sort, f"{sort.value.lower()}_of_i") for sort in DECLARED if sort not in NOT_INVENTED
        )
        return {
            sort: tuple(
                constant(f"{name}{more or ''}", sort) for more in range(MAX_INTRUDER_INVENTIONS)
            )
            for sort, name in names
        }

    @cached_property
    def atoms(self) -> Mapping[str, Term]:
        """All names that a message may be made of."""
        made = (one for several in self.inventions.values() for one in several)
        return {
            **self.atoms_of_protocol,
            **{text(name): name for name in (*self.people, INTRUDER, *made)},
        }

    def cast(self, state: IntruderState, number: int, agents: tuple[Term, ...]) -> Values | None:
        """The values with which a strand begins with these agents. Raises: TooCostly.

        None: the strand cannot begin, or not with these.
        """
        if not 0 <= number < len(self.strands) or state.agents[number]:
            return None
        strand = self.strands[number]
        roles = self.roles(number)
        if len(agents) != len(roles):
            return None
        values = dict(zip(roles, agents, strict=True))
        if self._together(strand, values):
            return None
        if strand.begins:
            check_said(state.said + self._says(state, number, values))
        return frozenset(values.items())

    def run(
        self, state: IntruderState, number: int, agents: tuple[Term, ...]
    ) -> IntruderState | None:
        """After a strand has begun; None if these agents cannot be. Raises: TooCostly."""
        values = self.cast(state, number, agents)
        if values is None:
            return None
        strand = self.strands[number]
        state = state.begun(number, agents or (strand.agent,), values)
        if strand.begins:
            return self._stepped(state, number, values)
        return state

    def _together(self, strand: Strand, values: Mapping[Term, Term]) -> bool:
        """Whether two are the same that must not be."""
        return any(
            substitute(one, values) == substitute(other, values) for one, other in strand.apart
        )

    def awaited_step(self, state: IntruderState, number: int) -> StrandStep | None:
        """The step of a strand that a message is wanted for; None if it wants none."""
        strand = self.strands[number]
        done = state.done[number]
        if state.agents[number] and done < len(strand.steps):
            return strand.steps[done]
        return None

    def receipt(self, state: IntruderState, number: int, message: Term) -> Values | None:
        """The values with which a strand receives a message. Raises: TooCostly.

        None: the strand does not take the message, or the intruder cannot say it.
        """
        if 0 <= number < len(self.strands):
            values = self._taken(state, number, message)
        else:
            values = None
        if values is None or not self.deduction(state).can_derive(message):
            return None
        check_said(state.said + self._says(state, number, values))
        return frozenset(values.items())

    def _taken(
        self, state: IntruderState, number: int, message: Term
    ) -> Mapping[Term, Term] | None:
        """The values with which a strand takes a message; there is one way at most.

        A variable without a value stands somewhere in what is received, or in what can be opened
        now, outside of exponentials: what nobody can take apart gives no value to anything. So
        exponentials, which are compared last, have no variables, and the budget of steps is never
        used up.
        """
        step = self.awaited_step(state, number)
        if step is None or step.receive is None:
            return None
        alike = (*step.checks, (step.receive, message))
        strand = self.strands[number]
        effort = Effort(0, MAX_INTRUDER_STEPS)
        try:
            for values in unifiers(alike, self._values(state, number), effort):
                ground = {name: substitute(name, values) for name in values}
                if all(value.ground for value in ground.values()) and not self._together(
                    strand, ground
                ):
                    return ground
        except OutOfBudget:
            raise TooCostly from None
        return None

    def _values(self, state: IntruderState, number: int) -> dict[Term, Term]:
        """The values of a strand's own variables."""
        own = self.strands[number].number
        return {name: value for name, value in state.values if name.index == own}

    def sent(self, state: IntruderState, number: int, message: Term) -> IntruderState | None:
        """After a strand has received a message of the intruder's. Raises: TooCostly.

        None: the strand does not take the message, or the intruder cannot say it.
        """
        values = self.receipt(state, number, message)
        if values is None:
            return None
        return self._stepped(state, number, values)

    def _stepped(self, state: IntruderState, number: int, values: Values) -> IntruderState:
        """After a step of a strand; and whether a goal is broken by it."""
        said = self._says(state, number, dict(values))
        after = state.stepped(number, values, said)
        broken = broken_goal(self.goals, self.strands, after, self.deduction(after))
        return replace(after, broken=broken)

    def _says(self, state: IntruderState, number: int, values: Mapping[Term, Term]) -> int:
        """The number of names that a strand sends and claims in its next step."""
        strand = self.strands[number]
        done = state.done[number]
        messages = [sent.message for sent in strand.steps[done].sends]
        for claims in (strand.secrets, strand.asks, strand.answers):
            messages += [claim.message for claim in claims if claim.step == done]
        counted: dict[Term, int] = {}
        return sum(count_names(message, values, counted) for message in messages)

    def seen(self, state: IntruderState, term: Term) -> Term:
        """A term of a strand with all that is settled."""
        return substitute(term, dict(state.values))

    def said(self, state: IntruderState, number: int) -> tuple[Term, ...]:
        """What a strand has sent."""
        values = self._values(state, number)
        steps = self.strands[number].steps[: state.done[number]]
        return tuple(substitute(sent.message, values) for step in steps for sent in step.sends)

    def heard(self, state: IntruderState) -> tuple[Term, ...]:
        """All that has been sent, in the order in which the intruder heard it."""
        told: list[Term] = []
        done = [0] * len(self.strands)
        values = dict(state.values)
        for number in state.moved:
            step = self.strands[number].steps[done[number]]
            told += [substitute(sent.message, values) for sent in step.sends]
            done[number] += 1
        return tuple(told)

    @cached_property
    def beginning(self) -> Deduction:
        """All that the intruder can say before anything has been sent."""
        return Deduction(self.begin)

    def deduction(self, state: IntruderState) -> Deduction:
        """All that the intruder can say."""
        return _deduction(self, state)

    def done(self, state: IntruderState) -> bool:
        """Whether every strand has come to its end."""
        return all(
            done == len(strand.steps) for strand, done in zip(self.strands, state.done, strict=True)
        )

    def named(self, names: Sequence[str]) -> tuple[Term, ...] | None:
        """Agents by their names; None if one is nobody's."""
        known = {text(name): name for name in (*self.people, INTRUDER)}
        if set(names) <= set(known):
            return tuple(known[name] for name in names)
        return None

    @cached_property
    def everybody(self) -> tuple[Term, ...]:
        """All agents: honest people, the intruder, and those whom the protocol names."""
        fixed = (atom for atom in self.atoms_of_protocol.values() if atom.sort is Sort.AGENT)
        return tuple(dict.fromkeys((*self.people, INTRUDER, *fixed)))

    @cached_property
    def begin(self) -> tuple[Term, ...]:
        """What the intruder knows at first: of what he knows of everybody, that of all people there
        are.
        """
        found: dict[Term, None] = {}
        for term in sorted(self.scenario.begin, key=text):
            free = tuple(dict.fromkeys(variables(term)))
            for people in product(self.everybody, repeat=len(free)):
                found[substitute(term, dict(zip(free, people, strict=True)))] = None
        made = (one for several in self.inventions.values() for one in several)
        return (*found, *made)

    def fillings(self, state: IntruderState, sort: Sort) -> list[Term]:
        """Simple messages that can stand for a variable of a sort: names first, then things
        heard.
        """
        can = self.deduction(state)
        met = {name for agents in state.agents for name in agents}
        people = [name for name in self.people if name in met]
        names = [
            atom
            for atom in self.atoms_of_protocol.values()
            if atom not in people and can.can_derive(atom)
        ]
        made = [several[0] for several in self.inventions.values()]
        heard = [term for term in self.knowledge(state) if sort in OF_KIND.values() and term.args]
        own = [symmetric(one, one) for one in self.inventions[Sort.SYMMETRIC_KEY][:1]]
        wanted = dict.fromkeys((*people, *names, *made, *heard, *own))
        return [term for term in wanted if fits(sort, term)]

    def knowledge(self, state: IntruderState) -> tuple[Term, ...]:
        """What the intruder has, opened as far as it goes, in the order in which he came by it; no
        lists.
        """
        return tuple(term for term in self.deduction(state).known_terms if term.kind is not PAIR)


def broken_goal(
    goals: tuple[Goal, ...], strands: tuple[Strand, ...], state: IntruderState, can: Deduction
) -> int | None:
    """Return the number, from 0, of a goal that does not hold any more after the last step.

    Every value is known in a game, so goals are counted here, and not asked of the search.
    """
    values = dict(state.values)
    told = (
        claim for strand in strands for claim in _claims_made(strand.secrets, strand, state, values)
    )
    broken = {
        claim.goal
        for claim in told
        if INTRUDER not in claim.agents and can.can_derive(claim.message)
    }
    moved = strands[state.moved[-1]]
    # what others ask was answered when they came to their end
    for ask in _claims_made(moved.asks, moved, state, values):
        asks = [
            claim
            for strand in strands
            for claim in _claims_made(strand.asks, strand, state, values, ask.goal)
        ]
        answers = [
            claim
            for strand in strands
            for claim in _claims_made(strand.answers, strand, state, values, ask.goal)
        ]
        if _unanswered(goals[ask.goal], ask, asks, answers):
            broken.add(ask.goal)
    return min(broken, default=None)


def _claims_made(
    claims: tuple[GoalClaim, ...],
    strand: Strand,
    state: IntruderState,
    values: Mapping[Term, Term],
    only: int | None = None,
) -> Iterator[GoalClaim]:
    """Yield the claims of a strand by now, with their values; `only`: about one goal."""
    for goal, step, agents, message in (
        (claim.goal, claim.step, claim.agents, claim.message) for claim in claims
    ):
        if step < state.done[strand.number - 1] and only in (None, goal):
            yield GoalClaim(
                goal,
                step,
                tuple(substitute(agent, values) for agent in agents),
                substitute(message, values),
            )


def _unanswered(
    goal: Goal, ask: GoalClaim, asks: list[GoalClaim], answers: list[GoalClaim]
) -> bool:
    """Check that nobody honest has run for this claim; or, unless the goal is weak, fewer people
    than rely on it.
    """
    if ask.agents[asked_place(goal)] == INTRUDER:
        return False
    if goal.aim is GoalKind.AGREEMENT:
        wanted = sum(_whole(other) == _whole(ask) for other in asks)
    else:
        wanted = 1
    return sum(_whole(answer) == _whole(ask) for answer in answers) < wanted


def _whole(claim: GoalClaim) -> tuple[int, Term]:
    return claim.goal, pair(claim.message, *claim.agents)

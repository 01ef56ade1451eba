"""Scenario of a game against a protocol: strands, names, possible messages, and the state after each
step.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import count, islice, product
from string import ascii_lowercase
from typing import NamedTuple

from protocol.limits import (
    MAX_INTRUDER_ENTRY_STEPS,
    MAX_INTRUDER_INVENTIONS,
    MAX_INTRUDER_PEOPLE,
)
from verification.effort import Effort, OutOfBudget
from verification.engine.deduction import Deduction
from verification.engine.goals import asked_index
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
from verification.strands.role_knowledge import RoleNotRunnable
from verification.strands.roles import GoalClaim, StrandStep, shared_value
from verification.strands.scenario import INTRUDER, Scenario, Strand, renumber, scenario_of
from verification.terms import (
    DECLARABLE_SORTS,
    PAIR,
    SORT_OF_KIND,
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

# the intruder cannot invent agents, nor functions of the protocol
NOT_INVENTED = (Sort.AGENT, Sort.FUNCTION, Sort.FORMAT)
# size of the cache of game scenarios; a program has only a few games at once
SCENARIO_CACHE_SIZE = 32
# size of the cache of deductions; a move needs those of two states, a screen that of one
DEDUCTION_CACHE_SIZE = 8


@lru_cache(SCENARIO_CACHE_SIZE)
def make_game_scenario(written: str, sessions: int, typed: bool) -> "GameScenario":
    """Make the scenario for the text of a protocol. Raises: NotationError, RoleNotRunnable,
    TooCostly.
    """
    found = tokenize(written)
    check_text(found, sessions)
    protocol = protocol_of(found)
    shared = shared_value(protocol)
    if shared is not None:
        raise RoleNotRunnable(*shared, None)
    check_exponents(protocol)
    try:
        scenario = GameScenario(
            scenario_of(protocol, sessions, typed, Effort(0, MAX_INTRUDER_ENTRY_STEPS))
        )
    except OutOfBudget:
        raise TooCostly from None
    check_beginnings(protocol, len(scenario.people))
    return scenario


@lru_cache(DEDUCTION_CACHE_SIZE)
def _deduction(scenario: "GameScenario", state: IntruderState) -> Deduction:
    return scenario.initial_deduction.with_terms(scenario.all_messages(state))


class BrokenClaim(NamedTuple):
    """A claim that is wrong, and the agent that made it."""

    victim: Term
    claim: GoalClaim
    learnt: bool  # the intruder knows the message; else the other agent did not take part


@dataclass(frozen=True, eq=False)
class GameScenario:
    """A scenario with names for agents. Every message in the game is without variables."""

    strand_scenario: Scenario

    @property
    def strands(self) -> tuple[Strand, ...]:
        """Strands of all sessions."""
        return self.strand_scenario.strands

    @property
    def goals(self) -> tuple[Goal, ...]:
        """Goals of the protocol."""
        return self.strand_scenario.protocol.goals

    def first_state(self) -> IntruderState:
        """Return the state before any strand begins."""
        nobody = len(self.strands)
        return IntruderState(agents=((),) * nobody, done=(0,) * nobody)

    def roles(self, number: int) -> tuple[Term, ...]:
        """Return the variables for the agents of a strand: first its own agent, then its
        partners.
        """
        return self._roles[number]

    @cached_property
    def _roles(self) -> tuple[tuple[Term, ...], ...]:
        return tuple(map(self._chosen, self.strands))

    def _chosen(self, strand: Strand) -> tuple[Term, ...]:
        knows = self.strand_scenario.protocol.knowledge[strand.role]
        names = dict.fromkeys(
            name for term in (knows.role, *knows.terms) for name in variables(term)
        )
        return tuple(renumber(name, strand.number) for name in names if name.sort is Sort.AGENT)

    @cached_property
    def people(self) -> tuple[Term, ...]:
        """Names of honest agents, as many as can take part. None of them occurs in the protocol."""
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
        """Constants and fresh values of the scenario, by their text."""
        sent = (
            sent.message for strand in self.strands for step in strand.steps for sent in step.sends
        )
        received = (
            step.receive
            for strand in self.strands
            for step in strand.steps
            if step.receive is not None
        )
        begin = sorted(self.strand_scenario.initial_knowledge, key=text)
        return atoms_in((*begin, *sent, *received, *(strand.agent for strand in self.strands)))

    @cached_property
    def inventions(self) -> Mapping[Sort, tuple[Term, ...]]:
        """Values of each sort that the intruder has invented, more than any attack needs."""
        names = (
            (sort, f"{sort.value.lower()}_of_i")
            for sort in DECLARABLE_SORTS
            if sort not in NOT_INVENTED
        )
        return {
            sort: tuple(
                constant(f"{name}{more or ''}", sort) for more in range(MAX_INTRUDER_INVENTIONS)
            )
            for sort, name in names
        }

    @cached_property
    def atoms(self) -> Mapping[str, Term]:
        """Atoms that a message may contain, by their text."""
        made = (one for several in self.inventions.values() for one in several)
        return {
            **self.atoms_of_protocol,
            **{text(name): name for name in (*self.people, INTRUDER, *made)},
        }

    def start_values(
        self, state: IntruderState, number: int, agents: tuple[Term, ...]
    ) -> Values | None:
        """Return the values with which a strand begins with these agents. Raises: TooCostly.

        Return None if the strand cannot begin, or not with these agents.
        """
        if not 0 <= number < len(self.strands) or state.agents[number]:
            return None
        strand = self.strands[number]
        roles = self.roles(number)
        if len(agents) != len(roles):
            return None
        values = dict(zip(roles, agents, strict=True))
        if self._has_equal_terms(strand, values):
            return None
        if strand.begins:
            check_said(state.said + self._count_next_names(state, number, values))
        return frozenset(values.items())

    def begin_strand(
        self, state: IntruderState, number: int, agents: tuple[Term, ...]
    ) -> IntruderState | None:
        """Return the state after a strand begins, or None if it cannot begin with these agents.
        Raises: TooCostly.
        """
        values = self.start_values(state, number, agents)
        if values is None:
            return None
        strand = self.strands[number]
        state = state.after_begin(number, agents or (strand.agent,), values)
        if strand.begins:
            return self._after_step(state, number, values)
        return state

    def _has_equal_terms(self, strand: Strand, values: Mapping[Term, Term]) -> bool:
        """Check for two equal terms that must differ."""
        return any(
            substitute(one, values) == substitute(other, values) for one, other in strand.distinct
        )

    def awaited_step(self, state: IntruderState, number: int) -> StrandStep | None:
        """Return the step for which a strand waits for a message, or None."""
        strand = self.strands[number]
        done = state.done[number]
        if state.agents[number] and done < len(strand.steps):
            return strand.steps[done]
        return None

    def accepted_values(self, state: IntruderState, number: int, message: Term) -> Values | None:
        """Return the values with which a strand receives a message. Raises: TooCostly.

        Return None if the strand does not accept the message, or if the intruder cannot say it.
        """
        if 0 <= number < len(self.strands):
            values = self._unify_message(state, number, message)
        else:
            values = None
        if values is None or not self.deduction(state).can_derive(message):
            return None
        check_said(state.said + self._count_next_names(state, number, values))
        return frozenset(values.items())

    def _unify_message(
        self, state: IntruderState, number: int, message: Term
    ) -> Mapping[Term, Term] | None:
        """Return the values with which a strand accepts a message. At most one solution exists.

        Each variable without a value occurs outside exponentials, in the received message or in a
        part that can be opened now. A part that cannot be opened gives no value to a variable. So
        exponentials, which are compared last, have no variables, and the budget of steps is never
        used up.
        """
        step = self.awaited_step(state, number)
        if step is None or step.receive is None:
            return None
        alike = (*step.checks, (step.receive, message))
        strand = self.strands[number]
        effort = Effort(0, MAX_INTRUDER_ENTRY_STEPS)
        try:
            for values in unifiers(alike, self._values(state, number), effort):
                ground = {name: substitute(name, values) for name in values}
                if all(value.ground for value in ground.values()) and not self._has_equal_terms(
                    strand, ground
                ):
                    return ground
        except OutOfBudget:
            raise TooCostly from None
        return None

    def _values(self, state: IntruderState, number: int) -> dict[Term, Term]:
        """Return the values of a strand's variables."""
        own = self.strands[number].number
        return {name: value for name, value in state.values if name.index == own}

    def deliver(self, state: IntruderState, number: int, message: Term) -> IntruderState | None:
        """Return the state after a strand receives a message of the intruder. Raises: TooCostly.

        Return None if the strand does not accept the message, or if the intruder cannot say it.
        """
        values = self.accepted_values(state, number, message)
        if values is None:
            return None
        return self._after_step(state, number, values)

    def _after_step(self, state: IntruderState, number: int, values: Values) -> IntruderState:
        """Return the state after a step of a strand, with the goal that the step breaks, if any."""
        said = self._count_next_names(state, number, dict(values))
        after = state.after_step(number, values, said)
        broken = find_broken_goal(self.goals, self.strands, after, self.deduction(after))
        return replace(after, broken=broken)

    def _count_next_names(
        self, state: IntruderState, number: int, values: Mapping[Term, Term]
    ) -> int:
        """Count the names that a strand sends and claims in its next step."""
        strand = self.strands[number]
        done = state.done[number]
        messages = [sent.message for sent in strand.steps[done].sends]
        for claims in (strand.secrets, strand.asks, strand.answers):
            messages += [claim.message for claim in claims if claim.step == done]
        counted: dict[Term, int] = {}
        return sum(count_names(message, values, counted) for message in messages)

    def fill_in(self, state: IntruderState, term: Term) -> Term:
        """Return a term of a strand with all known values filled in."""
        return substitute(term, dict(state.values))

    def sent_messages(self, state: IntruderState, number: int) -> tuple[Term, ...]:
        """Return the messages that a strand has sent."""
        values = self._values(state, number)
        steps = self.strands[number].steps[: state.done[number]]
        return tuple(substitute(sent.message, values) for step in steps for sent in step.sends)

    def all_messages(self, state: IntruderState) -> tuple[Term, ...]:
        """Return all sent messages in order. The intruder hears every message."""
        told: list[Term] = []
        done = [0] * len(self.strands)
        values = dict(state.values)
        for number in state.moved:
            step = self.strands[number].steps[done[number]]
            told += [substitute(sent.message, values) for sent in step.sends]
            done[number] += 1
        return tuple(told)

    @cached_property
    def initial_deduction(self) -> Deduction:
        """Terms that the intruder can say at the beginning."""
        return Deduction(self.initial_knowledge)

    def deduction(self, state: IntruderState) -> Deduction:
        """Return the terms that the intruder can say in a state."""
        return _deduction(self, state)

    def is_finished(self, state: IntruderState) -> bool:
        """Check that every strand has made all its steps."""
        return all(
            done == len(strand.steps) for strand, done in zip(self.strands, state.done, strict=True)
        )

    def agents_by_name(self, names: Sequence[str]) -> tuple[Term, ...] | None:
        """Return the agents with these names, or None if a name is unknown."""
        known = {text(name): name for name in (*self.people, INTRUDER)}
        if set(names) <= set(known):
            return tuple(known[name] for name in names)
        return None

    @cached_property
    def all_agents(self) -> tuple[Term, ...]:
        """All agents: honest people, the intruder, and the fixed agents of the protocol."""
        fixed = (atom for atom in self.atoms_of_protocol.values() if atom.sort is Sort.AGENT)
        return tuple(dict.fromkeys((*self.people, INTRUDER, *fixed)))

    @cached_property
    def initial_knowledge(self) -> tuple[Term, ...]:
        """Intruder's initial knowledge, written out for every agent."""
        found: dict[Term, None] = {}
        for term in sorted(self.strand_scenario.initial_knowledge, key=text):
            free = tuple(dict.fromkeys(variables(term)))
            for people in product(self.all_agents, repeat=len(free)):
                found[substitute(term, dict(zip(free, people, strict=True)))] = None
        made = (one for several in self.inventions.values() for one in several)
        return (*found, *made)

    def simple_terms(self, state: IntruderState, sort: Sort) -> list[Term]:
        """Return simple terms for a variable of a sort: first names, then heard terms."""
        can = self.deduction(state)
        met = {name for agents in state.agents for name in agents}
        people = [name for name in self.people if name in met]
        names = [
            atom
            for atom in self.atoms_of_protocol.values()
            if atom not in people and can.can_derive(atom)
        ]
        made = [several[0] for several in self.inventions.values()]
        heard = [
            term for term in self.knowledge(state) if sort in SORT_OF_KIND.values() and term.args
        ]
        own = [symmetric(one, one) for one in self.inventions[Sort.SYMMETRIC_KEY][:1]]
        wanted = dict.fromkeys((*people, *names, *made, *heard, *own))
        return [term for term in wanted if fits(sort, term)]

    def knowledge(self, state: IntruderState) -> tuple[Term, ...]:
        """Return the intruder's terms, opened as far as possible, in the order in which he got
        them. Lists are left out.
        """
        return tuple(term for term in self.deduction(state).known_terms if term.kind is not PAIR)

    def broken_claim(self, state: IntruderState) -> BrokenClaim | None:
        """Return the wrong claim that breaks the goal `state.broken`; None while all goals hold."""
        if state.broken is None:
            return None
        values = dict(state.values)
        can = self.deduction(state)
        for strand in self.strands:
            for claim in _claims_made(strand.secrets, strand, state, values, state.broken):
                if INTRUDER not in claim.agents and can.can_derive(claim.message):
                    return BrokenClaim(state.agents[strand.number - 1][0], claim, learnt=True)
        moved = state.moved[-1]
        strand = self.strands[moved]
        asked = _claims_made(strand.asks, strand, state, values, state.broken)
        victim = state.agents[moved][0]
        return next((BrokenClaim(victim, claim, learnt=False) for claim in asked), None)


def find_broken_goal(
    goals: tuple[Goal, ...], strands: tuple[Strand, ...], state: IntruderState, can: Deduction
) -> int | None:
    """Return the index of the first goal that the last step has broken, or None."""
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
    # claims of the other strands were checked when these ended
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
    """Yield the claims that a strand has made, with its values. `only` restricts them to the goal
    with this index.
    """
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
    """Check that too few honest runs answer a claim. Weak agreement needs one run; agreement needs
    one for each equal claim.
    """
    if ask.agents[asked_index(goal)] == INTRUDER:
        return False
    if goal.aim is GoalKind.AGREEMENT:
        wanted = sum(_whole(other) == _whole(ask) for other in asks)
    else:
        wanted = 1
    return sum(_whole(answer) == _whole(ask) for answer in answers) < wanted


def _whole(claim: GoalClaim) -> tuple[int, Term]:
    return claim.goal, pair(claim.message, *claim.agents)

"""What can happen in a game against a protocol: strands, names, and what the intruder can say."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import count, islice, product
from string import ascii_lowercase

from protocol.limits import (
    MAX_INTRUDER_BEGINNINGS,
    MAX_INTRUDER_EFFORT,
    MAX_INTRUDER_EXPONENTS,
    MAX_INTRUDER_INVENTIONS,
    MAX_INTRUDER_PEOPLE,
)
from verification.engine.deduction import Deduction
from verification.engine.solver import DemandBudget, Solver
from verification.game.goals import broken_goal
from verification.game.state import IntruderState, Values
from verification.notation.ground_terms import atoms_in
from verification.notation.protocol_parser import parse_protocol
from verification.protocol_model import Goal
from verification.strands.roles import StrandStep
from verification.strands.scenario import INTRUDER, Scenario, Strand, renumbered, scenario_of
from verification.terms import (
    DECLARED,
    EXPONENT,
    OF_KIND,
    PAIR,
    Sort,
    Term,
    constant,
    substitute,
    subterms,
    symmetric,
    text,
    variables,
)
from verification.unification import unifiers

# people are who they are, and functions are the protocol's
NOT_INVENTED = (Sort.AGENT, Sort.FUNCTION, Sort.FORMAT)
KEPT = 32  # arenas that are not made anew; a program has a few games at once


@lru_cache(KEPT)
def arena_of(written: str, sessions: int, typed: bool) -> "Arena":
    """The arena of a protocol's text. Raises: NotationError, CannotRun, TooLarge."""
    protocol = parse_protocol(written)
    said = (term for action in protocol.actions for term in subterms(action.message))
    if (
        max((len(term.args) - 1 for term in said if term.kind is EXPONENT), default=0)
        > MAX_INTRUDER_EXPONENTS
    ):
        raise ProtocolTooLarge
    arena = Arena(scenario_of(protocol, sessions, typed))
    schemes = (len(set(variables(term))) for term in arena.scenario.begin)
    if sum(len(arena.everybody) ** free for free in schemes) > MAX_INTRUDER_BEGINNINGS:
        raise ProtocolTooLarge
    return arena


class ProtocolTooLarge(Exception):
    """A protocol that can be searched, but not played: to look at one move might take long."""


@dataclass(frozen=True)
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
        strand = self.strands[number]
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

    def after_begin(
        self, state: IntruderState, number: int, agents: tuple[Term, ...]
    ) -> IntruderState | None:
        """After a strand has begun; None if these agents cannot be."""
        if not 0 <= number < len(self.strands):
            return None
        roles, strand = self.roles(number), self.strands[number]
        if state.agents[number] or len(agents) != len(roles):
            return None
        values = state.values | set(zip(roles, agents, strict=True))
        if self._together(strand, values):
            return None
        state = state.begun(number, agents or (strand.agent,), frozenset(values))
        return self.after_step(state, number, values) if strand.steps[0].receive is None else state

    def _together(self, strand: Strand, values: Values) -> bool:
        """Whether two are the same that must not be."""
        chosen = dict(values)
        return any(
            substitute(one, chosen) == substitute(other, chosen) for one, other in strand.apart
        )

    def awaited_step(self, state: IntruderState, number: int) -> StrandStep | None:
        """The step of a strand that a message is wanted for; None if it wants none."""
        strand, done = self.strands[number], state.done[number]
        return strand.steps[done] if state.agents[number] and done < len(strand.steps) else None

    def after_receive(
        self, state: IntruderState, number: int, message: Term
    ) -> IntruderState | None:
        """After a strand has received a message that the intruder can say; None if it does not take
        it.
        """
        step = self.awaited_step(state, number)
        if step is None or step.receive is None:
            return None
        for values in unifiers((*step.checks, (step.receive, message)), dict(state.values)):
            ground = frozenset((name, substitute(name, values)) for name in values)
            if all(value.ground for _, value in ground) and not self._together(
                self.strands[number], ground
            ):
                return self.after_step(state, number, ground)
        return None

    def after_send(self, state: IntruderState, number: int, message: Term) -> IntruderState | None:
        """After a message that the intruder sends to a strand; None if he cannot, or it does not
        take it.
        """
        after = (
            self.after_receive(state, number, message) if 0 <= number < len(self.strands) else None
        )
        return after if after is not None and self.deduction(state).can_derive(message) else None

    def after_step(self, state: IntruderState, number: int, values: Values) -> IntruderState:
        """After a step of a strand; and whether a goal is broken by it."""
        state = state.stepped(number, values)
        return replace(
            state, broken=broken_goal(self.goals, self.strands, state, self.deduction(state))
        )

    def seen(self, state: IntruderState, term: Term) -> Term:
        """A term of a strand with all that is settled."""
        return substitute(term, dict(state.values))

    def said(self, state: IntruderState, number: int) -> tuple[Term, ...]:
        """What a strand has sent."""
        steps = self.strands[number].steps[: state.done[number]]
        return tuple(self.seen(state, sent.message) for step in steps for sent in step.sends)

    def heard(self, state: IntruderState) -> tuple[Term, ...]:
        """What the intruder knew at first, and all that has been sent, in the order in which he
        heard it.
        """
        told, done = list(self.begin), [0] * len(self.strands)
        for number in state.moved:
            step = self.strands[number].steps[done[number]]
            told += [self.seen(state, sent.message) for sent in step.sends]
            done[number] += 1
        return tuple(dict.fromkeys(told))

    def deduction(self, state: IntruderState) -> Deduction:
        """All that the intruder can say."""
        return Deduction(self.heard(state))

    def done(self, state: IntruderState) -> bool:
        """Whether every strand has come to its end."""
        return all(
            done == len(strand.steps) for strand, done in zip(self.strands, state.done, strict=True)
        )

    def named(self, names: Sequence[str]) -> tuple[Term, ...] | None:
        """Agents by their names; None if one is nobody's."""
        known = {text(name): name for name in (*self.people, INTRUDER)}
        return tuple(known[name] for name in names) if set(names) <= set(known) else None

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

    def fillings(self, state: IntruderState, name: Term) -> list[Term]:
        """Simple messages that can stand for a variable that may be anything: names first, then
        things heard.
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
        heard = [
            term for term in self.knowledge(state) if name.sort in OF_KIND.values() and term.args
        ]
        own = [symmetric(one, one) for one in self.inventions[Sort.SYMMETRIC_KEY][:1]]
        wanted = (*people, *names, *made, *heard, *own)
        return [
            term
            for term in dict.fromkeys(wanted)
            if next(unifiers(((name, term),), {}), None) is not None
        ]

    def knowledge(self, state: IntruderState) -> tuple[Term, ...]:
        """What the intruder has, opened as far as it goes, in the order in which he came by it; no
        lists.
        """
        return tuple(term for term in self.deduction(state).known_terms if term.kind is not PAIR)

    def solver(self) -> Solver:
        """A solver that gives up early: what a person plays is small."""
        return Solver(self.scenario, DemandBudget(MAX_INTRUDER_EFFORT, lambda: False))

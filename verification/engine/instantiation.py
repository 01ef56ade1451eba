"""Conversion of a found state into an attack without variables. Strands that the attack does not
need are left out.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import product

from verification.engine.attack_trace import AttackTrace, TraceRun, TraceStep
from verification.engine.deduction import Deduction
from verification.engine.search import FoundAttack
from verification.strands.scenario import INTRUDER, OWN_FUNCTION, OWN_KEY, Scenario
from verification.terms import (
    CONSTANT,
    Sort,
    Term,
    application,
    asymmetric,
    constant,
    exponent,
    inverse,
    substitute,
    subterms,
    symmetric,
    variables,
)


def instantiate(scenario: Scenario, found: FoundAttack) -> AttackTrace:
    """Build the trace of an attack, with a value for each variable that the search left open."""
    starts = [number for number, strand in enumerate(scenario.strands) if strand.begins]
    builder = _make_builder(scenario, found, (*starts, *found.order))
    for start in starts:
        shorter = _make_builder(scenario, found, tuple(n for n in builder.order if n != start))
        if start not in found.order and start != found.violation.strand and shorter.holds:
            builder = shorter
    return builder.trace()


def _make_builder(
    scenario: Scenario, found: FoundAttack, order: tuple[int, ...]
) -> "_TraceBuilder":
    supply = _ValueSupply(scenario, found)
    for number in dict.fromkeys(order):
        supply.name(number)
    return _TraceBuilder(scenario, found, supply.values, tuple(supply.made), order)


class _ValueSupply:
    """Source of values for open variables: names of honest agents, and inventions of the
    intruder.
    """

    def __init__(self, scenario: Scenario, found: FoundAttack) -> None:
        self._strands = scenario.strands
        self._taken = {part.name for term in _described(scenario) for part in subterms(term)}
        self.values = dict(found.violation.solution.values)
        self.made: list[Term] = []

    def name(self, number: int) -> None:
        """Choose a value for every open variable of a strand."""
        strand = self._strands[number]
        for name in strand.variables:
            for open_one in variables(substitute(name, self.values)):
                if open_one not in self.values:
                    self.values[open_one] = self._value(open_one)

    def _value(self, name: Term) -> Term:
        match name.sort:
            case Sort.AGENT:
                return constant(self._name(name.name.strip("_*").lower() or "a"), Sort.AGENT)
            case Sort.SEALED:
                return symmetric(self._thing(Sort.UNTYPED), self._thing(Sort.UNTYPED))
            case Sort.BOXED:
                return asymmetric(self._thing(Sort.UNTYPED), self._thing(Sort.PUBLIC_KEY))
            case Sort.IMAGE:
                return application(OWN_FUNCTION, self._thing(Sort.UNTYPED))
            case Sort.POWER:
                return exponent(self._thing(Sort.UNTYPED), self._thing(Sort.NUMBER))
            case Sort.PRIVATE_KEY:
                self.made.append(inverse(self._thing(Sort.PUBLIC_KEY)))
                return self.made[-1]
        return self._thing(name.sort)

    def _thing(self, sort: Sort) -> Term:
        self.made.append(constant(self._name("x"), sort))
        return self.made[-1]

    def _name(self, wish: str) -> str:
        name = wish
        number = 1
        while name in self._taken:
            number += 1
            name = f"{wish}{number}"
        self._taken.add(name)
        return name


def _described(scenario: Scenario) -> Iterator[Term]:
    yield from scenario.initial_knowledge
    for knowledge in scenario.protocol.knowledge:
        yield from (knowledge.role, *knowledge.terms)
    yield from (action.message for action in scenario.protocol.actions)


@dataclass(frozen=True)
class _TraceBuilder:
    """Builder for the trace of an attack in which the strands make their steps in `order`."""

    scenario: Scenario
    found: FoundAttack
    values: dict[Term, Term]
    made: tuple[Term, ...]
    order: tuple[int, ...]  # index of the strand that makes each step

    @cached_property
    def initial_knowledge(self) -> tuple[Term, ...]:
        """Intruder's initial knowledge about all agents of the attack."""
        constants = {
            part
            for strand in self.participants
            for part in self._atoms(strand)
            if part.sort is Sort.AGENT
        }
        agents = sorted({INTRUDER, *constants}, key=str)
        schemes = [term for term in self.scenario.initial_knowledge if not self._idle(term)]
        known = [term for scheme in schemes for term in self._of_all(scheme, agents)]
        return tuple(dict.fromkeys((*agents, *known, *self.made)))

    def _idle(self, term: Term) -> bool:
        """Check for an invention of the intruder that occurs in no received message."""
        invented = {OWN_KEY, OWN_FUNCTION}.intersection(subterms(term))
        return bool(invented) and not invented & {
            part for value in self._received() for part in subterms(value)
        }

    def _received(self) -> Iterator[Term]:
        for strand in map(self.scenario.strands.__getitem__, self.participants):
            yield from (
                substitute(step.receive, self.values)
                for step in strand.steps
                if step.receive is not None
            )

    def _atoms(self, number: int) -> Iterator[Term]:
        strand = self.scenario.strands[number]
        for name in strand.variables:
            yield from (
                part for part in subterms(substitute(name, self.values)) if part.kind is CONSTANT
            )
        for step in strand.steps:
            for message in ([step.receive] if step.receive else []) + [
                sent.message for sent in step.sends
            ]:
                yield from (part for part in subterms(message) if part.kind is CONSTANT)

    @staticmethod
    def _of_all(scheme: Term, agents: list[Term]) -> Iterator[Term]:
        names = list(dict.fromkeys(variables(scheme)))
        for chosen in product(agents, repeat=len(names)):
            yield substitute(scheme, dict(zip(names, chosen, strict=True)))

    @cached_property
    def participants(self) -> tuple[int, ...]:
        """Indices of the strands that take part in the attack."""
        return tuple(sorted(set(self.order)))

    @cached_property
    def holds(self) -> bool:
        """Check that the intruder can say every message of the attack, and the secret if one is
        broken.
        """
        heard = list(self.initial_knowledge)
        done = dict.fromkeys(self.participants, 0)
        for number in self.order:
            step = self.scenario.strands[number].steps[done[number]]
            if step.receive is not None and not Deduction(heard).can_derive(
                substitute(step.receive, self.values)
            ):
                return False
            heard += [substitute(sent.message, self.values) for sent in step.sends]
            done[number] += 1
        violation = self.found.violation
        return not violation.is_secret or Deduction(heard).can_derive(
            substitute(violation.claim.message, self.values)
        )

    def trace(self) -> AttackTrace:
        """Build the complete attack."""
        heard = list(self.initial_knowledge)
        events = []
        done = dict.fromkeys(self.participants, 0)
        for number in self.order:
            events.append(self._event(number, done[number], heard))
            heard += [message for message, _ in events[-1].sent]
            done[number] += 1
        claim = self.found.violation.claim
        message = substitute(claim.message, self.values)
        agents = tuple(substitute(agent, self.values) for agent in claim.agents)
        if self.found.violation.is_secret:
            derivation = Deduction(heard).derivation_of(message)
        else:
            derivation = ()
        victim = self.participants.index(self.found.violation.strand)
        runs = tuple(map(self._run, self.participants))
        return AttackTrace(
            self.initial_knowledge,
            runs,
            tuple(events),
            claim.goal,
            victim,
            message,
            agents,
            derivation,
        )

    def _run(self, number: int) -> TraceRun:
        strand = self.scenario.strands[number]
        role = self.scenario.protocol.knowledge[strand.role].role
        values = {name: substitute(name, self.values) for name in strand.variables}
        return TraceRun(strand.number, role, substitute(strand.agent, self.values), values)

    def _event(self, number: int, done: int, heard: list[Term]) -> TraceStep:
        step = self.scenario.strands[number].steps[done]
        if step.receive is None:
            received = None
        else:
            received = substitute(step.receive, self.values)
        if step.sender is None:
            sender = None
        else:
            sender = substitute(step.sender, self.values)
        derivation = () if received is None else Deduction(heard).derivation_of(received)
        sent = tuple(
            (substitute(sent.message, self.values), substitute(sent.receiver, self.values))
            for sent in step.sends
        )
        return TraceStep(self.participants.index(number), done, received, sender, derivation, sent)

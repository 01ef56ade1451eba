"""Index of the terms that the intruder has at some time, under some values of variables.

Messages are opened once, in the form in which the roles send them. The value of a variable is
opened later, when the variable gets a value. A variable without a value teaches the intruder
nothing, because he has said its value himself.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from verification.effort import Effort
from verification.strands.scenario import Scenario, parts
from verification.terms import EXPONENT, INVERSE, VARIABLE, Sort, Term, TermKind, substitute
from verification.unification import Values, walk

Time = tuple[int, ...]  # number of steps that each strand has made
Deferred = Mapping[Term, Time]  # open variable -> time at which the intruder had to know its value


class SentTerm(NamedTuple):
    """A term that step `step` of a strand reveals to an intruder with all `keys`."""

    strand: int
    step: int
    term: Term
    keys: tuple[Term, ...]


class KnowledgeState(NamedTuple):
    """Values of variables, with caches of what follows from them."""

    values: Values
    deferred: Deferred
    sayable: dict[tuple[Term, Time, bool], bool]
    # cache: opened values of variables, by kind; empty if not computed yet
    inside: dict[TermKind, list[SentTerm]]


def empty_state(values: Values, deferred: Deferred) -> KnowledgeState:
    """Return a state with empty caches."""
    return KnowledgeState(values, deferred, {}, {})


class IntruderKnowledge:
    """Terms that the strands of a scenario reveal, and the intruder's initial knowledge."""

    def __init__(self, scenario: Scenario, opens: bool, effort: Effort) -> None:
        """Index a scenario. With `opens` False the intruder cannot decrypt. `effort` counts opened
        terms.
        """
        self._effort = effort
        self._plain: dict[TermKind, list[SentTerm]] = {}
        self._hidden: list[SentTerm] = []
        # cache: entries of `_plain` that are available at a time
        self._at: dict[tuple[TermKind, Time], tuple[SentTerm, ...]] = {}
        for term in scenario.initial_knowledge:
            for part, keys in parts(term) if term.ground else ():
                if opens or not keys:
                    self._plain.setdefault(part.kind, []).append(SentTerm(0, -1, part, keys))
        for offer in _offers(scenario):
            if offer.keys and not opens:
                continue
            if offer.term.kind is VARIABLE or (
                offer.term.kind is INVERSE and not offer.term.ground
            ):
                self._hidden.append(offer)
            else:
                self._plain.setdefault(offer.term.kind, []).append(offer)

    def offers(self, kind: TermKind, time: Time, state: KnowledgeState) -> Iterator[SentTerm]:
        """Yield the available terms of a kind at a time. Terms are as the strand sends them,
        without values.
        """
        yield from self._given(kind, time)
        if not state.inside:
            state.inside.update(self._inside(state.values))
        for offer in state.inside.get(kind, ()):
            if offer.step < time[offer.strand]:
                yield offer

    def _given(self, kind: TermKind, time: Time) -> tuple[SentTerm, ...]:
        """Return the available terms whose kind does not depend on values."""
        given = self._at.get((kind, time))
        if given is None:
            given = tuple(
                offer for offer in self._plain.get(kind, ()) if offer.step < time[offer.strand]
            )
            self._at[kind, time] = given
        return given

    def _inside(self, values: Values) -> dict[TermKind, list[SentTerm]]:
        found: dict[TermKind, list[SentTerm]] = {VARIABLE: []}
        seen = set()
        for strand, step, term, keys in self._hidden:
            self._effort.step()
            term = substitute(term, values)
            if term.kind is not VARIABLE:
                for part, more in parts(term):
                    self._effort.step()
                    offer = SentTerm(strand, step, part, (*keys, *more))
                    if part.kind is not VARIABLE and (strand, part, offer.keys) not in seen:
                        seen.add((strand, part, offer.keys))
                        found.setdefault(part.kind, []).append(offer)
        return found


def _offers(scenario: Scenario) -> Iterator[SentTerm]:
    for number, strand in enumerate(scenario.strands):
        seen = set()
        for place, step in enumerate(strand.steps):
            for part in (part for sent in step.sends for part in parts(sent.message)):
                public = not part.term.args and part.term.sort in (Sort.AGENT, Sort.FORMAT)
                if not public and part not in seen:
                    seen.add(part)
                    yield SentTerm(number, place, part.term, part.keys)


def matches(pattern: Term, term: Term, values: Values) -> bool:
    """Check that `pattern` with `values` filled in is `term`. `term` has the values already."""
    pattern = walk(pattern, values)
    if pattern.kind is INVERSE:
        pattern = substitute(pattern, values)
    if pattern is term:
        return True
    if pattern.kind is not term.kind:
        return False
    if pattern.ground or pattern.kind is VARIABLE:
        return pattern == term
    if pattern.kind is EXPONENT or pattern.kind is INVERSE:
        return substitute(pattern, values) == term
    return matches(pattern.args[0], term.args[0], values) and matches(
        pattern.args[1], term.args[1], values
    )

"""How the intruder comes by a message without variables, step by step. Nothing here is shared with
the solver.

First everything that he has is opened as far as it goes, then what is wanted is composed of that;
for the free algebra this finds a way whenever there is one (G. Lowe, "Towards a completeness result
for model checking of security protocols", J. Computer Security 7 (1999)).
"""

from collections.abc import Iterable, Iterator
from enum import Enum
from typing import NamedTuple

from verification.terms import Sort, Term, TermKind, compositions, inverse


class DeductionRule(Enum):
    """How a term was come by."""

    HAD = "had"  # known from the beginning, or heard
    OPENED = "opened"  # the first source taken apart, with the key that is the second one
    COMPOSED = "composed"  # of the sources


class DeductionStep(NamedTuple):
    """One step: a term, and the terms that it was made of, which were had or deduced before."""

    term: Term
    way: DeductionRule
    sources: tuple[Term, ...]


class Deduction:
    """All that somebody can say who has heard these terms."""

    def __init__(self, heard: Iterable[Term]) -> None:
        self._steps = {term: DeductionStep(term, DeductionRule.HAD, ()) for term in heard}
        # what was found out since the last step; many exponents have many orders
        self._asked: dict[Term, bool] = {}
        while new := [step for term in list(self._steps) for step in self._inside(term)]:
            self._steps.update((step.term, step) for step in new)
            self._asked.clear()

    @property
    def known_terms(self) -> tuple[Term, ...]:
        """What was heard, and all that opens of it, in the order in which it was come by."""
        return tuple(self._steps)

    def can_derive(self, term: Term) -> bool:
        """Whether the term is had, opened, or composed of such."""
        if term in self._steps or public(term):
            return True
        found = self._asked.get(term)
        if found is None:
            found = composable(term) and any(
                all(map(self.can_derive, args)) for args in compositions(term)
            )
            self._asked[term] = found
        return found

    def derivation_of(self, term: Term) -> tuple[DeductionStep, ...]:
        """The steps to a term that can be said, each after those that it needs, each once; the term
        comes last.
        """
        return tuple(self._way(term, set()))

    def _inside(self, term: Term) -> Iterator[DeductionStep]:
        for part, key in openings(term):
            if part not in self._steps and (key is None or self.can_derive(key)):
                yield DeductionStep(
                    part, DeductionRule.OPENED, (term,) if key is None else (term, key)
                )

    def _way(self, term: Term, told: set[Term]) -> Iterator[DeductionStep]:
        if term in told:
            return
        told.add(term)
        step = self._steps.get(term) or self._composed(term)
        for source in step.sources:
            yield from self._way(source, told)
        yield step

    def _composed(self, term: Term) -> DeductionStep:
        if public(term):
            return DeductionStep(term, DeductionRule.HAD, ())
        sources = next(args for args in compositions(term) if all(map(self.can_derive, args)))
        return DeductionStep(term, DeductionRule.COMPOSED, sources)


def public(term: Term) -> bool:
    """Whether everybody can say it: the name of an agent, or of a format."""
    return term.kind is TermKind.CONSTANT and term.sort in (Sort.AGENT, Sort.FORMAT)


def composable(term: Term) -> bool:
    """Whether somebody who has its arguments can make it: nobody makes a private key of a public
    one.
    """
    return bool(term.args) and term.kind is not TermKind.INVERSE


def openings(term: Term) -> Iterator[tuple[Term, Term | None]]:
    """What can be got out of a term, each with the key for it, if one is needed."""
    if term.kind is TermKind.PAIR:
        yield from ((arg, None) for arg in term.args)
    elif term.kind is TermKind.APPLY and term.args[0].sort is Sort.FORMAT:
        yield term.args[1], None
    elif term.kind is TermKind.SYMMETRIC:
        yield term.args[0], term.args[1]
    elif term.kind is TermKind.ASYMMETRIC:
        yield term.args[0], inverse(term.args[1])

"""How the intruder comes by a message without variables, step by step. Nothing here is shared with
the solver.

First everything that he has is opened as far as it goes, then what is wanted is composed of that;
for the free algebra this finds a way whenever there is one (G. Lowe, "Towards a completeness result
for model checking of security protocols", J. Computer Security 7 (1999)).
"""

from collections import deque
from collections.abc import Iterable, Iterator
from enum import Enum
from typing import NamedTuple

from verification.terms import Sort, Term, TermKind, between, compositions, inverse


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
    """All that somebody can say who has heard these terms.

    What can be said once can be said for ever. A key that cannot be said counts the parts that it
    lacks, and is looked at again when one of them comes: a chain of keys costs no more than its
    terms (W. Dowling, J. Gallier, "Linear-time algorithms for testing the satisfiability of
    propositional Horn formulae", J. Logic Programming 1 (1984)).
    """

    def __init__(self, heard: Iterable[Term] = ()) -> None:
        self._steps: dict[Term, DeductionStep] = {}
        self._made: set[Term] = set()  # what was found to be composed of what there is
        self._powers: dict[Term, list[Term]] = {}  # the exponentials among the steps, by base
        # key -> what it opens, and of which term
        self._locked: dict[Term, list[tuple[Term, Term]]] = {}
        self._lacks: dict[Term, int] = {}  # what is wanted for a key -> how many arguments it lacks
        # argument that is lacking -> what it is wanted for
        self._wanted: dict[Term, list[Term]] = {}
        self._raised: dict[Term, list[Term]] = {}  # base -> exponentials of it that are wanted
        self._hear(heard)

    def also(self, heard: Iterable[Term]) -> "Deduction":
        """The same after more terms were heard."""
        after = Deduction()
        after._steps = dict(self._steps)
        after._made = set(self._made)
        after._powers = {base: list(powers) for base, powers in self._powers.items()}
        after._locked = {key: list(locks) for key, locks in self._locked.items()}
        after._lacks = dict(self._lacks)
        after._wanted = {arg: list(wholes) for arg, wholes in self._wanted.items()}
        after._raised = {base: list(powers) for base, powers in self._raised.items()}
        after._hear(heard)
        return after

    @property
    def known_terms(self) -> tuple[Term, ...]:
        """What was heard, and all that opens of it, in the order in which it was come by."""
        return tuple(self._steps)

    def can_derive(self, term: Term) -> bool:
        """Whether the term is had, opened, or composed of such."""
        if term in self._steps or term in self._made or public(term):
            return True
        if not composable(term):
            return False
        if term.kind is TermKind.EXPONENT:
            said = self._can_raise(term)
        else:
            said = all(map(self.can_derive, term.args))
        if said:
            self._made.add(term)
        return said

    def derivation_of(self, term: Term) -> tuple[DeductionStep, ...]:
        """The steps to a term that can be said, each after those that it needs, each once; the term
        comes last.
        """
        return tuple(self._way(term, set()))

    def _can_raise(self, power: Term) -> bool:
        """Tell whether there is the base, or fewer exponents on it, and whether all others can be
        said.
        """
        base, *exponents = power.args
        unsaid = [one for one in exponents if not self.can_derive(one)]
        if not unsaid and self.can_derive(base):
            return True
        return any(between(unsaid, have.args[1:], exponents) for have in self._powers.get(base, ()))

    def _hear(self, heard: Iterable[Term]) -> None:
        new = deque(DeductionStep(term, DeductionRule.HAD, ()) for term in heard)
        while new:
            step = new.popleft()
            term = step.term
            if term in self._steps:
                continue
            self._steps[term] = step
            if term.kind is TermKind.EXPONENT:
                self._powers.setdefault(term.args[0], []).append(term)
                wanted = self._raised.get(term.args[0], ())
                new += self._said([one for one in wanted if self._comes(one)])
            new += self._said([term])
            new += self._opened(term)

    def _opened(self, term: Term) -> Iterator[DeductionStep]:
        """The parts of a term that can be got now; those whose keys lack something are noted."""
        for part, key in openings(term):
            if key is None:
                yield DeductionStep(part, DeductionRule.OPENED, (term,))
            elif self._want(key):
                yield DeductionStep(part, DeductionRule.OPENED, (term, key))
            else:
                self._locked.setdefault(key, []).append((part, term))

    def _want(self, term: Term) -> bool:
        """Tell whether a term can be said, and note what it lacks."""
        if term in self._steps or term in self._made or public(term):
            return True
        if term in self._lacks or not composable(term):
            return False
        missing = [arg for arg in term.args if not self._want(arg)]
        if not missing or (term.kind is TermKind.EXPONENT and self._can_raise(term)):
            self._made.add(term)
            return True
        for arg in missing:
            self._wanted.setdefault(arg, []).append(term)
        if term.kind is TermKind.EXPONENT:
            self._raised.setdefault(term.args[0], []).append(term)
        self._lacks[term] = len(missing)
        return False

    def _said(self, terms: list[Term]) -> Iterator[DeductionStep]:
        """The parts that open now that these can be said, and all that is composed of them."""
        while terms:
            term = terms.pop()
            self._lacks.pop(term, None)
            for part, whole in self._locked.pop(term, ()):
                yield DeductionStep(part, DeductionRule.OPENED, (whole, term))
            for whole in self._wanted.pop(term, ()):
                if whole in self._lacks:
                    self._lacks[whole] -= 1
                    if self._comes(whole):
                        terms.append(whole)

    def _comes(self, term: Term) -> bool:
        """Tell whether what was wanted can be said from now on."""
        if term not in self._lacks:
            return False
        if term.kind is TermKind.EXPONENT:
            return self.can_derive(term)
        return not self._lacks[term]

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

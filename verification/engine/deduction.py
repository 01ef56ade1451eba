"""Derivation of a message without variables by the intruder, step by step. This module shares no
code with the solver.

First, all messages of the intruder are opened as far as possible. Then the wanted message is
composed from the parts. In the free algebra this finds a derivation whenever one exists (G. Lowe,
"Towards a completeness result for model checking of security protocols", J. Computer Security 7
(1999)).
"""

from collections import deque
from collections.abc import Iterable, Iterator
from enum import Enum
from typing import NamedTuple

from verification.terms import Sort, Term, TermKind, compositions, inverse, is_between


class DeductionRule(Enum):
    """Rule by which a step derives its term."""

    HAD = "had"  # known from the beginning, or heard
    # part of the first source, opened with the second source as key, if a key is needed
    OPENED = "opened"
    COMPOSED = "composed"  # composed from the sources


class DeductionStep(NamedTuple):
    """A step of a derivation: a term, and the earlier terms from which the term is derived."""

    term: Term
    rule: DeductionRule
    sources: tuple[Term, ...]


class Deduction:
    """The set of all terms that an agent can say after hearing some terms.

    This set only grows. For each key that cannot be derived yet, `_lacks` counts its missing
    arguments. The key is looked at again when one of them becomes known. So the work for a chain of
    keys is linear in its size (W. Dowling, J. Gallier, "Linear-time algorithms for testing the
    satisfiability of propositional Horn formulae", J. Logic Programming 1 (1984)).
    """

    def __init__(self, heard: Iterable[Term] = ()) -> None:
        self._steps: dict[Term, DeductionStep] = {}
        self._made: set[Term] = set()  # cache of terms that can be composed
        # (base, exponent) -> known exponentials of this base with this exponent
        self._powers: dict[tuple[Term, Term], list[Term]] = {}
        # missing key -> parts that the key opens, each with the whole term
        self._locked: dict[Term, list[tuple[Term, Term]]] = {}
        # term needed for a key -> number of its missing arguments
        self._lacks: dict[Term, int] = {}
        # missing argument -> needed terms that contain the argument
        self._wanted: dict[Term, list[Term]] = {}
        # (base, exponent) -> needed exponentials of this base with this exponent
        self._raised: dict[tuple[Term, Term], list[Term]] = {}
        self._hear(heard)

    def with_terms(self, heard: Iterable[Term]) -> "Deduction":
        """Return a new deduction that has heard these terms too. `self` stays as it is."""
        after = Deduction()
        after._steps = dict(self._steps)
        after._made = set(self._made)
        after._powers = {place: list(powers) for place, powers in self._powers.items()}
        after._locked = {key: list(locks) for key, locks in self._locked.items()}
        after._lacks = dict(self._lacks)
        after._wanted = {arg: list(wholes) for arg, wholes in self._wanted.items()}
        after._raised = {place: list(powers) for place, powers in self._raised.items()}
        after._hear(heard)
        return after

    @property
    def known_terms(self) -> tuple[Term, ...]:
        """Heard terms and their opened parts, in the order in which they became known."""
        return tuple(self._steps)

    def can_derive(self, term: Term) -> bool:
        """Check that a term is known, or can be composed from known terms."""
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
        """Return the steps that derive `term`, each once. A step comes after the steps that it
        uses, so `term` comes last. `can_derive(term)` must hold.
        """
        return tuple(self._steps_to(term, set()))

    def _can_raise(self, power: Term) -> bool:
        """Check that an exponential can be made. Its base, or a known exponential with fewer
        exponents, must be at hand, and all other exponents derivable.
        """
        base, *exponents = power.args
        unsaid = [one for one in exponents if not self.can_derive(one)]
        if not unsaid and self.can_derive(base):
            return True
        # The known exponential has all exponents that cannot be derived, so one of them finds it.
        places = [(base, one) for one in unsaid] or [
            (base, one) for one in dict.fromkeys(exponents)
        ]
        known = [self._powers.get(place, ()) for place in places]
        if unsaid:
            known = [min(known, key=len)]
        return any(
            is_between(unsaid, have.args[1:], exponents) for powers in known for have in powers
        )

    def _raised_by(self, have: Term) -> list[Term]:
        """Return the needed exponentials that can be made now that `have` is known."""
        base, *exponents = have.args
        needed = min((self._raised.get((base, one), ()) for one in exponents), key=len)
        return [
            power
            for power in needed
            if power in self._lacks
            and is_between(
                [one for one in power.args[1:] if not self.can_derive(one)],
                exponents,
                power.args[1:],
            )
        ]

    def _hear(self, heard: Iterable[Term]) -> None:
        new = deque(DeductionStep(term, DeductionRule.HAD, ()) for term in heard)
        while new:
            step = new.popleft()
            term = step.term
            if term in self._steps:
                continue
            self._steps[term] = step
            if term.kind is TermKind.EXPONENT:
                base, *exponents = term.args
                for one in dict.fromkeys(exponents):
                    self._powers.setdefault((base, one), []).append(term)
                new += self._open_with(self._raised_by(term))
            new += self._open_with([term])
            new += self._opened(term)

    def _opened(self, term: Term) -> Iterator[DeductionStep]:
        """Yield the parts of a term that can be opened now. Remember the others under their missing
        keys.
        """
        for part, key in openings(term):
            if key is None:
                yield DeductionStep(part, DeductionRule.OPENED, (term,))
            elif self._can_derive_or_wait(key):
                yield DeductionStep(part, DeductionRule.OPENED, (term, key))
            else:
                self._locked.setdefault(key, []).append((part, term))

    def _can_derive_or_wait(self, term: Term) -> bool:
        """Check that a term can be derived. If not, remember its missing arguments."""
        if term in self._steps or term in self._made or public(term):
            return True
        if term in self._lacks or not composable(term):
            return False
        missing = [arg for arg in term.args if not self._can_derive_or_wait(arg)]
        if not missing or (term.kind is TermKind.EXPONENT and self._can_raise(term)):
            self._made.add(term)
            return True
        for arg in missing:
            self._wanted.setdefault(arg, []).append(term)
        if term.kind is TermKind.EXPONENT:
            base, *exponents = term.args
            for one in dict.fromkeys(exponents):
                self._raised.setdefault((base, one), []).append(term)
        self._lacks[term] = len(missing)
        return False

    def _open_with(self, terms: list[Term]) -> Iterator[DeductionStep]:
        """Yield the parts that open now that `terms` can be derived. Include terms that can be
        composed from `terms`.
        """
        while terms:
            term = terms.pop()
            self._lacks.pop(term, None)
            for part, whole in self._locked.pop(term, ()):
                yield DeductionStep(part, DeductionRule.OPENED, (whole, term))
            for whole in self._wanted.pop(term, ()):
                if whole in self._lacks:
                    self._lacks[whole] -= 1
                    if self._is_ready(whole):
                        terms.append(whole)

    def _is_ready(self, term: Term) -> bool:
        """Check that a needed term, which could not be derived before, can be derived now."""
        if term not in self._lacks:
            return False
        if term.kind is TermKind.EXPONENT:
            return self.can_derive(term)
        return not self._lacks[term]

    def _steps_to(self, term: Term, told: set[Term]) -> Iterator[DeductionStep]:
        if term in told:
            return
        told.add(term)
        step = self._steps.get(term) or self._composed(term)
        for source in step.sources:
            yield from self._steps_to(source, told)
        yield step

    def _composed(self, term: Term) -> DeductionStep:
        if public(term):
            return DeductionStep(term, DeductionRule.HAD, ())
        sources = next(args for args in compositions(term) if all(map(self.can_derive, args)))
        return DeductionStep(term, DeductionRule.COMPOSED, sources)


def public(term: Term) -> bool:
    """Check that everybody can say a term. Names of agents and of formats are public."""
    return term.kind is TermKind.CONSTANT and term.sort in (Sort.AGENT, Sort.FORMAT)


def composable(term: Term) -> bool:
    """Check that the arguments of a term are enough to make the term. They are not for a private
    key, `inv(k)`.
    """
    return bool(term.args) and term.kind is not TermKind.INVERSE


def openings(term: Term) -> Iterator[tuple[Term, Term | None]]:
    """Yield the parts that can be opened in a term, each with its key, or None if no key is
    needed.
    """
    if term.kind is TermKind.PAIR:
        yield from ((arg, None) for arg in term.args)
    elif term.kind is TermKind.APPLY and term.args[0].sort is Sort.FORMAT:
        yield term.args[1], None
    elif term.kind is TermKind.SYMMETRIC:
        yield term.args[0], term.args[1]
    elif term.kind is TermKind.ASYMMETRIC:
        yield term.args[0], inverse(term.args[1])

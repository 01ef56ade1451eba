"""Messages of a protocol as a role sees them. The role can open and build more parts the more it
learns.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import takewhile

from verification.effort import Effort
from verification.terms import (
    APPLY,
    ASYMMETRIC,
    CONSTANT,
    EXPONENT,
    INVERSE,
    PAIR,
    SORT_OF_KIND,
    SYMMETRIC,
    Sort,
    Term,
    compositions,
    fresh,
    inverse,
    is_between,
    rebuild,
    substitute,
    text,
    variable,
    variables,
)
from verification.unification import Equation, unifiers


class RoleNotRunnable(Exception):
    """Raised if a role cannot build a message that it sends, or a message of its goals.

    `part` is the term that `role` lacks. `action` is the index of the line in `Actions`, or None
    for a goal.
    """

    def __init__(self, role: Term, part: Term, action: int | None) -> None:
        super().__init__(f"{text(role)} cannot build {text(part)}")
        self.role = role
        self.part = part
        self.action = action


@dataclass
class RoleKnowledge:
    """Knowledge of a role while the role goes through the actions."""

    role: Term
    makers: dict[Term, Term]
    typed: bool
    effort: Effort | None
    # known term of the protocol -> the same term as the role sees it
    views: dict[Term, Term] = field(default_factory=dict)
    # values of the role's variables, as far as the role has learnt them
    values: dict[Term, Term] = field(default_factory=dict)
    names: set[Term] = field(default_factory=set)  # all variables that occurred in views so far
    done: set[Term] = field(default_factory=set)  # terms that the role has opened or rebuilt
    unnamed: int = 0
    _places: dict[Term, int] = field(default_factory=dict)  # term -> position among the views
    _new: set[Term] = field(default_factory=set)  # known terms that `look` has to process
    # cache of `view`, cleared by each change
    _built: dict[Term, Term] = field(default_factory=dict)
    _lacking: set[Term] = field(default_factory=set)  # terms that the role cannot build
    # missing term -> terms that contain the missing term
    _needed: dict[Term, set[Term]] = field(default_factory=dict)
    # (base, exponent) -> known exponentials of this base with this exponent
    _powers: dict[tuple[Term, Term], list[Term]] = field(default_factory=dict)
    # (base, exponent) -> exponentials of this base with this exponent that the role cannot build,
    # each with its missing exponents
    _raised: dict[tuple[Term, Term], dict[Term, list[Term]]] = field(default_factory=dict)

    def see(self, term: Term, view: Term) -> None:
        """Add a known term with its view. Mark all terms for another look that could not be built
        without it.
        """
        self._places[term] = len(self._places)
        self.views[term] = view
        self.names.update(variables(view))
        self._built.clear()
        self._new.add(term)
        found = [term]
        if term.kind is EXPONENT:
            base, *powers = term.args
            for one in dict.fromkeys(powers):
                self._powers.setdefault((base, one), []).append(term)
            waiting = min((self._raised.get((base, one), {}) for one in powers), key=len).items()
            found += [one for one, lacks in waiting if is_between(lacks, powers, one.args[1:])]
        while found:
            there = found.pop()
            self._lacking.discard(there)
            needs = self._needed.pop(there, ())
            self._new.update(other for other in needs if other in self.views)
            found += needs

    def view(self, term: Term) -> Term | None:
        """Return a term as the role builds it from its knowledge, or None if the role cannot build
        it.
        """
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
                return rebuild(term, tuple(view for view in views if view is not None))
        return None

    def _can_raise(self, power: Term) -> bool:
        """Check that the role can build an exponential. It needs the base, or a known exponential
        with fewer exponents, and all other exponents.
        """
        base, *exponents = power.args
        lacks = [one for one in exponents if self._part(one, power) is None]
        if not lacks and self._part(base, power) is not None:
            return True
        # The known exponential has all exponents that the role lacks, so one of them finds it.
        known = [self._powers.get((base, one), ()) for one in lacks or dict.fromkeys(exponents)]
        if lacks:
            known = [min(known, key=len)]
        if any(is_between(lacks, one.args[1:], exponents) for powers in known for one in powers):
            return True
        for one in dict.fromkeys(exponents):
            self._raised.setdefault((base, one), {})[power] = lacks
        return False

    def _part(self, part: Term, whole: Term) -> Term | None:
        """Return the view of a part of a term. If the role cannot build the part, return None and
        mark `whole` for a look once it can.
        """
        found = self.view(part)
        if found is None:
            self._needed.setdefault(part, set()).add(whole)
        return found

    def learn(self, term: Term) -> Term:
        """Return the view of a received part. If the role cannot build the part, its view is a new
        variable, which may be opened later.
        """
        seen = self.view(term)
        if seen is None:
            seen = self._variable(term)
            self.see(term, seen)
        return seen

    def _variable(self, term: Term) -> Term:
        if not term.args:
            return variable(term.name, term.sort if self.typed else Sort.UNTYPED)
        self.unnamed += 1
        return variable(
            f"_{self.unnamed}",
            SORT_OF_KIND.get(term.kind, Sort.UNTYPED) if self.typed else Sort.UNTYPED,
        )

    def settle(self, action: int | None) -> None:
        """Calculate the values of variables that follow from the role's knowledge."""
        new = next(unifiers(tuple(self.look()), self.values, self.effort), None)
        if new is None:
            raise RoleNotRunnable(self.role, self.role, action)
        self.values = dict(new)
        self._built.clear()

    def look(self) -> list[Equation]:
        """Open and rebuild every term for which this has become possible. Return the resulting
        equations between views.
        """
        found: list[Equation] = []
        while self._new:
            terms = sorted(self._new, key=self._places.__getitem__)
            self._new.clear()
            found += [equation for term in terms for equation in self._looked_at(term)]
        return found

    def _looked_at(self, term: Term) -> Iterator[Equation]:
        if term in self.done or not term.args:
            return
        seen = self.views[term]
        own = self._opened(term)
        if own is None:
            own = self._composed(term)
        if own is not None:
            self.done.add(term)
            yield (seen, own)

    def _opened(self, term: Term) -> Term | None:
        """Open a term, and return it rebuilt from the views of its parts. Return None if the role
        cannot open it.
        """
        if term.kind is PAIR:
            return rebuild(term, (self.learn(term.args[0]), self.learn(term.args[1])))
        if term.kind is APPLY and term.args[0].sort is Sort.FORMAT:
            return rebuild(term, (term.args[0], self.learn(term.args[1])))
        if term.kind not in (SYMMETRIC, ASYMMETRIC):
            return None
        if term.kind is SYMMETRIC:
            key = term.args[1]
        else:
            key = inverse(term.args[1])
        own = self._part(key, term)
        if own is None:
            return None
        return rebuild(
            term, (self.learn(term.args[0]), own if term.kind is SYMMETRIC else inverse(own))
        )

    def make(self, term: Term) -> None:
        """Create the values of a message that this role is the one to make."""
        for name in variables(term):
            if self.makers.get(name) == self.role and name not in self.views:
                made = fresh(name.name, name.sort, 0)
                self.see(name, made)
                if name.sort is Sort.PUBLIC_KEY:
                    self.see(inverse(name), inverse(made))

    def lacks(self, term: Term) -> Term:
        """Return the first missing part of a term that the role cannot build."""
        missing = [arg for arg in term.args if self.view(arg) is None]
        if missing and term.kind is not INVERSE:
            return self.lacks(missing[0])
        return term

"""The messages of a protocol as a role sees them: the parts that it can open and build, more and
more.
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
    OF_KIND,
    PAIR,
    SYMMETRIC,
    Sort,
    Term,
    between,
    compositions,
    fresh,
    inverse,
    rebuilt,
    substitute,
    text,
    variable,
    variables,
)
from verification.unification import Equation, unifiers


class RoleNotRunnable(Exception):
    """A role cannot build what it sends, or what a goal says of it.

    `role`, the `part` that it lacks, and `action`: the
    number of the line, counted from 0, or None for a goal.
    """

    def __init__(self, role: Term, part: Term, action: int | None) -> None:
        super().__init__(f"{text(role)} cannot build {text(part)}")
        self.role = role
        self.part = part
        self.action = action


@dataclass
class Reader:
    """What a role knows while it goes through the actions."""

    role: Term
    makers: dict[Term, Term]
    typed: bool
    effort: Effort | None
    # message as described -> as the role sees it
    views: dict[Term, Term] = field(default_factory=dict)
    # what it has found out about its variables
    values: dict[Term, Term] = field(default_factory=dict)
    names: set[Term] = field(default_factory=set)  # all variables that its views have or had
    done: set[Term] = field(default_factory=set)  # what is opened, or rebuilt
    unnamed: int = 0
    _places: dict[Term, int] = field(default_factory=dict)  # of terms in views
    _new: set[Term] = field(default_factory=set)  # terms in views that are to be looked at
    # what `view` found since the last change
    _built: dict[Term, Term] = field(default_factory=dict)
    _lacking: set[Term] = field(default_factory=set)  # what cannot be built
    _needed: dict[Term, set[Term]] = field(default_factory=dict)  # what is lacking -> what needs it
    _powers: dict[Term, list[Term]] = field(default_factory=dict)  # exponentials in views, by base
    # lacking ones, by base
    _raised: dict[Term, dict[Term, list[Term]]] = field(default_factory=dict)

    def see(self, term: Term, view: Term) -> None:
        """Note how the role sees a term; look again at all that could not be built without the
        term.
        """
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
        """Tell whether the role has an exponential's base, or fewer exponents on it, and can build
        the others.
        """
        base, *exponents = power.args
        lacks = [one for one in exponents if self._part(one, power) is None]
        if not lacks and self._part(base, power) is not None:
            return True
        if any(between(lacks, one.args[1:], exponents) for one in self._powers.get(base, ())):
            return True
        self._raised.setdefault(base, {})[power] = lacks
        return False

    def _part(self, part: Term, whole: Term) -> Term | None:
        """How the role builds a part of a term, or None: then the term is looked at again with the
        part.
        """
        found = self.view(part)
        if found is None:
            self._needed.setdefault(part, set()).add(whole)
        return found

    def learn(self, term: Term) -> Term:
        """The role's view of a part that comes in: built if it can be, else a variable, opened
        later if it can be.
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
            f"_{self.unnamed}", OF_KIND.get(term.kind, Sort.UNTYPED) if self.typed else Sort.UNTYPED
        )

    def settle(self, action: int | None) -> None:
        """Find out all that what is known says about the variables."""
        new = next(unifiers(tuple(self.look()), self.values, self.effort), None)
        if new is None:
            raise RoleNotRunnable(self.role, self.role, action)
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
        seen = self.views[term]
        own = self._opened(term)
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
        if term.kind is SYMMETRIC:
            key = term.args[1]
        else:
            key = inverse(term.args[1])
        own = self._part(key, term)
        if own is None:
            return None
        return rebuilt(
            term, (self.learn(term.args[0]), own if term.kind is SYMMETRIC else inverse(own))
        )

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
        if missing and term.kind is not INVERSE:
            return self.lacks(missing[0])
        return term

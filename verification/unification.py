"""Unification: the most general values for variables that make two terms equal. Sorts count; the
order of exponents does not.

Values are applied lazily: the value of a variable may contain variables with values of their own. A
mapping of values never changes after it is made.

Robinson's algorithm handles all terms except exponentials. An exponential is a base with a multiset
of exponents, so two exponentials may have several most general unifiers (Y. Chevalier, R. Küsters,
M. Rusinowitch, M. Turuani, "Deciding the security of protocols with Diffie-Hellman exponentiation
and products in exponents", FSTTCS 2003). Exponentials are compared last. By then most exponents
have values, and exponents without variables leave no choice.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from verification.effort import Effort
from verification.terms import (
    APPLY,
    CONSTANT,
    EXPONENT,
    FRESH,
    INVERSE,
    SORT_OF_KIND,
    VARIABLE,
    Sort,
    Term,
    exponent,
    inverse,
    substitute,
    variable,
)

_SHAPES: Final = frozenset(SORT_OF_KIND.values())
Values = Mapping[Term, Term]
Equation = tuple[Term, Term]


def walk(term: Term, values: Values) -> Term:
    """Return the value of a variable, and any other term as it is. Variables inside the result are
    not replaced.
    """
    while term.kind is VARIABLE:
        value = values.get(term)
        if value is None:
            return term
        term = value
    return term


def _top(term: Term, values: Values) -> Term:
    """Return the result of `walk`, with inv(inv(k)) simplified to k."""
    term = walk(term, values)
    while term.kind is INVERSE:
        key = walk(term.args[0], values)
        if key.kind is not INVERSE:
            return inverse(key)
        term = walk(key.args[0], values)
    return term


def unifiers(
    equations: tuple[Equation, ...], values: Values, effort: Effort | None = None
) -> Iterator[Values]:
    """Yield the most general extensions of `values` that make both sides of each equation equal.

    Args:
        equations: pairs of terms.
        values: values of variables so far.
        effort: counter for equations; None for terms of our own, which are small.

    Raises:
        OutOfBudget: the equations exceed the limits of `effort`.
    """
    todo = list(equations)
    powers: list[Equation] = []
    while todo:
        if effort is not None:
            effort.step()
        left, right = todo.pop()
        left = _top(left, values)
        right = _top(right, values)
        if left is right or left == right:
            continue
        if left.kind is VARIABLE or right.kind is VARIABLE:
            bound = _bind(left, right, values)
            if bound is None:
                return
            values = bound
        elif left.kind is not right.kind and INVERSE in (left.kind, right.kind):
            key, other = (left, right) if left.kind is INVERSE else (right, left)
            if key.args[0].kind is VARIABLE:
                bound = _bound(key.args[0], inverse(other), values)
            else:
                bound = None
            if bound is None:
                return
            values = bound
        elif left.kind is not right.kind or not left.args:
            return
        elif left.kind is EXPONENT:
            powers.append((left, right))
        else:
            todo += zip(left.args, right.args, strict=True)
    yield from _raised(powers, values, effort) if powers else (values,)


def _raised(powers: list[Equation], values: Values, effort: Effort | None) -> Iterator[Values]:
    """Yield the extensions of `values` that also make all pairs of exponentials equal. The smallest
    pair comes first.
    """
    unlike: list[Equation] = []
    for left, right in powers:
        left = substitute(left, values)
        right = substitute(right, values)
        if left == right:
            continue
        if left.ground and right.ground:
            return
        unlike.append((left, right))
    if not unlike:
        yield values
        return
    unlike.sort(key=lambda pair: len(pair[0].args) + len(pair[1].args), reverse=True)
    left, right = unlike.pop()
    for more in _exponentials(left, right, len(values), effort):
        yield from unifiers((*unlike, *more), values, effort)


def _bind(left: Term, right: Term, values: Values) -> Values | None:
    """Give one of two terms, a variable, the other term as value. Of two variables, the one without
    a sort or with the higher index gets the value.
    """
    if left.kind is not VARIABLE or (right.kind is VARIABLE and _rank(left) < _rank(right)):
        left, right = right, left
    bound = _bound(left, right, values)
    if bound is not None:
        return bound
    # x = inv(y) says the same as y = inv(x)
    if right.kind is INVERSE and right.args[0].kind is VARIABLE:
        left, right = right.args[0], inverse(left)
    else:
        left, right = right, left
    if left.kind is VARIABLE:
        return _bound(left, right, values)
    return None


def _bound(name: Term, value: Term, values: Values) -> Values | None:
    if not fits(name.sort, value) or (value.args and _occurs(name, value, values, set())):
        return None
    return {**values, name: value}


def _occurs(name: Term, term: Term, values: Values, seen: set[Term]) -> bool:
    """Check for the variable `name` in a term and in the values of its variables, each looked at
    once.
    """
    if term.ground:
        return False
    if term.kind is not VARIABLE:
        return any(_occurs(name, arg, values, seen) for arg in term.args)
    if term == name or term in seen:
        return term == name
    seen.add(term)
    value = values.get(term)
    return value is not None and _occurs(name, value, values, seen)


def _rank(term: Term) -> tuple[bool, int, str]:
    return (term.sort is Sort.UNTYPED, term.index, term.name)


def fits(sort: Sort, term: Term) -> bool:
    """Check that a variable of sort `sort` may have `term` as value. An agent's public key may be
    written as a function, pk(A).
    """
    if sort is Sort.UNTYPED:
        return True
    if term.kind in (CONSTANT, FRESH, VARIABLE):
        if term.kind is CONSTANT and term.sort is Sort.UNTYPED:
            return sort not in _SHAPES
        return term.sort is sort or (
            sort is Sort.PUBLIC_KEY and term.kind is VARIABLE and term.sort is Sort.IMAGE
        )
    return sort is SORT_OF_KIND.get(term.kind) or (sort is Sort.PUBLIC_KEY and term.kind is APPLY)


def _exponentials(
    left: Term, right: Term, used: int, effort: Effort | None
) -> Iterator[tuple[Equation, ...]]:
    """Yield the ways in which two exponentials may be equal, as equations between their parts."""
    if left.kind is not EXPONENT or right.kind is not EXPONENT:
        yield ((left, right),)
        return
    ours = list(left.args[1:])
    theirs = list(right.args[1:])
    for power in left.args[1:]:
        if power in theirs:
            ours.remove(power)
            theirs.remove(power)
    for equations, over, under in _matchings(tuple(ours), tuple(theirs)):
        if effort is not None:
            effort.step()
        yield from (
            (*equations, *more)
            for more in _bases((left.args[0], over), (right.args[0], under), used)
        )


def _matchings(
    ours: tuple[Term, ...], theirs: tuple[Term, ...]
) -> Iterator[tuple[tuple[Equation, ...], tuple[Term, ...], tuple[Term, ...]]]:
    """Yield each way to pair some of `ours` with some of `theirs`: the equations, and the unpaired
    exponents of both sides.
    """
    if not ours:
        yield (), (), theirs
        return
    for place, power in enumerate(theirs):
        if (ours[0].ground and power.ground) or power in theirs[:place]:
            continue  # two different exponents without variables, or a repetition
        for equations, over, under in _matchings(ours[1:], theirs[:place] + theirs[place + 1 :]):
            yield ((ours[0], power), *equations), over, under
    for equations, over, under in _matchings(ours[1:], theirs):
        yield equations, (ours[0], *over), under


def _bases(
    left: tuple[Term, tuple[Term, ...]], right: tuple[Term, tuple[Term, ...]], used: int
) -> Iterator[tuple[Equation, ...]]:
    """Yield equations that make two bases with their unpaired exponents equal. No exponent is on
    both sides.
    """
    (one, over), (other, under) = left, right
    if not over or not under:
        if (not over or other.kind is VARIABLE) and (not under or one.kind is VARIABLE):
            yield (
                ((exponent(one, *over), exponent(other, *under)),)
                if not (over or under)
                else (
                    ((one, exponent(other, *under)),) if under else ((other, exponent(one, *over)),)
                )
            )
    elif one.kind is VARIABLE and other.kind is VARIABLE and one != other:
        root = variable("_", Sort.UNTYPED, -1 - used)
        yield ((one, exponent(root, *under)), (other, exponent(root, *over)))

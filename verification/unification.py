"""What two terms must have in common: their most general unifiers, sorts heeded, the order of
exponents not.

Values are looked into when they are read (a value may have variables that have values themselves),
and a mapping is never changed after it is made. Beside Robinson's algorithm: exponentials are
compared as a base with a multiset of exponents, which may have several most general unifiers (Y.
Chevalier, R. Küsters, M. Rusinowitch, M. Turuani, "Deciding the security of protocols with
Diffie-Hellman exponentiation and products in exponents", FSTTCS 2003). They come last: by then most
exponents are known, and without variables there is nothing to choose.
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
    OF_KIND,
    VARIABLE,
    Sort,
    Term,
    exponent,
    inverse,
    substitute,
    variable,
)

_SHAPES: Final = frozenset(OF_KIND.values())
Values = Mapping[Term, Term]
Equation = tuple[Term, Term]


def walk(term: Term, values: Values) -> Term:
    """The term, or what a variable stands for, its inside left as it is."""
    while term.kind is VARIABLE:
        value = values.get(term)
        if value is None:
            return term
        term = value
    return term


def _top(term: Term, values: Values) -> Term:
    """As `walk`, and the inverse of what has turned out to be an inverse is the key."""
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
    """All most general values, these among them, under which both sides of each equation are the
    same term.

    Args:
        equations: what must be the same.
        values: what variables stand for already.
        effort: counts the equations; None where nobody else has chosen the terms.

    Raises:
        OutOfBudget: there were more equations than allowed.
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
    """The values under which exponentials are the same, too; small ones are looked at first."""
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
    """Give the variable among the two the other for its value; of two, the one that may stand for
    more or is later.
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
    """Look for a variable in a term, and once in what each other variable stands for."""
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
    """Whether a variable of a sort may stand for it; a key pair of an agent, pk(A), is a public key
    like any other.
    """
    if sort is Sort.UNTYPED:
        return True
    if term.kind in (CONSTANT, FRESH, VARIABLE):
        if term.kind is CONSTANT and term.sort is Sort.UNTYPED:
            return sort not in _SHAPES
        return term.sort is sort or (
            sort is Sort.PUBLIC_KEY and term.kind is VARIABLE and term.sort is Sort.IMAGE
        )
    return sort is OF_KIND.get(term.kind) or (sort is Sort.PUBLIC_KEY and term.kind is APPLY)


def _exponentials(
    left: Term, right: Term, used: int, effort: Effort | None
) -> Iterator[tuple[Equation, ...]]:
    """The ways in which two exponentials may be equal, as equations between their parts."""
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
    """Some of our exponents equated with some of theirs, and what is left over of both."""
    if not ours:
        yield (), (), theirs
        return
    for place, power in enumerate(theirs):
        if (ours[0].ground and power.ground) or power in theirs[:place]:
            continue  # they never are the same, or have been looked at
        for equations, over, under in _matchings(ours[1:], theirs[:place] + theirs[place + 1 :]):
            yield ((ours[0], power), *equations), over, under
    for equations, over, under in _matchings(ours[1:], theirs):
        yield equations, (ours[0], *over), under


def _bases(
    left: tuple[Term, tuple[Term, ...]], right: tuple[Term, tuple[Term, ...]], used: int
) -> Iterator[tuple[Equation, ...]]:
    """How base and exponents left over on one side may equal those on the other, no exponent being
    on both.
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

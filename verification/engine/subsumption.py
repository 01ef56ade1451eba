"""Subsumption of solutions: leave out a solution if a more general one covers all that can follow
from it.
"""

from verification.engine.solver import Solution, Solver
from verification.terms import EXPONENT, VARIABLE, Sort, Term, exponent, substitute
from verification.unification import fits


def most_general(
    solutions: list[Solution], names: tuple[Term, ...], solver: Solver
) -> list[Solution]:
    """Return the solutions that no other one covers. If two cover each other, the first stays.
    `names` are the variables of all strands.
    """
    if len(solutions) < 2:
        return solutions
    chosen = [tuple(substitute(name, solution.values) for name in names) for solution in solutions]
    kept: list[int] = []
    for number in range(len(solutions)):
        others = [*kept, *range(number + 1, len(solutions))]
        pairs = (
            (chosen[other], chosen[number], solutions[other], solutions[number]) for other in others
        )
        if not any(
            _covers(general, special, one, other, solver) for general, special, one, other in pairs
        ):
            kept.append(number)
    return [solutions[number] for number in kept]


def _covers(
    general: tuple[Term, ...],
    special: tuple[Term, ...],
    wide: Solution,
    narrow: Solution,
    solver: Solver,
) -> bool:
    """Check that some values for open variables turn `general` into `special`, and that the
    intruder can say these values in time.
    """
    values: dict[Term, Term] = {}
    if not all(
        _match(pattern, term, values) for pattern, term in zip(general, special, strict=True)
    ):
        return False
    return all(
        name not in wide.deferred
        or solver.derivable(term, wide.deferred[name], narrow, with_deferred=False)
        for name, term in values.items()
    )


def _match(pattern: Term, term: Term, values: dict[Term, Term]) -> bool:
    if pattern.kind is VARIABLE:
        if (
            term.kind is VARIABLE
            and pattern.sort is not term.sort
            and pattern.sort is not Sort.UNTYPED
        ):
            return False
        return fits(pattern.sort, term) and values.setdefault(pattern, term) == term
    if pattern.ground or pattern.kind is not term.kind:
        return pattern == term
    if pattern.kind is EXPONENT:
        return _match_powers(pattern, term, values)
    return all(
        _match(arg, other, values) for arg, other in zip(pattern.args, term.args, strict=True)
    )


def _match_powers(pattern: Term, term: Term, values: dict[Term, Term]) -> bool:
    """Match two exponentials if the assignment of exponents is unambiguous: at most one open
    exponent is left for one remaining exponent.
    """
    ours = list(pattern.args[1:])
    theirs = list(term.args[1:])
    for power in pattern.args[1:]:
        known = values.get(power, power)
        if known in theirs and (known.ground or power in values):
            ours.remove(power)
            theirs.remove(known)
    if len(ours) == 1 and len(theirs) == 1:
        return _match(pattern.args[0], term.args[0], values) and _match(ours[0], theirs[0], values)
    if len(ours) == 0 and pattern.args[0].kind is VARIABLE:
        return _match(pattern.args[0], exponent(term.args[0], *theirs), values)
    return not ours and not theirs and _match(pattern.args[0], term.args[0], values)

"""Equality of states up to names of variables and exchanges of strands of a role."""

from collections.abc import Iterator, Mapping
from itertools import groupby, permutations, product
from typing import NamedTuple

from verification.engine.intruder_knowledge import Time
from verification.engine.solver import Solution
from verification.strands.scenario import Strand
from verification.terms import FRESH, VARIABLE, Term, fresh, rebuild, variable
from verification.unification import walk


class LateMessage(NamedTuple):
    """A message that the intruder must not be able to say at the earlier time `before`. The check
    is not decided while variables of the message are open.
    """

    term: Term
    before: Time


class SearchState(NamedTuple):
    """State of the search: the number of steps of each strand, and a solution for all demands so
    far.
    """

    positions: Time
    solution: Solution
    late: tuple[LateMessage, ...]
    order: tuple[int, ...]  # indices of the strands that have received, in order
    touched: frozenset[int]  # numbers of strands that have made a step or occur in a value


class StateSymmetry:
    """Calculation of one key for all equal states."""

    def __init__(self, strands: tuple[Strand, ...]) -> None:
        self._names = tuple(name for strand in strands for name in strand.variables)
        self._own = [strand.variables for strand in strands]
        numbers = range(len(strands))
        self._groups = [
            tuple(group) for _, group in groupby(numbers, lambda number: strands[number].role)
        ]

    def key(self, state: SearchState) -> object:
        """Return a key that is the same for equal states."""
        keys = [self._key(state, places) for places in self._exchanges(state)]
        return keys[0] if len(keys) == 1 else min(keys, key=hash)

    def _exchanges(self, state: SearchState) -> Iterator[dict[int, int]]:
        """Yield the ways to sort strands of a role independently of their numbers, as maps from old
        to new index.
        """
        ways = [list(self._orders(group, state)) for group in self._groups]
        for chosen in product(*ways):
            yield {
                old: new
                for group, moved in zip(self._groups, chosen, strict=True)
                for new, old in zip(group, moved, strict=True)
            }

    def _orders(self, group: tuple[int, ...], state: SearchState) -> Iterator[tuple[int, ...]]:
        """Yield all orders of strands that look alike. Untouched strands stay at the end."""
        looks: dict[object, list[int]] = {}
        for number in group:
            if number + 1 in state.touched:
                looks.setdefault(self._look(number, state), []).append(number)
        fresh = tuple(number for number in group if number + 1 not in state.touched)
        for chosen in product(*(permutations(looks[look]) for look in sorted(looks, key=str))):
            yield (*(number for part in chosen for number in part), *fresh)

    def _look(self, number: int, state: SearchState) -> object:
        """Return properties of a strand that do not depend on its number."""
        values = state.solution.values
        tops = [walk(name, values) for name in self._own[number]]
        return (state.positions[number], tuple([(top.kind.value, top.name) for top in tops]))

    def _key(self, state: SearchState, places: Mapping[int, int]) -> object:
        namer = _Namer(state.solution, {old + 1: new + 1 for old, new in places.items()})
        back = {new: old for old, new in places.items()}
        order = [back.get(number, number) for number in range(len(state.positions))]

        def moved(time: Time) -> Time:
            return tuple([time[number] for number in order])

        chosen = tuple(
            [namer.named(variable(n.name, n.sort, 1 + order[n.index - 1])) for n in self._names]
        )
        late = frozenset((namer.named(one.term), moved(one.before)) for one in state.late)
        deferred = frozenset(
            (namer.new[name], moved(time))
            for name, time in state.solution.deferred.items()
            if name in namer.new
        )
        if state.order:
            last = places.get(state.order[-1], state.order[-1])
        else:
            last = None
        return (moved(state.positions), chosen, deferred, late, last)


class _Namer:
    """Renaming of open variables in the order in which they occur, and of strands by `numbers`."""

    def __init__(self, solution: Solution, numbers: Mapping[int, int]) -> None:
        self._values = solution.values
        self._numbers = numbers
        self._moves = any(old != new for old, new in numbers.items())
        self.new: dict[Term, Term] = {}

    def named(self, term: Term) -> Term:
        if term.ground and not self._moves:
            return term
        if term.kind is VARIABLE:
            value = self._values.get(term)
            if value is not None:
                return self.named(value)
            return self.new.setdefault(term, variable("#", term.sort, len(self.new) + 1))
        if term.kind is FRESH:
            return fresh(term.name, term.sort, self._numbers.get(term.index, term.index))
        if term.args:
            return rebuild(term, tuple([self.named(arg) for arg in term.args]))
        return term

"""When two states are the same: if only names of variables, or strands of a role, are exchanged."""

from collections.abc import Iterator, Mapping
from itertools import groupby, permutations, product
from typing import NamedTuple

from verification.engine.intruder_knowledge import Time
from verification.engine.solver import Solution
from verification.strands.scenario import Strand
from verification.terms import FRESH, VARIABLE, Term, fresh, rebuilt, variable
from verification.unification import walk


class LateMessage(NamedTuple):
    """A message that must not have been sayable at an earlier time, as far as its variables are not
    settled yet.
    """

    term: Term
    before: Time


class SearchState(NamedTuple):
    """What has happened: how far each strand is, and what the values of variables then must be."""

    positions: Time
    solution: Solution
    late: tuple[LateMessage, ...]
    order: tuple[int, ...]  # the strands that received, counted from 0
    touched: frozenset[int]  # numbers of strands that anything has happened with


class StateSymmetry:
    """Finds one name for all states that are the same."""

    def __init__(self, strands: tuple[Strand, ...]) -> None:
        self._names = tuple(name for strand in strands for name in strand.variables)
        self._own = [strand.variables for strand in strands]
        numbers = range(len(strands))
        self._groups = [
            tuple(group) for _, group in groupby(numbers, lambda number: strands[number].role)
        ]

    def key(self, state: SearchState) -> object:
        """The same for states from which the same can happen."""
        keys = [self._key(state, places) for places in self._exchanges(state)]
        return keys[0] if len(keys) == 1 else min(keys, key=hash)

    def _exchanges(self, state: SearchState) -> Iterator[dict[int, int]]:
        """The ways to put strands of a role into an order that does not depend on their numbers:
        where each goes.
        """
        ways = [list(self._orders(group, state)) for group in self._groups]
        for chosen in product(*ways):
            yield {
                old: new
                for group, moved in zip(self._groups, chosen, strict=True)
                for new, old in zip(group, moved, strict=True)
            }

    def _orders(self, group: tuple[int, ...], state: SearchState) -> Iterator[tuple[int, ...]]:
        """All orders in which strands are that look alike; those that nothing has happened with
        stay at the end.
        """
        looks: dict[object, list[int]] = {}
        for number in group:
            if number + 1 in state.touched:
                looks.setdefault(self._look(number, state), []).append(number)
        fresh = tuple(number for number in group if number + 1 not in state.touched)
        for chosen in product(*(permutations(looks[look]) for look in sorted(looks, key=str))):
            yield (*(number for part in chosen for number in part), *fresh)

    def _look(self, number: int, state: SearchState) -> object:
        """Something about a strand that is the same whatever its number is."""
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
        owed = frozenset(
            (namer.new[name], moved(time))
            for name, time in state.solution.owed.items()
            if name in namer.new
        )
        if state.order:
            last = places.get(state.order[-1], state.order[-1])
        else:
            last = None
        return (moved(state.positions), chosen, owed, late, last)


class _Namer:
    """Gives open variables names in the order in which they are met, and strands other numbers."""

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
            return rebuilt(term, tuple([self.named(arg) for arg in term.args]))
        return term

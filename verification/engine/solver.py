"""What the intruder must be able to say, solved only as far as needed: the lazy intruder.

A demand is a message, and what had been sent when the intruder had to know it. It is met in one of
three ways: it is unified with something that he has, composed of its arguments, or got out of
something encrypted whose key he can derive. A demand that is a variable is left alone: any message
will do, until another demand gives it a value. After J. Millen, V. Shmatikov, "Constraint solving
for bounded-process cryptographic protocol analysis", CCS 2001; M. Rusinowitch, M. Turuani,
"Protocol insecurity with a finite number of sessions is NP-complete", CSFW 2001; D. Basin, S.
Mödersheim, L. Viganò, "OFMC: a symbolic model checker for security protocols", IJIS 4 (2005).
"""

from collections.abc import Iterator
from enum import Enum
from typing import Final, NamedTuple

from verification.effort import Effort
from verification.engine.intruder_knowledge import (
    Deferred,
    IntruderKnowledge,
    KnowledgeState,
    Time,
    empty_state,
    same,
)
from verification.strands.scenario import Part, Scenario, parts, renumbered
from verification.terms import (
    CONSTANT,
    EXPONENT,
    INVERSE,
    VARIABLE,
    Sort,
    Term,
    compositions,
    exponent,
    inverse,
    substitute,
    variable,
)
from verification.unification import Values, fits, unifiers


class DemandRule(Enum):
    """The ways to meet a demand."""

    UNIFY = "unify"
    COMPOSE = "compose"
    DECRYPT = "decrypt"


EVERY_RULE: Final = frozenset(DemandRule)


class Demand(NamedTuple):
    """The intruder must be able to say this at that time; and not by way of the keys in `under`,
    which need it.
    """

    term: Term
    time: Time
    under: tuple[Term, ...] = ()


class Solution(NamedTuple):
    """Values of variables, and those that may still be anything, with the time by which the
    intruder must know them.
    """

    values: Values
    owed: Deferred


class Solver:
    """Solves demands in one scenario."""

    def __init__(
        self, scenario: Scenario, effort: Effort, rules: frozenset[DemandRule] = EVERY_RULE
    ) -> None:
        """`rules`: those that are used, all but in tests."""
        self._effort = effort
        self._unifies = DemandRule.UNIFY in rules
        self._composes = DemandRule.COMPOSE in rules
        self._decrypts = DemandRule.DECRYPT in rules
        self._apart = scenario.apart
        self._sends = [[bool(step.sends) for step in strand.steps] for strand in scenario.strands]
        self._heard = IntruderKnowledge(scenario, self._decrypts, effort)
        self._schemes = tuple(
            part
            for term in scenario.begin
            if not term.ground
            for part in parts(term)
            if self._decrypts or not part.keys
        )
        self._last = empty_state({}, {})

    def time(self, positions: Time) -> Time:
        """The positions as far as they matter to the intruder: a step that sends nothing tells him
        nothing.
        """
        return tuple(
            next((done for done in range(position, 0, -1) if sends[done - 1]), 0)
            for position, sends in zip(positions, self._sends, strict=True)
        )

    def solutions(
        self, demands: tuple[Demand, ...], values: Values, owed: Deferred
    ) -> Iterator[Solution]:
        """All ways to meet the demands, none more special than needed. Raises: OutOfBudget."""
        return self._changed(demands, values, owed)

    def derivable(self, term: Term, time: Time, solution: Solution, also: bool) -> bool:
        """Whether the intruder can say it at that time as things are; `also`: if he knew what is
        owed later, too.
        """
        return self._at_hand(substitute(term, solution.values), time, self._now(*solution), also)

    def _now(self, values: Values, owed: Deferred) -> KnowledgeState:
        last = self._last
        if last.values is not values:
            self._last = empty_state(values, owed)
        elif last.owed is not owed:
            self._last = KnowledgeState(values, owed, {}, last.inside)
        return self._last

    def _changed(
        self, demands: tuple[Demand, ...], values: Values, owed: Deferred
    ) -> Iterator[Solution]:
        """Go on after variables got values: what stands for one that was owed is demanded again."""
        for one, other in self._apart:
            if substitute(one, values) == substitute(other, values):
                return
        bound = [name for name in owed if name in values]
        if bound:
            demands = (*(Demand(name, owed[name]) for name in bound), *demands)
            owed = {name: time for name, time in owed.items() if name not in values}
        yield from self._solve(demands, Solution(values, owed))

    def _solve(self, demands: tuple[Demand, ...], solution: Solution) -> Iterator[Solution]:
        """Meet the first demand that is not met already in every way there is."""
        self._effort.demand()
        values, owed = solution
        for place, (term, time, under) in enumerate(demands):
            term = substitute(term, values)
            if term.kind is VARIABLE:
                if term.sort is not Sort.AGENT and (term not in owed or owed[term] > time):
                    owed = {**owed, term: time}
            elif not self._at_hand(term, time, self._now(values, owed), False):
                yield from self._met(
                    Demand(term, time, under), demands[place + 1 :], Solution(values, owed)
                )
                return
        yield Solution(values, owed)

    def _met(
        self, demand: Demand, rest: tuple[Demand, ...], solution: Solution
    ) -> Iterator[Solution]:
        term, time, under = demand
        values, owed = solution
        if self._unifies:
            for mine, keys in self._candidates(demand, solution):
                more = tuple(Demand(key, time, (*under, *keys)) for key in keys)
                for new in unifiers(((mine, term),), values, self._effort):
                    yield from self._changed((*more, *rest), new, owed)
                if term.kind is EXPONENT and term.args[0].kind is VARIABLE:
                    root, power = (
                        variable(name, Sort.UNTYPED, -1 - len(values))
                        for name in ("_root", "_power")
                    )
                    raised = (
                        (mine, exponent(root, *term.args[1:])),
                        (term.args[0], exponent(root, power)),
                    )
                    for new in unifiers(raised, values, self._effort):
                        yield from self._changed(
                            (*more, Demand(power, time, under), *rest), new, owed
                        )
        if self._unifies and term.kind is INVERSE:
            yield from self._public(demand, rest, solution)
        if self._composes and term.args and term.kind is not INVERSE:
            for arguments in compositions(term):
                more = tuple(Demand(arg, time, under) for arg in arguments)
                yield from self._solve((*more, *rest), solution)

    def _public(
        self, demand: Demand, rest: tuple[Demand, ...], solution: Solution
    ) -> Iterator[Solution]:
        """The inverse of what is still open may be a public key: then what is open is the private
        one.
        """
        values, owed = solution
        private = demand.term.args[0]
        key = variable("_key", Sort.UNTYPED, -1 - len(values))
        if private.kind is VARIABLE and private.index > 0 and fits(private.sort, inverse(key)):
            for new in unifiers(((private, inverse(key)),), values, self._effort):
                yield from self._changed((demand._replace(term=key), *rest), new, owed)

    def _candidates(self, demand: Demand, solution: Solution) -> list[Part]:
        """What the intruder has that might be what is demanded, each once."""
        term, time, under = demand
        values = solution.values
        empty_state = self._now(*solution)
        found: dict[Part, None] = {}
        for one, locks in self._like(term):
            keys = tuple(renumbered(key, -1 - len(values)) for key in locks)
            if not any(key in under for key in keys):
                found[Part(renumbered(one, -1 - len(values)), keys)] = None
        for offer in self._heard.offers(term.kind, time, empty_state):
            like = unifiers(((offer.term, term),), values, self._effort)
            if term.kind is not EXPONENT and next(like, None) is None:
                continue
            opened = [substitute(key, values) for key in offer.keys]
            mine = substitute(offer.term, values)
            if any(key in under for key in opened) or self._composed(
                mine, time, empty_state, False
            ):
                continue  # what he can compose is met by composing, more generally
            found[
                Part(
                    mine,
                    tuple(
                        key for key in opened if not self._at_hand(key, time, empty_state, False)
                    ),
                )
            ] = None
        return [part for part in found if not part.keys or Part(part.term, ()) not in found]

    def _like(self, term: Term) -> Iterator[Part]:
        """What he has of this kind for every agent."""
        self._effort.step(len(self._schemes))
        return (scheme for scheme in self._schemes if scheme.term.kind is term.kind)

    def _at_hand(self, term: Term, time: Time, empty_state: KnowledgeState, also: bool) -> bool:
        """Whether a term can be said without giving any variable a value; `also`: whenever a
        variable is owed.
        """
        if term.kind is VARIABLE:
            return term.sort is Sort.AGENT or (
                term in empty_state.owed and (also or empty_state.owed[term] <= time)
            )
        if (
            not term.args
            and term.kind is CONSTANT
            and term.sort in (Sort.AGENT, Sort.FORMAT)
            and self._unifies
        ):
            return True
        found = empty_state.sayable.get((term, time, also))
        if found is None:
            self._effort.step()
            empty_state.sayable[term, time, also] = (
                False  # while it is looked for: nothing needs itself
            )
            found = empty_state.sayable[term, time, also] = self._said(
                term, time, empty_state, also
            )
        return found

    def _said(self, term: Term, time: Time, empty_state: KnowledgeState, also: bool) -> bool:
        if self._unifies:
            for offer in self._heard.offers(term.kind, time, empty_state):
                self._effort.step()
                if same(offer.term, term, empty_state.values) and all(
                    self._at_hand(substitute(key, empty_state.values), time, empty_state, also)
                    for key in offer.keys
                ):
                    return True
            if any(_match(term, scheme, {}) for scheme, keys in self._like(term) if not keys):
                return True
        return self._composed(term, time, empty_state, also)

    def _composed(self, term: Term, time: Time, empty_state: KnowledgeState, also: bool) -> bool:
        """Whether all that it can be composed of can be said."""
        if not term.args or term.kind is INVERSE or not self._composes:
            return False
        self._effort.step(len(term.args) ** 2)
        return any(
            all(self._at_hand(arg, time, empty_state, also) for arg in args)
            for args in compositions(term)
        )


def _match(term: Term, scheme: Term, values: dict[Term, Term]) -> bool:
    if scheme.kind is VARIABLE:
        return term.sort is Sort.AGENT and values.setdefault(scheme, term) == term
    if scheme.ground or term.kind is not scheme.kind or len(term.args) != len(scheme.args):
        return term == scheme
    return all(
        _match(arg, other, values) for arg, other in zip(term.args, scheme.args, strict=True)
    )

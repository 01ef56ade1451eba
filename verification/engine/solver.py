"""Solver for messages that the intruder must be able to say. The solver is the *lazy intruder*: it
gives a variable a value only if necessary.

A demand is a message, together with the time at which the intruder had to know the message. The
solver meets a demand in one of three ways. It unifies the message with a known term, composes the
message from its arguments, or decrypts a term whose key can be derived. A demand for a variable is
deferred: any message will do until another demand gives the variable a value.

After J. Millen, V. Shmatikov, "Constraint solving for bounded-process cryptographic protocol
analysis", CCS 2001; M. Rusinowitch, M. Turuani, "Protocol insecurity with a finite number of
sessions is NP-complete", CSFW 2001; D. Basin, S. Mödersheim, L. Viganò, "OFMC: a symbolic model
checker for security protocols", IJIS 4 (2005).
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
    matches,
)
from verification.strands.scenario import Part, Scenario, parts, renumber
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
    """Ways to meet a demand."""

    UNIFY = "unify"
    COMPOSE = "compose"
    DECRYPT = "decrypt"


EVERY_RULE: Final = frozenset(DemandRule)


class Demand(NamedTuple):
    """The intruder must be able to say `term` at `time`. The keys in `under` depend on this demand,
    so they cannot help to meet it.
    """

    term: Term
    time: Time
    under: tuple[Term, ...] = ()


class Solution(NamedTuple):
    """Values of variables, and the variables that are still open, each with the time by which the
    intruder must know its value.
    """

    values: Values
    deferred: Deferred


class Solver:
    """Solver for the demands of one scenario."""

    def __init__(
        self, scenario: Scenario, effort: Effort, rules: frozenset[DemandRule] = EVERY_RULE
    ) -> None:
        """Prepare a scenario. `rules` are the permitted rules; only tests leave some out."""
        self._effort = effort
        self._unifies = DemandRule.UNIFY in rules
        self._composes = DemandRule.COMPOSE in rules
        self._decrypts = DemandRule.DECRYPT in rules
        self._apart = scenario.distinct
        self._sends = [[bool(step.sends) for step in strand.steps] for strand in scenario.strands]
        self._heard = IntruderKnowledge(scenario, self._decrypts, effort)
        self._schemes = tuple(
            part
            for term in scenario.initial_knowledge
            if not term.ground
            for part in parts(term)
            if self._decrypts or not part.keys
        )
        self._last = empty_state({}, {})

    def time(self, positions: Time) -> Time:
        """Reduce `positions` to the steps that matter for the intruder. A step that sends nothing
        teaches him nothing.
        """
        return tuple(
            next((done for done in range(position, 0, -1) if sends[done - 1]), 0)
            for position, sends in zip(positions, self._sends, strict=True)
        )

    def solutions(
        self, demands: tuple[Demand, ...], values: Values, deferred: Deferred
    ) -> Iterator[Solution]:
        """Yield the most general solutions that meet all `demands`. Raises: OutOfBudget."""
        return self._solve_with_values(demands, values, deferred)

    def derivable(self, term: Term, time: Time, solution: Solution, with_deferred: bool) -> bool:
        """Check that the intruder can say `term` at `time` without further values. With `with_deferred`, the
        check assumes that he knows the values of all open variables already.
        """
        return self._can_say(
            substitute(term, solution.values), time, self._now(*solution), with_deferred
        )

    def _now(self, values: Values, deferred: Deferred) -> KnowledgeState:
        last = self._last
        if last.values is not values:
            self._last = empty_state(values, deferred)
        elif last.deferred is not deferred:
            self._last = KnowledgeState(values, deferred, {}, last.inside)
        return self._last

    def _solve_with_values(
        self, demands: tuple[Demand, ...], values: Values, deferred: Deferred
    ) -> Iterator[Solution]:
        """Solve `demands` after variables got values. Deferred variables with a value become
        demands again.
        """
        for one, other in self._apart:
            if substitute(one, values) == substitute(other, values):
                return
        bound = [name for name in deferred if name in values]
        if bound:
            demands = (*(Demand(name, deferred[name]) for name in bound), *demands)
            deferred = {name: time for name, time in deferred.items() if name not in values}
        yield from self._solve(demands, Solution(values, deferred))

    def _solve(self, demands: tuple[Demand, ...], solution: Solution) -> Iterator[Solution]:
        """Meet the first open demand in every possible way, then the rest."""
        self._effort.demand()
        values, deferred = solution
        for place, (term, time, under) in enumerate(demands):
            term = substitute(term, values)
            if term.kind is VARIABLE:
                if term.sort is not Sort.AGENT and (term not in deferred or deferred[term] > time):
                    deferred = {**deferred, term: time}
            elif not self._can_say(term, time, self._now(values, deferred), False):
                yield from self._meet(
                    Demand(term, time, under), demands[place + 1 :], Solution(values, deferred)
                )
                return
        yield Solution(values, deferred)

    def _meet(
        self, demand: Demand, rest: tuple[Demand, ...], solution: Solution
    ) -> Iterator[Solution]:
        term, time, under = demand
        values, deferred = solution
        if self._unifies:
            for mine, keys in self._candidates(demand, solution):
                more = tuple(Demand(key, time, (*under, *keys)) for key in keys)
                for new in unifiers(((mine, term),), values, self._effort):
                    yield from self._solve_with_values((*more, *rest), new, deferred)
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
                        yield from self._solve_with_values(
                            (*more, Demand(power, time, under), *rest), new, deferred
                        )
        if self._unifies and term.kind is INVERSE:
            yield from self._try_private_key(demand, rest, solution)
        if self._composes and term.args and term.kind is not INVERSE:
            for arguments in compositions(term):
                more = tuple(Demand(arg, time, under) for arg in arguments)
                yield from self._solve((*more, *rest), solution)

    def _try_private_key(
        self, demand: Demand, rest: tuple[Demand, ...], solution: Solution
    ) -> Iterator[Solution]:
        """Try a private key as the value of the open variable in `inv(x)`. Then `inv(x)` is the
        public key.
        """
        values, deferred = solution
        private = demand.term.args[0]
        key = variable("_key", Sort.UNTYPED, -1 - len(values))
        if private.kind is VARIABLE and private.index > 0 and fits(private.sort, inverse(key)):
            for new in unifiers(((private, inverse(key)),), values, self._effort):
                yield from self._solve_with_values(
                    (demand._replace(term=key), *rest), new, deferred
                )

    def _candidates(self, demand: Demand, solution: Solution) -> list[Part]:
        """Return the terms of the intruder that may unify with the demand, each once."""
        term, time, under = demand
        values = solution.values
        state = self._now(*solution)
        found: dict[Part, None] = {}
        for one, locks in self._schemes_of_kind(term):
            keys = tuple(renumber(key, -1 - len(values)) for key in locks)
            if not any(key in under for key in keys):
                found[Part(renumber(one, -1 - len(values)), keys)] = None
        for offer in self._heard.offers(term.kind, time, state):
            like = unifiers(((offer.term, term),), values, self._effort)
            if term.kind is not EXPONENT and next(like, None) is None:
                continue
            opened = [substitute(key, values) for key in offer.keys]
            mine = substitute(offer.term, values)
            if any(key in under for key in opened) or self._can_compose(mine, time, state, False):
                continue  # the rule COMPOSE covers terms that he can compose, in a more general way
            found[
                Part(
                    mine,
                    tuple(key for key in opened if not self._can_say(key, time, state, False)),
                )
            ] = None
        return [part for part in found if not part.keys or Part(part.term, ()) not in found]

    def _schemes_of_kind(self, term: Term) -> Iterator[Part]:
        """Yield the schemes of this kind: terms of the initial knowledge that the intruder has for
        every agent.
        """
        self._effort.step(len(self._schemes))
        return (scheme for scheme in self._schemes if scheme.term.kind is term.kind)

    def _can_say(self, term: Term, time: Time, state: KnowledgeState, with_deferred: bool) -> bool:
        """Check that a term can be said without a value for any variable. With `with_deferred`, open
        variables count as known at any time.
        """
        if term.kind is VARIABLE:
            return term.sort is Sort.AGENT or (
                term in state.deferred and (with_deferred or state.deferred[term] <= time)
            )
        if (
            not term.args
            and term.kind is CONSTANT
            and term.sort in (Sort.AGENT, Sort.FORMAT)
            and self._unifies
        ):
            return True
        found = state.sayable.get((term, time, with_deferred))
        if found is None:
            self._effort.step()
            # during the computation, so that a term does not count as its own source
            state.sayable[term, time, with_deferred] = False
            found = state.sayable[term, time, with_deferred] = self._can_say_anew(
                term, time, state, with_deferred
            )
        return found

    def _can_say_anew(
        self, term: Term, time: Time, state: KnowledgeState, with_deferred: bool
    ) -> bool:
        if self._unifies:
            for offer in self._heard.offers(term.kind, time, state):
                self._effort.step()
                if matches(offer.term, term, state.values) and all(
                    self._can_say(substitute(key, state.values), time, state, with_deferred)
                    for key in offer.keys
                ):
                    return True
            if any(
                _match(term, scheme, {}) for scheme, keys in self._schemes_of_kind(term) if not keys
            ):
                return True
        return self._can_compose(term, time, state, with_deferred)

    def _can_compose(
        self, term: Term, time: Time, state: KnowledgeState, with_deferred: bool
    ) -> bool:
        """Check that a term can be composed from terms that can be said."""
        if not term.args or term.kind is INVERSE or not self._composes:
            return False
        self._effort.step(len(term.args) ** 2)
        return any(
            all(self._can_say(arg, time, state, with_deferred) for arg in args)
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

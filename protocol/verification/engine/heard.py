"""What the intruder has at some time, under some values: how to look it up without writing all of it down.

Messages are taken apart once, as the roles send them. Only what stands for a variable is taken apart when it has a
value; as long as it has none, the intruder has said it himself and learns nothing from it.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from protocol.verification.effort import Effort
from protocol.verification.strands.scenario import Scenario, parts
from protocol.verification.terms import EXPONENT, INVERSE, VARIABLE, Kind, Sort, Term, substitute
from protocol.verification.unify import Values, walk

Time = tuple[int, ...]  # for each strand: how many of its steps have been done
Owed = Mapping[Term, Time]  # variables, and when the intruder had to know what they stand for


class Offer(NamedTuple):
    """Something that a strand gives away in a step, to whoever has the keys."""

    strand: int
    step: int
    term: Term
    keys: tuple[Term, ...]


class Now(NamedTuple):
    """Values, and what has been found out under them already."""

    values: Values
    owed: Owed
    sayable: dict[tuple[Term, Time, bool], bool]
    inside: dict[Kind, list[Offer]]  # what variables stand for, taken apart; empty: not looked at yet


def now(values: Values, owed: Owed) -> Now:
    """Nothing found out yet."""
    return Now(values, owed, {}, {})


class Heard:
    """All that strands of a scenario give away, and what the intruder has from the beginning."""

    def __init__(self, scenario: Scenario, opens: bool, effort: Effort) -> None:
        """`opens`: whether he can open anything. `effort`: counts what is taken apart."""
        self._effort = effort
        self._plain: dict[Kind, list[Offer]] = {}
        self._hidden: list[Offer] = []
        self._at: dict[tuple[Kind, Time], tuple[Offer, ...]] = {}  # of what is plain, what there is at a time
        for term in scenario.begin:
            for part, keys in parts(term) if term.ground else ():
                if opens or not keys:
                    self._plain.setdefault(part.kind, []).append(Offer(0, -1, part, keys))
        for offer in _offers(scenario):
            if offer.keys and not opens:
                continue
            if offer.term.kind is VARIABLE or (offer.term.kind is INVERSE and not offer.term.ground):
                self._hidden.append(offer)
            else:
                self._plain.setdefault(offer.term.kind, []).append(offer)

    def offers(self, kind: Kind, time: Time, now: Now) -> Iterator[Offer]:
        """What there is of a kind at a time; terms are as the strand sends them, values not filled in."""
        yield from self._given(kind, time)
        if not now.inside:
            now.inside.update(self._inside(now.values))
        for offer in now.inside.get(kind, ()):
            if offer.step < time[offer.strand]:
                yield offer

    def _given(self, kind: Kind, time: Time) -> tuple[Offer, ...]:
        """Those that show what they are whatever the values."""
        given = self._at.get((kind, time))
        if given is None:
            given = tuple(offer for offer in self._plain.get(kind, ()) if offer.step < time[offer.strand])
            self._at[kind, time] = given
        return given

    def _inside(self, values: Values) -> dict[Kind, list[Offer]]:
        found: dict[Kind, list[Offer]] = {VARIABLE: []}
        seen = set()
        for strand, step, term, keys in self._hidden:
            self._effort.step()
            term = substitute(term, values)
            if term.kind is not VARIABLE:
                for part, more in parts(term):
                    self._effort.step()
                    offer = Offer(strand, step, part, (*keys, *more))
                    if part.kind is not VARIABLE and (strand, part, offer.keys) not in seen:
                        seen.add((strand, part, offer.keys))
                        found.setdefault(part.kind, []).append(offer)
        return found


def _offers(scenario: Scenario) -> Iterator[Offer]:
    for number, strand in enumerate(scenario.strands):
        seen = set()
        for place, step in enumerate(strand.steps):
            for part in (part for sent in step.sends for part in parts(sent.message)):
                public = not part.term.args and part.term.sort in (Sort.AGENT, Sort.FORMAT)
                if not public and part not in seen:
                    seen.add(part)
                    yield Offer(number, place, part.term, part.keys)


def same(pattern: Term, term: Term, values: Values) -> bool:
    """Whether a pattern is this term under these values, which are in the term already."""
    pattern = walk(pattern, values)
    if pattern.kind is INVERSE:
        pattern = substitute(pattern, values)
    if pattern is term:
        return True
    if pattern.kind is not term.kind:
        return False
    if pattern.ground or pattern.kind is VARIABLE:
        return pattern == term
    if pattern.kind is EXPONENT or pattern.kind is INVERSE:
        return substitute(pattern, values) == term
    return same(pattern.args[0], term.args[0], values) and same(pattern.args[1], term.args[1], values)

"""Contract of rule files: the constants that a file must define, and the functions that the engine
calls. Both are checked when the file is read.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, TypeGuard, TypeVar

from protocol.games.decks import Face
from protocol.games.scripted.rule_file.constants import (
    ActionKind,
    ActionsReader,
    ConstantsReader,
    RuleOption,
    Zone,
)
from protocol.limits import RULE_CALL_STEPS, SCRIPT_DECK_STEPS
from protocol.rules import Module, RuleError, Value, load, parse
from protocol.view.phrase import Value as PhraseValue

# Functions that a file must or may define, with their parameters.
REQUIRED_FUNCTIONS: Final = {
    "start": "g",
    "legal": "g, me, act",
    "apply": "g, me, act",
    "winner": "g",
}
OPTIONAL_FUNCTIONS: Final = {
    "turn_begins": "g, me",
    "turn_ends": "g, me",
    "to_act": "g",
    "judge": "g, me, act, hand",
    "card_errors": "card",
    "size_errors": "count",
    "deck_errors": "cards",
    "lapsed": "g, me",
    "left": "g, seat",
}
T = TypeVar("T")
CONTRACT_CACHE: Final = 16  # number of parsed rule files in the cache
# steps of a call of a function, in addition to the steps of the function itself
CALL_STEPS: Final = 50


@dataclass(frozen=True, eq=False)
class RuleContract:
    """Rule file that satisfies the contract. `seats` is the least and the greatest number of
    seats.
    """

    module: Module
    name: str
    seats: tuple[int, int]
    own: bool  # each seat has a deck of its own; otherwise all share one pack, which is `cards`
    one_action: bool  # the engine ends a turn after one action
    by_chance: bool  # chance decides which seat begins; otherwise seat 0 does
    options: tuple[RuleOption, ...]
    zones: tuple[Zone, ...]
    kinds: tuple[ActionKind, ...]
    counters: tuple[tuple[str, bool], ...]  # name, and whether every seat has one
    cards: tuple[Face, ...]  # the shared pack, or the cards that proxies stand for
    starter: tuple[int, ...]  # deck for players without a deck, as indices of `cards`
    shown: tuple[str, ...]  # values of a card that are shown next to its name
    texts: Mapping[str, tuple[str, ...]]  # texts for the values of counters, from 0 on

    def has(self, name: object) -> TypeGuard[str]:
        """Check whether the file defines a function `name`. `name` may be any value that a rule
        gives as the name of a function.
        """
        return type(name) is str and name in self.module.functions

    def call(self, name: str, *args: Any) -> Value:
        """Call a function of the file. Raises: RuleError."""
        return self.module.call(name, *args)

    def counted(self, name: str, *args: Any, most: int = RULE_CALL_STEPS) -> tuple[Value, int]:
        """Call a function of the file with at most `most` steps, and return its result and the
        number of its steps. Raises: RuleError.
        """
        return self.module.call_with_steps(name, *args, most=most)

    def deck_errors(self, faces: Iterable[Face]) -> tuple[str, ...]:
        """List the file's objections to a deck, in the file's words; empty if the deck is allowed.
        Raises: RuleError.

        The file gets the deck sorted: slots are assigned at random, and a verdict must not depend
        on luck. The complete deck is checked only if there is no objection to its size or to single
        cards.
        """
        cards = sorted(faces, key=_sort_key)
        errors = _Errors(self)
        parts = (*errors.of("size_errors", len(cards)), *errors.of("card_errors", *cards))
        return parts or errors.of("deck_errors", cards)

    def cards_errors(self, faces: Iterable[Face]) -> tuple[str, ...]:
        """List the file's objections to these cards, independent of the rest of the deck. Raises:
        RuleError.
        """
        return _Errors(self).of("card_errors", *faces)

    def size_errors(self, count: int) -> tuple[str, ...]:
        """List the file's objections to a deck of `count` cards; the size of a deck is public.
        Raises: RuleError.
        """
        return _Errors(self).of("size_errors", count)

    def zone(self, name: object) -> int | None:
        """Number of a region by its name; None if the file has no such region."""
        return next((number for number, zone in enumerate(self.zones) if zone.name == name), None)


class _Errors:
    """Objections of a file to one deck, or to some cards. All calls of its functions share
    `SCRIPT_DECK_STEPS` steps.
    """

    def __init__(self, contract: RuleContract) -> None:
        self._contract, self._left = contract, SCRIPT_DECK_STEPS

    def of(self, name: str, *given: Any) -> tuple[str, ...]:
        """Call the function `name` of the file for each value in `given`, and collect the
        objections. Raises: RuleError.
        """
        found: list[str] = []
        for one in given if self._contract.has(name) else ():
            self._left -= CALL_STEPS
            said, steps = self._contract.module.call_with_steps(
                name, one, most=min(max(self._left, 0), RULE_CALL_STEPS)
            )
            self._left -= steps
            found += map(str, said if type(said) is list else [said] if said else ())
        return tuple(found)


@lru_cache(CONTRACT_CACHE)
def parse_contract(text: str) -> RuleContract:
    """Parse a rule file. Raises: RuleError if it violates the rule language or the contract."""
    module = load(parse(text))
    contract = _contract(module, module.constants)
    for name, given in (REQUIRED_FUNCTIONS | OPTIONAL_FUNCTIONS).items():
        if name in REQUIRED_FUNCTIONS and name not in module.functions:
            raise refused("script.function", name=name, given=given)
        if name in module.functions and not module.accepts(name, len(given.split(", "))):
            raise RuleError(*module.place(name), "script.given", name=name, given=given)
    return contract


def _contract(module: Module, constants: Mapping[str, Value]) -> RuleContract:
    def read(name: str, reading: Callable[[], T]) -> T:
        """Read a constant. An error in it is reported at the line of the file that defines the
        constant.
        """
        try:
            return reading()
        except RuleError as error:
            raise RuleError(*module.place(name), error.key, **error.values) from None

    said = ConstantsReader(constants)
    rules = read("RULES", said.rules)
    own = rules.decks == "own"
    zones = read("REGIONS", lambda: _check_deck_region(said.zones(), own))
    cards = read("CARDS", lambda: said.cards(own))
    kinds = read("ACTIONS", lambda: ActionsReader(zones).kinds(constants))
    starter, shown = read("STARTER", lambda: said.starter(len(cards))), read("SHOWN", said.shown)
    counters = read("COUNTERS", said.counters)
    texts = read("CALLED", lambda: said.texts(counters))
    return RuleContract(
        module,
        rules.name,
        rules.seats,
        own,
        rules.turns == "alternate",
        rules.first == "chance",
        rules.options,
        zones,
        kinds,
        counters,
        cards,
        starter,
        shown,
        texts,
    )


def _check_deck_region(zones: tuple[Zone, ...], own: bool) -> tuple[Zone, ...]:
    deck = next((zone for zone in zones if zone.name == "deck"), None)
    if deck is None or deck.each != own:
        raise refused("script.deck.own" if own else "script.deck.shared")
    return zones


def _sort_key(face: Face) -> list[tuple[str, str, object]]:
    """Sort key of a card, from its printed values. Code points and integers have the same order in
    every version of Python.
    """
    return sorted((name, type(value).__name__, value) for name, value in face.items())


def refused(key: str, **values: PhraseValue) -> RuleError:
    """Make an error for something that the engine never does, whatever the rules say. The error has
    no line number.
    """
    return RuleError(0, 0, key, **values)

"""What a rule file has to say of itself, checked when it is read: constants, and functions that the
engine calls.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, TypeVar

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

# and what they are given
MUST: Final = {"start": "g", "legal": "g, me, act", "apply": "g, me, act", "winner": "g"}
MAY: Final = {
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
READ: Final = 16  # rule files that are kept read
CALL: Final = 50  # steps of a call of a function, besides those that the function takes


@dataclass(frozen=True, eq=False)
class RuleContract:
    """A rule file that keeps to the contract. `seats`: least and most."""

    module: Module
    name: str
    seats: tuple[int, int]
    own: bool  # each seat brings a deck; else all play with one pack, of all `cards`
    one_action: bool  # a turn is one action: the engine ends it
    by_chance: bool  # who begins; else the first seat does
    options: tuple[RuleOption, ...]
    zones: tuple[Zone, ...]
    kinds: tuple[ActionKind, ...]
    counters: tuple[tuple[str, bool], ...]  # by name: whether every seat has one
    cards: tuple[Face, ...]  # that proxies name, or the pack
    starter: tuple[int, ...]  # a deck, for who brings none: indices of `cards`
    shown: tuple[str, ...]  # the values of a card that are shown beside its name
    texts: Mapping[str, tuple[str, ...]]  # what numbers of counters, from 0 on, are called

    def has(self, name: object) -> bool:
        """Whether the file has a function of this name, whatever a rule says is one."""
        return type(name) is str and name in self.module.functions

    def call(self, name: str, *args: Any) -> Value:
        """What a function of the file gives. Raises: RuleError."""
        return self.module.call(name, *args)

    def counted(self, name: str, *args: Any) -> tuple[Value, int]:
        """Call a function of the file, and count its steps. Raises: RuleError."""
        return self.module.call_with_steps(name, *args)

    def deck_errors(self, faces: Iterable[Face]) -> tuple[str, ...]:
        """What the file has against a deck, in its own words: nothing, if it may be played. Raises:
        RuleError.

        It is given the deck sorted: in which slots cards lie is drawn by lot, and no deck may be
        right by luck. It is asked of the whole only if there is nothing against the size and each
        card.
        """
        cards = sorted(faces, key=_by_values)
        errors = _Errors(self)
        parts = (*errors.of("size_errors", len(cards)), *errors.of("card_errors", *cards))
        return parts or errors.of("deck_errors", cards)

    def cards_errors(self, faces: Iterable[Face]) -> tuple[str, ...]:
        """List the objections to these cards, whatever else is in the deck. Raises: RuleError."""
        return _Errors(self).of("card_errors", *faces)

    def size_errors(self, count: int) -> tuple[str, ...]:
        """What it has against a deck of so many cards, which everybody sees. Raises: RuleError."""
        return _Errors(self).of("size_errors", count)

    def zone(self, name: object) -> int | None:
        """The number of a region by its name."""
        return next((number for number, zone in enumerate(self.zones) if zone.name == name), None)


class _Errors:
    """The objections of a file to one deck, or to some cards; all its calls share
    `SCRIPT_DECK_STEPS`.
    """

    def __init__(self, contract: RuleContract) -> None:
        self._contract, self._left = contract, SCRIPT_DECK_STEPS

    def of(self, name: str, *given: Any) -> tuple[str, ...]:
        """Ask one of its functions about each of these. Raises: RuleError."""
        found: list[str] = []
        for one in given if self._contract.has(name) else ():
            self._left -= CALL
            said, steps = self._contract.module.call_with_steps(
                name, one, most=min(max(self._left, 0), RULE_CALL_STEPS)
            )
            self._left -= steps
            found += map(str, said if type(said) is list else [said] if said else ())
        return tuple(found)


@lru_cache(READ)
def parse_contract(text: str) -> RuleContract:
    """A rule file. Raises: RuleError for any that breaks the language or the contract."""
    module = load(parse(text))
    contract = _contract(module, module.constants)
    for name, given in (MUST | MAY).items():
        if name in MUST and name not in module.functions:
            raise refused("script.function", name=name, given=given)
        if name in module.functions and not module.accepts(name, len(given.split(", "))):
            raise RuleError(*module.place(name), "script.given", name=name, given=given)
    return contract


def _contract(module: Module, constants: Mapping[str, Value]) -> RuleContract:
    def read(name: str, reading: Callable[[], T]) -> T:
        """What a constant says; what is wrong with it is wrong where it is written."""
        try:
            return reading()
        except RuleError as error:
            raise RuleError(*module.place(name), error.key, **error.values) from None

    said = ConstantsReader(constants)
    rules = read("RULES", said.rules)
    own = rules.decks == "own"
    zones = read("REGIONS", lambda: _with_deck(said.zones(), own))
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


def _with_deck(zones: tuple[Zone, ...], own: bool) -> tuple[Zone, ...]:
    deck = next((zone for zone in zones if zone.name == "deck"), None)
    if deck is None or deck.each != own:
        raise refused("script.deck.own" if own else "script.deck.shared")
    return zones


def _by_values(face: Face) -> list[tuple[str, str, Any]]:
    """By what is on a card: code points and whole numbers, which every version of Python has in one
    order.
    """
    return sorted((name, type(value).__name__, value) for name, value in face.items())


def refused(key: str, **values: Any) -> RuleError:
    """What the engine does not do, whatever rules say: an error of theirs, which stands in no
    line.
    """
    return RuleError(0, 0, key, **values)

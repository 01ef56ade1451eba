"""Constants of a rule file, converted to values for the engine. Errors in them are reported in a
sentence.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple, TypeGuard

from protocol.limits import (
    MAX_DECK,
    MAX_NAME,
    MAX_PIECES,
    MAX_SCRIPT_NAMES,
    MAX_SCRIPT_SEATS,
)
from protocol.rules import RuleError
from protocol.view.harmless import is_safe_to_show

SEES, ORDERS, STEPS = (
    ("nobody", "owner", "all"),
    ("pile", "hand", "row"),
    ("rules", "deck", "open", "agree", "decline", "dispute", "answer", "toss", "toss_open"),
)
RESERVED = (*STEPS, "take", "leave", "timeout")  # names of the engine's own actions


class Zone(NamedTuple):
    """Region of the table as declared in the file: one for all seats, or one for each seat."""

    name: str
    each: bool
    see: str  # seats that see its cards: "nobody", its "owner", "all"
    order: str  # "pile", "hand", "row"
    row: int  # distance from the middle of the table


class ActionKind(NamedTuple):
    """Kind of action as declared in the file. `card` and `target` are numbers of regions."""

    name: str
    # the action takes a card of this region; if each seat has such a region, of the seat's own
    card: int | None
    shows: bool  # the action shows this card
    target: int | None  # the action takes any card of this region as target
    choices: tuple[str, ...]


class RuleOption(NamedTuple):
    """Option of a match by this file. The first choice is the default."""

    name: str
    choices: tuple[str, ...]


@dataclass(frozen=True)
class RuleHeader:
    """Constant `RULES`."""

    name: str
    seats: tuple[int, int]
    decks: str
    turns: str
    first: str
    options: tuple[RuleOption, ...]


def fail(where: str, want: str) -> RuleError:
    """Make the error for an invalid constant. `want` shows the required form in the rule
    language.
    """
    return RuleError(0, 0, "script.constant", name=where, want=want)


def is_name(value: object) -> TypeGuard[str]:
    """Check whether `value` is a valid name for something in a rule file."""
    return type(value) is str and 0 < len(value) <= MAX_NAME and is_safe_to_show(value)


class ConstantsReader:
    """Reader of the constants of a file. All methods raise RuleError if a constant is invalid."""

    def __init__(self, constants: Mapping[str, object]) -> None:
        self._all = constants

    def rules(self) -> RuleHeader:
        """Read `RULES`: name, number of seats, kind of decks, turns, first seat and options."""
        said = self._all.get("RULES")
        if type(said) is not dict or not is_name(said.get("name")):
            raise fail(
                "RULES", '{"name": "…", "edition": 1, "seats": 2, "decks": "own" or "shared"}'
            )
        for key, choices in (
            ("decks", ("own", "shared")),
            ("turns", ("free", "alternate")),
            ("first", ("seat", "chance")),
        ):
            if said.get(key, choices[0]) not in choices:
                raise fail(f'RULES["{key}"]', " | ".join(f'"{choice}"' for choice in choices))
        seats, own = _seats(said.get("seats")), said.get("decks", "own")
        if own == "own" and seats != (2, 2):
            raise fail('RULES["seats"]', "2")
        turns, first = said.get("turns", "free"), said.get("first", "seat")
        return RuleHeader(said["name"], seats, own, turns, first, _options(said.get("options", {})))

    def zones(self) -> tuple[Zone, ...]:
        """Read `REGIONS`."""
        found = tuple(_zone(item) for item in _items(self._all.get("REGIONS"), "REGIONS"))
        _check_unique("REGIONS", [zone.name for zone in found])
        return found

    def counters(self) -> tuple[tuple[str, bool], ...]:
        """Read `COUNTERS`: the name of each counter, and whether each seat has one."""
        said = self._all.get("COUNTERS", {})
        if type(said) is not dict or len(said) > MAX_SCRIPT_NAMES:
            raise fail("COUNTERS", '{"points": "each", "round": "one"}')
        for name, whose in said.items():
            if not is_name(name) or whose not in ("each", "one"):
                raise fail("COUNTERS", '{"points": "each", "round": "one"}')
        return tuple((name, whose == "each") for name, whose in said.items())

    def texts(self, counters: tuple[tuple[str, bool], ...]) -> dict[str, tuple[str, ...]]:
        """Read `CALLED`: for a counter, texts for its values from 0 on. With an empty text the
        counter is not shown.
        """
        said = self._all.get("CALLED", {})
        if type(said) is not dict or not said.keys() <= {name for name, _ in counters}:
            raise fail("CALLED", '{"suit": ["", "hearts", "spades"]}')
        for texts in said.values():
            good = type(texts) is list and len(texts) <= MAX_SCRIPT_NAMES
            if not good or not all(text == "" or is_name(text) for text in texts):
                raise fail("CALLED", '{"suit": ["", "hearts", "spades"]}')
        return {name: tuple(texts) for name, texts in said.items()}

    def cards(self, own: bool) -> tuple[dict[str, int | str], ...]:
        """Read `CARDS`: the shared pack, or the cards that own decks may consist of."""
        said = self._all.get("CARDS", [])
        if type(said) is not list or len(said) > MAX_PIECES or (len(said) < 2 and not own):
            raise fail("CARDS", f'[{{"name": "…", …}}, …], 2 … {MAX_PIECES}')
        for card in said:
            good = (
                type(card) is dict and is_name(card.get("name")) and len(card) <= MAX_SCRIPT_NAMES
            )
            if not good or not all(
                is_name(key) and type(value) in (int, str) for key, value in card.items()
            ):
                raise fail("CARDS", '{"name": "…", "…": 1, "…": "…"}')
        return tuple(said)

    def starter(self, cards: int) -> tuple[int, ...]:
        """Read `STARTER`: a deck for players without a deck."""
        said = self._all.get("STARTER", [])
        if (
            type(said) is not list
            or len(said) > MAX_DECK
            or not all(type(card) is int and 0 <= card < cards for card in said)
        ):
            raise fail("STARTER", f"[0, 1, …], 0 … {cards - 1}, ≤ {MAX_DECK}")
        return tuple(said)

    def shown(self) -> tuple[str, ...]:
        """Read `SHOWN`: the values of a card that are shown next to its name."""
        said = self._all.get("SHOWN", [])
        if type(said) is not list or not all(map(is_name, said)) or len(said) > MAX_SCRIPT_NAMES:
            raise fail("SHOWN", '["strength", "element"]')
        return tuple(said)


@dataclass(frozen=True)
class ActionsReader:
    """Reader of the constant `ACTIONS`, which refers to regions."""

    zones: tuple[Zone, ...]

    def kinds(self, constants: Mapping[str, object]) -> tuple[ActionKind, ...]:
        """Read the kinds of actions. Raises: RuleError."""
        found = tuple(self._kind(item) for item in _items(constants.get("ACTIONS"), "ACTIONS"))
        _check_unique("ACTIONS", [kind.name for kind in found])
        return found

    def _kind(self, item: dict[str, object]) -> ActionKind:
        name, face, choices = item.get("name"), item.get("face"), item.get("choice") or []
        if type(name) is not str or not is_name(name) or name in RESERVED:
            raise fail("ACTIONS", 'action("play", card = "hand", face = "up")')
        if face not in (None, "up", "down") or (face is not None and item.get("card") is None):
            raise fail(f'action("{name}")', 'card = "…", face = "up" | "down"')
        if (
            type(choices) is not list
            or len(choices) > MAX_SCRIPT_NAMES
            or not all(map(is_name, choices))
        ):
            raise fail(f'action("{name}")', f'choice = ["…", "…"], 1 … {MAX_SCRIPT_NAMES}')
        card, target = self._zone(name, item.get("card")), self._zone(name, item.get("target"))
        return ActionKind(name, card, face == "up", target, tuple(choices))

    def _zone(self, action: str, name: object) -> int | None:
        if name is None:
            return None
        for number, zone in enumerate(self.zones):
            if zone.name == name:
                return number
        raise fail(f'action("{action}")', " | ".join(f'"{zone.name}"' for zone in self.zones))


def _items(said: object, name: str) -> list[dict[str, object]]:
    good = (
        type(said) is list
        and 0 < len(said) <= MAX_SCRIPT_NAMES
        and all(type(item) is dict for item in said)
    )
    if not good:
        raise fail(name, f"[…], 1 … {MAX_SCRIPT_NAMES}")
    assert isinstance(said, list)
    return said


def _check_unique(where: str, names: list[str]) -> None:
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise RuleError(0, 0, "script.twice", where=where, name=twice[0])


def _seats(said: object) -> tuple[int, int]:
    least, most = said if type(said) is list and len(said) == 2 else (said, said)
    if (
        type(least) is not int
        or type(most) is not int
        or not 2 <= least <= most <= MAX_SCRIPT_SEATS
    ):
        raise fail('RULES["seats"]', f"2 … {MAX_SCRIPT_SEATS}, [2, {MAX_SCRIPT_SEATS}]")
    return least, most


def _options(said: object) -> tuple[RuleOption, ...]:
    want = '{"early": ["no", "yes"]}'
    if type(said) is not dict:
        raise fail('RULES["options"]', want)
    for name, choices in said.items():
        if (
            not is_name(name)
            or type(choices) is not list
            or len(choices) < 2
            or not all(map(is_name, choices))
        ):
            raise fail('RULES["options"]', want)
    return tuple(RuleOption(name, tuple(choices)) for name, choices in said.items())


def _zone(item: dict[str, object]) -> Zone:
    name, owner = item.get("name"), item.get("owner")
    see, order, row = item.get("see"), item.get("order"), item.get("row")
    good = is_name(name) and owner in ("one", "each") and see in SEES and order in ORDERS
    if (
        not good
        or type(row) is not int
        or not 0 <= row <= MAX_SCRIPT_NAMES
        or (see == "owner" and owner == "one")
    ):
        raise fail(
            f'region("{name}")',
            'region("hand", "each" | "one", see = "nobody" | "owner" | "all", '
            'order = "pile" | "hand" | "row", row = 1)',
        )
    assert isinstance(name, str) and isinstance(see, str) and isinstance(order, str)
    return Zone(name, owner == "each", see, order, row)

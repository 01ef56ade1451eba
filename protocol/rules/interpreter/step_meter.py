"""Meter of one run: the steps left, and the lists that the run has created."""

from typing import Any

from protocol.limits import MAX_RULE_INT, MAX_RULE_LIST, MAX_RULE_TEXT
from protocol.rules.errors import RuleFault

CALL = 5  # steps of a call
MAKE = 3  # steps of a list, tuple or dict display, besides its elements
TEXT_STEP = 16  # characters of a new text per step


class StepMeter:
    """Steps left, and the lists created by this run. Only these lists may grow."""

    __slots__ = ("busy", "left", "own")

    def __init__(self, steps: int) -> None:
        self.left = steps
        self.own: dict[int, list[Any]] = {}
        self.busy: list[int] = []  # ids of the values that loops iterate over at present

    def spend(self, steps: int) -> None:
        """Spend steps. Raises: RuleFault if too few are left."""
        self.left -= steps
        if self.left < 0:
            raise RuleFault(None, "rules.steps")

    def add_list(self, found: list[Any]) -> list[Any]:
        """Register a new list of this run. Raises: RuleFault if it is too long."""
        if len(found) > MAX_RULE_LIST:
            raise RuleFault(None, "rules.list.long", most=MAX_RULE_LIST)
        self.own[id(found)] = found
        return found

    def check_room(self, elements: int) -> None:
        """Pay for elements to be copied. Raises: RuleFault if they are too many."""
        if elements > MAX_RULE_LIST:
            raise RuleFault(None, "rules.list.long", most=MAX_RULE_LIST)
        self.spend(elements)

    def check_text(self, characters: int) -> None:
        """Pay for a text to be created. Raises: RuleFault if it is too long."""
        if characters > MAX_RULE_TEXT:
            raise RuleFault(None, "rules.text.long", most=MAX_RULE_TEXT)
        self.spend(-(-characters // TEXT_STEP))

    def check_may_grow(self, found: Any) -> list[Any]:
        """Return a list that may grow. Raises: RuleFault for a list from elsewhere, or one in a
        loop.
        """
        if type(found) is not list:
            raise RuleFault(None, "rules.append.kind", kind=kind(found))
        if self.own.get(id(found)) is not found:
            raise RuleFault(None, "rules.frozen")
        if id(found) in self.busy:
            raise RuleFault(None, "rules.busy")
        return found


def in_range(number: int) -> int:
    """Return the number. Raises: RuleFault if it is out of range."""
    if -MAX_RULE_INT <= number <= MAX_RULE_INT:
        return number
    raise RuleFault(None, "rules.range", most=str(MAX_RULE_INT))


def kind(value: Any) -> str:
    """Return the name of the value's type in the rule language."""
    if value is None:
        return "NoneType"
    return "string" if type(value) is str else type(value).__name__

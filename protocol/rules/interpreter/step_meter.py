"""What one run has left to spend, and what it has made."""

from typing import Any

from protocol.limits import MAX_RULE_INT, MAX_RULE_LIST, MAX_RULE_TEXT
from protocol.rules.errors import RuleFault

CALL = 5  # steps of a call
MAKE = 3  # steps of a list, tuple or dict that is written out, besides its elements
TEXT_STEP = 16  # characters of a text that are made in a step


class StepMeter:
    """Steps that are left, and the lists that this run has made: these alone may grow."""

    __slots__ = ("busy", "left", "own")

    def __init__(self, steps: int) -> None:
        self.left = steps
        self.own: dict[int, list[Any]] = {}
        self.busy: list[int] = []  # lists that are gone through just now

    def spend(self, steps: int) -> None:
        """Raises: Fault if that is more than there is left."""
        self.left -= steps
        if self.left < 0:
            raise RuleFault(None, "rules.steps")

    def add_list(self, found: list[Any]) -> list[Any]:
        """A list that this run has made. Raises: Fault if it is too long."""
        if len(found) > MAX_RULE_LIST:
            raise RuleFault(None, "rules.list.long", most=MAX_RULE_LIST)
        self.own[id(found)] = found
        return found

    def check_room(self, elements: int) -> None:
        """Elements that are about to be copied. Raises: Fault if they are too many."""
        if elements > MAX_RULE_LIST:
            raise RuleFault(None, "rules.list.long", most=MAX_RULE_LIST)
        self.spend(elements)

    def check_text(self, characters: int) -> None:
        """A text that is about to be made. Raises: Fault if it is too long."""
        if characters > MAX_RULE_TEXT:
            raise RuleFault(None, "rules.text.long", most=MAX_RULE_TEXT)
        self.spend(-(-characters // TEXT_STEP))

    def check_may_grow(self, found: Any) -> list[Any]:
        """A list that may be added to. Raises: Fault for any other."""
        if type(found) is not list:
            raise RuleFault(None, "rules.append.kind", kind=kind(found))
        if self.own.get(id(found)) is not found:
            raise RuleFault(None, "rules.frozen")
        if id(found) in self.busy:
            raise RuleFault(None, "rules.busy")
        return found


def in_range(number: int) -> int:
    """The number. Raises: Fault if it is none of the language."""
    if -MAX_RULE_INT <= number <= MAX_RULE_INT:
        return number
    raise RuleFault(None, "rules.range", most=str(MAX_RULE_INT))


def kind(value: Any) -> str:
    """What `type` says."""
    if value is None:
        return "NoneType"
    return "string" if type(value) is str else type(value).__name__

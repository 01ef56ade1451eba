"""Operators. Each raises `RuleFault` for values of the wrong kind."""

from collections.abc import Callable
from typing import Any

from protocol.rules.errors import RuleFault
from protocol.rules.interpreter.step_meter import StepMeter, in_range, kind
from protocol.rules.interpreter.value_operations import compare, equal, to_text

FORMAT_STEPS = 5  # steps of a place of a text that % fills, besides its value
Operator = Callable[[StepMeter, Any, Any], Any]
SEARCH_STEP = (
    # pairs of characters compared per step in a search for one text in another
    64
)


def _operand_fault(sign: str, left: Any, right: Any) -> RuleFault:
    return RuleFault(None, "rules.operands", sign=sign, left=kind(left), right=kind(right))


def plus(meter: StepMeter, left: Any, right: Any) -> Any:
    """Add numbers, or concatenate texts, lists or tuples."""
    same = type(left)
    if same is not type(right):
        raise _operand_fault("+", left, right)
    if same is int:
        return in_range(left + right)
    if same is str:
        meter.check_text(len(left) + len(right))
        return left + right
    if same is list:
        meter.check_room(len(left) + len(right))
        return meter.add_list(left + right)
    if same is tuple:
        meter.check_room(len(left) + len(right))
        return left + right
    raise _operand_fault("+", left, right)


def minus(_: StepMeter, left: Any, right: Any) -> Any:
    """Subtract numbers."""
    if type(left) is not int or type(right) is not int:
        raise _operand_fault("-", left, right)
    return in_range(left - right)


def times(meter: StepMeter, left: Any, right: Any) -> Any:
    """Multiply numbers, or repeat a list, tuple or text."""
    if type(left) is int and type(right) is int:
        return in_range(left * right)
    many, what = (left, right) if type(left) is int else (right, left)
    if type(many) is not int:
        raise _operand_fault("*", left, right)
    if type(what) in (str, list, tuple):
        size = len(what) * max(many, 0)
    else:
        size = 0
    if type(what) is str:
        meter.check_text(size)
        return what * many if size else ""
    if type(what) is list or type(what) is tuple:
        meter.check_room(size)
        found = what * many if size else type(what)()
        return meter.add_list(found) if type(found) is list else found
    raise _operand_fault("*", left, right)


def divided(_: StepMeter, left: Any, right: Any) -> Any:
    """Divide numbers, rounded down."""
    if type(left) is not int or type(right) is not int:
        raise _operand_fault("//", left, right)
    if right == 0:
        raise RuleFault(None, "rules.zero")
    return left // right


def remainder(meter: StepMeter, left: Any, right: Any) -> Any:
    """Compute the remainder of numbers, with the sign of the right one; or fill values into %d and
    %s of a text.
    """
    if type(left) is str:
        return _format_text(meter, left, right if type(right) is tuple else (right,))
    if type(left) is not int or type(right) is not int:
        raise _operand_fault("%", left, right)
    if right == 0:
        raise RuleFault(None, "rules.zero")
    return left % right


def _format_text(meter: StepMeter, pattern: str, given: tuple[Any, ...]) -> str:
    parts = list[str]()
    used = 0
    size = 0
    begin = 0
    while (at := pattern.find("%", begin)) >= 0:
        letter = pattern[at + 1 : at + 2]
        if letter not in ("d", "s", "%") or not letter:
            raise RuleFault(None, "rules.format")
        slice_of = "%"
        if letter != "%":
            if used >= len(given):
                raise RuleFault(None, "rules.format.few")
            if letter == "d" and type(given[used]) is not int:
                raise RuleFault(None, "rules.format.number", kind=kind(given[used]))
            meter.spend(FORMAT_STEPS)
            slice_of = to_text(meter, given[used])
            used += 1
        parts += [pattern[begin:at], slice_of]
        size = size + at - begin + len(slice_of)
        begin = at + 2
        meter.check_text(size)
    if used < len(given):
        raise RuleFault(None, "rules.format.many")
    parts.append(pattern[begin:])
    meter.check_text(size + len(parts[-1]))
    return "".join(parts)


def contains(meter: StepMeter, what: Any, where: Any) -> bool:
    """Compute `in`: an element of a list or tuple, a key of a dict, or a part of a text."""
    if type(where) is str:
        if type(what) is not str:
            raise _operand_fault("in", what, where)
        meter.spend(-(-len(what) * len(where) // SEARCH_STEP))
        return what in where
    if type(where) is dict:
        return hashable(what) in where
    if type(where) is not list and type(where) is not tuple:
        raise _operand_fault("in", what, where)
    return index_of(meter, what, where) >= 0


def index_of(meter: StepMeter, what: Any, where: Any) -> int:
    """Return the first index of a value in a list or tuple, or −1. Each examined element costs one
    step.
    """
    for at, one in enumerate(where):
        if equal(meter, what, one):
            meter.spend(at + 1)
            return at
        if at & 63 == 63 and meter.left < at:
            break
    meter.spend(len(where))
    return -1


def hashable(key: Any) -> Any:
    """Return a valid key of a dict. Raises: RuleFault for another kind."""
    if type(key) is str or type(key) is int:
        return key
    raise RuleFault(None, "rules.dict.key", kind=kind(key))


def subscript(meter: StepMeter, of: Any, index: Any) -> Any:
    """Compute `of[index]`."""
    if type(of) is dict:
        try:
            return of[hashable(index)]
        except KeyError:
            raise RuleFault(None, "rules.no_key", name=shortened(index)) from None
    if type(of) not in (list, tuple, str):
        raise RuleFault(None, "rules.subscript", kind=kind(of))
    if type(index) is not int:
        raise RuleFault(None, "rules.index.kind", kind=kind(index))
    try:
        return of[index]
    except IndexError:
        raise RuleFault(None, "rules.no_index", index=index, length=len(of)) from None


def shortened(key: Any) -> str:
    """Return the beginning of a key in printable characters, for a sentence."""
    return "".join(char if " " <= char <= "~" else "?" for char in str(key)[:40])


def slice_of(meter: StepMeter, of: Any, start: Any, stop: Any, step: Any) -> Any:
    """Compute `of[start:stop:step]`."""
    if type(of) not in (list, tuple, str):
        raise RuleFault(None, "rules.subscript", kind=kind(of))
    for bound in (start, stop, step):
        if bound is not None and type(bound) is not int:
            raise RuleFault(None, "rules.index.kind", kind=kind(bound))
    if step == 0:
        raise RuleFault(None, "rules.step")
    size = len(range(*slice(start, stop, step).indices(len(of))))
    if type(of) is str:
        meter.check_text(size)
        return of[start:stop:step]
    meter.check_room(size)
    found = of[start:stop:step]
    return meter.add_list(found) if type(of) is list else found


def negative(sign: str, value: Any) -> int:
    """Apply `-` or `+` to a number."""
    if type(value) is not int:
        raise RuleFault(None, "rules.operand", sign=sign, kind=kind(value))
    return -value if sign == "-" else value


ARITHMETIC: dict[str, Operator] = {"+": plus, "-": minus, "*": times, "//": divided, "%": remainder}
COMPARED: dict[str, Operator] = {
    "==": equal,
    "!=": lambda meter, left, right: not equal(meter, left, right),
    "<": lambda meter, left, right: compare(meter, left, right) < 0,
    "<=": lambda meter, left, right: compare(meter, left, right) <= 0,
    ">": lambda meter, left, right: compare(meter, left, right) > 0,
    ">=": lambda meter, left, right: compare(meter, left, right) >= 0,
    "in": contains,
    "not in": lambda meter, left, right: not contains(meter, left, right),
}

"""Comparison and text form of values, with a limited number of steps and a limited depth."""

import re
from collections.abc import Iterable
from typing import Any

from protocol.limits import MAX_RULE_NESTING
from protocol.rules.errors import RuleFault
from protocol.rules.interpreter.step_meter import StepMeter, kind

ESCAPED = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
PRINTED = str.maketrans(ESCAPED)
# unprintable characters, after the replacement of those in `ESCAPED`
UNPRINTED = re.compile(r"[^ -~]")
ORDERED = (int, str, bool)
NESTED = (list, tuple, dict, range)
NESTED_PAIR = 2  # steps of `==` for two lists, tuples or dicts, besides their elements
WRITTEN = 5  # steps of `str` for a list, tuple or dict, besides its elements
WRITTEN_ELEMENT = 2  # steps of `str` for an element of a list or tuple
WRITTEN_PAIR = 4  # steps of `str` for a pair of a dict


def _check_depth(depth: int) -> None:
    if depth > MAX_RULE_NESTING:
        raise RuleFault(None, "rules.deep", most=MAX_RULE_NESTING)


def equal(meter: StepMeter, left: Any, right: Any, depth: int = 0) -> bool:
    """Compute `==`: values of different kinds are never equal. Two lists, tuples or dicts cost
    `NESTED_PAIR` steps, and each pair of elements one step.
    """
    same = type(left)
    if same is not type(right):
        return False
    if same is list or same is tuple:
        meter.spend(NESTED_PAIR)
        return _same_elements(meter, left, right, depth)
    if same is dict:
        meter.spend(NESTED_PAIR)
        return _same_pairs(meter, left, right, depth)
    if same is range:
        raise RuleFault(None, "rules.range.list")
    return bool(left == right)


def _same_elements(meter: StepMeter, left: Any, right: Any, depth: int) -> bool:
    _check_depth(depth)
    if len(left) != len(right):
        return False
    for one, other in zip(left, right, strict=True):
        meter.left -= 1
        if meter.left < 0:
            raise RuleFault(None, "rules.steps")
        same = type(one)
        if same is not type(other):
            return False
        if same in NESTED:
            if not equal(meter, one, other, depth + 1):
                return False
        elif one != other:
            return False
    return True


def _same_pairs(meter: StepMeter, left: Any, right: Any, depth: int) -> bool:
    _check_depth(depth)
    if len(left) != len(right):
        return False
    for key, value in left.items():
        meter.spend(3)
        if key not in right or not equal(meter, value, right[key], depth + 1):
            return False
    return True


def compare(meter: StepMeter, left: Any, right: Any, depth: int = 0) -> int:
    """Compare two values of one kind. The result is below zero, zero or above. Raises: RuleFault
    without an order.
    """
    same = type(left)
    if same is type(right):
        if same in ORDERED:
            return int(left > right) - int(left < right)
        if same is list or same is tuple:
            _check_depth(depth)
            for one, other in zip(left, right, strict=False):
                meter.spend(1)
                if not equal(meter, one, other, depth + 1):
                    return compare(meter, one, other, depth + 1)
            return (len(left) > len(right)) - (len(left) < len(right))
    raise RuleFault(None, "rules.order", left=kind(left), right=kind(right))


def check_sortable(meter: StepMeter, keys: list[Any]) -> None:
    """Pay for a sort. Raises: RuleFault unless all values can be compared with each other.

    The compared pairs depend on the algorithm. So all values must be of one kind: numbers, texts,
    bools, or lists or tuples whose elements at each position are of one of the first three kinds.
    """
    if not keys:
        return
    many = len(keys)
    first = type(keys[0])
    size = many
    if first is list or first is tuple:
        size += sum(len(key) for key in keys if type(key) is first)
    meter.spend(size * many.bit_length())
    _check_one_kind(keys, (*ORDERED, list, tuple))
    if first is list or first is tuple:
        _check_elements_sortable(keys)


def _check_elements_sortable(keys: list[Any]) -> None:
    """Check that the elements at each position are of one kind. Raises: RuleFault."""
    firsts: list[Any] = []
    for key in keys:
        for place, value in enumerate(key):
            if place == len(firsts):
                if type(value) not in ORDERED:
                    raise RuleFault(None, "rules.order", left=kind(value), right=kind(value))
                firsts.append(value)
            elif type(value) is not type(firsts[place]):
                raise RuleFault(None, "rules.order", left=kind(firsts[place]), right=kind(value))


def _check_one_kind(values: list[Any], kinds: Iterable[type]) -> None:
    first = type(values[0])
    if first not in kinds:
        raise RuleFault(None, "rules.order", left=kind(values[0]), right=kind(values[0]))
    for value in values:
        if type(value) is not first:
            raise RuleFault(None, "rules.order", left=kind(values[0]), right=kind(value))


def to_text(meter: StepMeter, value: Any) -> str:
    """Compute `str`: a text unchanged, other values as in source code."""
    if type(value) is str:
        made = value
    else:
        made = _source_text(meter, value, 0)
    meter.check_text(len(made))
    return made


def _source_text(meter: StepMeter, value: Any, depth: int) -> str:
    match value:
        case None | bool() | int():
            return str(value)
        case str():
            meter.check_text(len(value))
            return f'"{UNPRINTED.sub(_escape_character, value.translate(PRINTED))}"'
        case range():
            raise RuleFault(None, "rules.range.list")
    _check_depth(depth)
    meter.spend(WRITTEN + len(value) * (WRITTEN_PAIR if type(value) is dict else WRITTEN_ELEMENT))
    if type(value) is dict:
        inner = _join_parts(
            meter,
            (
                f"{_source_text(meter, key, 0)}: {_source_text(meter, one, depth + 1)}"
                for key, one in value.items()
            ),
        )
        return "{" + inner + "}"
    inner = _join_parts(meter, (_source_text(meter, one, depth + 1) for one in value))
    if type(value) is list:
        return f"[{inner}]"
    return f"({inner},)" if len(value) == 1 else f"({inner})"


def _join_parts(meter: StepMeter, parts: Iterable[str]) -> str:
    """Join parts with commas. Each part is paid for first, so the text cannot exceed its limit."""
    found = list[str]()
    size = 0
    for part in parts:
        size += len(part) + 2
        meter.check_text(size)
        found.append(part)
    return ", ".join(found)


def _escape_character(found: re.Match[str]) -> str:
    code = ord(found[0])
    if code < 0x100:
        return f"\\x{code:02x}"
    if code < 0x10000:
        return f"\\u{code:04x}"
    return f"\\U{code:08x}"


def measure(meter: StepMeter, value: Any, depth: int = 0) -> None:
    """Pay one step for each element of a result, including nested ones. Raises: RuleFault for a
    range, or too much depth.
    """
    if type(value) is range:
        raise RuleFault(None, "rules.range.list")
    if type(value) not in (list, tuple, dict):
        return
    _check_depth(depth)
    meter.spend(len(value))
    for one in value.values() if type(value) is dict else value:
        # An empty value has nothing to count, and only needs a check of its depth.
        if type(one) in NESTED and (one or depth >= MAX_RULE_NESTING or type(one) is range):
            measure(meter, one, depth + 1)

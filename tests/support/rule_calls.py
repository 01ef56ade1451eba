"""Calls of functions in small rule files."""

from typing import Any

import pytest

from protocol.rules import RuleError, load, parse


def call(text: str, *given: Any) -> Any:
    """Return the result of the function `f` of a file."""
    return load(parse(text)).call("f", *given)


def steps_of(text: str, *given: Any) -> int:
    """Return the steps of a call of `f`, after a check that one step fewer is too few."""
    module = load(parse(text))
    _, steps = module.call_with_steps("f", *given)
    module.call_with_steps("f", *given, most=steps)
    with pytest.raises(RuleError) as raised:
        module.call_with_steps("f", *given, most=steps - 1)
    assert raised.value.key == "rules.steps"
    return steps


def error_of(text: str, *given: Any) -> tuple[int, int, str]:
    """Return line, column and key of the error of a file, or of a call of its function `f`."""
    with pytest.raises(RuleError) as raised:
        call(text, *given)
    return raised.value.line, raised.value.column, raised.value.key


def function(*lines: str) -> str:
    """Return a file with the function `f(x)` of these lines."""
    return "def f(x):\n" + "".join(f"  {line}\n" for line in lines)

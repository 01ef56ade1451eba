"""Calls compiled to closures."""

from collections.abc import Callable
from typing import Any

from protocol.rules.errors import RuleFault
from protocol.rules.interpreter.builtins import FUNCTIONS, METHODS, Key, min_or_max, sort_values
from protocol.rules.interpreter.scope import (
    FIRST,
    METER,
    RETURNED,
    UNSET,
    Frame,
    Function,
    NameScope,
    Run,
)
from protocol.rules.interpreter.step_meter import CALL, StepMeter
from protocol.rules.syntax.nodes import Argument, Expression, FunctionCall, MethodCall
from protocol.rules.syntax.signatures import key_of

Compile = Callable[[Expression, NameScope], tuple[Run, int]]


def compile_call(node: FunctionCall, scope: NameScope, compiled: Compile) -> tuple[Run, int]:
    """Compile a call of a function of the file or of a built-in function. It costs `CALL` steps
    instead of 1.
    """
    if node.name in scope.functions:
        return _compile_own_call(
            node, scope.functions[node.name], _values(node.arguments, scope, compiled)
        )
    if node.name in FUNCTIONS:
        return _compile_builtin_call(node, _values(node.arguments, scope, compiled))
    return _compile_keyed_call(node, scope, compiled)


def compile_method(node: MethodCall, scope: NameScope, compiled: Compile) -> tuple[Run, int]:
    """Compile a call of a method."""
    of, cost = compiled(node.of, scope)
    given, more = _values(node.arguments, scope, compiled)
    method = METHODS[node.name]
    at = node.at

    def run(frame: Frame) -> Any:
        target = of(frame)
        values = [value(frame) for value in given]
        try:
            return method(frame[METER], target, values)
        except RuleFault as fault:
            raise fault.at_offset(at) from None

    return run, CALL + cost + more


def _values(
    arguments: list[Argument], scope: NameScope, compiled: Compile
) -> tuple[list[Run], int]:
    found = [compiled(argument.value, scope) for argument in arguments]
    return [run for run, _ in found], sum(cost for _, cost in found)


def _compile_own_call(
    node: FunctionCall, function: Function, given: tuple[list[Run], int]
) -> tuple[Run, int]:
    runs, cost = given
    names = [parameter.name for parameter in function.parameters]
    places = [
        FIRST + (at if argument.name is None else names.index(argument.name))
        for at, argument in enumerate(node.arguments)
    ]
    in_order = places == list(range(FIRST, FIRST + len(names)))
    at, placed = node.at, list(zip(places, runs, strict=True))

    def run(frame: Frame) -> Any:
        meter = frame[METER]
        if in_order:
            called = [meter, None]
            for one in runs:
                called.append(one(frame))
        else:
            called = [meter, None, *function.defaults]
            for place, one in placed:
                called[place] = one(frame)
        if function.body is None:
            raise RuleFault(at, "rules.early", name=function.name)
        called += [UNSET] * (function.size - len(called))
        function.body(called)
        return called[RETURNED]

    return run, CALL + cost


def _compile_builtin_call(node: FunctionCall, given: tuple[list[Run], int]) -> tuple[Run, int]:
    runs, cost = given
    built_in = FUNCTIONS[node.name]
    at = node.at

    def run(frame: Frame) -> Any:
        values = [one(frame) for one in runs]
        try:
            return built_in(frame[METER], values)
        except RuleFault as fault:
            raise fault.at_offset(at) from None

    return run, CALL + cost


def _compile_keyed_call(node: FunctionCall, scope: NameScope, compiled: Compile) -> tuple[Run, int]:
    """Compile `sorted`, `min` or `max`. With a key, each element costs one additional call."""
    name = key_of(node)
    key = None
    if name is not None:
        key = _key(scope.functions[name.name], name.at)
    others = [argument for argument in node.arguments if argument.name != "key"]
    runs, cost = _values(others, scope, compiled)
    named = others[-1].name
    at = node.at

    def run(frame: Frame) -> Any:
        values = [one(frame) for one in runs]
        reverse = values.pop() if named == "reverse" else False
        try:
            if node.name == "sorted":
                return sort_values(frame[METER], values, key, reverse)
            return min_or_max(frame[METER], values, key, least=node.name == "min")
        except RuleFault as fault:
            raise fault.at_offset(at) from None

    return run, CALL + cost


def _key(function: Function, at: int) -> Key:
    def key(meter: StepMeter, value: Any) -> Any:
        meter.spend(CALL)
        try:
            return function.call(meter, [value])
        except RuleFault as fault:
            raise fault.at_offset(at) from None

    return key

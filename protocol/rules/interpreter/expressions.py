"""Expressions compiled to closures, each with its fixed cost, which the enclosing closure pays
beforehand.
"""

from collections.abc import Callable
from typing import Any

from protocol.limits import MAX_RULE_LIST
from protocol.rules.errors import RuleFault
from protocol.rules.interpreter.calls import compile_call, compile_method
from protocol.rules.interpreter.comprehensions import compile_comprehension
from protocol.rules.interpreter.operators import (
    ARITHMETIC,
    COMPARED,
    hashable,
    negative,
    shortened,
    slice_of,
    subscript,
)
from protocol.rules.interpreter.scope import METER, UNSET, Frame, NameScope, Run
from protocol.rules.interpreter.step_meter import MAKE
from protocol.rules.syntax.nodes import (
    BooleanOperation,
    Compare,
    Comprehension,
    Conditional,
    Constant,
    DictDisplay,
    Expression,
    FunctionCall,
    MethodCall,
    Name,
    OperatorChain,
    SequenceDisplay,
    Slice,
    Subscript,
    Unary,
)

CompiledExpression = tuple[Run, int]


def compile_expression(node: Expression, scope: NameScope) -> CompiledExpression:
    """Compile an expression. Returns the closure, and the steps that it always costs."""
    return _COMPILERS[type(node)](node, scope)


def compile_with_cost(node: Expression, scope: NameScope) -> Run:
    """Compile an expression that pays its own cost, because it is not always evaluated."""
    run, cost = compile_expression(node, scope)
    at = node.at

    def pay(frame: Frame) -> Any:
        meter = frame[METER]
        meter.left -= cost
        if meter.left < 0:
            raise RuleFault(at, "rules.steps")
        return run(frame)

    return pay


def _constant(node: Constant, _: NameScope) -> CompiledExpression:
    value = node.value
    return lambda _: value, 1


def _name(node: Name, scope: NameScope) -> CompiledExpression:
    name = node.name
    at = node.at
    if name not in scope.places:
        constants = scope.constants

        def constant(_: Frame) -> Any:
            try:
                return constants[name]
            except KeyError:
                raise RuleFault(at, "rules.early", name=name) from None

        return constant, 1
    place = scope.places[name]

    def local(frame: Frame) -> Any:
        value = frame[place]
        if value is UNSET:
            raise RuleFault(at, "rules.early", name=name)
        return value

    return local, 1


def _display(node: SequenceDisplay, scope: NameScope) -> CompiledExpression:
    items, cost = _compile_all(node.items, scope)
    if node.kind is tuple:
        return lambda frame: tuple([item(frame) for item in items]), MAKE + cost
    return lambda frame: frame[METER].add_list([item(frame) for item in items]), MAKE + cost


def _compile_all(nodes: list[Expression], scope: NameScope) -> tuple[list[Run], int]:
    found = [compile_expression(node, scope) for node in nodes]
    return [run for run, _ in found], sum(cost for _, cost in found)


def _pairs(node: DictDisplay, scope: NameScope) -> CompiledExpression:
    keys, key_cost = _compile_all([key for key, _ in node.pairs], scope)
    values, value_cost = _compile_all([value for _, value in node.pairs], scope)
    places = [key.at for key, _ in node.pairs]
    if len(places) > MAX_RULE_LIST:
        raise RuleFault(node.at, "rules.list.long", most=MAX_RULE_LIST)

    def run(frame: Frame) -> dict[Any, Any]:
        found: dict[Any, Any] = {}
        for at, key_of, value_of in zip(places, keys, values, strict=True):
            key = key_of(frame)
            value = value_of(frame)
            try:
                hashable(key)
            except RuleFault as fault:
                raise fault.at_offset(at) from None
            if key in found:
                raise RuleFault(at, "rules.key.twice", name=shortened(key))
            found[key] = value
        return found

    return run, MAKE + key_cost + value_cost


def _subscript(node: Subscript, scope: NameScope) -> CompiledExpression:
    (of, of_cost), (index, index_cost) = (
        compile_expression(node.of, scope),
        compile_expression(node.index, scope),
    )
    at = node.at

    def run(frame: Frame) -> Any:
        try:
            return subscript(frame[METER], of(frame), index(frame))
        except RuleFault as fault:
            raise fault.at_offset(at) from None

    return run, 1 + of_cost + index_cost


def _slice(node: Slice, scope: NameScope) -> CompiledExpression:
    of, cost = compile_expression(node.of, scope)
    bounds, bounds_cost = _compile_all(
        [bound or Constant(node.at, None) for bound in node.parts], scope
    )
    bounds_cost -= node.parts.count(None)
    start, stop, step = bounds
    at = node.at

    def run(frame: Frame) -> Any:
        try:
            return slice_of(frame[METER], of(frame), start(frame), stop(frame), step(frame))
        except RuleFault as fault:
            raise fault.at_offset(at) from None

    return run, MAKE + cost + bounds_cost


def _unary(node: Unary, scope: NameScope) -> CompiledExpression:
    of, cost = compile_expression(node.of, scope)
    at = node.at
    sign = node.sign
    if sign == "not":
        return lambda frame: not of(frame), 1 + cost

    def run(frame: Frame) -> int:
        value = of(frame)
        try:
            return negative(sign, value)
        except RuleFault as fault:
            raise fault.at_offset(at) from None

    return run, 1 + cost


def _chain(node: OperatorChain, scope: NameScope) -> CompiledExpression:
    first, cost = compile_expression(node.first, scope)
    found = [
        (ARITHMETIC[sign], at, *compile_expression(operand, scope))
        for sign, at, operand in node.rest
    ]
    rest = [(operator, at, operand) for operator, at, operand, _ in found]
    cost += sum(1 + operand_cost for *_, operand_cost in found)

    def run(frame: Frame) -> Any:
        meter = frame[METER]
        value = first(frame)
        for operator, at, operand in rest:
            right = operand(frame)
            try:
                value = operator(meter, value, right)
            except RuleFault as fault:
                raise fault.at_offset(at) from None
        return value

    return run, cost


def _compare(node: Compare, scope: NameScope) -> CompiledExpression:
    (left, left_cost), (right, right_cost) = (
        compile_expression(node.left, scope),
        compile_expression(node.right, scope),
    )
    operator = COMPARED[node.sign]
    at = node.at

    def run(frame: Frame) -> bool:
        one = left(frame)
        other = right(frame)
        try:
            found: bool = operator(frame[METER], one, other)
        except RuleFault as fault:
            raise fault.at_offset(at) from None
        return found

    return run, 1 + left_cost + right_cost


def _logic(node: BooleanOperation, scope: NameScope) -> CompiledExpression:
    first, cost = compile_expression(node.parts[0], scope)
    rest = [compile_with_cost(operand, scope) for operand in node.parts[1:]]
    ends = node.sign == "or"

    def run(frame: Frame) -> Any:
        value = first(frame)
        for operand in rest:
            if bool(value) is ends:
                return value
            value = operand(frame)
        return value

    return run, 1 + cost


def _choice(node: Conditional, scope: NameScope) -> CompiledExpression:
    condition, cost = compile_expression(node.options[0][1], scope)
    conditions = [condition, *(compile_with_cost(one, scope) for _, one in node.options[1:])]
    options = list(
        zip(conditions, [compile_with_cost(value, scope) for value, _ in node.options], strict=True)
    )
    otherwise = compile_with_cost(node.otherwise, scope)

    def run(frame: Frame) -> Any:
        for condition, value in options:
            if condition(frame):
                return value(frame)
        return otherwise(frame)

    return run, 1 + cost


_COMPILERS: dict[type, Callable[[Any, NameScope], CompiledExpression]] = {
    FunctionCall: lambda node, scope: compile_call(node, scope, compile_expression),
    OperatorChain: _chain,
    Conditional: _choice,
    Compare: _compare,
    Comprehension: lambda node, scope: compile_comprehension(node, scope, compile_expression),
    Constant: _constant,
    SequenceDisplay: _display,
    BooleanOperation: _logic,
    MethodCall: lambda node, scope: compile_method(node, scope, compile_expression),
    Name: _name,
    DictDisplay: _pairs,
    Slice: _slice,
    Subscript: _subscript,
    Unary: _unary,
}

"""Statements compiled to closures. Each pays its own cost, and returns how it ended: "" or a
keyword.
"""

from collections.abc import Callable, Sequence
from typing import Any

from protocol.rules.errors import RuleFault
from protocol.rules.interpreter.builtins import elements, extend
from protocol.rules.interpreter.comprehensions import check_unpackable, compile_target
from protocol.rules.interpreter.expressions import compile_expression, compile_with_cost
from protocol.rules.interpreter.operators import minus, plus
from protocol.rules.interpreter.scope import METER, RETURNED, UNSET, Frame, Function, NameScope, Run
from protocol.rules.syntax.name_resolution import assigned_names
from protocol.rules.syntax.nodes import (
    Assign,
    Augment,
    ExpressionStatement,
    FlowStatement,
    ForLoop,
    FunctionDefinition,
    If,
    Name,
    Return,
    Statement,
)

Completion = Callable[[Frame], str]  # returns "", or one of these keywords
BREAK = "break"
CONTINUE = "continue"
RETURN = "return"


def bind_function(node: FunctionDefinition, function: Function, scope: NameScope) -> None:
    """Give a function its body when its `def` runs."""
    scope.local(parameter.name for parameter in node.parameters)
    scope.local(name for name in assigned_names(node.body) if name not in scope.places)
    body = _block(node.body, scope)
    function.size = scope.size[0]
    function.body = body


def compile_top_level(node: Assign | ExpressionStatement, scope: NameScope) -> Run:
    """Compile a statement at the top level of a file, where names become constants."""
    value = compile_with_cost(node.value, scope)
    target = node.target if isinstance(node, Assign) else None
    at = node.at
    constants = scope.constants

    def assign(part: Name | tuple[object, ...], found: Any) -> None:
        if isinstance(part, Name):
            constants[part.name] = found
            return
        for one, inner in zip(part, check_unpackable(found, len(part), at), strict=True):
            assert isinstance(one, Name | tuple)
            assign(one, inner)

    def run(frame: Frame) -> None:
        found = value(frame)
        if target is not None:
            assign(target, found)

    return run


def _block(body: Sequence[Statement], scope: NameScope) -> Completion:
    runs = [_COMPILERS[type(statement)](statement, scope) for statement in body]
    if len(runs) == 1:
        return runs[0]

    def block(frame: Frame) -> str:
        for run in runs:
            ended = run(frame)
            if ended:
                return ended
        return ""

    return block


def _pay(frame: Frame, steps: int, at: int) -> None:
    meter = frame[METER]
    meter.left -= steps
    if meter.left < 0:
        raise RuleFault(at, "rules.steps")


def _assign(node: Assign, scope: NameScope) -> Completion:
    value, cost = compile_expression(node.value, scope)
    assign, more = compile_target(node.target, scope, node.at)
    cost = 1 + cost + more
    at = node.at

    def run(frame: Frame) -> str:
        _pay(frame, cost, at)
        assign(frame, value(frame))
        return ""

    return run


def _augment(node: Augment, scope: NameScope) -> Completion:
    value, cost = compile_expression(node.value, scope)
    place = scope.places[node.target.name]
    name = node.target.name
    at = node.at
    operator = plus if node.sign == "+=" else minus
    cost += 2

    def run(frame: Frame) -> str:
        _pay(frame, cost, at)
        before = frame[place]
        if before is UNSET:
            raise RuleFault(node.target.at, "rules.early", name=name)
        more = value(frame)
        try:
            done = extend if type(before) is list and operator is plus else operator
            frame[place] = done(frame[METER], before, more)
        except RuleFault as fault:
            raise fault.at_offset(at) from None
        return ""

    return run


def _expression_statement(node: ExpressionStatement, scope: NameScope) -> Completion:
    value, cost = compile_expression(node.value, scope)
    cost = 1 + cost
    at = node.at

    def run(frame: Frame) -> str:
        _pay(frame, cost, at)
        value(frame)
        return ""

    return run


def _return(node: Return, scope: NameScope) -> Completion:
    value, cost = compile_expression(node.value, scope) if node.value is not None else (None, 0)
    cost = 1 + cost
    at = node.at

    def run(frame: Frame) -> str:
        _pay(frame, cost, at)
        if value is not None:
            frame[RETURNED] = value(frame)
        return RETURN

    return run


def _flow_statement(node: FlowStatement, _: NameScope) -> Completion:
    word = "" if node.word == "pass" else node.word
    at = node.at

    def run(frame: Frame) -> str:
        _pay(frame, 1, at)
        return word

    return run


def _if(node: If, scope: NameScope) -> Completion:
    first, cost = compile_expression(node.branches[0][0], scope)
    conditions = [
        first,
        *(compile_with_cost(condition, scope) for condition, _ in node.branches[1:]),
    ]
    branches = list(
        zip(conditions, [_block(body, scope) for _, body in node.branches], strict=True)
    )
    otherwise = _block(node.otherwise, scope)
    cost = 1 + cost
    at = node.at

    def run(frame: Frame) -> str:
        _pay(frame, cost, at)
        for condition, body in branches:
            if condition(frame):
                return body(frame)
        return otherwise(frame)

    return run


def _loop(node: ForLoop, scope: NameScope) -> Completion:
    over, cost = compile_expression(node.value, scope)
    assign, more = compile_target(node.target, scope, node.at)
    body = _block(node.body, scope)
    at = node.at
    cost = 1 + cost
    each = 1 + more

    def run(frame: Frame) -> str:
        _pay(frame, cost, at)
        values = over(frame)
        busy = frame[METER].busy
        try:
            values = elements(values)
        except RuleFault as fault:
            raise fault.at_offset(at) from None
        busy.append(id(values))
        ended = ""
        for value in values:
            _pay(frame, each, at)
            assign(frame, value)
            ended = body(frame)
            if ended in (BREAK, RETURN):
                break
        busy.pop()
        return RETURN if ended == RETURN else ""

    return run


_COMPILERS: dict[type, Callable[[Any, NameScope], Completion]] = {
    ExpressionStatement: _expression_statement,
    Assign: _assign,
    Augment: _augment,
    If: _if,
    ForLoop: _loop,
    Return: _return,
    FlowStatement: _flow_statement,
}

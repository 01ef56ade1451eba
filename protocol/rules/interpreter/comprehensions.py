"""List comprehensions and assignments to targets, compiled to closures."""

from collections.abc import Callable
from typing import Any

from protocol.limits import MAX_RULE_LIST
from protocol.rules.errors import RuleFault
from protocol.rules.interpreter.builtins import elements
from protocol.rules.interpreter.scope import METER, Frame, NameScope, Run
from protocol.rules.interpreter.step_meter import MAKE, kind
from protocol.rules.syntax.nodes import Comprehension, Expression, Name

Compile = Callable[[Expression, NameScope], tuple[Run, int]]
Store = Callable[[Frame, Any], None]
Fill = Callable[[Frame, list[Any]], None]


def compile_target(
    target: Name | tuple[object, ...], scope: NameScope, at: int
) -> tuple[Store, int]:
    """Compile an assignment to a target, and return its cost: one step for each name of several,
    and one for each bracket and for the whole.
    """
    if isinstance(target, Name):
        place = scope.places[target.name]

        def assign(frame: Frame, value: Any) -> None:
            frame[place] = value

        return assign, 0
    parts = [compile_target(part, scope, at) for part in target if isinstance(part, Name | tuple)]
    stores = [part for part, _ in parts]

    def unpack(frame: Frame, value: Any) -> None:
        values = check_unpackable(value, len(stores), at)
        for part, one in zip(stores, values, strict=True):
            part(frame, one)

    return unpack, 1 + sum(1 + cost for _, cost in parts)


def check_unpackable(value: Any, many: int, at: int) -> Any:
    """Return the `many` values of a list or tuple. Raises: RuleFault for another number or another
    kind.
    """
    if type(value) is not list and type(value) is not tuple:
        raise RuleFault(at, "rules.unpack.kind", kind=kind(value))
    if len(value) != many:
        raise RuleFault(at, "rules.unpack", names=many, values=len(value))
    return value


def compile_comprehension(
    node: Comprehension, scope: NameScope, compiled: Compile
) -> tuple[Run, int]:
    """Compile `[body for … in … if …]`. Each element of a `for` costs one step, plus the steps
    executed for it.
    """
    scopes = [scope]
    inner = scope
    for clause in node.clauses:
        if clause.target is not None:
            inner = inner.inner(clause.target)
        scopes.append(inner)
    fill, cost = _last(compiled(node.body, inner))
    for clause, before, behind in reversed(
        list(zip(node.clauses, scopes, scopes[1:], strict=False))
    ):
        run, own = compiled(clause.value, before)
        if clause.target is None:
            fill = _if(run, fill, cost, clause.at)
            cost = own
        else:
            assign, more = compile_target(clause.target, behind, clause.at)
            fill = _for(run, assign, fill, 1 + more + cost, clause.at)
            cost = own

    def whole(frame: Frame) -> list[Any]:
        found: list[Any] = []
        fill(frame, found)
        made: list[Any] = frame[METER].add_list(found)
        return made

    return whole, MAKE + cost


def _last(body: tuple[Run, int]) -> tuple[Fill, int]:
    run, cost = body

    def fill(frame: Frame, found: list[Any]) -> None:
        found.append(run(frame))

    return fill, cost


def _if(condition: Run, fill: Fill, cost: int, at: int) -> Fill:
    def choose(frame: Frame, found: list[Any]) -> None:
        if condition(frame):
            meter = frame[METER]
            meter.left -= cost
            if meter.left < 0:
                raise RuleFault(at, "rules.steps")
            fill(frame, found)

    return choose


def _for(over: Run, assign: Store, fill: Fill, cost: int, at: int) -> Fill:
    def loop(frame: Frame, found: list[Any]) -> None:
        meter = frame[METER]
        values = over(frame)
        try:
            values = elements(values)
        except RuleFault as fault:
            raise fault.at_offset(at) from None
        meter.busy.append(id(values))
        for value in values:
            meter.left -= cost
            if meter.left < 0:
                raise RuleFault(at, "rules.steps")
            assign(frame, value)
            fill(frame, found)
            if len(found) > MAX_RULE_LIST:
                raise RuleFault(at, "rules.list.long", most=MAX_RULE_LIST)
        meter.busy.pop()

    return loop

"""Explanation of a rule file for its author: declarations, calls between functions, and costs."""

from collections.abc import Sequence

from protocol.limits import RULE_LOAD_STEPS
from protocol.rules.errors import RuleError
from protocol.rules.module import Module
from protocol.rules.syntax.name_resolution import statement_bodies, statement_expressions
from protocol.rules.syntax.nodes import (
    Expression,
    FunctionCall,
    FunctionDefinition,
    Statement,
    children,
)
from protocol.view.phrase import Phrase, phrase

CARET = "^"
SHOWN = 100  # characters shown of a line


def pointed_line(error: RuleError, text: str) -> list[str]:
    """Return the line of an error and a caret below its place. Unprintable characters become
    spaces.
    """
    lines = text.replace("\r\n", "\n").split("\n")
    if not 1 <= error.line <= len(lines):
        return []
    begin = max(0, error.column - 1 - SHOWN // 2)
    shown = "".join(
        char if " " <= char <= "~" else " " for char in lines[error.line - 1][begin : begin + SHOWN]
    )
    return [f"    {shown}", " " * (4 + error.column - 1 - begin) + CARET]


def explain(module: Module) -> list[Phrase]:
    """Describe the file in sentences."""
    functions = [node for node in module.program.statements if isinstance(node, FunctionDefinition)]
    said = [
        phrase(
            "rules.explain.file",
            constants=len(module.constants),
            functions=len(functions),
            steps=module.steps,
            most=RULE_LOAD_STEPS,
        )
    ]
    said += [
        phrase("rules.explain.constant", name=name, value=_short(value))
        for name, value in module.constants.items()
    ]
    for node in functions:
        calls = sorted({call.name for call in _calls(node.body)})
        given = ", ".join(parameter.name for parameter in node.parameters)
        if calls:
            key = "rules.explain.function"
        else:
            key = "rules.explain.function.alone"
        names = {"calls": ", ".join(calls)} if calls else {}
        said.append(phrase(key, name=node.name, given=given, **names))
    return said


def _short(value: object) -> str:
    written = "".join(char if " " <= char <= "~" else "?" for char in repr(value)[: SHOWN - 3])
    if len(repr(value)) <= SHOWN - 3:
        return written
    return written + "..."


def _calls(body: Sequence[Statement]) -> list[FunctionCall]:
    found: list[FunctionCall] = []
    for statement in body:
        for value in statement_expressions(statement):
            _collect(value, found)
        for inner in statement_bodies(statement):
            found += _calls(inner)
    return found


def _collect(node: Expression, found: list[FunctionCall]) -> None:
    if isinstance(node, FunctionCall):
        found.append(node)
    for child in children(node):
        _collect(child, found)

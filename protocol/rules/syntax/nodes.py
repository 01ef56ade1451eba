"""Tree of a rule file. `at` is the offset of a node in the text, `height` the number of nested
nodes below it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

Scalar = None | bool | int | str


@dataclass(slots=True)
class Node:
    """Base of all nodes."""

    at: int
    height: int = field(default=1, init=False)


@dataclass(slots=True)
class Constant(Node):
    """A number, a text, True, False or None."""

    value: Scalar


@dataclass(slots=True)
class Name(Node):
    """A name that is read or assigned to."""

    name: str


@dataclass(slots=True)
class SequenceDisplay(Node):
    """A list or tuple display."""

    kind: type
    items: "list[Expression]"


@dataclass(slots=True)
class DictDisplay(Node):
    """A dict display."""

    pairs: "list[tuple[Expression, Expression]]"


@dataclass(slots=True)
class Subscript(Node):
    """`of[index]`."""

    of: "Expression"
    index: "Expression"


@dataclass(slots=True)
class Slice(Node):
    """`of[start:stop:step]`, a part of a list, tuple or text."""

    of: "Expression"
    parts: "tuple[Expression | None, Expression | None, Expression | None]"


@dataclass(slots=True)
class Argument:
    """An argument of a call, by position or by name."""

    at: int
    name: str | None
    value: "Expression"


@dataclass(slots=True)
class MethodCall(Node):
    """`of.name(…)`."""

    of: "Expression"
    name: str
    arguments: list[Argument]


@dataclass(slots=True)
class FunctionCall(Node):
    """`name(…)`."""

    name: str
    arguments: list[Argument]


@dataclass(slots=True)
class Unary(Node):
    """`not`, `-` or `+` before an expression."""

    sign: str
    of: "Expression"


@dataclass(slots=True)
class OperatorChain(Node):
    """Operators of one rank, from left to right: `a + b - c`."""

    first: "Expression"
    rest: "list[tuple[str, int, Expression]]"


@dataclass(slots=True)
class Compare(Node):
    """A comparison of two expressions."""

    sign: str
    left: "Expression"
    right: "Expression"


@dataclass(slots=True)
class BooleanOperation(Node):
    """`a and b and c`, or with `or`."""

    sign: str
    parts: "list[Expression]"


@dataclass(slots=True)
class Conditional(Node):
    """`a if x else b if y else c`: values with their conditions, and the last value."""

    options: "list[tuple[Expression, Expression]]"
    otherwise: "Expression"


@dataclass(slots=True)
class Clause(Node):
    """A clause of a comprehension: `for target in value`, or `if value` without a target."""

    target: "Name | tuple[object, ...] | None"
    value: "Expression"


@dataclass(slots=True)
class Comprehension(Node):
    """`[body for … in … if …]`."""

    body: "Expression"
    clauses: list[Clause]


Expression = (
    Constant
    | Name
    | SequenceDisplay
    | DictDisplay
    | Subscript
    | Slice
    | MethodCall
    | FunctionCall
    | Unary
    | OperatorChain
    | Compare
    | BooleanOperation
    | Conditional
    | Comprehension
)


@dataclass(slots=True)
class Assign(Node):
    """`target = value`."""

    target: "Name | tuple[object, ...]"
    value: Expression


@dataclass(slots=True)
class Augment(Node):
    """`name += value`, or `-=`."""

    target: Name
    sign: str
    value: Expression


@dataclass(slots=True)
class ExpressionStatement(Node):
    """An expression as a statement."""

    value: Expression


@dataclass(slots=True)
class Return(Node):
    """`return`, with or without a value."""

    value: Expression | None


@dataclass(slots=True)
class FlowStatement(Node):
    """`break`, `continue` or `pass`."""

    word: str


@dataclass(slots=True)
class If(Node):
    """Conditions with their bodies, and the body of `else`."""

    branches: "list[tuple[Expression, list[Statement]]]"
    otherwise: "list[Statement]"


@dataclass(slots=True)
class ForLoop(Node):
    """`for target in value:`."""

    target: "Name | tuple[object, ...]"
    value: Expression
    body: "list[Statement]"


@dataclass(slots=True)
class Parameter:
    """A parameter of a function, with its default if it has one."""

    at: int
    name: str
    default: Constant | None


@dataclass(slots=True)
class FunctionDefinition(Node):
    """`def name(parameters):`."""

    name: str
    parameters: list[Parameter]
    body: "list[Statement]"


Statement = (
    Assign
    | Augment
    | ExpressionStatement
    | Return
    | FlowStatement
    | If
    | ForLoop
    | FunctionDefinition
)


def children(node: Expression) -> "Sequence[Expression]":
    """Return the direct subexpressions in the order of their text or evaluation."""
    of = _CHILDREN.get(type(node))
    return () if of is None else of(node)


_CHILDREN: "dict[type, Callable[[Any], Sequence[Expression]]]" = {
    FunctionCall: lambda node: [argument.value for argument in node.arguments],
    OperatorChain: lambda node: [node.first, *(operand for _, _, operand in node.rest)],
    Conditional: lambda node: [*(one for option in node.options for one in option), node.otherwise],
    Compare: lambda node: (node.left, node.right),
    Comprehension: lambda node: [*(clause.value for clause in node.clauses), node.body],
    SequenceDisplay: lambda node: node.items,
    BooleanOperation: lambda node: node.parts,
    MethodCall: lambda node: [node.of, *(argument.value for argument in node.arguments)],
    DictDisplay: lambda node: [one for pair in node.pairs for one in pair],
    Slice: lambda node: [node.of, *(part for part in node.parts if part is not None)],
    Subscript: lambda node: (node.of, node.index),
    Unary: lambda node: (node.of,),
}

"""Resolution of the names in a file, and of calls between functions, before anything runs."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from protocol.limits import MAX_RULE_NAMES
from protocol.rules.errors import RuleFault
from protocol.rules.syntax.nodes import (
    Assign,
    Augment,
    Comprehension,
    Expression,
    ExpressionStatement,
    ForLoop,
    FunctionCall,
    FunctionDefinition,
    If,
    Name,
    Return,
    Statement,
    children,
)
from protocol.rules.syntax.reach import CallSite, check_call_depth
from protocol.rules.syntax.signatures import BUILT_IN, Signature, check_arguments, check_key, key_of
from protocol.rules.syntax.token_reader import nearest_word
from protocol.rules.syntax.tokens import CONSTANTS, KEYWORDS

TOP = ""  # caller at the top level of a file


@dataclass(frozen=True)
class KnownFunctions:
    """Functions that a file may use without a definition, with the depth of their calls."""

    functions: Mapping[str, Signature] = field(default_factory=dict)


def check_names(statements: Sequence[Statement], known: KnownFunctions) -> dict[str, Signature]:
    """Return the file's own functions.

    Raises: RuleFault for a name without a meaning or with two meanings, and for recursive calls.
    """
    names = _Names(statements, known)
    for statement in statements:
        if isinstance(statement, FunctionDefinition):
            names.function(statement)
        else:
            names.top(statement)
    reaches = check_call_depth(
        names.sites, {name: one.height for name, one in names.heights.items()}, known.functions
    )
    return {name: Signature(names.own[name].parameters, *reaches[name]) for name in names.own}


def names_in(target: Name | tuple[object, ...]) -> Iterable[Name]:
    """Yield the names of a target, from left to right."""
    if isinstance(target, Name):
        yield target
    else:
        for part in target:
            assert isinstance(part, Name | tuple)
            yield from names_in(part)


def assigned_names(body: Sequence[Statement]) -> dict[str, None]:
    """Return the names that the statements of a function assign to, in their order."""
    found: dict[str, None] = {}
    for statement in body:
        if isinstance(statement, Assign | Augment | ForLoop):
            found |= dict.fromkeys(name.name for name in names_in(statement.target))
        for inner in statement_bodies(statement):
            found |= assigned_names(inner)
    return found


def statement_bodies(statement: Statement) -> Sequence[Sequence[Statement]]:
    """Return the bodies nested in a statement."""
    if isinstance(statement, If):
        return [*(body for _, body in statement.branches), statement.otherwise]
    return [statement.body] if isinstance(statement, ForLoop) else []


def statement_expressions(statement: Statement) -> Sequence[Expression]:
    """Return the expressions directly in a statement."""
    match statement:
        case If():
            return [condition for condition, _ in statement.branches]
        case Assign() | Augment() | ExpressionStatement() | ForLoop():
            return (statement.value,)
        case Return() if statement.value is not None:
            return (statement.value,)
    return ()


class _Names:
    def __init__(self, statements: Sequence[Statement], known: KnownFunctions) -> None:
        self._known = known
        self.own: dict[str, Signature] = {}
        self.heights: dict[str, FunctionDefinition] = {}
        self.sites: list[CallSite] = []
        self._caller = TOP
        self._count = 0  # number of names in the present function or top-level statement
        self._constants: set[str] = set()
        for statement in statements:
            self._declare(statement)

    def _declare(self, statement: Statement) -> None:
        if isinstance(statement, Augment):
            raise RuleFault(statement.at, "rules.top.augment")
        if isinstance(statement, FunctionDefinition):
            self._new(statement.name, statement.at)
            self.own[statement.name] = Signature(tuple(statement.parameters))
            self.heights[statement.name] = statement
        elif isinstance(statement, Assign):
            for name in names_in(statement.target):
                self._new(name.name, name.at)
                self._constants.add(name.name)

    def _new(self, name: str, at: int) -> None:
        if name in self.own or name in self._constants:
            raise RuleFault(at, "rules.twice", name=name)
        if name in BUILT_IN or name in self._known.functions:
            raise RuleFault(at, "rules.taken", name=name)

    def function(self, node: FunctionDefinition) -> None:
        """Check one function."""
        self._caller = node.name
        self._count = 0
        self._more(len(node.parameters), node.at)
        parameters = [parameter.name for parameter in node.parameters]
        for at, parameter in enumerate(node.parameters):
            if parameter.name in parameters[:at]:
                raise RuleFault(parameter.at, "rules.twice", name=parameter.name)
        scope = frozenset(parameters) | assigned_names(node.body).keys()
        self._more(len(scope) - len(parameters), node.at)
        self._body(node.body, scope, inside=False)
        self._caller = TOP

    def top(self, statement: Statement) -> None:
        """Check one statement at the top level."""
        self._count = 0
        self.statement(statement, frozenset())

    def _more(self, names: int, at: int) -> None:
        self._count += names
        if self._count > MAX_RULE_NAMES:
            raise RuleFault(at, "rules.names", most=MAX_RULE_NAMES)

    def _body(self, body: Sequence[Statement], scope: frozenset[str], *, inside: bool) -> None:
        for statement in body:
            word = getattr(statement, "word", "pass")
            if word != "pass" and not inside:
                raise RuleFault(statement.at, "rules.no_loop", word=word)
            self.statement(statement, scope)
            for inner in statement_bodies(statement):
                self._body(inner, scope, inside=inside or isinstance(statement, ForLoop))

    def statement(self, statement: Statement, scope: frozenset[str]) -> None:
        """Check the expressions of a statement; `scope`: names of values in its function."""
        for value in statement_expressions(statement):
            self._expression(value, scope)

    def _expression(self, node: Expression, scope: frozenset[str]) -> None:
        if isinstance(node, Name):
            self._read(node, scope)
        elif isinstance(node, Comprehension):
            self._comprehension(node, scope)
        elif isinstance(node, FunctionCall):
            self._call(node, scope)
        else:
            for child in children(node):
                self._expression(child, scope)

    def _read(self, node: Name, scope: frozenset[str]) -> None:
        if node.name in scope or node.name in self._constants:
            return
        if self._signature(node.name) is not None:
            raise RuleFault(node.at, "rules.function.value", name=node.name)
        self._unknown(node.name, node.at, [*scope, *self._constants])

    def _unknown(self, name: str, at: int, known: Iterable[str]) -> None:
        meant = nearest_word(name, [*known, *KEYWORDS, *CONSTANTS])
        if meant:
            raise RuleFault(at, "rules.unknown.like", name=name, meant=meant)
        raise RuleFault(at, "rules.unknown", name=name)

    def _signature(self, name: str) -> Signature | None:
        return self.own.get(name) or BUILT_IN.get(name) or self._known.functions.get(name)

    def _call(self, node: FunctionCall, scope: frozenset[str]) -> None:
        signature = self._signature(node.name)
        if node.name in scope or node.name in self._constants:
            raise RuleFault(node.at, "rules.not_function", name=node.name)
        if signature is None:
            self._unknown(node.name, node.at, [*self.own, *BUILT_IN, *self._known.functions])
            return
        check_arguments(node, signature)
        self._calls(node.name, node.at)
        key = key_of(node)
        if key is not None:
            if key.name in scope or key.name in self._constants:
                raise RuleFault(key.at, "rules.key")
            check_key(key, self.own.get(key.name) or self._known.functions.get(key.name))
            self._calls(key.name, key.at)
        for argument in node.arguments:
            if argument.value is not key:
                self._expression(argument.value, scope)

    def _calls(self, name: str, at: int) -> None:
        if name not in BUILT_IN:
            self.sites.append(CallSite(self._caller, name, at))

    def _comprehension(self, node: Comprehension, scope: frozenset[str]) -> None:
        targets = [clause.target for clause in node.clauses if clause.target is not None]
        self._more(
            sum(len({name.name for name in names_in(target)}) for target in targets), node.at
        )
        later = {name.name for target in targets for name in names_in(target)}
        self._expression(node.clauses[0].value, scope)
        inner = scope
        for at, clause in enumerate(node.clauses):
            if at:
                self._visible(clause.value, inner, later)
            if clause.target is not None:
                bound = {name.name for name in names_in(clause.target)}
                inner = inner | bound
                later = later - bound
        self._expression(node.body, inner)

    def _visible(self, node: Expression, scope: frozenset[str], later: set[str]) -> None:
        """Check an expression between the clauses of a comprehension, which must not read names of
        later clauses.
        """
        if later:
            self._early(node, later)
        self._expression(node, scope)

    def _early(self, node: Expression, later: set[str]) -> None:
        if isinstance(node, Name) and node.name in later:
            raise RuleFault(node.at, "rules.later", name=node.name)
        for child in children(node):
            self._early(child, later)

"""Grammar of statements and of a whole file."""

from collections.abc import Mapping
from dataclasses import dataclass

from protocol.rules.errors import RuleFault
from protocol.rules.syntax.expressions import ExpressionParser
from protocol.rules.syntax.name_resolution import KnownFunctions, check_names
from protocol.rules.syntax.nodes import (
    Assign,
    Augment,
    Constant,
    Expression,
    ExpressionStatement,
    FlowStatement,
    ForLoop,
    FunctionDefinition,
    If,
    Name,
    Parameter,
    Return,
    SequenceDisplay,
    Statement,
)
from protocol.rules.syntax.signatures import Signature
from protocol.rules.syntax.token_reader import checked_depth, with_height
from protocol.rules.syntax.tokens import (
    CONSTANTS,
    DEDENT,
    END,
    INDENT,
    LINE,
    NAME,
    NUMBER,
    TEXT,
    tokenize,
)
from protocol.view.phrase import phrase


@dataclass(frozen=True)
class RuleProgram:
    """A parsed rule file, which has not run."""

    text: str
    statements: tuple[Statement, ...]
    functions: Mapping[str, Signature]


def parse_program(text: str, known: KnownFunctions) -> RuleProgram:
    """Parse a file that may use the functions in `known`. Raises: RuleError."""
    try:
        statements = _StatementParser(tokenize(text)).program()
        functions = check_names(statements, known)
    except RuleFault as fault:
        raise fault.rule_error(text) from None
    return RuleProgram(text, tuple(statements), functions)


class _StatementParser(ExpressionParser):
    """Parser of one file."""

    def program(self) -> list[Statement]:
        found: list[Statement] = []
        while self.next.kind != END:
            if self.next.kind == INDENT:
                raise RuleFault(self.next.at, "rules.indented")
            if self.next.kind in ("if", "for", "return", "break", "continue", "pass"):
                raise RuleFault(self.next.at, "rules.top", word=self.next.kind)
            found.append(self._define() if self.next.kind == "def" else self._simple(0))
        return found

    def _define(self) -> FunctionDefinition:
        self.take()
        name = self.expect(NAME)
        self.expect("(")
        parameters: list[Parameter] = []
        while self.next.kind != ")":
            parameters.append(self._parameter(parameters))
            if not self.accept(","):
                break
        self.expect(")")
        body = self._block(1)
        return with_height(FunctionDefinition(name.at, str(name.value), parameters, body), body)

    def _parameter(self, before: list[Parameter]) -> Parameter:
        token = self.expect(NAME)
        default = None
        if self.accept("="):
            value = self.next
            if value.kind not in (NUMBER, TEXT, *CONSTANTS):
                self.wrong(phrase("rules.a.constant"))
            self.take()
            default = Constant(value.at, CONSTANTS.get(value.kind, value.value))
        elif before and before[-1].default is not None:
            raise RuleFault(token.at, "rules.default", name=str(token.value))
        return Parameter(token.at, str(token.value), default)

    def _block(self, depth: int) -> list[Statement]:
        """Parse the body after a colon, on the same line or indented below it."""
        depth = checked_depth(depth, self.expect(":").at)
        if not self.accept(LINE):
            return [self._simple(depth)]
        if self.next.kind != INDENT:
            raise RuleFault(self.next.at, "rules.block")
        self.take()
        found: list[Statement] = []
        while not self.accept(DEDENT):
            found.append(self._statement(depth))
        return found

    def _statement(self, depth: int) -> Statement:
        if self.next.kind == "if":
            return self._if(depth)
        if self.next.kind == "for":
            return self._for(depth)
        if self.next.kind == "def":
            raise RuleFault(self.next.at, "rules.inner")
        if self.next.kind == INDENT:
            raise RuleFault(self.next.at, "rules.indented")
        if self.next.kind in ("elif", "else"):
            raise RuleFault(self.next.at, "rules.else", word=self.next.kind)
        return self._simple(depth)

    def _if(self, depth: int) -> If:
        at = self.next.at
        otherwise = list[Statement]()
        branches: list[tuple[Expression, list[Statement]]] = []
        while self.next.kind == "elif" or not branches:
            self.take()
            branches.append((self.expression(depth), self._block(depth)))
        if self.accept("else"):
            otherwise = self._block(depth)
        below = [one for condition, body in branches for one in (condition, *body)]
        return with_height(If(at, branches, otherwise), [*below, *otherwise])

    def _for(self, depth: int) -> ForLoop:
        at = self.take().at
        target = self.target(depth)
        self.expect("in")
        value = self.listed(depth)
        body = self._block(depth)
        return with_height(ForLoop(at, target, value, body), [value, *body])

    def _simple(self, depth: int) -> Statement:
        """Parse a statement of one line with its line end."""
        token = self.next
        if token.kind in ("break", "continue", "pass"):
            found: Statement = FlowStatement(self.take().at, token.kind)
        elif token.kind == "return":
            self.take()
            if self.next.kind == LINE:
                value = None
            else:
                value = self.listed(depth)
            found = with_height(Return(token.at, value), [] if value is None else [value])
        else:
            found = self._assigned(depth)
        self.expect(LINE)
        return found

    def _assigned(self, depth: int) -> Statement:
        value = self.listed(depth)
        token = self.next
        if token.kind == "=":
            self.take()
            target = _target(value)
            value = self.listed(depth)
            return with_height(Assign(token.at, target, value), [value])
        if token.kind in ("+=", "-="):
            self.take()
            if not isinstance(value, Name):
                raise RuleFault(value.at, "rules.augment")
            right = self.expression(depth)
            return with_height(Augment(token.at, value, token.kind, right), [right])
        return with_height(ExpressionStatement(value.at, value), [value])


def _target(value: Expression) -> Name | tuple[object, ...]:
    if isinstance(value, Name):
        return value
    if isinstance(value, SequenceDisplay) and value.kind is tuple and value.items:
        return tuple(_target(item) for item in value.items)
    raise RuleFault(value.at, "rules.target")

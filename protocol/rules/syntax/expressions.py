"""Grammar of expressions."""

from protocol.limits import MAX_RULE_LIST
from protocol.rules.errors import RuleFault
from protocol.rules.syntax.nodes import (
    Argument,
    BooleanOperation,
    Clause,
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
    children,
)
from protocol.rules.syntax.token_reader import TokenReader, checked_depth, token_phrase, with_height
from protocol.rules.syntax.tokens import CONSTANTS, NAME, NUMBER, TEXT, RuleToken
from protocol.view.phrase import phrase

# ranks: an operator that binds tighter has a higher rank
NOT = 3
COMPARED = 4
RANKS = {"or": 1, "and": 2, "+": 5, "-": 5, "*": 6, "//": 6, "%": 6} | dict.fromkeys(
    ("==", "!=", "<", "<=", ">", ">=", "in", "not"), COMPARED
)
TIGHTEST = 7
# least and most arguments of each method
METHODS = {"append": (1, 1), "index": (1, 1), "get": (1, 2), "keys": (0, 0)}


class ExpressionParser(TokenReader):
    """Parser of expressions. `depth` is the number of enclosing nodes."""

    def expression(self, depth: int) -> Expression:
        """Parse an expression without a bare tuple."""
        checked_depth(depth, self.next.at)
        value = self._ranked(1, depth)
        if self.next.kind != "if":
            return value
        at = self.next.at
        options = []
        while self.accept("if"):
            options.append((value, self._ranked(1, depth + 1)))
            self.expect("else")
            value = self._ranked(1, depth + 1)
        return _set_height(Conditional(at, options, value))

    def listed(self, depth: int) -> Expression:
        """Parse an expression, or a bare tuple of several with commas."""
        first = self.expression(depth)
        if self.next.kind != ",":
            return first
        at = self.next.at
        items = [first]
        while self.accept(","):
            items.append(self.expression(depth + 1))
        if len(items) > MAX_RULE_LIST:
            raise RuleFault(at, "rules.list.long", most=MAX_RULE_LIST)
        return _set_height(SequenceDisplay(at, tuple, items))

    def target(self, depth: int) -> Name | tuple[object, ...]:
        """Parse the target of a loop: a name, or several."""
        at = self.next.at
        found = [self._target(depth)]
        while self.accept(","):
            found.append(self._target(depth))
        if len(found) == 1:
            return found[0]
        return _target_tuple(found, at)

    def _target(self, depth: int) -> Name | tuple[object, ...]:
        if self.next.kind == "(":
            checked_depth(depth, self.take().at)
            inner = self.target(depth + 1)
            self.expect(")")
            return inner
        token = self.expect(NAME)
        return Name(token.at, str(token.value))

    def _ranked(self, least: int, depth: int) -> Expression:
        """Parse operands with operators of rank `least` or higher."""
        if self.next.kind == "not" and least <= NOT:
            at = self.take().at
            left = _set_height(Unary(at, "not", self._ranked(NOT, checked_depth(depth, at))))
        else:
            left = self._signed(depth)
        while (rank := RANKS.get(self.next.kind, 0)) >= least and rank:
            if rank == COMPARED:
                left = self._compared(left, depth)
            else:
                left = self._chain(left, rank, depth)
        return left

    def _compared(self, left: Expression, depth: int) -> Expression:
        token = self.take()
        sign = token.kind
        if sign == "not":
            self.expect("in")
            sign = "not in"
        right = self._ranked(COMPARED + 1, checked_depth(depth, token.at))
        if RANKS.get(self.next.kind) == COMPARED:
            raise RuleFault(self.next.at, "rules.compared")
        return _set_height(Compare(token.at, sign, left, right))

    def _chain(self, first: Expression, rank: int, depth: int) -> Expression:
        at = self.next.at
        rest = []
        checked_depth(depth, at)
        while RANKS.get(self.next.kind) == rank:
            token = self.take()
            rest.append((token.kind, token.at, self._ranked(rank + 1, depth + 1)))
        if rank > COMPARED:
            return _set_height(OperatorChain(at, first, rest))
        return _set_height(
            BooleanOperation(at, rest[0][0], [first, *(operand for _, _, operand in rest)])
        )

    def _signed(self, depth: int) -> Expression:
        if self.next.kind in ("-", "+"):
            token = self.take()
            return _set_height(
                Unary(token.at, token.kind, self._signed(checked_depth(depth, token.at)))
            )
        value = self._atom(depth)
        while self.next.kind in (".", "[", "("):
            value = self._applied(value, depth)
        return value

    def _applied(self, value: Expression, depth: int) -> Expression:
        token = self.take()
        depth = checked_depth(depth, token.at)
        if token.kind == "(":
            if not isinstance(value, Name):
                raise RuleFault(token.at, "rules.call.what")
            return _set_height(FunctionCall(value.at, value.name, self._arguments(depth)))
        if token.kind == "[":
            return self._subscript(value, token.at, depth)
        name = self.expect(NAME)
        if name.value not in METHODS:
            raise RuleFault(name.at, "rules.method", name=str(name.value), known=", ".join(METHODS))
        self.expect("(")
        arguments = self._arguments(depth)
        least, most = METHODS[str(name.value)]
        if not least <= len(arguments) <= most or any(argument.name for argument in arguments):
            raise RuleFault(
                name.at, "rules.method.arguments", name=str(name.value), least=least, most=most
            )
        return _set_height(MethodCall(name.at, value, str(name.value), arguments))

    def _arguments(self, depth: int) -> list[Argument]:
        found: list[Argument] = []
        while self.next.kind != ")":
            at = self.next.at
            if self.next.kind == NAME and self.after.kind == "=":
                name = str(self.take().value)
            else:
                name = None
            if name is not None:
                self.take()
            elif found and found[-1].name is not None:
                raise RuleFault(at, "rules.positional")
            found.append(Argument(at, name, self.expression(depth)))
            if not self.accept(","):
                break
        self.expect(")")
        return found

    def _subscript(self, of: Expression, at: int, depth: int) -> Expression:
        parts: list[Expression | None] = [None]
        if self.next.kind != ":":
            parts[0] = self.expression(depth)
        if len(parts) == 1 and self.next.kind == "]" and parts[0] is not None:
            self.take()
            return _set_height(Subscript(at, of, parts[0]))
        while len(parts) < 3 and self.accept(":"):
            parts.append(None if self.next.kind in (":", "]") else self.expression(depth))
        self.expect("]")
        start, stop, step = [*parts, None, None][:3]
        return _set_height(Slice(at, of, (start, stop, step)))

    def _atom(self, depth: int) -> Expression:
        token = self.next
        if token.kind in (NUMBER, TEXT):
            return Constant(self.take().at, token.value)
        if token.kind == NAME:
            return Name(self.take().at, str(token.value))
        if token.kind in CONSTANTS:
            return Constant(self.take().at, CONSTANTS[token.kind])
        if token.kind not in ("(", "[", "{"):
            self.wrong(phrase("rules.an.expression"))
        self.take()
        depth = checked_depth(depth, token.at)
        if token.kind == "{":
            return self._dict(token, depth)
        if token.kind == "[":
            return self._list(token, depth)
        return self._group(token, depth)

    def _group(self, token: RuleToken, depth: int) -> Expression:
        """Parse round brackets: a tuple, or one expression, whose brackets count as a level."""
        if self.accept(")"):
            return SequenceDisplay(token.at, tuple, [])
        inner = self.expression(depth)
        if self.next.kind == ",":
            return _set_height(SequenceDisplay(token.at, tuple, self._items([inner], ")", depth)))
        self.expect(")")
        return with_height(inner, (inner,))

    def _list(self, token: RuleToken, depth: int) -> Expression:
        if self.accept("]"):
            return SequenceDisplay(token.at, list, [])
        first = self.expression(depth)
        if self.next.kind == "for":
            return self._comprehension(token, first, depth)
        return _set_height(SequenceDisplay(token.at, list, self._items([first], "]", depth)))

    def _items(self, found: list[Expression], end: str, depth: int) -> list[Expression]:
        while self.accept(",") and self.next.kind != end:
            found.append(self.expression(depth))
        self.expect(end)
        if len(found) > MAX_RULE_LIST:
            raise RuleFault(found[0].at, "rules.list.long", most=MAX_RULE_LIST)
        return found

    def _comprehension(self, token: RuleToken, body: Expression, depth: int) -> Expression:
        clauses: list[Clause] = []
        while self.next.kind in ("for", "if"):
            at = self.next.at
            if self.take().kind == "if":
                clauses.append(Clause(at, None, self._ranked(1, depth)))
                continue
            target = self.target(depth)
            self.expect("in")
            clauses.append(Clause(at, target, self._ranked(1, depth)))
        self.expect("]")
        return _set_height(Comprehension(token.at, body, clauses))

    def _dict(self, token: RuleToken, depth: int) -> Expression:
        pairs: list[tuple[Expression, Expression]] = []
        while self.next.kind != "}":
            key = self.expression(depth)
            self.expect(":")
            pairs.append((key, self.expression(depth)))
            if self.next.kind == "for":
                raise RuleFault(self.next.at, "rules.dict.for")
            if not self.accept(","):
                break
        if self.next.kind != "}":
            self.wrong(token_phrase("}"))
        self.take()
        return _set_height(DictDisplay(token.at, pairs))


def _set_height(node: Expression) -> Expression:
    return with_height(node, children(node))


def _target_tuple(found: list[Name | tuple[object, ...]], at: int) -> tuple[object, ...]:
    if len(found) > MAX_RULE_LIST:
        raise RuleFault(at, "rules.list.long", most=MAX_RULE_LIST)
    return tuple(found)

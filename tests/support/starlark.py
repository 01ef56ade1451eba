"""An independent implementation of Starlark, and random programs for comparison with ours."""

from collections.abc import Callable
from random import Random

import starlark

from protocol.rules.prelude import PRELUDE


def evaluated(text: str, name: str) -> object:
    """Run a file after the prelude, and return the value of a name. Raises:
    starlark.StarlarkError.
    """
    module = starlark.Module()
    starlark.eval(
        module, starlark.parse("rules.star", f"{PRELUDE}\n{text}"), starlark.Globals.standard()
    )
    return module[name]


class Programs:
    """Generator of random programs in the rule language. Most of them run to their end, and leave a
    text in OUT.
    """

    def __init__(self, seed: int) -> None:
        self._rng = Random(seed)
        self._names: dict[str, str] = {}  # kind of value -> name of the function being written

    def program(self) -> str:
        """Return the next program."""
        bodies = [self._function(number) for number in range(self._rng.randint(1, 3))]
        calls = ", ".join(f"f{number}(3, 'ab', [5, 1, 2])" for number in range(len(bodies)))
        return "\n".join([*bodies, f"OUT = str([{calls}])"]) + "\n"

    def _function(self, number: int) -> str:
        self._names = {"n": "int", "t": "text", "l": "list"}
        lines = [f"def f{number}(n, t, l, d = 2):"]
        for _ in range(self._rng.randint(1, 6)):
            lines += self._statement("    ", 2)
        lines.append(f"    return [{', '.join(sorted(self._names))}, {self._value(3)}]")
        return "\n".join(lines)

    def _statement(self, indent: str, depth: int) -> list[str]:
        kind = self._rng.randint(0, 6 if depth else 2)
        if kind <= 2:
            sort = self._rng.choice(("int", "text", "list", "bool"))
            line = f"{indent}v{len(self._names)} = {self._of(sort, 3)}"
            self._names[f"v{len(self._names)}"] = sort
            return [line]
        if kind == 3:
            name = self._rng.choice(
                [name for name, sort in self._names.items() if sort in ("int", "list", "text")]
            )
            return [f"{indent}{name} += {self._of(self._names[name], 2)}"]
        if kind == 4:
            fresh = f"v{len(self._names)}"
            before = [f"{indent}{fresh} = [{self._of('int', 1)}]"]
            self._names[fresh] = "list"
            return [*before, f"{indent}{fresh}.append({self._of('int', 2)})"]
        known = dict(self._names)
        head = f"if {self._of('bool', 2)}:" if kind == 5 else f"for i in {self._of('list', 2)}:"
        inner = [
            line
            for _ in range(self._rng.randint(1, 2))
            for line in self._statement(indent + "    ", depth - 1)
        ]
        if kind == 6:
            inner.append(
                f"{indent}    if {self._of('bool', 1)}: "
                f"{self._rng.choice(('break', 'continue', 'pass'))}"
            )
        self._names = known
        return [indent + head, *inner]

    def _value(self, depth: int) -> str:
        return self._of(self._rng.choice(("int", "text", "list", "bool", "tuple", "dict")), depth)

    def _of(self, sort: str, depth: int) -> str:
        named = [name for name, kind in self._names.items() if kind == sort]
        if named and self._rng.random() < 0.3:
            return self._rng.choice(named)
        if depth <= 0:
            return self._rng.choice(LEAVES[sort])
        made = self._rng.choice(FORMS[sort])
        return made(lambda kind: self._of(kind, depth - 1), lambda: self._value(depth - 1))


Of, Any = Callable[[str], str], Callable[[], str]
LEAVES = {
    "int": ["0", "1", "-1", "7", "-3", "12"],
    "text": ["''", "'a'", "'hearts'", '"q\\"t\\n"', "'%'"],
    "list": ["[]", "[1, 2, 3]", "[4, -4, 0]", "[2, 2]"],
    "bool": ["True", "False"],
    "tuple": ["()", "(1,)", "(2, 'a')"],
    "dict": ["{}", "{'a': 1}", "{1: 'x', 'b': None}"],
}
FORMS: dict[str, list[Callable[[Of, Any], str]]] = {
    "int": [
        lambda of, _: f"({of('int')} {'+-*'[len(of('int')) % 3]} {of('int')})",
        lambda of, _: f"{of('int')} // ({of('int')} or 3)",
        lambda of, _: f"{of('int')} % ({of('int')} or -4)",
        lambda of, _: f"len({of('list')})",
        lambda of, _: f"len({of('text')})",
        lambda of, _: f"-{of('int')}",
        lambda of, _: f"max({of('list')} + [1])",
        lambda of, _: f"min({of('int')}, {of('int')}, 2)",
        lambda of, _: f"[8, 9, 10][{of('int')} % 3]",
        lambda of, _: f"({of('int')} if {of('bool')} else {of('int')})",
        lambda of, _: f"({of('list')} + [6]).index(6)",
        lambda of, _: f"{of('dict')}.get('a', 3)",
    ],
    "text": [
        lambda of, _: f"({of('text')} + {of('text')})",
        lambda of, _: f"({of('text')} * ({of('int')} % 3))",
        lambda of, value: f"str({value()})",
        lambda of, value: f"'%s and %d%%' % ({value()}, {of('int')})",
        lambda of, value: f"'<%s>' % ({value()},)",
        lambda of, value: f"type({value()})",
        lambda of, _: f"{of('text')}[{of('int')}:{of('int')}]",
        lambda of, _: f"{of('text')}[::{of('int')} or -1]",
        lambda of, _: f"({of('text')} + 'z')[0]",
    ],
    "list": [
        lambda of, _: f"[x for x in {of('list')} if x > {of('int')}]",
        lambda of, _: f"[x + n for n in {of('list')} for x in [n, {of('int')}]]",
        lambda of, _: f"[a * b for a, b in enumerate({of('list')})]",
        lambda of, _: f"sorted({of('list')}, reverse = {of('bool')})",
        lambda of, _: f"list(range({of('int')} % 9))",
        lambda of, _: f"list(range({of('int')} % 9, {of('int')} % 9, {of('int')} or -2))",
        lambda of, _: f"({of('list')} + {of('list')})",
        lambda of, _: f"{of('list')}[{of('int')}:{of('int')}:{of('int')} or 2]",
        lambda of, _: f"{of('list')}[{of('int')}:]",
        lambda of, _: f"({of('list')} * ({of('int')} % 3))",
    ],
    "bool": [
        lambda of, value: f"({value()} == {value()})",
        lambda of, value: f"({value()} != {value()})",
        lambda of, _: f"({of('int')} < {of('int')} and {of('text')} >= {of('text')})",
        lambda of, _: f"({of('list')} <= {of('list')})",
        lambda of, _: f"({of('bool')} > {of('bool')} or not {of('int')})",
        lambda of, _: f"({of('int')} in {of('list')})",
        lambda of, _: f"({of('text')} not in {of('text')})",
        lambda of, value: f"bool({value()})",
        lambda of, _: f"('a' in {of('dict')})",
        lambda of, _: f"({of('tuple')} < {of('tuple')})",
    ],
    "tuple": [
        lambda of, value: f"({of('int')}, {value()})",
        lambda of, _: f"({of('tuple')} + {of('tuple')})",
        lambda of, _: f"{of('tuple')}[{of('int')}:]",
    ],
    "dict": [
        lambda of, value: f"{{'a': {of('int')}, {of('int')}: {value()}}}",
        lambda of, value: f"{{'k%d' % {of('int')}: {value()}, 'a': {of('int')}}}",
    ],
}

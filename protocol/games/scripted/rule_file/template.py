"""Templates of sentences in a rule file: texts with named holes, and forms for a number.

Templates are data. A hole names a value and nothing else, so a template computes nothing
(docs/protocol, 33.9).
"""

import re
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from protocol.limits import (
    MAX_NAME,
    MAX_RULE_INT,
    MAX_SAY,
    MAX_SCRIPT_FORMS,
    MAX_SCRIPT_HOLES,
)
from protocol.rules import RuleError
from protocol.view.harmless import is_safe_to_show
from protocol.view.phrase import Value

# {seat}, {card} or a value of a card: {card.strength}
_HOLE = re.compile(r"\{([a-z][a-z0-9_]{0,23})(?:\.([^{}.]{1,24}))?\}")
BY: Final = "by"  # key of forms: the value that chooses among them
OTHER: Final = "other"  # key of forms: the form for all numbers without a form of their own
COUNT: Final = "n"  # the value that chooses if `BY` names none


class Hole(NamedTuple):
    """Place in a template for a named value, or for a value of a named card."""

    name: str
    value: str | None = None

    def __str__(self) -> str:
        return f"{{{self.name}}}" if self.value is None else f"{{{self.name}.{self.value}}}"


Template = tuple[str | Hole, ...]


class Forms(NamedTuple):
    """Template in forms for numbers. The value `by` chooses one of `exact`, otherwise `other`."""

    by: str
    exact: tuple[tuple[int, Template], ...]
    other: Template

    def choose(self, numbers: Mapping[str, int]) -> Template:
        """Return the form for these numbers."""
        number = numbers.get(self.by)
        return next((form for exact, form in self.exact if exact == number), self.other)

    def templates(self) -> Iterator[Template]:
        yield from (form for _, form in self.exact)
        yield self.other

    def names(self) -> frozenset[Hole]:
        """Return the holes of all forms."""
        return frozenset(
            part for form in self.templates() for part in form if isinstance(part, Hole)
        )


class Telling(NamedTuple):
    """Sentence about a seat: for all others, and addressed to that seat if the file has it so."""

    told: Forms
    you: Forms | None = None


def parse_template(value: object, where: str) -> Template:
    """Read a text with holes. `where` says what it is, for an error. Raises: RuleError."""
    if type(value) is not str or len(value) > MAX_SAY or not is_safe_to_show(value):
        raise RuleError(0, 0, "script.template.text", where=where, most=MAX_SAY)
    parts: list[str | Hole] = []
    end = 0
    for found in _HOLE.finditer(value):
        parts += [value[end : found.start()], Hole(found[1], found[2])]
        end = found.end()
    parts.append(value[end:])
    stray = next((part for part in parts if isinstance(part, str) and set(part) & set("{}")), None)
    if stray is not None:
        raise RuleError(0, 0, "script.template.brace", where=where)
    if sum(isinstance(part, Hole) for part in parts) > MAX_SCRIPT_HOLES:
        raise RuleError(0, 0, "script.template.holes", where=where, most=MAX_SCRIPT_HOLES)
    return tuple(part for part in parts if part != "")


def parse_forms(value: object, where: str) -> Forms:
    """Read a template: a text, or a dict with a form for each number and `OTHER`. Raises:
    RuleError.
    """
    if type(value) is not dict:
        return Forms(COUNT, (), parse_template(value, where))
    by = value.get(BY, COUNT)
    numbers = [key for key in value if type(key) is int]
    keys = {BY, OTHER, *numbers}
    if (
        not value.keys() <= keys
        or OTHER not in value
        or type(by) is not str
        or not 0 < len(by) <= MAX_NAME
        or len(numbers) > MAX_SCRIPT_FORMS
        or not all(abs(number) <= MAX_RULE_INT for number in numbers)
    ):
        want = '{1: "…", "other": "…"}'
        raise RuleError(0, 0, "script.template.forms", where=where, want=want)
    exact = tuple((number, parse_template(value[number], where)) for number in numbers)
    return Forms(by, exact, parse_template(value[OTHER], where))


def parse_telling(value: object, where: str) -> Telling:
    """Read forms, or a dict with the forms for others (`told`) and for the seat itself (`you`).
    Raises: RuleError.
    """
    if type(value) is not dict or "told" not in value:
        return Telling(parse_forms(value, where))
    if not value.keys() <= {"told", "you"}:
        raise RuleError(
            0, 0, "script.template.forms", where=where, want='{"told": "…", "you": "…"}'
        )
    return Telling(
        parse_forms(value["told"], where),
        parse_forms(value["you"], where) if "you" in value else None,
    )


def match_pattern(pattern: Template, text: str) -> dict[str, str] | None:
    """Find the values of a pattern's holes in a text; None if the text is another one. Each hole
    takes as little as possible, so that the work is bounded by the length of the text.
    """
    found: dict[str, str] = {}
    at = 0
    hole: Hole | None = None
    for number, part in enumerate(pattern, 1):
        if isinstance(part, Hole):
            hole = part
            continue
        last = number == len(pattern)
        start = len(text) - len(part) if last and text.endswith(part) else text.find(part, at)
        if start < at or (hole is None and start != at):
            return None
        if hole is not None:
            found[hole.name] = text[at:start]
            hole = None
        at = start + len(part)
    if hole is not None:
        found[hole.name] = text[at:]
        at = len(text)
    return found if at == len(text) else None


def fill(template: Template, values: Mapping[Hole, Value], missing: Value) -> tuple[Value, ...]:
    """Put values into the holes of a template; `missing` for a hole without a value."""
    return tuple(values.get(part, missing) if isinstance(part, Hole) else part for part in template)

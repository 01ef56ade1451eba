"""Options of games and of dealing protocols: what each may be, what it is when nobody says, and how it is written.

A game or a protocol lists its options once; what is accepted, what an error says, `--help` and a form come from that.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import NamedTuple

from protocol.codes import Code
from protocol.errors import Refused
from protocol.limits import MAX_INT, MAX_NAME, MAX_OPTIONS, MAX_VALUE
from protocol.schema import either, fields, many, text, uint

Value = int | str
Values = Mapping[str, Value]
OptionList = tuple[tuple[str, Value], ...]  # as terms have them: sorted by name, none twice
OPTIONS = many(fields(text(MAX_NAME), either(uint(), text(MAX_VALUE))), 0, MAX_OPTIONS)
CHOSEN = fields(text(MAX_NAME), OPTIONS)


class Chosen(NamedTuple):
    """A game or a dealing protocol by its name, with the options that were set."""

    name: str
    options: OptionList = ()


class Unfit(Refused):
    """BAD_OPTIONS, and in `words` which option will not do and why, for whoever set it: they may quote what it set."""

    def __init__(self, words: str) -> None:
        super().__init__(Code.BAD_OPTIONS)
        self.words = words


@dataclass(frozen=True)
class Varies:
    """A number that depends on how many play and on the options before it in the list."""

    words: str
    of: Callable[[int, Values], int]


@dataclass(frozen=True, kw_only=True)
class Option:
    """One option: a number from `least` to `most`, or, where there are any, one of the `choices`."""

    name: str
    about: str  # what it is, without its range; a part of a sentence
    default: Value | Varies
    least: int | Varies = 0
    most: int | Varies = MAX_INT
    choices: tuple[Value, ...] = ()
    only: tuple[str, Value] | None = None  # there is no such option unless another one has this value

    def applies(self, values: Values) -> bool:
        """Whether there is this option beside those before it."""
        return self.only is None or values.get(self.only[0]) == self.only[1]

    def range_text(self, seats: int, values: Values) -> str:
        """What it may be: "1 to 7", "6 or 9"."""
        if self.choices:
            return any_of(self.choices)
        least, most = self.bounds(seats, values)
        return f"{least} to {most}"

    def bounds(self, seats: int, values: Values) -> tuple[int, int]:
        """The least and the most that a number may be."""
        return _number(self.least, seats, values), _number(self.most, seats, values)

    def check(self, value: Value, seats: int, values: Values) -> None:
        """Raises: Unfit for a value that it cannot have beside the `values` of the options before it."""
        if not self.applies(values):
            assert self.only is not None
            raise Unfit(f"`{self.name}` goes with `{self.only[0]}={self.only[1]}` alone")
        if self.choices:
            fits = any(value == choice and type(value) is type(choice) for choice in self.choices)
        else:
            low, high = self.bounds(seats, values)
            fits = type(value) is int and low <= value <= high
        if not fits:
            raise Unfit(f"`{self.name}` is {self.range_text(seats, values)}, not {value}")

    def usual(self, seats: int, values: Values) -> Value:
        """What it is when nobody says."""
        return self.default.of(seats, values) if isinstance(self.default, Varies) else self.default

    def help_text(self) -> str:
        """A line for people: "hand=N: tiles dealt to each, 1 to what the set has for everybody; usually 7"."""
        wide = any_of(self.choices) if self.choices else f"{_words(self.least)} to {_words(self.most)}"
        only = f"; with {self.only[0]}={self.only[1]}" if self.only else ""
        return f"{self.name}={'X' if self.choices else 'N'}: {self.about}, {wide}; usually {_words(self.default)}{only}"


def complete(options: Sequence[Option], given: Values, seats: int) -> dict[str, Value]:
    """All options with their values, where only some were given. Raises: Unfit."""
    names = [option.name for option in options]
    for name in given:
        if name not in names:
            there = f"there are {', '.join(names)}" if names else "there are none"
            raise Unfit(f"there is no option `{name}`; {there}")
    values: dict[str, Value] = {}
    for option in options:
        if option.name in given:
            option.check(given[option.name], seats, values)
            values[option.name] = given[option.name]
        elif option.applies(values):
            values[option.name] = option.usual(seats, values)
    return values


def sorted_options(options: Sequence[tuple[str, Value]]) -> OptionList:
    """An option list. Raises: Unfit for a name that stands there twice."""
    names = [name for name, _ in options]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise Unfit(f"`{twice[0]}` is set twice")
    return tuple(sorted(options, key=itemgetter(0)))


def any_of(values: Sequence[Value]) -> str:
    """In words: "a", "a or b", "a, b or c"."""
    *most, last = map(str, values)
    return f"{', '.join(most)} or {last}" if most else last


def _number(bound: int | Varies, seats: int, values: Values) -> int:
    return bound.of(seats, values) if isinstance(bound, Varies) else bound


def _words(value: Value | Varies) -> str:
    return value.words if isinstance(value, Varies) else str(value)

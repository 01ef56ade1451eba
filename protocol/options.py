"""Options of games and of dealing protocols: what each may be, what it is when nobody says, and how
it is written.

A game or a protocol lists its options once; what is accepted, what an error says, `--help` and a
form come from that.
"""

import argparse
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import NamedTuple

from protocol.codes import Code
from protocol.errors import Refused
from protocol.limits import MAX_INT, MAX_NAME, MAX_OPTIONS, MAX_VALUE
from protocol.i18n import in_english
from protocol.schema import either, fields, many, text, uint
from protocol.view.phrase import Phrase, phrase
from protocol.view.phrase import Value as Said

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
    """BAD_OPTIONS, and in `words` which option will not do and why, for whoever set it: they may
    quote what it set.
    """

    def __init__(self, key: str, /, **args: Said) -> None:
        super().__init__(Code.BAD_OPTIONS)
        self.words = phrase(key, **args)


@dataclass(frozen=True)
class Varies:
    """A number that depends on how many play and on the options before it in the list."""

    words: str  # a key of the catalogue, or, where a game has none there, its own words
    of: Callable[[int, Values], int]


class Form(NamedTuple):
    """How a text has to be written."""

    fits: Callable[[Value], bool]
    words: Phrase  # what is allowed, for people, as a part of a sentence


@dataclass(frozen=True, kw_only=True)
class Option:
    """One option: a number from `least` to `most`; or one of the `choices`, or a text of a `form`,
    if it has these.
    """

    name: str
    # what it is, without its range, as a part of a sentence: a key of the catalogue, or its own
    # words
    about: str
    default: Value | Varies
    least: int | Varies = 0
    most: int | Varies = MAX_INT
    choices: tuple[Value, ...] = ()
    form: Form | None = None
    # there is no such option unless another one has this value
    only: tuple[str, Value] | None = None
    # says of a value that it stands for a text that players bring
    brought: Callable[[Value], bool] | None = None

    def applies(self, values: Values) -> bool:
        """Whether there is this option beside those before it."""
        return self.only is None or values.get(self.only[0]) == self.only[1]

    def bounds(self, seats: int, values: Values) -> tuple[int, int]:
        """The least and the most that a number may be."""
        return _number(self.least, seats, values), _number(self.most, seats, values)

    def check(self, value: Value, seats: int, values: Values) -> None:
        """Raises: Unfit for a value that it cannot have beside the `values` of the options before
        it.
        """
        if not self.applies(values):
            assert self.only is not None
            raise Unfit("unfit.alone", name=self.name, other=self.only[0], value=self.only[1])
        low, high = self.bounds(seats, values)
        if self.form is not None:
            if not self.form.fits(value):
                raise Unfit("unfit.form", name=self.name, form=self.form.words, value=value)
        elif self.choices:
            if not any(value == choice and type(value) is type(choice) for choice in self.choices):
                raise Unfit(
                    "unfit.choice", name=self.name, choices=any_of(self.choices), value=value
                )
        elif not (type(value) is int and low <= value <= high):
            if low == high:
                raise Unfit("unfit.only", name=self.name, only=low, value=value)
            raise Unfit("unfit.range", name=self.name, least=low, most=high, value=value)

    def usual(self, seats: int, values: Values) -> Value:
        """What it is when nobody says."""
        return self.default.of(seats, values) if isinstance(self.default, Varies) else self.default

    def help_text(self) -> str:
        """A line for `--help`: "hand=N: tiles dealt to each, 1 to what the set has for everybody;
        usually 7".
        """
        wide = f"{_words(self.least)} to {_words(self.most)}"
        if self.choices:
            wide = any_text(self.choices)
        if self.form is not None:
            wide = in_english(self.form.words)
        only = f"; with {self.only[0]}={self.only[1]}" if self.only else ""
        name, about = (
            f"{self.name}={'X' if self.choices or self.form else 'N'}",
            in_english(phrase(self.about)),
        )
        return f"{name}: {about}, {wide}; usually {_words(self.default)}{only}"


def complete(options: Sequence[Option], given: Values, seats: int) -> dict[str, Value]:
    """All options with their values, where only some were given. Raises: Unfit."""
    names = [option.name for option in options]
    for name in given:
        if name not in names:
            if not names:
                raise Unfit("unfit.unknown.none", name=name)
            raise Unfit("unfit.unknown", name=name, names=", ".join(names))
    values: dict[str, Value] = {}
    for option in options:
        if option.name in given:
            option.check(given[option.name], seats, values)
            values[option.name] = given[option.name]
        elif option.applies(values):
            values[option.name] = option.usual(seats, values)
    return values


def written_option(text: str) -> tuple[str, Value] | None:
    """`NAME=VALUE` as people type it, a number where it looks like one; None for anything else."""
    name, equals, value = text.partition("=")
    if not (name and equals and value):
        return None
    return name, int(value) if re.fullmatch("[0-9]{1,9}", value) else value


def within(least: int, most: int) -> Callable[[str], int]:
    """For argparse: a number from `least` to `most`."""

    def number(text: str) -> int:
        if not (text.isascii() and text.isdigit() and least <= int(text[:12]) <= most):
            raise argparse.ArgumentTypeError(
                f"a number from {least} to {most:,} is wanted, not {text}"
            )
        return int(text)

    return number


def sorted_options(options: Sequence[tuple[str, Value]]) -> OptionList:
    """An option list. Raises: Unfit for a name that stands there twice."""
    names = [name for name, _ in options]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise Unfit("unfit.twice", name=twice[0])
    return tuple(sorted(options, key=itemgetter(0)))


def any_of(values: Sequence[Value]) -> Phrase | str:
    """In words: "a", "a or b", "a, b or c"."""
    *others, last = map(str, values)
    return phrase("list.or", others=", ".join(others), last=last) if others else last


def any_text(values: Sequence[Value]) -> str:
    """`any_of` in English, for `--help`."""
    found = any_of(values)
    return found if isinstance(found, str) else in_english(found)


def _number(bound: int | Varies, seats: int, values: Values) -> int:
    return bound.of(seats, values) if isinstance(bound, Varies) else bound


def _words(value: Value | Varies) -> str:
    return in_english(phrase(value.words)) if isinstance(value, Varies) else str(value)

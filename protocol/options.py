"""Options of games and of dealing protocols: their permitted values, defaults and notation.

Each game or protocol lists its options once. The checks, error texts, `--help` and forms follow
from the list.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import itemgetter
from typing import NamedTuple

from protocol.codes import Code
from protocol.errors import Refused
from protocol.i18n import english_text
from protocol.i18n.argument_errors import WrongArgument
from protocol.limits import MAX_INT, MAX_NAME, MAX_OPTIONS, MAX_VALUE
from protocol.schema import either, fields, many, text, uint
from protocol.view.phrase import Phrase, phrase
from protocol.view.phrase import Value as Said
from protocol.view.text import Say

Value = int | str
Values = Mapping[str, Value]
OptionList = tuple[tuple[str, Value], ...]  # sorted by name, without duplicates, as in terms
OPTIONS = many(fields(text(MAX_NAME), either(uint(), text(MAX_VALUE))), 0, MAX_OPTIONS)
SELECTION = fields(text(MAX_NAME), OPTIONS)


class Selection(NamedTuple):
    """A game or a dealing protocol by name, with the options that were set."""

    name: str
    options: OptionList = ()


class BadOptions(Refused):
    """BAD_OPTIONS with a reason for the person who set the option. The reason may quote the value
    that was set.
    """

    def __init__(self, key: str, /, **args: Said) -> None:
        super().__init__(Code.BAD_OPTIONS)
        self.reason = phrase(key, **args)


@dataclass(frozen=True)
class DependentNumber:
    """A number that depends on the number of seats and on the options earlier in the list."""

    description: str  # key of the catalogue, or plain text if the game has no catalogue
    compute: Callable[[int, Values], int]


@dataclass(frozen=True)
class DependentChoice:
    """A choice that depends on the number of seats and on the options earlier in the list."""

    description: str  # key of the catalogue, or plain text if the game has no catalogue
    compute: Callable[[int, Values], str]


class TextFormat(NamedTuple):
    """Required format of a text."""

    accepts: Callable[[Value], bool]
    description: Phrase  # permitted texts, described for people as a part of a sentence


@dataclass(frozen=True, kw_only=True)
class Option:
    """An option: a number from `least` to `most`, one of the `choices`, or a text in
    `text_format`.
    """

    name: str
    # description without the range, as a part of a sentence: key of the catalogue, or plain text
    help_key: str
    default: Value | DependentNumber | DependentChoice
    least: int | DependentNumber = 0
    most: int | DependentNumber = MAX_INT
    choices: tuple[Value, ...] = ()
    text_format: TextFormat | None = None
    # (name, value) of an earlier option: without this value, the present option does not exist
    requires: tuple[str, Value] | None = None
    # checks that a value refers to a text that players bring
    brought: Callable[[Value], bool] | None = None

    def applies(self, values: Values) -> bool:
        """Check that the option exists next to these values of the earlier options."""
        return self.requires is None or values.get(self.requires[0]) == self.requires[1]

    def bounds(self, seats: int, values: Values) -> tuple[int, int]:
        """Return the smallest and the largest permitted number."""
        return _bound_value(self.least, seats, values), _bound_value(self.most, seats, values)

    def check(self, value: Value, seats: int, values: Values) -> None:
        """Check a value next to the `values` of the earlier options. Raises: BadOptions."""
        if not self.applies(values):
            assert self.requires is not None
            raise BadOptions(
                "unfit.alone", name=self.name, other=self.requires[0], value=self.requires[1]
            )
        low, high = self.bounds(seats, values)
        if self.text_format is not None:
            if not self.text_format.accepts(value):
                raise BadOptions(
                    "unfit.form", name=self.name, form=self.text_format.description, value=value
                )
        elif self.choices:
            if not any(value == choice and type(value) is type(choice) for choice in self.choices):
                raise BadOptions(
                    "unfit.choice", name=self.name, choices=or_phrase(self.choices), value=value
                )
        elif not (type(value) is int and low <= value <= high):
            if low == high:
                raise BadOptions("unfit.only", name=self.name, only=low, value=value)
            raise BadOptions("unfit.range", name=self.name, least=low, most=high, value=value)

    def default_value(self, seats: int, values: Values) -> Value:
        """Return the value of an option that was not set."""
        if isinstance(self.default, DependentNumber | DependentChoice):
            return self.default.compute(seats, values)
        return self.default

    def help_text(self, say: Say = english_text) -> str:
        """Return a line for `--help`: "hand=N: tiles dealt to each, 1 to what the set has for
        everybody; usually 7".
        """
        range_text: Phrase | str
        if self.text_format is not None:
            range_text = self.text_format.description
        elif self.choices:
            range_text = or_phrase(self.choices)
        else:
            range_text = phrase(
                "help.option.range", least=_amount(self.least), most=_amount(self.most)
            )
        line = phrase(
            "help.option",
            name=f"{self.name}={'X' if self.choices or self.text_format else 'N'}",
            about=phrase(self.help_key),
            range=range_text,
            usual=_amount(self.default),
        )
        if self.requires is None:
            return say(line)
        other, value = self.requires
        return say(phrase("help.option.requires", option=line, other=other, value=value))


class ListOption(NamedTuple):
    """An option with several texts. Terms name the texts NAME-01, NAME-02 and so on, without a gap.
    The texts ascend by code points, without duplicates: a list has one notation.
    """

    name: str
    help_key: str  # description of one text, as a part of a sentence: key of the catalogue
    text_format: TextFormat
    most: int  # number of texts, at most 99
    # (name, value) of an option: without this value, the list does not exist
    requires: tuple[str, Value]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the texts in terms, in their order."""
        return tuple(f"{self.name}-{number:02}" for number in range(1, self.most + 1))

    def texts(self, values: Values) -> tuple[str, ...]:
        """Return the texts among these values of options."""
        return tuple(str(values[name]) for name in self.names if name in values)

    def notation(self, texts: Iterable[str]) -> OptionList:
        """Return the options for these texts, in any order. Raises: BadOptions if they are too
        many.
        """
        found = sorted(set(texts))
        if len(found) > self.most:
            raise BadOptions("unfit.list.many", name=self.name, most=self.most)
        return tuple(zip(self.names, found, strict=False))

    def check(self, given: Values, values: Values) -> None:
        """Check the texts of this list in `given`, next to the `values` of the other options.
        Raises: BadOptions.
        """
        found = [name for name in self.names if name in given]
        if not found:
            return
        if values.get(self.requires[0]) != self.requires[1]:
            raise BadOptions(
                "unfit.alone", name=found[0], other=self.requires[0], value=self.requires[1]
            )
        for name in found:
            if not self.text_format.accepts(given[name]):
                raise BadOptions(
                    "unfit.form", name=name, form=self.text_format.description, value=given[name]
                )
        texts = self.texts(given)
        ascends = all(one < other for one, other in pairwise(texts))
        if tuple(found) != self.names[: len(found)] or not ascends:
            raise BadOptions("unfit.list.order", name=self.name)


def fill_lists(lists: Sequence[ListOption], given: Values, values: Values) -> dict[str, Value]:
    """Return the texts of all lists in `given`, next to the `values` of the other options. Raises:
    BadOptions.
    """
    for option in lists:
        option.check(given, values)
    return {name: given[name] for option in lists for name in option.names if name in given}


def fill_defaults(options: Sequence[Option], given: Values, seats: int) -> dict[str, Value]:
    """Return the values of all options, with defaults for those not given. Raises: BadOptions."""
    names = [option.name for option in options]
    for name in given:
        if name not in names:
            if not names:
                raise BadOptions("unfit.unknown.none", name=name)
            raise BadOptions("unfit.unknown", name=name, names=", ".join(names))
    values: dict[str, Value] = {}
    for option in options:
        if option.name in given:
            option.check(given[option.name], seats, values)
            values[option.name] = given[option.name]
        elif option.applies(values):
            values[option.name] = option.default_value(seats, values)
    return values


def parse_option(text: str) -> tuple[str, Value] | None:
    """Read `NAME=VALUE` as typed by people; digits become a number. None for any other text."""
    name, equals, value = text.partition("=")
    if not (name and equals and value):
        return None
    return name, int(value) if re.fullmatch("[0-9]{1,9}", value) else value


def option_argument(text: str) -> tuple[str, Value]:
    """Parse `NAME=VALUE`; a value that looks like a number becomes a number. For argparse. Raises:
    ArgumentTypeError.
    """
    found = parse_option(text)
    if found is None:
        raise WrongArgument("usage.option", example="hand=5", word=text)
    return found


def number_in_range(least: int, most: int) -> Callable[[str], int]:
    """Return an argparse type for a number from `least` to `most`."""

    def number(text: str) -> int:
        if not (text.isascii() and text.isdigit() and least <= int(text[:12]) <= most):
            raise WrongArgument("usage.range", least=least, most=f"{most:,}", word=text)
        return int(text)

    return number


def sorted_options(options: Sequence[tuple[str, Value]]) -> OptionList:
    """Return the options sorted by name. Raises: BadOptions for a duplicate name."""
    names = [name for name, _ in options]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise BadOptions("unfit.twice", name=twice[0])
    return tuple(sorted(options, key=itemgetter(0)))


def or_phrase(values: Sequence[Value]) -> Phrase | str:
    """Join values: "a", "a or b", "a, b or c"."""
    *others, last = map(str, values)
    if others:
        return phrase("list.or", others=", ".join(others), last=last)
    return last


def or_text(values: Sequence[Value]) -> str:
    """Return `or_phrase` in English, for `--help`."""
    found = or_phrase(values)
    return found if isinstance(found, str) else english_text(found)


def _bound_value(bound: int | DependentNumber, seats: int, values: Values) -> int:
    if isinstance(bound, DependentNumber):
        return bound.compute(seats, values)
    return bound


def _amount(value: Value | DependentNumber | DependentChoice) -> Phrase | str:
    if isinstance(value, DependentNumber | DependentChoice):
        return phrase(value.description)
    return str(value)

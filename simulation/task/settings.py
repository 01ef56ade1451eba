"""The settings of all models: bounds, checks, and readers for texts. Each check raises
`LocalError`.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from protocol.errors import LocalError
from protocol.limits import (
    MAX_MACHINES,
    MAX_NAME,
    MAX_SIMULATED_RESCUES,
    MAX_SIMULATED_ROUNDS,
    MAX_SIMULATED_SEATS,
    MAX_SIMULATED_SEED,
    MAX_SIMULATED_TIME,
)
from protocol.view.text import sanitize

Read = Callable[[str], Any]  # text -> value as in JSON; a text of another form stays a text
SHOWN = 40  # most characters of a wrong value that an error quotes
WHOLE = re.compile("-?[0-9]{1,18}")
SEPARATORS = re.compile(r"[\s,;]+")
YES = ("yes", "true", "on")
NO = ("no", "false", "off")


@dataclass(frozen=True)
class Setting:
    """A setting. `about` is the key of its description; `check(value, field)` returns the value for
    a model.
    """

    name: str
    about: str
    check: Callable[[Any, "Setting"], Any]
    read: Read
    least: float = 0
    most: float = MAX_SIMULATED_TIME
    each: bool = False  # one value for each seat, or one for all

    @property
    def flag(self) -> str:
        """Option of the command line."""
        return "--" + self.name.replace("_", "-")


def quoted(value: object) -> str:
    """Quote a wrong value in an error: shortened, and without control characters."""
    if isinstance(value, str):
        text = value
    elif isinstance(value, int | float | bool):
        text = repr(value)
    else:
        text = _kind(value)
    return sanitize(text if len(text) <= SHOWN else text[: SHOWN - 1] + "…")


def _kind(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, list):
        return "[…]"
    return "{…}"


def _range(field: Setting) -> dict[str, str]:
    return {"name": field.name, "least": f"{field.least:,}", "most": f"{field.most:,}"}


def whole(value: Any, field: Setting) -> int:
    """Check a whole number."""
    if type(value) is not int or not field.least <= value <= field.most:
        raise LocalError("simulate.wrong.whole", **_range(field), value=quoted(value))
    return value


def number(value: Any, field: Setting) -> float:
    """Check a number."""
    if type(value) not in (int, float) or not field.least <= value <= field.most:
        raise LocalError("simulate.wrong.number", **_range(field), value=quoted(value))
    return float(value)


def numbers(value: Any, field: Setting) -> tuple[float, ...]:
    """Check a number or a list of numbers."""
    values = value if type(value) is list else [value]
    return tuple(number(one, field) for one in values)


def check_yes(value: Any, field: Setting) -> bool:
    """Check a boolean."""
    if type(value) is not bool:
        raise LocalError("simulate.wrong.yes", name=field.name, value=quoted(value))
    return value


def check_yes_list(value: Any, field: Setting) -> tuple[bool, ...]:
    """Check a boolean or a list of booleans."""
    values = value if type(value) is list else [value]
    return tuple(check_yes(one, field) for one in values)


def texts(value: Any, field: Setting) -> tuple[str, ...]:
    """Check a list of names."""
    for one in value if type(value) is list else [value]:
        if type(one) is not str or not 1 <= len(one) <= MAX_NAME:
            raise LocalError("simulate.wrong.name", most=MAX_NAME, value=quoted(one))
    return tuple(value) if type(value) is list else (value,)


def as_number(text: str) -> Any:
    """Read a number: an int if it has no fraction or exponent, else a float."""
    text = text.strip()
    try:
        if WHOLE.fullmatch(text):
            return int(text)
        if text.isascii() and "_" not in text:
            return float(text)
        return text
    except ValueError:
        return text


def as_yes(text: str) -> Any:
    """Read yes or no."""
    word = text.strip().lower()
    if word in YES:
        return True
    if word in NO:
        return False
    return text


def _several(read: Read) -> Read:
    """Make a reader of one value, or of a list if a text has several."""

    def read_all(text: str) -> Any:
        found = [read(part) for part in SEPARATORS.split(text.strip())]
        return found if len(found) > 1 else found[0]

    return read_all


def as_names(text: str) -> Any:
    """Read names with commas between them."""
    return [name.strip() for name in text.split(",")]


def _time(name: str, about: str, least: float = 0) -> Setting:
    return Setting(name, about, number, as_number, least)


_ROW = Setting("row", "simulate.field.row", whole, as_number, 3, 5)
COMMON = (
    Setting("rounds", "simulate.field.rounds", whole, as_number, 1, MAX_SIMULATED_ROUNDS),
    Setting("seed", "simulate.field.seed", whole, as_number, 0, MAX_SIMULATED_SEED),
    Setting("names", "simulate.field.names", texts, as_names, each=True),
)
FIELDS: dict[str, tuple[Setting, ...]] = {
    "table": (
        Setting("seats", "simulate.field.seats", whole, as_number, 2, MAX_SIMULATED_SEATS),
        _ROW,
        Setting("think", "simulate.field.think", numbers, _several(as_number), 0.001, each=True),
        Setting("cv", "simulate.field.cv", number, as_number, 0, 10),
        Setting("latency", "simulate.field.latency", numbers, _several(as_number), each=True),
        _time("level", "simulate.field.level"),
        _time("windows", "simulate.field.windows"),
        Setting("late_news", "simulate.field.late_news", check_yes, as_yes),
        Setting("rescues", "simulate.field.rescues", whole, as_number, 0, MAX_SIMULATED_RESCUES),
        Setting("careful", "simulate.field.careful", check_yes_list, _several(as_yes), each=True),
        Setting("ahead", "simulate.field.ahead", check_yes_list, _several(as_yes), each=True),
    ),
    "machines": (
        Setting("players", "simulate.field.players", whole, as_number, 2, MAX_MACHINES),
        _ROW,
        Setting("look", "simulate.field.look", check_yes, as_yes),
        _time("call", "simulate.field.call", 0.001),
        Setting("spread", "simulate.field.spread", number, as_number, 0, 0.999),
        _time("own", "simulate.field.own", 0.001),
        _time("flip", "simulate.field.flip", 0.001),
        _time("delta", "simulate.field.delta"),
        Setting("instants", "simulate.field.instants", check_yes, as_yes),
        Setting("to_end", "simulate.field.to_end", check_yes, as_yes),
    ),
}

"""Where the names of a file are kept while it runs."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from protocol.rules.errors import RuleFault
from protocol.rules.interpreter.step_meter import StepMeter
from protocol.rules.syntax.name_resolution import names_in
from protocol.rules.syntax.nodes import Name, Parameter

Frame = list[Any]  # the meter, what is returned, and the values of a function's names
Run = Callable[[Frame], Any]
METER, RETURNED, FIRST = 0, 1, 2  # places in a frame


class UnsetValue:
    """What a name means before it is assigned to."""


UNSET = UnsetValue()


@dataclass
class Function:
    """A function of a file; it has no body before its `def` has run."""

    name: str
    parameters: tuple[Parameter, ...]
    size: int = 0  # of its frame
    body: Callable[[Frame], Any] | None = None

    def call(self, meter: StepMeter, given: Iterable[Any]) -> Any:
        """Run it with these values, in the order of its parameters; those that are missing have
        their defaults.
        """
        if self.body is None:
            raise RuleFault(None, "rules.early", name=self.name)
        frame = [meter, None, *given]
        missing = len(frame) - FIRST
        if missing < self.needed:
            name = self.parameters[missing].name
            raise RuleFault(None, "rules.argument.missing", name=name, function=self.name)
        frame += self.defaults[missing:]
        frame += [UNSET] * (self.size - len(frame))
        self.body(frame)
        return frame[RETURNED]

    @cached_property
    def needed(self) -> int:
        """How many parameters have no default; they stand before the others."""
        return len([one for one in self.parameters if one.default is None])

    @cached_property
    def defaults(self) -> list[Any]:
        """The values of all parameters for a call that gives none of them."""
        return [UNSET if one.default is None else one.default.value for one in self.parameters]


@dataclass
class NameScope:
    """The names of one function, or of the top of a file, and the places of their values."""

    constants: dict[str, Any]  # of the file, as far as it has run
    functions: Mapping[str, Function]  # of the file and of what it may use
    places: dict[str, int] = field(default_factory=dict)
    # of the frame: one for a function and all within it
    size: list[int] = field(default_factory=lambda: [FIRST])

    def local(self, names: Iterable[str]) -> None:
        """These names get places."""
        for name in names:
            self.places[name] = self.size[0]
            self.size[0] += 1

    def inner(self, target: Name | tuple[object, ...]) -> "NameScope":
        """The scope behind a `for` of a comprehension."""
        scope = NameScope(self.constants, self.functions, dict(self.places), self.size)
        scope.local(dict.fromkeys(name.name for name in names_in(target)))
        return scope

"""Scopes, frames and functions of a running rule file."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from protocol.rules.errors import RuleFault
from protocol.rules.interpreter.step_meter import StepMeter
from protocol.rules.syntax.name_resolution import names_in
from protocol.rules.syntax.nodes import Name, Parameter

Frame = list[Any]  # the meter, the returned value, and the values of a function's names
Run = Callable[[Frame], Any]
# indices in a frame
METER = 0
RETURNED = 1
FIRST = 2


class UnsetValue:
    """Type of the value of a name before its assignment."""


UNSET = UnsetValue()


@dataclass
class Function:
    """A function of a file. It has no body before its `def` has run."""

    name: str
    parameters: tuple[Parameter, ...]
    size: int = 0  # length of its frame
    body: Callable[[Frame], Any] | None = None

    def call(self, meter: StepMeter, given: Iterable[Any]) -> Any:
        """Call the function with values in the order of its parameters. Missing ones get their
        defaults.

        Raises: RuleFault.
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
        """Number of parameters without a default, which precede the others."""
        return len([one for one in self.parameters if one.default is None])

    @cached_property
    def defaults(self) -> list[Any]:
        """Values of all parameters in a call without arguments."""
        return [UNSET if one.default is None else one.default.value for one in self.parameters]


@dataclass
class NameScope:
    """Names of one function, or of the top level of a file, with the indices of their values in a
    frame.
    """

    constants: dict[str, Any]  # constants of the file, as far as it has run
    functions: Mapping[str, Function]  # functions of the file and of the prelude
    places: dict[str, int] = field(default_factory=dict)
    # size of the frame, shared by a function and its inner scopes
    size: list[int] = field(default_factory=lambda: [FIRST])

    def local(self, names: Iterable[str]) -> None:
        """Give these names indices in the frame."""
        for name in names:
            self.places[name] = self.size[0]
            self.size[0] += 1

    def inner(self, target: Name | tuple[object, ...]) -> "NameScope":
        """Return the scope after a `for` clause of a comprehension."""
        scope = NameScope(self.constants, self.functions, dict(self.places), self.size)
        scope.local(dict.fromkeys(name.name for name in names_in(target)))
        return scope

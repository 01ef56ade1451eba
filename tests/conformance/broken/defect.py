"""What a defect is: a change to the running program, and the cases that must fail for it, all
others passing.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from conformance.case import Case

Apply = Callable[[], dict[str, Any] | None]


@dataclass(frozen=True)
class Defect:
    """One defect. `apply` changes this process for good, and gives other bounds for the table, if
    any.
    """

    name: str
    fails: tuple[str, ...]  # patterns of `group/name`
    apply: Apply

    def hits(self, case: Case) -> bool:
        """Whether this case must fail."""
        return any(fnmatchcase(f"{case.group}/{case.name}", pattern) for pattern in self.fails)


class Defects:
    """The defects of one file."""

    def __init__(self) -> None:
        self.all: list[Defect] = []

    def defect(self, *fails: str) -> Callable[[Apply], Apply]:
        """A decorator for what brings a defect about; the function's name is the defect."""

        def decorate(apply: Apply) -> Apply:
            self.all.append(Defect(apply.__name__.replace("_", "-"), fails, apply))
            return apply

        return decorate

"""Definition of a defect: a change to the running program, and the cases that must fail for it. All
other cases must pass.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from conformance.case import Case

Apply = Callable[[], dict[str, Any] | None]


@dataclass(frozen=True)
class Defect:
    """One defect. `apply` changes this process permanently, and may return other limits for the
    table.
    """

    name: str
    fails: tuple[str, ...]  # patterns of `group/name`
    apply: Apply

    def hits(self, case: Case) -> bool:
        """Check that this case must fail."""
        return any(fnmatchcase(f"{case.group}/{case.name}", pattern) for pattern in self.fails)


class Defects:
    """Defects of one module."""

    def __init__(self) -> None:
        self.all: list[Defect] = []

    def defect(self, *fails: str) -> Callable[[Apply], Apply]:
        """Decorate the function that makes a defect. The function's name is the name of the
        defect.
        """

        def decorate(apply: Apply) -> Apply:
            self.all.append(Defect(apply.__name__.replace("_", "-"), fails, apply))
            return apply

        return decorate

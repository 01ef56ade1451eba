"""What a case of the kit is: one fault, the section of the specification that it tests, and what
must come of it.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from fnmatch import fnmatchcase

CaseBody = Callable[..., Awaitable[None]]


class CaseFailed(AssertionError):
    """What is tested did not do as the specification says; the text says what it did, in words of
    ours.
    """


class CaseSkipped(Exception):
    """The case cannot be run here; the text says why."""


@dataclass(frozen=True)
class Case:
    """One case. `run(arena)` returns if all was right, and raises `CaseFailed` or `CaseSkipped`.

    `name` is the fault, in kebab-case; `section` is a number of docs/protocol, as 6.7 or 6.7.2;
    `expects` is a wire code or a few words. A case that is `alone` runs when no other does.
    """

    name: str
    section: str
    expects: str
    run: CaseBody
    group: str
    alone: bool = False


class CaseGroup:
    """The cases of one file."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.cases: list[Case] = []

    def add(
        self, name: str, section: str, expects: str, run: CaseBody, alone: bool = False
    ) -> None:
        """One more case."""
        self.cases.append(Case(name, section, expects, run, self.name, alone))

    def case(
        self, section: str, expects: str, alone: bool = False
    ) -> Callable[[CaseBody], CaseBody]:
        """A decorator for a function that is a case; the function's name is the fault."""

        def decorate(run: CaseBody) -> CaseBody:
            self.add(run.__name__.replace("_", "-"), section, expects, run, alone)
            return run

        return decorate


def all_cases(groups: list[CaseGroup]) -> list[Case]:
    """The cases of all groups, in order."""
    return [case for group in groups for case in group.cases]


def select_cases(cases: list[Case], pattern: str) -> list[Case]:
    """Those whose group, name or `group/name` matches: with * and ? as in a shell, else as a part
    of it.
    """
    wanted = pattern if any(letter in pattern for letter in "*?[") else f"*{pattern}*"
    return [case for case in cases if any(fnmatchcase(text, wanted) for text in _texts(case))]


def _texts(case: Case) -> tuple[str, ...]:
    return case.name, case.group, f"{case.group}/{case.name}"

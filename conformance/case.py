"""A case of the kit: a fault, the section of the specification that forbids the fault, and the
required reaction.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase

CaseBody = Callable[..., Awaitable[None]]
SANITY_GROUP = "sanity"  # group of the honest matches


class CaseFailed(AssertionError):
    """The program under test broke the specification. The text says how, in the kit's own words: no
    bytes of the program.
    """


class CaseSkipped(Exception):
    """The case cannot be run here; the text says why."""


class CaseLeftOut(CaseSkipped):
    """The case needs a game or a dealing that the program under test does not have, as its command
    line says; the text names it.
    """


@dataclass(frozen=True)
class Case:
    """A case. `run(arena)` returns if the program behaves; otherwise it raises `CaseFailed` or
    `CaseSkipped`.

    `name` is the fault, in kebab-case. `section` is a number of docs/protocol, such as 6.7 or
    6.7.2. `expects` is a wire code or a few words. A case that is `alone` runs while no other case
    runs.
    """

    name: str
    section: str
    expects: str
    run: CaseBody
    group: str
    alone: bool = False
    game: str = ""  # that the program must have for this case; empty: any
    dealing: str = ""  # the same


class CaseGroup:
    """The cases of one file."""

    def __init__(self, name: str, game: str = "", dealing: str = "") -> None:
        """`game` and `dealing`: what a program must have for all cases; empty: the cases say it by
        the terms of their matches, or do not need any.
        """
        self.name = name
        self._game = game
        self._dealing = dealing
        self.cases: list[Case] = []

    def add(
        self, name: str, section: str, expects: str, run: CaseBody, alone: bool = False
    ) -> None:
        """Add a case."""
        self.cases.append(
            Case(name, section, expects, run, self.name, alone, self._game, self._dealing)
        )

    def need(self, *patterns: str, game: str = "", dealing: str = "") -> None:
        """Note what a program must have for the cases with these names."""
        self.cases = [
            replace(case, game=game or case.game, dealing=dealing or case.dealing)
            if any(fnmatchcase(case.name, pattern) for pattern in patterns)
            else case
            for case in self.cases
        ]

    def case(
        self, section: str, expects: str, alone: bool = False
    ) -> Callable[[CaseBody], CaseBody]:
        """Return a decorator that makes a case of a function; the function's name is the fault."""

        def decorate(run: CaseBody) -> CaseBody:
            self.add(run.__name__.replace("_", "-"), section, expects, run, alone)
            return run

        return decorate


def all_cases(groups: list[CaseGroup]) -> list[Case]:
    """Return the cases of all groups, in order."""
    return [case for group in groups for case in group.cases]


def select_cases(cases: list[Case], pattern: str) -> list[Case]:
    """Return the cases whose group, name or `group/name` matches `pattern`.

    A pattern with `*`, `?` or `[` must match the whole text, as in a shell; any other pattern must
    match a part.
    """
    if any(letter in pattern for letter in "*?["):
        wanted = pattern
    else:
        wanted = f"*{pattern}*"
    return [case for case in cases if any(fnmatchcase(text, wanted) for text in _texts(case))]


def _texts(case: Case) -> tuple[str, ...]:
    return case.name, case.group, f"{case.group}/{case.name}"

"""HandFormat: a format in which other programs read the hands of a match."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from protocol.audit.replay import Step
from protocol.match.state import Match


@dataclass(frozen=True)
class HandText:
    """The hands of a log in a format."""

    lines: Iterable[str]
    left_out: int  # hands that the format cannot tell, such as one with a fault


@dataclass(frozen=True)
class HandFormat:
    """A format of one game or several."""

    fits: Callable[[Match], bool]  # the format has the game of this match
    write: Callable[[list[Step]], HandText]

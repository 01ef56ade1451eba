"""Home of what the stage tables of all dealings share: holders of a duty, and the row of a table.

The table of a dealing, `STAGES` in its own module `stages`, alone decides who may post which kind
of entry in a stage.
"""

from collections.abc import Callable, Iterable
from enum import Enum
from typing import NamedTuple

from protocol.dealing import TABLE, Duty


class DutyHolder(Enum):
    """Authors that have the duty of a stage."""

    TABLE = "the table"
    TURN = "the seat whose turn it is"
    EVERYONE = "every seat that has not done so"
    CONCERNED = "every seat that has not done so and that the stage concerns"
    NOBODY = "nobody"


class StageSpec(NamedTuple):
    """Row of a stage table."""

    duty_holder: DutyHolder
    kinds: tuple[str, ...]  # kinds of entries that the holder may post
    progress_key: str  # key of the catalogue: text for people
    percent: int  # progress at the beginning, within the deal, the draw or the close


# Rows of the stage in which the game goes on, and of the stage after the close.
READY_ROW = StageSpec(DutyHolder.NOBODY, (), "deal.ready", 100)
CLOSED_ROW = StageSpec(DutyHolder.NOBODY, (), "deal.closed", 100)


def stage_duties(
    spec: StageSpec,
    waiting: Iterable[int],
    turn: int | None = None,
    is_concerned: Callable[[int], bool] = lambda seat: True,
) -> tuple[Duty, ...]:
    """Return the duties of a stage, in the order of the seats in `waiting`.

    `waiting` are the seats that take part and have not done their duty of this stage. `turn` is
    the seat whose turn it is. `is_concerned` is asked only in stages of `DutyHolder.CONCERNED`.
    """
    match spec.duty_holder:
        case DutyHolder.TABLE:
            authors = [TABLE]
        case DutyHolder.TURN:
            authors = [seat for seat in waiting if seat == turn]
        case DutyHolder.EVERYONE:
            authors = list(waiting)
        case DutyHolder.CONCERNED:
            authors = [seat for seat in waiting if is_concerned(seat)]
        case DutyHolder.NOBODY:
            authors = []
    return tuple(Duty(author, kind) for author in authors for kind in spec.kinds)

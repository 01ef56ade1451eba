"""What may be simulated, and with which settings: one list of them for command line, form and JSON.

A text (of the command line, of a form) is read into what JSON would have said; that is checked in
one place, and what comes out is an `SimulationTask`.
"""

from dataclasses import dataclass

from protocol.limits import SIMULATED_ROUNDS
from simulation.models import MachinesModel, Model, TableModel

KINDS: dict[str, type[Model]] = {"table": TableModel, "machines": MachinesModel}


@dataclass(frozen=True)
class SimulationTask:
    """One simulation, complete: the same for the same values, to the last byte."""

    model: Model
    rounds: int = SIMULATED_ROUNDS
    seed: int = 0
    names: tuple[str, ...] = ()  # of the seats, for the report; none, or one each
    # played by real processes: the model's times are not asked for, they are what they are
    measured: bool = False

    @property
    def kind(self) -> str:
        """The model's name."""
        return next(name for name, kind in KINDS.items() if isinstance(self.model, kind))

    @property
    def seats(self) -> int:
        """How many play."""
        return self.model.seats if isinstance(self.model, TableModel) else self.model.players

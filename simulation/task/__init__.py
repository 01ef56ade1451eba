"""Tasks: what is simulated, with which settings. Command line, form and JSON share one list of
settings.

A text from the command line or a form first becomes the same value as in JSON. One function then
checks the values and makes a `SimulationTask`.
"""

from dataclasses import dataclass

from protocol.limits import SIMULATED_ROUNDS
from simulation.models import MachinesModel, Model, TableModel

KINDS: dict[str, type[Model]] = {"table": TableModel, "machines": MachinesModel}


@dataclass(frozen=True)
class SimulationTask:
    """A complete simulation. Equal tasks give equal reports, to the last byte."""

    model: Model
    rounds: int = SIMULATED_ROUNDS
    seed: int = 0
    names: tuple[str, ...] = ()  # of the seats, for the report; none, or one for each seat
    # real processes play: the times come from them and not from the model
    measured: bool = False

    @property
    def kind(self) -> str:
        """Name of the model."""
        return next(name for name, kind in KINDS.items() if isinstance(self.model, kind))

    @property
    def seats(self) -> int:
        """Number of seats."""
        if isinstance(self.model, TableModel):
            return self.model.seats
        return self.model.players

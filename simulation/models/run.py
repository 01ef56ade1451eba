"""Rounds of a model, by the reference in Python or by compiled code."""

from collections.abc import Iterator

from simulation.models import MachinesModel, Model, RoundResult, TableModel
from simulation.models.machines_round import machines_rounds
from simulation.models.table_round import table_rounds


def run_rounds(
    model: Model, seed: int, rounds: int, *, fast: bool = False
) -> Iterator[RoundResult]:
    """Play `rounds` rounds. Equal seeds give equal rounds, `fast` or not.

    `fast` needs the extra `science`, and compiles for a few seconds at its first call. The
    reference plays a table with planning seats in any case. Raises: ImportError.
    """
    if fast and isinstance(model, MachinesModel):
        from simulation.models import compiled_machines

        return compiled_machines.machines_rounds(model, seed, rounds)
    if fast and isinstance(model, TableModel) and not any((*model.careful, *model.ahead)):
        from simulation.models import compiled_table

        return compiled_table.table_rounds(model, seed, rounds)
    if isinstance(model, TableModel):
        return table_rounds(model, seed, rounds)
    return machines_rounds(model, seed, rounds)

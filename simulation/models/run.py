"""Rounds of a model, one after the other: the reference in Python, or the same rounds compiled."""

from collections.abc import Iterator

from simulation.models import MachinesModel, Model, RoundResult, TableModel
from simulation.models.machines_round import machines_rounds
from simulation.models.table_round import table_rounds


def run_rounds(
    model: Model, seed: int, rounds: int, *, fast: bool = False
) -> Iterator[RoundResult]:
    """So many rounds; the same for the same seed, `fast` or not.

    `fast` takes the extra `science`, and a few seconds of compiling when it is first asked; a table
    at which somebody plans is played by the reference all the same. Raises: ImportError.
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

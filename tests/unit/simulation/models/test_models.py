"""Compiled models play the same rounds as the reference, and a single wrong branch is noticed."""

import hashlib
from collections.abc import Iterator
from copy import copy
from functools import cache
from itertools import islice, tee
from pathlib import Path
from types import ModuleType

import pytest

from simulation.models import (
    MachinesModel,
    RoundResult,
    TableModel,
    compiled_cards,
    compiled_machines,
    compiled_table,
)
from simulation.models.run import run_rounds

pytestmark = pytest.mark.slow

TABLES = (
    TableModel(),
    TableModel(seats=2, row=5, rescues=3, latency=(0.3,)),
    TableModel(seats=2, row=3, think=(1.0, 7.0), latency=(0.0, 3.0)),
    TableModel(seats=5, row=3, latency=(0.0, 0.2), windows=0.3, cv=0.8),
    TableModel(seats=4, latency=(0.1, 0.4), level=0.2, late_news=True, rescues=0, cv=0.0),
)
MACHINES = (
    MachinesModel(),
    MachinesModel(2, row=3, look=True, delta=3000.0),
    MachinesModel(9, instants=True),
    MachinesModel(8, look=True, delta=500.0),
    MachinesModel(12, delta=300.0, to_end=False),
)


@pytest.mark.parametrize("model", [*TABLES, *MACHINES])
def test_compiled_model_plays_reference_rounds(model):
    rounds = 10 if isinstance(model, TableModel) else 3
    for seed in range(3):
        assert list(run_rounds(model, seed, rounds, fast=True)) == list(
            run_rounds(model, seed, rounds)
        )


def test_compiled_model_plays_reference_rounds_with_decks():
    deck = tuple(range(39, -1, -1))
    for model in (TableModel(decks=(deck,) * 4), MachinesModel(decks=(deck,) * 4)):
        assert list(run_rounds(model, 1, 5, fast=True)) == list(run_rounds(model, 1, 5))


@pytest.mark.parametrize("module", [compiled_table, compiled_machines])
def test_numba_recompiles_after_shared_code_changes(module):
    """Numba checks only a function's own file, so that file must change too."""
    assert (
        hashlib.sha256(Path(compiled_cards.__file__).read_bytes()).hexdigest()[:8] == module.SHARED
    )


WRONG_TABLES = (
    ("at < time or", "at <= time or"),
    ("clock[other, LOT] < lot)", "clock[other, LOT] > lot)"),
    ("if found > 1 else 0", "if found > 2 else 0"),
    ("middle[card_at(seats, seat, row), 0]:", "middle[card_at(seats, seat, 0), 0]:"),
    ("if card % NUMBERS < NUMBERS - 1", "if card % NUMBERS < NUMBERS - 2"),
    ("        seats[other, TAKEN] = 0", "        seats[seat, TAKEN] = 0"),
    ("        seats[seat, LATE] += 1", "        seats[seat, LATE] += 2"),
    ("if clock[seat, BACK] > 0.0:", "if clock[seat, BACK] > 1.0:"),
    ("middle[TRIED, IN_VAIN] = 0", "middle[TRIED, IN_VAIN] += 0"),
    ("for place in range(at, end)", "for place in range(at, end - 1)"),
    ("seats[seat, TAKEN] < DRY_FLIPS", "seats[seat, TAKEN] < DRY_FLIPS + 1"),
    (" or seats[seat, TAKEN] >= LIGRETTO_TAKE_UPS", ""),
    ("time += clock[seat, AWAY]", "time += clock[seat, BACK]"),
    ("int(time / window) + 1", "int(time / window)"),
)
WRONG_MACHINES = (
    ("(time, place) < (when[least]", "(time, place) > (when[least]"),
    ("now >= times[owner, END]", "now > times[owner, END] + 1e9"),
    ("now < times[owner, START]", "now > times[owner, START] + 1e4"),
    ("-2 if seats[place, DRY_AT] == lays else lays", "lays"),
    ("state[DRY] = 0", "state[DRY] += 0"),
    ("and times[owner, CHANGED + colour] > times[place, BEGAN]", ""),
    (" == card:", " == card + 1:"),
    ("slot + 1\n        target = OWN", "slot + 1\n        target = 0"),
    (
        "if state[STOPPED_AT] < 0:\n            state",
        "if state[STOPPED_AT] < 99:\n            state",
    ),
    ("and given[INSTANTS]:", "and given[LOOKS]:"),
    ("began + time / 2.0", "began + time"),
)


@pytest.mark.parametrize("right, wrong", WRONG_TABLES)
def test_wrong_branch_in_table_model_is_noticed(right, wrong):
    module = _changed(compiled_table, right, wrong)
    assert any(_differ(module.table_rounds(model, 1, 40), _right(model, 40)) for model in TABLES)


@pytest.mark.parametrize("right, wrong", WRONG_MACHINES)
def test_wrong_branch_in_machines_model_is_noticed(right, wrong):
    module = _changed(compiled_machines, right, wrong)
    assert any(
        _differ(module.machines_rounds(model, 1, 12), _right(model, 12)) for model in MACHINES
    )


def _right(model: TableModel | MachinesModel, rounds: int) -> Iterator[RoundResult]:
    """Yield the reference's rounds; each is played once, at its first comparison."""
    return copy(_reference(model, rounds))


@cache
def _reference(model: TableModel | MachinesModel, rounds: int) -> Iterator[RoundResult]:
    (untouched,) = tee(run_rounds(model, 1, rounds), 1)
    return untouched  # its copies share the cache of results


def _changed(module: ModuleType, right: str, wrong: str) -> ModuleType:
    """Return a copy of a module with one error, not compiled: it seldom plays for long."""
    source = Path(module.__file__).read_text("utf-8")
    assert source.count(right) == 1
    source = source.replace(right, wrong).replace("@compile_function\n", "")
    changed = ModuleType(module.__name__)
    exec(compile(source, module.__file__, "exec"), changed.__dict__)
    return changed


def _differ(some: Iterator[RoundResult], others: Iterator[RoundResult]) -> bool:
    return any(one != other for one, other in zip(islice(some, 40), others, strict=True))

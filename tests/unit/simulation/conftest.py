"""What numba compiles, once for each machine, counts as no test's time."""

from collections.abc import Generator

import pytest

from simulation.models import MachinesModel, TableModel
from simulation.models.run import run_rounds
from tests.support.compiling import before_slow


def compile_all() -> None:
    """Ask for something that comes to every function."""
    for model in (TableModel(), MachinesModel(look=True)):
        list(run_rounds(model, 1, 1, fast=True))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, object, object]:
    """Before the clock of the tier is looked at."""
    before_slow(item, compile_all)
    return (yield)

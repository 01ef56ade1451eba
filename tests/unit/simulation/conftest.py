"""Compile numba's functions before the tests, so that the time counts for no test."""

from collections.abc import Generator

import pytest

from simulation.models import MachinesModel, TableModel
from simulation.models.run import run_rounds
from tests.support.compiling import before_slow


def compile_all() -> None:
    """Run code that uses every compiled function."""
    for model in (TableModel(), MachinesModel(look=True)):
        list(run_rounds(model, 1, 1, fast=True))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, object, object]:
    """Compile before the tier's clock starts."""
    before_slow(item, compile_all)
    return (yield)

"""What numba compiles, once for each machine, counts as no test's time."""

from collections.abc import Generator

import pytest

from scripts.connect_four import rules
from search.connect_four.compiled_engine import CompiledEngine
from tests.support.compiling import before_slow
from tests.unit.search.connect_four.positions import engine_at


def compile_all() -> None:
    """Ask for something that looks into every function."""
    game = rules(5, 4)
    engine, _ = engine_at(CompiledEngine, game, game.opening(0))
    engine.above(0, 0, 0)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, object, object]:
    """Before the clock of the tier is looked at."""
    before_slow(item, compile_all)
    return (yield)

"""Compile numba's functions before the tests, so that the time counts for no test."""

from collections.abc import Generator

import pytest

from scripts.connect_four import rules
from search.connect_four.compiled_engine import CompiledEngine
from tests.support.compiling import before_slow
from tests.unit.search.connect_four.positions import engine_at


def compile_all() -> None:
    """Run code that uses every compiled function."""
    game = rules(5, 4)
    engine, _ = engine_at(CompiledEngine, game, game.opening(0))
    engine.above(0, 0, 0)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, object, object]:
    """Compile before the tier's clock starts."""
    before_slow(item, compile_all)
    return (yield)

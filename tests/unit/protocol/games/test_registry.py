"""Every name of code in the game specs loads that code."""

from collections.abc import Iterator

import pytest

from protocol.games.connect_four.spec import SPECS
from protocol.games.registry import BUILT_IN
from protocol.games.spec import GameSpec, load_object


def code_names(spec: GameSpec) -> Iterator[str]:
    """Yield all names "module" or "module:name" of a spec."""
    yield from (spec.rules, spec.view, spec.text)
    yield from (name for name in (spec.private_half, spec.solver) if name)
    yield from (bot.module for bot in spec.bots)


@pytest.mark.parametrize("spec", BUILT_IN.specs.values(), ids=BUILT_IN.specs)
def test_registry_loads_every_name_of_every_spec(spec):
    assert all(load_object(name) is not None for name in code_names(spec))


def test_code_names_of_connect_four_include_the_solver():
    assert "search.connect_four.scores:solve_position" in set(code_names(SPECS[0]))


@pytest.mark.parametrize("name", ["search.connect_four.nowhere:x", "search.hints:nobody"])
def test_load_object_with_wrong_name_raises(name):
    with pytest.raises((ImportError, AttributeError)):
        load_object(name)

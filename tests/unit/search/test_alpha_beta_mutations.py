"""Mutation test of alpha-beta: our checks notice the three classic errors, and some more, each in a
copy of the module.
"""

from pathlib import Path
from types import ModuleType

import pytest

from search import SearchEffort
from search import alpha_beta as right
from search.algorithms import ALL, KILLERS, ORDER, TABLE
from search.alpha_beta import AlphaBetaOptions
from search.node_budget import NodeBudget
from search.search_game import search_game
from tests.unit.search.random_games import World, minimax

SOURCE = Path(right.__file__).read_text("utf-8")
MEANS = (AlphaBetaOptions(), TABLE, ORDER, KILLERS, ALL)


def copy(slip: tuple[str, str] = ("", "")) -> ModuleType:
    """Return the module with one error in it."""
    found, instead = slip
    assert found in SOURCE, "the slip is to be made where the line is now"
    made = ModuleType("alpha_beta")
    exec(
        compile(SOURCE.replace(found, instead) if found else SOURCE, "alpha_beta", "exec"),
        made.__dict__,
    )
    return made


def wrong_values(module: ModuleType) -> int:
    """Count the searches, whole and cut short, with a value other than the definition's."""
    wrong = 0
    for seed in range(50):
        world = World(seed, plies=8, ends=0.05)
        rules, state = search_game(world), world.opening()
        for means in MEANS:
            window = module.AlphaBetaSearch(rules, tally := NodeBudget(SearchEffort(10_000)), means)
            for depth in (3, 5, 300):
                tally.horizon = depth
                wrong += _found(window, state) != minimax(rules, state, state.mover, depth)
    return wrong


def _found(window, state) -> float | None:
    try:
        return window.value(state, state.mover, 0)[0]
    except AssertionError:  # the copy has made an illegal move
        return None


@pytest.mark.slow
def test_unchanged_module_has_no_wrong_values():
    assert wrong_values(copy()) == 0


SLIPS = {
    "the child's window is not turned round": ("ply + 1, -beta, -alpha)", "ply + 1, alpha, beta)"),
    "a bound is kept as exact": ("bound_kind(value, alpha, beta), depth", "ValueKind.EXACT, depth"),
    "the table does not know whose turn it is": ("self.tables[seat]", "self.tables[0]"),
    "a shallow value is taken for a deep one": ("entry.depth >= depth and ", ""),
    "what rests on a guess is kept for ever": ("tally.horizons += entry.depth < ENDLESS", "pass"),
    "a narrow window is not looked at again": ("if alpha < -value < beta:", "if False:"),
    "an at-least is taken for an at-most": ("entry.value >= beta", "entry.value <= alpha"),
    "who moves twice is taken for the other": (
        "return -value, line\n        tally",
        "return value, line\n        tally",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("slip", SLIPS.values(), ids=SLIPS)
def test_each_alpha_beta_error_is_noticed(slip):
    assert wrong_values(copy(slip)) > 0
